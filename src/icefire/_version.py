"""The version and the default seed, apart from other modules so that importing them loads nothing else."""

__version__ = "0.2.0"

DEFAULT_SEED = 2015
"""The seed of every random step unless another is given: the year of the first PWSCUP."""
