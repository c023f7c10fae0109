"""Measures: one file per idea. A measure receives a `Comparison` and returns one number."""
