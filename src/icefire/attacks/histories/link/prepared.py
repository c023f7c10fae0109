"""Both histories made comparable: the own copy coarsened, merged and cut as the release seems to have been."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import polars as pl

from icefire.attacks.histories.link.amounts import read_amounts
from icefire.attacks.histories.link.dates import read_dates, since_first
from icefire.attacks.histories.link.goods import read_goods
from icefire.attacks.histories.link.layers import RowColumn, RowOwners
from icefire.attacks.histories.link.merging import merge_likewise
from icefire.attacks.histories.link.reading import ColumnReading, joint_codes, overlap
from icefire.attacks.histories.link.totals import compare_totals
from icefire.attacks.histories.link.units import Units, fitting_units
from icefire.core.align import as_text
from icefire.core.history import History, HistoryCase
from icefire.core.history.dates import DAY
from icefire.kernels.types import Bool, Int

READABLE = 0.3
"""Names of goods are learned where fewer of the rows than this have goods that can be read."""
FOLLOWS = 0.99
"""An amount says nothing if in so many of the rows it is the usual one of the good."""
LEAST_SHARED = 0.05
"""Receipt numbers and values of other columns are compared if so many of the released ones occur in the original."""


@dataclass(frozen=True)
class Prepared:
    """Columns of both histories as numbers, and what was read from them."""

    owners: RowOwners
    units: Units
    goods: RowColumn
    readable: bool
    """Whether the names of the goods could be read."""
    dates: list[RowColumn] = field(default_factory=list)
    """Coarse to fine."""
    elapsed: list[RowColumn] = field(default_factory=list)
    """Time since the first purchase, coarse to fine: for dates that were shifted, each subject's by its own."""
    amounts: dict[str, list[RowColumn]] = field(default_factory=dict)
    """Number and price, each coarse to fine."""
    others: list[RowColumn] = field(default_factory=list)
    """Further columns of the rows."""
    receipts: RowColumn | None = None
    profile: list[RowColumn] = field(default_factory=list)
    """Columns of the customer table, by unit and by released subject."""
    changes: dict[str, str] = field(default_factory=dict)
    """By column, the change that was read, in words."""
    own: pl.DataFrame = field(default_factory=pl.DataFrame)
    shown: pl.DataFrame = field(default_factory=pl.DataFrame)
    """The rows of both sides: subject, good or label, and the other columns."""
    totals: list[RowColumn] = field(default_factory=list)
    """Sums over all rows of a customer and of a released subject: a beginning where goods cannot be read."""

    def with_rows(self, own: Bool, shown: Bool) -> Prepared:
        """Return the same of some rows only, as far as layers are built of them."""
        owners = replace(self.owners, own=self.owners.own[own], shown=self.owners.shown[shown])
        receipts = None if self.receipts is None else self.receipts.with_rows(own, shown)
        return replace(self, owners=owners, receipts=receipts)


def prepare(case: HistoryCase, goods: ColumnReading | None = None) -> Prepared:
    """Read how each column was changed, and change the own copy likewise.

    Args:
        case: What the attacker holds.
        goods: What became of the goods, where that was learned otherwise.

    Returns:
        The comparable columns.
    """
    fields = case.known.fields
    reading = goods or read_goods(*(side.frame[fields.item] for side in (case.known, case.released)))
    own, shown = (_rows(side, labels) for side, labels in ((case.known, reading.own), (case.released, reading.shown)))
    own = own.with_columns(good=pl.Series(case.coded[0]))
    changes = {fields.item: reading.change}
    # Names that cannot be read would make every reading of another column fail.
    readable = reading.fit >= READABLE
    own, merged = merge_likewise(own, shown, readable)
    if merged:
        changes[fields.subject] = f"{merged} merged"
    goods_column = RowColumn(fields.item, own["label"].to_numpy(), shown["label"].to_numpy())
    known, released = goods_column.own, goods_column.shown
    labels = (known, released) if readable else (np.zeros_like(known), np.zeros_like(released))
    dates, elapsed = _dates(own, shown, labels, changes, fields.date or "")
    amounts: dict[str, list[RowColumn]] = {
        name: _amounts(own, shown, labels, changes, fields.present[name], name)
        for name in ("number", "price")
        if name in own.columns and name in shown.columns
    }
    others = _others(own, shown, changes)
    units = Units(own["subject"].to_numpy(), np.arange(case.choices), "")
    return Prepared(
        RowOwners(units.rows, len(units.owner), shown["subject"].to_numpy(), case.targets),
        units,
        goods_column,
        readable,
        dates,
        elapsed,
        amounts,
        others,
        _receipts(own, shown, changes, fields.receipt),
        _profile(case, changes),
        changes,
        own,
        shown,
        compare_totals(own, shown, (case.choices, case.targets)),
    )


