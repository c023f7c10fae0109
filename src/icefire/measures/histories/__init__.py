"""Measures for histories: many rows per person."""
