"""Measures of histories: many rows per person."""