def unit_variants(prepared: Prepared) -> list[Prepared]:
    """Return the columns with customers as units and, where pseudonyms outnumber them, with periods of customers."""
    owners = prepared.owners
    shown = prepared.shown if prepared.dates else prepared.shown.drop("exact", strict=False)
    cut = fitting_units(prepared.own, shown, owners.own_count, owners.shown_count)
    return [prepared, *(_with_units(prepared, units) for units in cut)]


def _with_units(prepared: Prepared, units: Units) -> Prepared:
    owners = replace(prepared.owners, own=units.rows, own_count=len(units.owner))
    profile = [replace(column, own=column.own[units.owner]) for column in prepared.profile]
    return replace(prepared, owners=owners, units=units, profile=profile)


def _rows(side: History, labels: Int) -> pl.DataFrame:
    columns: dict[str, object] = {"subject": side.codes, "label": labels}
    if side.has("date"):
        columns |= {"when": side.when, "exact": side.when}
    columns |= {name: getattr(side, name + "s") for name in ("number", "price") if side.has(name)}
    receipts = side.column("receipt")
    if receipts is not None:
        columns["receipt"] = receipts.cast(pl.String)
    used = set(side.fields.present.values())
    extra = {f"column {name}": as_text(side.frame[name]) for name in side.frame.columns if name not in used}
    return pl.DataFrame(columns | extra)


def _dates(
    own: pl.DataFrame, shown: pl.DataFrame, labels: tuple[Int, Int], changes: dict[str, str], name: str
) -> tuple[list[RowColumn], list[RowColumn]]:
    if "when" not in own.columns or "when" not in shown.columns or shown["when"].n_unique() < 2:
        return [], []
    reading = read_dates(labels, own["when"].to_numpy(), shown["when"].to_numpy())
    changes[name] = reading.change
    sides = (reading.own, reading.shown)
    months = [side.astype("datetime64[s]").astype("datetime64[M]").astype(np.int64) for side in sides]
    steps = {
        "quarter": [month // 3 for month in months],
        "month": months,
        "day": [side // DAY for side in sides],
        "instant": list(sides),
    }
    elapsed = [
        since_first(side["when"].to_numpy(), side["subject"].to_numpy(), int(side["subject"].max()) + 1)  # type: ignore[arg-type]
        for side in (own, shown)
    ]
    since = {"since first, months": [days // 30 for days in elapsed], "since first, days": elapsed}
    return _steps(name, steps), _steps(name, since)


def _steps(name: str, steps: Mapping[str, list[Int]]) -> list[RowColumn]:
    """Number the steps, and leave out those that are not finer than the one before."""
    columns: list[RowColumn] = []
    count = 1
    for step, (own, shown) in steps.items():
        codes = joint_codes(own, shown)
        distinct = len(np.unique(codes[1]))
        if distinct > count:
            columns.append(RowColumn(f"{name}: {step}", *codes))
            count = distinct
    return columns


def _amounts(
    own: pl.DataFrame, shown: pl.DataFrame, labels: tuple[Int, Int], changes: dict[str, str], column: str, name: str
) -> list[RowColumn]:
    usual = pl.DataFrame({"label": labels[1], "value": shown[name]}).group_by("label", "value").len()
    if usual.group_by("label").agg(pl.col("len").max())["len"].sum() >= FOLLOWS * shown.height:
        return []
    reading = read_amounts(labels, own["good"].to_numpy(), own[name].to_numpy(), shown[name].to_numpy())
    changes[column] = reading.change
    steps = {"magnitude": [reading.own_power, reading.shown_power], "value": [reading.own, reading.shown]}
    return _steps(column, steps)


def _others(own: pl.DataFrame, shown: pl.DataFrame, changes: dict[str, str]) -> list[RowColumn]:
    columns = []
    for name in own.columns:
        if not name.startswith("column ") or name not in shown.columns or shown[name].n_unique() < 2:
            continue
        codes = joint_codes(own[name], shown[name])
        if overlap(*codes) >= LEAST_SHARED:
            columns.append(RowColumn(name.removeprefix("column "), *codes))
            changes[name.removeprefix("column ")] = "compared as it is"
    return columns


def _receipts(own: pl.DataFrame, shown: pl.DataFrame, changes: dict[str, str], name: str | None) -> RowColumn | None:
    if "receipt" not in own.columns or "receipt" not in shown.columns or name is None:
        return None
    codes = joint_codes(own["receipt"], shown["receipt"])
    if overlap(*codes) < LEAST_SHARED:
        return None
    changes[name] = "kept"
    return RowColumn(name, *codes)


def _profile(case: HistoryCase, changes: dict[str, str]) -> list[RowColumn]:
    known, shown = case.known.customers, case.released.customers
    if known is None or shown is None:
        return []
    columns = []
    for name in known.columns:
        if name == case.known.fields.subject or name not in shown.columns or shown[name].n_unique() < 2:
            continue
        reading = read_goods(as_text(known[name]).fill_null(""), as_text(shown[name]).fill_null(""))
        if reading.fit >= LEAST_SHARED:
            columns.append(RowColumn(name, reading.own, reading.shown))
            changes[name] = reading.change
    return columns
