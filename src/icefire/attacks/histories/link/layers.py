"""Layers of keys: what rows hold in one column, then in one column more, and so on; and the evidence of shared keys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from icefire.kernels.baskets.key_evidence import KeyGains, KeyTree, KnownKeys, ShownKeys
from icefire.kernels.types import Bool, Float, Int

LEAST_RATE = 1e-4
SURE = 0.995
"""No key is more certain to be there by chance than this."""
PRIOR = 1.0
"""The usual chance of a layer counts as much as so many subjects."""


@dataclass(frozen=True)
class RowColumn:
    """A column of both histories, row by row, as numbers that are equal where the values are."""

    name: str
    own: Int
    shown: Int

    def with_rows(self, own: Bool, shown: Bool) -> RowColumn:
        """Return the column of some rows only."""
        return RowColumn(self.name, self.own[own], self.shown[shown])


@dataclass(frozen=True)
class RowOwners:
    """Whose rows are whose: the subject of every row, and how many subjects there are."""

    own: Int
    own_count: int
    shown: Int
    shown_count: int


@dataclass(frozen=True)
class KeySide:
    """The keys of all subjects of one history: subject u has keys[start[u]:start[u + 1]], ascending."""

    start: Int
    keys: Int
    parent_entry: Int
    """Where the key that each entry refines stands among the entries; -1 for none."""

    @property
    def owners(self) -> Int:
        """The subject of every entry."""
        return np.repeat(np.arange(len(self.start) - 1), np.diff(self.start))


@dataclass(frozen=True)
class KeyLayers:
    """Keys of both histories in layers."""

    names: tuple[str, ...]
    """Of each layer, the column that it adds."""
    parents: tuple[int, ...]
    """Of each layer, the layer it refines; -1 for none."""
    own: KeySide
    shown: KeySide
    layer: Int
    """Of every key."""
    parent: Int
    """Of every key, the key it refines; -1 for none."""
    single: tuple[bool, ...]
    """Of each layer, whether subjects have one key at most, as with the columns of the customer table."""

    @property
    def tree(self) -> KeyTree:
        """Layer and parent of every key, as the kernels take them."""
        return KeyTree(self.layer.astype(np.int32), self.parent.astype(np.int32), len(self.names))


def build_layers(
    owners: RowOwners,
    chain: Sequence[RowColumn],
    ordinals: RowColumn,
    receipts: RowColumn | None = None,
    profile: Sequence[RowColumn] = (),
) -> KeyLayers:
    """Build the layers of a chain of columns, of receipts and of the customer table.

    Args:
        owners: Whose rows are whose.
        chain: The first column is a layer of its own, and every further one refines it.
        ordinals: Of every row, the how manieth it is of those that are equal in the whole chain.
        receipts: Receipt numbers, a layer of their own.
        profile: Columns with one value per subject, each a layer of its own.

    Returns:
        The layers, keys numbered over all of them.
    """
    build = _Builder(owners)
    above = -1
    for column in chain:
        above = build.refine(column, above)
    build.count_repeats(ordinals, above)
    if receipts is not None:
        build.refine(receipts, -1)
    for column in profile:
        build.add_profile(column)
    return build.finish()


class _Builder:
    def __init__(self, owners: RowOwners) -> None:
        self.owners = owners
        self.names: list[str] = []
        self.parents: list[int] = []
        self.single: list[bool] = []
        self.row_keys: list[tuple[Int, Int]] = []
        self.pairs: list[tuple[tuple[Int, Int], tuple[Int, Int]]] = []
        self.key_layer: list[Int] = []
        self.key_parent: list[Int] = []
        self.size = 0

    def refine(self, column: RowColumn, above: int) -> int:
        """Add the layer of a column below another; return its number."""
        values = np.concatenate((column.own, column.shown))
        packed = values
        if above >= 0:
            size = int(values.max(initial=-1)) + 1
            packed = np.concatenate(self.row_keys[above]) * size + values
        distinct, first, codes = np.unique(packed, return_index=True, return_inverse=True)
        keys = codes.reshape(-1) + self.size
        own, shown = keys[: len(column.own)], keys[len(column.own) :]
        parents = np.full(len(distinct), -1) if above < 0 else np.concatenate(self.row_keys[above])[first]
        self._append(column.name, above, parents, (self.owners.own, own), (self.owners.shown, shown), single=False)
        self.row_keys[-1] = (own, shown)
        return len(self.names) - 1

    def count_repeats(self, ordinals: RowColumn, above: int) -> None:
        """Add a layer of how often a key occurs: the third time refines the second, and so on."""
        place = self.refine(ordinals, above)
        own, shown = (keys - (self.size - len(self.key_parent[place])) for keys in self.row_keys[place])
        keys, values = np.concatenate((own, shown)), np.concatenate((ordinals.own, ordinals.shown))
        ordinal = np.zeros(len(self.key_parent[place]), np.int64)
        ordinal[keys] = values
        # Keys ascend by the key refined and then by the ordinal: the one before is the time before.
        earlier = np.arange(len(ordinal)) - 1 + self.size - len(ordinal)
        self.key_parent[place] = np.where(ordinal > 0, earlier, self.key_parent[place])

    def add_profile(self, column: RowColumn) -> None:
        """Add a layer of one value per subject; below 0 there is none."""
        sides = []
        for values in (column.own, column.shown):
            there = np.flatnonzero(values >= 0)
            sides.append((there, values[there] + self.size))
        count = int(max(column.own.max(initial=-1), column.shown.max(initial=-1))) + 1
        self._append(column.name, -1, np.full(count, -1), sides[0], sides[1], single=True)

    def _append(
        self, name: str, above: int, parents: Int, own: tuple[Int, Int], shown: tuple[Int, Int], single: bool
    ) -> None:
        self.key_layer.append(np.full(len(parents), len(self.names)))
        self.names.append(name)
        self.parents.append(above)
        self.single.append(single)
        self.key_parent.append(parents)
        self.row_keys.append((np.zeros(0, np.int64),) * 2)
        self.pairs.append((own, shown))
        self.size += len(parents)

    def finish(self) -> KeyLayers:
        """Collect the keys of every subject."""
        parent = np.concatenate([*self.key_parent, np.zeros(0, np.int64)]).astype(np.int64)
        layer = np.concatenate([*self.key_layer, np.zeros(0, np.int64)]).astype(np.int64)
        own = self._side([own for own, _ in self.pairs], self.owners.own_count, parent)
        shown = self._side([shown for _, shown in self.pairs], self.owners.shown_count, parent)
        return KeyLayers(tuple(self.names), tuple(self.parents), own, shown, layer, parent, tuple(self.single))

    def _side(self, parts: list[tuple[Int, Int]], count: int, parent: Int) -> KeySide:
        size = max(self.size, 1)
        packed = [np.unique(subjects * size + keys) for subjects, keys in parts]
        entries = np.sort(np.concatenate([*packed, np.zeros(0, np.int64)]).astype(np.int64))
        owners, keys = np.divmod(entries, size)
        start = np.searchsorted(owners, np.arange(count + 1))
        above = parent[keys]
        place = np.searchsorted(entries, owners * size + above)
        return KeySide(start.astype(np.int64), keys, np.where(above >= 0, place, -1))


@dataclass(frozen=True)
class Rates:
    """What becomes of keys, by layer."""

    survival: Float
    """Share of the keys of a person that are in the release, if the keys they refine are."""
    added: Float
    """Share of the released keys that are not the person's own."""

    def bounded(self) -> Rates:
        """Return the same without certainties."""
        return Rates(*(np.clip(rates, LEAST_RATE, 1 - LEAST_RATE) for rates in (self.survival, self.added)))


