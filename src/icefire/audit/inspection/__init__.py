"""Inspections of one table or history alone."""
