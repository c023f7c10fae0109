"""Methods for tables: one row per person."""
