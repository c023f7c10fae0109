"""What the tests of local recoding share: small trees, any tables, and the loss computed cell by cell."""

from __future__ import annotations

from collections import Counter

import numpy as np
import polars as pl
from hypothesis import strategies as st

from icefire import hierarchy
from icefire.core import roles, seeds
from icefire.core.dataset import ORIGIN, Dataset
from icefire.hierarchy.core import build
from icefire.methods.tables.k_anonymize.local_recoding import local_recoding


def carried(frame, qi):
    """A dataset as a recipe hands it to a method."""
    frame = pl.DataFrame(frame)
    data = Dataset(frame, roles.choose(frame, qi, [name for name in frame.columns if name not in qi]))
    return data.with_frame(frame.with_columns(pl.Series(ORIGIN, np.arange(frame.height))))


def tree(name, *lines):
    """A hierarchy from lines such as "Aa A *"; a dot is a missing value."""
    cells = zip(*(line.split() for line in lines), strict=True)
    columns = [[None if cell == "." else cell for cell in column] for column in cells]
    return build(name, [pl.Series(column, dtype=pl.String) for column in columns])


class Rule:
    """A promise that is the same whatever is released, from a function of rows and starts."""

    def __init__(self, satisfied):
        self.satisfied = satisfied

    def over(self, rows):
        return self


def recoded(data, trees, seed=0, **options):
    names = [known.name for known in trees]
    fitted = [hierarchy.fit(known, data.frame[known.name]) for known in trees]
    return local_recoding(data, names, rng=seeds.generator(seed), fitted=fitted, **options)


def slow_granularity(data, made, trees):
    """ARX's granularity cell by cell: 1 - (leaves below - 1) / (all leaves - 1), the mean of all cells."""
    left = data.frame.filter(pl.col(ORIGIN).is_in(made.frame[ORIGIN].implode()))
    kept = []
    for column in left.columns:
        known = next((known for known in trees if known.name == column), None)
        if known is None:
            continue
        fitted = hierarchy.fit(known, data.frame[column])
        paths = {path[0]: path for path in fitted.hierarchy.rows()}
        for value, released in zip(left[column].cast(pl.String), made.frame[column].cast(pl.String), strict=True):
            level = (*paths[value], "*").index(released)  # fails if it is no ancestor
            below = len(paths) if level == len(paths[value]) else _leaves(paths, level, released)
            kept.append(1 - (below - 1) / max(len(paths) - 1, 1))
    return sum(kept) / len(kept)


def _leaves(paths, level, label):
    return sum(path[level] == label for path in paths.values())


def class_sizes(made, names):
    return Counter(made.frame.select(names).rows())


TOWN = tree("town", "Aa A *", "Ab A *", "Ba B *", "Bb B *")
SEX = tree("sex", "m *", "f *")


@st.composite
def trees(draw):
    """A tree of even depth: the group of a value on a level is the group of its group one level below."""
    leaves = draw(st.integers(1, 6))
    groups, levels = list(range(leaves)), [[f"v{leaf}" for leaf in range(leaves)]]
    for level in range(draw(st.integers(0, 2))):
        above = draw(st.lists(st.integers(0, 2), min_size=max(groups) + 1, max_size=max(groups) + 1))
        groups = [above[group] for group in groups]
        levels.append([f"{'abc'[group]}{level}" for group in groups])
    if draw(st.booleans()) or len(levels) == 1:
        levels.append(["*"] * leaves)
    return levels


@st.composite
def tables(draw):
    """A table of up to thirty rows with up to three columns, missing values among them, and its hierarchies."""
    found = [
        build(f"q{place}", [pl.Series(level) for level in levels])
        for place, levels in enumerate(draw(st.lists(trees(), min_size=1, max_size=3)))
    ]
    rows = draw(st.integers(2, 30))
    frame = {
        known.name: pl.Series(
            draw(st.lists(st.sampled_from([*known.values, None]), min_size=rows, max_size=rows)), dtype=pl.String
        )
        for known in found
    }
    return carried({**frame, "pay": range(rows)}, [known.name for known in found]), found


def survey(rows, seed=1):
    rng = np.random.default_rng(seed)
    frame = {"town": rng.choice(["Aa", "Ab", "Ba", "Bb"], rows), "age": rng.integers(0, 40, rows)}
    ages = build(
        "age",
        [
            pl.Series([str(age) for age in range(40)]),
            pl.Series([f"{age // 5 * 5}+" for age in range(40)]),
            pl.Series([f"{age // 20 * 20}…" for age in range(40)]),
            pl.Series(["*"] * 40),
        ],
    )
    pay = rng.choice(["low", "mid", "high"], rows, p=[0.7, 0.2, 0.1])
    return carried({**frame, "pay": pay}, ["town", "age"]), [TOWN, ages]
