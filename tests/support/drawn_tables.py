"""Small tables and releases for hypothesis to draw: two quasi-identifiers and two amounts, full of ties."""

from __future__ import annotations

import polars as pl
from hypothesis import settings
from hypothesis import strategies as st

from icefire.core import roles
from icefire.core.dataset import Dataset

QI, SA = ["q1", "q2"], ["s1", "s2"]
FEW = settings(max_examples=60, deadline=None)

cell = st.integers(0, 2)
amount = st.integers(0, 4)
maybe = st.one_of(st.none(), cell)


def frames(rows, qi=cell):
    record = st.tuples(qi, qi, amount, amount)
    return st.lists(record, min_size=rows[0], max_size=rows[1]).map(
        lambda records: pl.DataFrame(records, schema=dict.fromkeys([*QI, *SA], pl.Int64), orient="row")
    )


@st.composite
def releases(draw, qi=cell):
    """An original, a release with no more rows, and any truth between them."""
    x = draw(frames((3, 14), qi))
    y = draw(frames((2, x.height), qi))
    truth = draw(st.lists(st.integers(0, x.height - 1), min_size=y.height, max_size=y.height))
    return dataset(x), dataset(y), truth


def dataset(frame):
    return Dataset(frame, roles.choose(frame, QI, SA))
