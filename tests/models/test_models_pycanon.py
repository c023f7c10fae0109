"""pycanon finds the same numbers where it means the same, and where it does not we know why."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from support.model_tables import data, value

from icefire.core import roles
from icefire.core.dataset import Dataset


@pytest.fixture(scope="module")
def both_ways():
    pytest.importorskip("pycanon", reason="pycanon is in the bench extra")
    rng = np.random.default_rng(11)
    n = 300
    frame = pl.DataFrame(
        {
            "q": rng.integers(0, 5, n),
            "p": rng.choice(["u", "v", "w"], n),
            "s": rng.choice(["a", "b", "c", "d"], n, p=[0.5, 0.3, 0.15, 0.05]),
            "x": rng.integers(0, 9, n),
        }
    )
    return Dataset(frame, roles.choose(frame, ["q", "p"], ["s", "x"])), frame.to_pandas()


def test_pycanon_finds_the_same_numbers_where_it_means_the_same(both_ways):
    from pycanon import anonymity

    table, frame = both_ways
    given = (frame, ["q", "p"], ["s", "x"])
    assert value("k_min", table) == anonymity.k_anonymity(frame, ["q", "p"])
    assert value("l_distinct", table) == anonymity.l_diversity(*given)
    assert value("alpha_k", table) == pytest.approx(anonymity.alpha_k_anonymity(*given)[0])
    assert value("beta_likeness", table) == pytest.approx(anonymity.basic_beta_likeness(*given))
    assert value("delta_disclosure", table) == pytest.approx(anonymity.delta_disclosure(*given))
    # Text by equal distance, numbers by ordered distance.
    assert value("t_equal", table, sa="s") == pytest.approx(anonymity.t_closeness(frame, ["q", "p"], ["s"]))
    assert value("t_ordered", table, sa="x") == pytest.approx(anonymity.t_closeness(frame, ["q", "p"], ["x"]))


def test_pycanon_cuts_entropy_diversity_down_to_a_whole_number(both_ways):
    from pycanon import anonymity

    table, frame = both_ways
    assert math.floor(value("l_entropy", table)) == anonymity.entropy_l_diversity(frame, ["q", "p"], ["s", "x"])


def test_pycanon_compares_the_rarest_value_in_recursive_diversity(both_ways):
    from pycanon import anonymity

    table, frame = both_ways
    c, level = anonymity.recursive_c_l_diversity(frame, ["q", "p"], ["s"])
    # Its c bounds the rarest value, ours (and the paper's) the commonest: the pair it names does not hold.
    assert (c, level) == (1, value("l_distinct", table, sa="s"))
    assert value("l_recursive", table, sa="s", c=float(c)) < level


def test_pycanon_caps_enhanced_beta_where_no_beta_holds(both_ways):
    from pycanon import anonymity

    table, frame = both_ways
    shares = frame["s"].value_counts(normalize=True)
    capped = min(value("beta_likeness", table, sa="s"), -math.log(shares.min()))
    assert anonymity.enhanced_beta_likeness(frame, ["q", "p"], ["s"]) == pytest.approx(capped)


def test_pycanon_drops_rows_with_missing_values_and_we_do_not(both_ways):
    from pycanon import anonymity

    frame = pl.DataFrame({"q": ["A", "A", None], "s": [1, 2, 3]})
    assert anonymity.k_anonymity(frame.to_pandas(), ["q"]) == 2
    assert value("k_min", data(["A", "A", None], s=[1, 2, 3])) == 1