@dataclass(frozen=True)
class Evidence:
    """The layers as weighed evidence, for the kernels."""

    known: KnownKeys
    shown: ShownKeys
    gains: KeyGains


def weigh(layers: KeyLayers, rates: Rates) -> Evidence:
    """Weigh shared and missing keys by their rarity and by how often keys survive and are added.

    A key is in the release because it survived, or because it was added; keys are added as they are frequent. What
    counts is the log of the chance under this, over the chance of another released subject to have the key (if it has
    the key refined, and in layers without parent, if it has as many).
    """
    rates = rates.bounded()
    released = len(layers.shown.start) - 1
    present, unseen = (-np.log1p(-chance) for chance in _chances(layers, released))
    own, shown = layers.own, layers.shown
    own_layer, shown_layer = layers.layer[own.keys], layers.layer[shown.keys]
    lost = np.log1p(-rates.survival)
    roots = own.parent_entry < 0
    sized = np.array([parent < 0 and not single for parent, single in zip(layers.parents, layers.single, strict=True)])
    sizes = _relative_sizes(layers)
    kept_out = (1 - rates.added)[layers.layer] * unseen
    missing = lost[own_layer] + kept_out[own.keys]
    slope = _sums(own.owners, kept_out[own.keys] * (roots & sized[own_layer]), len(own.start) - 1)
    base = _sums(own.owners, missing * roots, len(own.start) - 1) - slope
    amounts = _sums(own.parent_entry[~roots], missing[~roots], len(own.keys))
    # A subject with twice as many keys as usual has each of them by chance about twice as often.
    size = np.where(sized[shown_layer], sizes[shown.owners], 1.0)
    both, alone = _gains(rates, shown_layer, size * present[shown.keys])
    weights = both - alone - lost[shown_layer] - size * kept_out[shown.keys]
    below = shown.parent_entry >= 0
    weights += _sums(shown.parent_entry[below], alone[below], len(shown.keys))
    usual_both, usual_alone = _gains(rates, layers.layer, present)
    return Evidence(
        KnownKeys(own.start, own.keys.astype(np.int32), amounts, base, slope),
        ShownKeys(
            shown.start, shown.keys.astype(np.int32), weights, _sums(shown.owners, alone * ~below, released), sizes
        ),
        KeyGains(
            usual_both, lost[layers.layer] + kept_out, usual_alone, -np.expm1(-rates.added[layers.layer] * unseen)
        ),
    )


