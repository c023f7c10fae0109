"""Formulas of measures and sample attacks that belong to single contests: tables in, numbers out."""
