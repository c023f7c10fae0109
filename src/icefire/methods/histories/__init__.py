"""Methods for histories: many rows per person."""
