"""Run one attack and hand its answers back; no truth is opened."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from icefire.audit import correspondence, histories, history_correspondence, run, selection
from icefire.core import align, registry, seeds
from icefire.core.history import History, HistoryCase
from icefire.core.membership import MembershipCase
from icefire.core.release import Case, Guess
from icefire.core.types import Progress, no_progress
from icefire.io.files import Format
from icefire.io.read import read


def attack(
    name: str,
    original: Any,
    released: Any,
    *,
    parameters: Mapping[str, Any] | None = None,
    seed: int = seeds.DEFAULT_SEED,
    released_customers: Any = None,
    how: Format | None = None,
    progress: Progress = no_progress,
    **reading: Any,
) -> Guess:
    """Run one attack and return its answers, one per released row (of a history: subject). No truth is opened.

    An attack on membership answers for every row of `original`, the records asked about, with released rows.
    """
    entry = registry.get("attack", name)
    bound = entry.bind(parameters or {})
    progress("reading")
    known = read(original, how=how, **reading)
    if isinstance(known, History):
        selection.check_needs(entry, known)
        shown = history_correspondence.open_history(
            released, known, how, released_customers, reading.get("customers_how")
        ).history
        return histories.attack(HistoryCase(known, shown), entry, bound, seed, progress)
    made = correspondence.open_release(released, how)
    about_members = entry.question == "membership"
    x, y = align.match(known, made.frame, made.name, more_rows=about_members)
    selection.check_needs(entry, x)
    progress(f"fire: {entry.name}")
    if about_members:
        answers, _ = run.attack_case(MembershipCase(x, y), entry, bound, seed)
        return answers
    order = seeds.generator(seed, "shuffle").permutation(y.height)
    guess, _ = run.attack_case(Case(x, y.take(order)), entry, bound, seed)
    return run.unshuffled(guess, order)
