"""Attacks for histories: many rows per person."""
