"""What the tests of methods on histories share: a shop of four customers, random histories, and a method applied."""

from __future__ import annotations

from hypothesis import settings
from hypothesis import strategies as st

from icefire.core import registry, seeds
from icefire.core.dataset import ORIGIN
from icefire.core.history import History
from icefire.core.history.publishing import with_origin
from support.history_tables import history

FEW = settings(max_examples=40, deadline=None)


def applied(name: str, data: History, seed: int = 0, **parameters: object) -> History:
    entry = registry.get("method", name)
    made: History = entry.function(with_origin(data), rng=seeds.generator(seed, name), **entry.bind(parameters))
    return made


def rows(data: History, *columns: str) -> list[tuple[object, ...]]:
    return data.frame.select(columns or data.frame.drop(ORIGIN, strict=False).columns).rows()


def bought(data: History) -> dict[str, set[str]]:
    """The goods of everybody."""
    pairs = data.frame.select(data.fields.subject, data.fields.item).rows()
    return {name: {good for who, good in pairs if who == name} for name in data.names}


SHOP = history(
    [
        ("ann", "r1", "2020/1/30", "9:00", "ale", 3.0, 2),
        ("ann", "r2", "2020/2/3", "9:10", "bun", 1.0, 5),
        ("bob", "r3", "2020/2/3", "8:00", "ale", 3.5, 1),
        ("bob", "r4", "2020/1/7", "10:59", "cod", 8.0, 1),
        ("cyn", "r5", "2020/3/1", "7:00", "dip", 2.0, 3),
        ("dan", "r6", "2020/3/2", "7:30", "dip", 2.5, 1),
        ("dan", "r6", "2020/3/2", "7:30", "egg", 0.2, 12),
    ],
    [("ann", "f", "UK"), ("bob", "m", "UK"), ("cyn", "f", "FR"), ("dan", "m", "FR")],
)


@st.composite
def histories(draw, most=9, goods=6):
    """A few customers with dates, prices and numbers; some may have bought nothing."""
    who = [f"u{number}" for number in range(draw(st.integers(1, most)))]
    row = st.tuples(st.sampled_from(who), st.integers(1, 4), st.integers(0, goods - 1), st.integers(1, 9))
    made = [
        (name, f"{name}{day}", f"2020/{day}/{day}", "9:00", f"g{good}", number / 4, number)
        for name, day, good, number in draw(st.lists(row, min_size=1, max_size=30))
    ]
    return history(made, [(name, "f", "UK") for name in who])
