"""Views of a history: what an attacker knows who knows some columns of some people, and the named profiles."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl

from icefire.core.errors import SchemaError, did_you_mean
from icefire.core.history.fields import MEANINGS, NEEDED, Fields
from icefire.core.history.history import History
from icefire.core.knowledge import Knowledge, KnownColumn
from icefire.core.profiles import EVERYTHING, MAXIMUM, Profile
from icefire.core.views import View, blurred, known_people

CUSTOMERS = "customers"
"""Stands for all columns of the customer table."""
REGISTERED = 0.5
"""Share of the people whom a journalist knows."""


def history_profile(name: Profile, data: History) -> Knowledge:
    """Return what a named attacker knows of the people in a history."""
    if name == MAXIMUM:
        return Knowledge(name=name, scenario=EVERYTHING)
    goods, when = KnownColumn("item"), [KnownColumn(m) for m in ("date", "time") if data.has(m)]
    profile = [KnownColumn(CUSTOMERS)] if data.has(CUSTOMERS) else []
    if name == "neighbour":
        return Knowledge(
            (goods, *profile),
            name=name,
            scenario="what neighbours and acquaintances see and hear: everybody's goods, not when or for how much"
            + (", and the customer table" if profile else ""),
        )
    if name == "journalist":
        return Knowledge(
            (goods, *when),
            REGISTERED,
            name,
            "the goods of half the people" + (" and when they were bought" if when else ""),
        )
    details = [KnownColumn(m) for m in ("receipt", "number") if data.has(m)]
    return Knowledge(
        (goods, *when, *details, *profile),
        name=name,
        scenario="the files of one department: all rows of everybody"
        + (", prices excepted" if data.has("price") else ""),
    )


def history_view(original: History, knowledge: Knowledge, rng: np.random.Generator) -> View[History]:
    """Make what an attacker with some knowledge holds of a history.

    Args:
        original: The history with everybody.
        knowledge: The columns known, by name or by meaning ("item", "date", …, "customers" for the whole customer
            table), and of how many people.
        rng: The generator of everything that is drawn.

    Returns:
        The history of the people known with the columns known alone, and who they are.

    Raises:
        SchemaError: If a column is not there, the items are not known, or something has to be a number and is none.
    """
    seed = int(rng.integers(1 << 62))
    people = known_people(original.subjects, knowledge.share, seed)
    if knowledge.is_everything:
        return View(original, people, original.subjects)
    known = original if knowledge.columns is None else _with_columns(original, knowledge.columns, seed)
    return View(_with_people(known, original, people), people, original.subjects)


def _with_people(known: History, original: History, people: np.ndarray) -> History:
    kept = np.zeros(original.subjects, np.bool_)
    kept[people] = True
    # A customer table, if only of names, keeps people without rows and the order of the others.
    customers = original.names.alias(original.fields.subject).to_frame() if known.customers is None else known.customers
    return replace(known, frame=known.frame.filter(pl.Series(kept[original.codes])), customers=customers[people])


def _with_columns(original: History, columns: tuple[KnownColumn, ...], seed: int) -> History:
    fields, subject = original.fields, original.fields.subject
    named = _by_name(original, columns)
    if fields.item not in named:
        raise SchemaError(f"knowledge: an attacker of a history knows at least the items; add {fields.item!r}")
    rows = [blurred(original.frame[name], named[name], seed) for name in original.frame.columns if name in named]
    kept_fields = {m: name for m, name in fields.present.items() if name in named or m in NEEDED}
    frame = pl.DataFrame([original.frame[subject], *rows])
    customers = None
    if original.customers is not None:
        kept = [blurred(c, named[c.name], seed) for c in original.customers if c.name in named and c.name != subject]
        customers = pl.DataFrame([original.customers[subject], *kept]) if kept else None
    return replace(original, frame=frame, fields=Fields(**kept_fields), customers=customers, digest="")


def _by_name(original: History, columns: tuple[KnownColumn, ...]) -> dict[str, KnownColumn]:
    """Return the columns known by their names in the tables."""
    profile = () if original.customers is None else tuple(original.customers.columns)
    present, named = original.fields.present, {}
    for column in columns:
        is_table = column.name == CUSTOMERS and bool(profile)
        names = profile if is_table else (present.get(column.name, column.name),)
        for name in names:
            if name not in original.frame.columns and name not in profile:
                allowed = [*(m for m in MEANINGS if m in present and m != "subject"), *original.frame.columns, *profile]
                raise SchemaError(f"knowledge: no column {name!r}; {did_you_mean(name, allowed)}")
            named[name] = replace(column, name=name)
    named.pop(original.fields.subject, None)
    return named
