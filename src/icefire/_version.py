"""Facts that everything may need and that must cost nothing to import."""

__version__ = "0.1.0"

DEFAULT_SEED = 2015
"""The seed of every random step unless another is given: the year of the first PWSCUP."""
