"""Studies: tables and figures of the papers, repeated on synthetic data."""
