"""Measures of tables: one row per person."""
