"""Rows grouped by packed keys, and statistics of the groups."""
