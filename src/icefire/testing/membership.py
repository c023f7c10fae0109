"""What every attack on membership must hold to; `icefire.testing` runs it by name."""

from __future__ import annotations

import numpy as np
import polars as pl

from icefire.core import roles
from icefire.core.dataset import Dataset
from icefire.core.membership import MembershipCase
from icefire.core.registry import Entry
from icefire.testing import attacks


def check(entry: Entry) -> None:
    """Check one attack on small releases."""
    attacks.says_what_it_knows(entry)
    for case in examples():
        _check_attack(entry, case)


def examples() -> list[MembershipCase]:
    """Records asked about, of which every third was left out: plain, with holes, only text, one asked, two released."""
    plain = _table()
    holes = plain.with_frame(
        plain.frame.with_columns(
            pl.when(pl.int_range(pl.len()) % 5 == 0).then(None).otherwise(pl.col(name)).alias(name)
            for name in ("age", "job", "weight")
        )
    )
    words = Dataset(plain.frame.select("job", "town"), roles.choose(plain.frame.select("job", "town"), ("job", "town")))
    asked, kept = np.arange(0, 30, 2), np.flatnonzero(np.arange(30) % 3)
    cases = [MembershipCase(table.take(asked), table.take(kept)) for table in (plain, holes, words)]
    return [*cases, MembershipCase(plain.take(asked[:1]), plain), MembershipCase(plain, plain.take(kept[:2]))]


def _table(rows: int = 30) -> Dataset:
    rng = np.random.default_rng(1)
    frame = pl.DataFrame(
        {
            "age": rng.integers(20, 24, rows),
            "job": rng.choice(["cook", "nurse", "smith"], rows),
            "town": ["Here"] * rows,
            "weight": rng.normal(70, 9, rows).round(1),
            "ill": rng.integers(0, 2, rows),
        }
    )
    return Dataset(frame, roles.choose(frame, ("age", "job", "town"), ("weight", "ill")))


def _check_attack(entry: Entry, case: MembershipCase) -> None:
    records, released = case.records, case.released
    guess = attacks.answers(entry, lambda: MembershipCase(records, released), [records, released])
    ordered = np.sort(guess.rows, axis=1)
    twice = (ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] >= 0)
    assert not twice.any(), f"{entry.name}: no row is named twice for a record"
    silent = guess.first < 0
    assert (guess.rows[silent] < 0).all(), f"{entry.name}: whoever is no member has no row"