def _gains(rates: Rates, layer: Int, rarity: Float) -> tuple[Float, Float]:
    """Log likelihood ratios of keys that both have, and that the released subject alone has.

    Args:
        rates: Rates by layer.
        layer: The layer of each key.
        rarity: Minus the log chance that another subject lacks the key.
    """
    chance, added = -np.expm1(-rarity), -np.expm1(-rates.added[layer] * rarity)
    survival = rates.survival[layer]
    return np.log(survival + (1 - survival) * added) - np.log(chance), np.log(added) - np.log(chance)


def _sums(groups: Int, values: Float, size: int) -> Float:
    return np.bincount(groups, weights=values, minlength=size).astype(np.float64)


def _chances(layers: KeyLayers, released: int) -> tuple[Float, Float]:
    """The chance of a subject to have each key: of another than one who has it, and of anybody.

    Among those who have the key refined. What is usual in the layer counts as well, so that a key that follows from
    the one it refines is expected even where few have it.
    """
    holders = np.bincount(layers.shown.keys, minlength=len(layers.layer)).astype(np.float64)
    above = np.where(layers.parent >= 0, holders[layers.parent], released)
    others, candidates = np.maximum(holders - 1, 0.0), np.maximum(above - 1, 0.0)
    count = len(layers.names)
    usual = _sums(layers.layer, holders * others, count) / np.maximum(
        _sums(layers.layer, holders * candidates, count), 1
    )
    prior = PRIOR * np.clip(usual, 1.0 / (released + 1.0), SURE)[layers.layer]
    present = (others + prior) / (candidates + PRIOR)
    absent = (holders + prior) / (above + PRIOR)
    return np.minimum(present, SURE), np.minimum(absent, SURE)


def _relative_sizes(layers: KeyLayers) -> Float:
    """Keys without parent of every released subject, over the mean."""
    rows = [place for place, parent in enumerate(layers.parents) if parent < 0 and not layers.single[place]]
    counted = np.isin(layers.layer[layers.shown.keys], rows)
    sizes = _sums(layers.shown.owners, counted.astype(np.float64), len(layers.shown.start) - 1)
    return np.maximum(sizes, 0.5) / max(float(sizes.mean()), 0.5)
