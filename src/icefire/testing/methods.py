"""The contract of methods: what they return, what stays, and that they do what they declare."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import Any

import numpy as np
import polars as pl

from icefire.core import blocks, seeds
from icefire.core.dataset import ORIGIN
from icefire.core.errors import IcefireError
from icefire.core.registry import Entry
from icefire.recipe.adapters import adapter_of
from icefire.testing.examples import Example
from icefire.testing.repeated import run_twice, written

Bound = Mapping[str, Any]
"""Every parameter of a method, with its value."""

MEANING = {"table": attrgetter("schema"), "history": attrgetter("fields")}
"""What the columns of each kind of data mean."""


def check_method(entry: Entry, examples: Sequence[Example]) -> None:
    """Check a method with its defaults, its declarations with every choice of a parameter, and on next to no rows."""
    for name in entry.secrets:
        assert name in entry.parameters, f"{entry.name}: it declares the secret {name!r}, which is no parameter of it"
    carried = [adapter_of(example.original).with_origin(example.original) for example in examples]
    for data in carried:
        _check_result(entry, data)
        _check_constant(entry, data)
        _check_refusals(entry, data)
        for rows in (0, 1):
            _check_few_rows(entry, data.take(np.arange(rows)))
    for bound in variants(entry):
        drew = [_check_declared(entry, data, bound) for data in carried]
        if entry.draws_with(bound):
            assert any(drew), f"{entry.name}: it declares that it draws, but never does with {dict(bound)}"


def _run(entry: Entry, data: Any, bound: Bound, seed: int = 1) -> Any:
    return entry.function(data, rng=seeds.generator(seed, entry.name), **bound)


def _written(data: Any) -> str:
    return written(data) if hasattr(data, "frame") else repr(data)


def variants(entry: Entry) -> Iterator[Bound]:
    """The defaults, and every other choice of a single parameter."""
    yield entry.bind({})
    for name, parameter in entry.parameters.items():
        choices = parameter.choices or ((True, False) if parameter.type is bool else ())
        for choice in choices:
            if choice != parameter.default:
                yield entry.bind({name: choice})


def _check_result(entry: Entry, data: Any) -> None:
    changed = run_twice(entry, [data], lambda: _run(entry, data, entry.bind({})), _written)
    assert isinstance(changed, type(data)), f"{entry.name}: a method returns a {type(data).__name__}"
    meaning = MEANING[data.kind]
    assert meaning(changed) == meaning(data), f"{entry.name}: a method keeps the meaning of the columns"
    assert changed.frame.columns == data.frame.columns, f"{entry.name}: a method keeps the columns, origin included"
    assert changed.height > 0, f"{entry.name}: some rows remain"
    assert set(changed.frame[ORIGIN]) <= set(range(data.people)), f"{entry.name}: every row has an origin"
    if data.kind == "table":
        assert changed.height <= data.height, f"{entry.name}: no row is added"
    else:
        owners = changed.frame.group_by(changed.fields.subject).agg(pl.col(ORIGIN).n_unique())
        assert (owners[ORIGIN] == 1).all(), f"{entry.name}: the rows of a subject have one origin"
    if entry.makes_classes:
        smallest = int(blocks.class_sizes(changed.frame, changed.qi).min())
        least = entry.bind({})[entry.least_rows]
        assert smallest >= least, f"{entry.name}: it declares classes of {least}, but the smallest has {smallest} rows"


def _check_declared(entry: Entry, data: Any, bound: Bound) -> bool:
    """Check what the decorator says of draws and rows; returns whether anything was drawn."""
    rng = seeds.generator(1, entry.name)
    untouched = rng.bit_generator.state
    try:
        changed = entry.function(data, rng=rng, **bound)
    except IcefireError:
        # These data do not allow the choice; nothing was shown false.
        return bool(entry.draws_with(bound))
    drew: bool = rng.bit_generator.state != untouched
    if not entry.draws_with(bound):
        assert not drew, f"{entry.name}: it declares that it draws nothing, but uses its generator"
        other = _run(entry, data, bound, seed=2)
        assert written(changed) == written(other), f"{entry.name}: it declares that it draws nothing; seeds change it"
    if not entry.drops_rows_with(bound):
        assert not _lost(data, changed), f"{entry.name}: it declares that it keeps every row, but drops some"
    return drew


def _lost(data: Any, changed: Any) -> bool:
    """Tell whether anybody has fewer rows than before."""
    before, after = (np.bincount(table.frame[ORIGIN].to_numpy(), minlength=data.people) for table in (data, changed))
    return bool((after < before).any())


def _check_constant(entry: Entry, data: Any) -> None:
    if entry.makes_constant:
        name = data.qi[0]
        changed = _run(entry, data, entry.bind({"columns": [name]}))
        assert changed.frame[name].n_unique() == 1, f"{entry.name}: it declares one value, but leaves several"


def _check_refusals(entry: Entry, data: Any) -> None:
    """Check that what is refused before the run is what the method itself refuses, in the same words."""
    if entry.check is None:
        return
    names = [name for name in data.frame.columns if name != ORIGIN]
    many = [name for name, parameter in entry.parameters.items() if parameter.is_names]
    for given in [{}, *({parameter: [name]} for parameter in many for name in names)]:
        bound = entry.bind(given)
        refused = _refusal(entry.check, data, bound, set(names))
        if refused is not None:
            raised = _refusal(_run, entry, data, bound)
            assert raised == refused, f"{entry.name}: its check says {refused!r}, the method itself {raised!r}"


def _refusal(run: Callable[..., Any], *arguments: Any) -> str | None:
    try:
        run(*arguments)
    except IcefireError as error:
        return str(error)
    return None


def _check_few_rows(entry: Entry, data: Any) -> None:
    """Run on next to nothing: data come back, or an error in words."""
    try:
        changed = _run(entry, data, entry.bind({}))
    except IcefireError:
        return
    assert changed.frame.columns == data.frame.columns, f"{entry.name}: {data.height} rows keep their columns"
    if data.kind == "table":
        assert changed.height <= data.height, f"{entry.name}: none of {data.height} rows is added to"
