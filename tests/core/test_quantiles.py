"""Quantiles of counted and of sorted values are those of numpy, to the last bit."""

import numpy as np
import pytest

from icefire.core.quantiles import quantiles_of_counted, quantiles_of_sorted

SHARES = [*np.linspace(0, 1, 33), 0.5, 0.25, 0.75]


@pytest.mark.parametrize("seed", range(30))
def test_quantiles_are_those_of_numpy(seed):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=rng.integers(1, 50)) * 10.0 ** rng.integers(-3, 6)
    values = values.round() if seed % 2 else values
    counts = rng.integers(1, 5, len(values))

    assert (quantiles_of_counted(values, counts, SHARES) == np.quantile(np.repeat(values, counts), SHARES)).all()
    assert (quantiles_of_sorted(np.sort(values), SHARES) == np.quantile(values, SHARES)).all()
