"""What the tests of measures on histories share: a shop of three customers, random histories, and a measure's value."""

from __future__ import annotations

import numpy as np
import polars as pl
from hypothesis import strategies as st

from icefire.core import registry
from icefire.core.history import History
from support.history_tables import history


def value(name, comparison, **given):
    entry = registry.get("measure", name)
    return entry.function(comparison, **entry.bind(given))


PEOPLE = [("u1", "f", "Spain"), ("u2", "f", "Spain"), ("u3", "m", "Italy")]
ROWS = [
    ("u1", "r1", "2024-01-05", "9:00", "a", 1.0, 2),
    ("u1", "r1", "2024-01-05", "9:00", "b", 3.0, 4),
    ("u1", "r2", "2024-02-01", "10:00", "a", 1.0, 2),
    ("u2", "r3", "2024-01-20", "11:00", "a", 1.0, 6),
    ("u2", "r3", "2024-01-20", "11:00", "b", 3.0, 1),
    ("u3", "r4", "2024-03-01", "12:00", "c", 5.0, 1),
]


def slow_dummies(data: History, cluster: list[int]) -> pl.DataFrame:
    """Algorithm 2, row by row."""
    bought = [set() for _ in range(data.subjects)]
    for code, good in zip(data.codes, data.frame["goods"], strict=True):
        bought[code].add(good)
    rows = data.frame.rows(named=True)
    prices = {}
    for row in sorted(range(data.height), key=lambda i: (data.when[i], i)):
        prices[rows[row]["goods"]] = rows[row]["price"]
    made = []
    for user, name in enumerate(data.names):
        wanted = set().union(*(bought[other] for other in range(data.subjects) if cluster[other] == cluster[user]))
        last = max((i for i in range(data.height) if data.codes[i] == user), key=lambda i: (data.when[i], i))
        copied = {key: rows[last][key] for key in ("receipt", "date", "time")}
        missing = sorted(wanted - bought[user])
        made += [{"user": name, **copied, "goods": good, "price": prices[good], "number": 1} for good in missing]
    return pl.DataFrame(made, schema=data.frame.schema) if made else data.frame.clear()


@st.composite
def random_histories(draw, most=25):
    """Every customer has rows, the first two have a pair in common; prices, numbers and dates repeat often."""
    customers = draw(st.integers(2, 5))
    line = st.tuples(st.integers(0, 2), st.sampled_from("abcdef"), st.sampled_from([1.0, 2.5]), st.integers(1, 2))
    rows = [(f"u{user}", "r0", "2024-01-01", "9:00", good, 1.0, 1) for user in (0, 1) for good in "ab"]
    for user in range(customers):
        for visit, good, price, number in draw(st.lists(line, min_size=1, max_size=most // customers)):
            rows.append((f"u{user}", f"r{visit}", f"2024-01-0{visit + 1}", "9:00", good, price, number))
    person = st.tuples(st.sampled_from("fm"), st.sampled_from(["Here", "There"]))
    return history(rows, [(f"u{user}", *draw(person)) for user in range(customers)])


def renamed(data: History, seed: int = 1) -> tuple[History, np.ndarray]:
    """Publish unchanged: new names, other orders of customers and rows, new receipt numbers."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(data.subjects)
    names = np.empty(data.subjects, np.int64)
    names[order] = np.arange(data.subjects)
    new = pl.Series("user", names).cast(pl.String)
    frame = data.frame.with_columns(new[data.codes], "new-" + pl.col("receipt"))[rng.permutation(data.height)]
    return data.with_frame(frame).with_customers(data.customers.with_columns(new)[order]), order
