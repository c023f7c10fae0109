"""Small tables for the models, and the models straight from their definitions: loops that can be checked by reading."""

from __future__ import annotations

import math
from collections import Counter, defaultdict

import polars as pl

from icefire.core import roles
from icefire.core.dataset import Dataset
from icefire.core.registry import get
from support.small_tables import compare

NAMES = (
    "l_distinct",
    "l_entropy",
    "l_recursive",
    "alpha_k",
    "t_equal",
    "t_ordered",
    "beta_likeness",
    "delta_disclosure",
)


def data(q, **sa):
    """One quasi-identifier q and any sensitive attributes."""
    frame = pl.DataFrame({"q": list(q), **sa})
    return Dataset(frame, roles.choose(frame, ["q"], list(sa)))


def value(name, table, original=None, **parameters):
    entry = get("measure", name)
    return entry.function(compare(table if original is None else original, table), **entry.bind(parameters))


def classes(frame, suppressed="own_value"):
    """The classes as lists of row numbers; by wildcard one for each row."""
    keys = frame.select("q", "p").rows()
    if suppressed == "own_value":
        members = defaultdict(list)
        for row, key in enumerate(keys):
            members[key].append(row)
        return list(members.values())
    return [[j for j, b in enumerate(keys) if alike(a, b)] for a in keys]


def alike(a, b):
    return all(x is None or y is None or x == y for x, y in zip(a, b, strict=True))


def slow(name, values, members, c=3.0):
    """The worst value over the classes, straight from the definitions."""
    table, n = Counter(values), len(values)
    order = sorted(table, key=lambda v: (v is None, v if v is not None else 0))
    return (min if name.startswith("l_") else max)(
        one_class(name, Counter(values[row] for row in rows), table, n, order, c) for rows in members
    )


def one_class(name, inside, table, n, order, c):
    size = sum(inside.values())
    q = {v: inside[v] / size for v in order}
    p = {v: table[v] / n for v in order}
    ranked = sorted(inside.values(), reverse=True)
    return {
        "l_distinct": lambda: len(inside),
        "l_entropy": lambda: math.exp(-sum(q[v] * math.log(q[v]) for v in inside)),
        "l_recursive": lambda: max((i + 1 for i in range(len(ranked)) if ranked[0] < c * sum(ranked[i:])), default=0),
        "alpha_k": lambda: max(q.values()),
        "t_equal": lambda: sum(abs(q[v] - p[v]) for v in order) / 2,
        "t_ordered": lambda: cumulated(order, q, p),
        "beta_likeness": lambda: max(0, *((q[v] - p[v]) / p[v] for v in order)),
        "delta_disclosure": lambda: max(abs(math.log(q[v] / p[v])) for v in inside),
    }[name]()


def cumulated(order, q, p):
    steps = [abs(sum(q[v] - p[v] for v in order[: i + 1])) for i in range(len(order))]
    return sum(steps) / (len(order) - 1) if len(order) > 1 else 0
