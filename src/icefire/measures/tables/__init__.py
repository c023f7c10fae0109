"""Measures for tables: one row per person."""
