"""A contest of an organiser's own, described in a few lines of TOML."""
