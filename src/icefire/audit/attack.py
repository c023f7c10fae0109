"""The verb `attack`: run one attack and return its answers; with a name alone, register an attack."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import wraps
from typing import Any, TypeVar, Unpack, overload

from icefire.audit.adapter import ReleaseFiles
from icefire.audit.kinds import adapter_of
from icefire.audit.knowledge.replay import REPLAY, known_recipe
from icefire.audit.plan import AuditPlan
from icefire.audit.questions.origin import in_file_order
from icefire.audit.selection import check_needs
from icefire.audit.steps import attack_case
from icefire.core import registry, seeds
from icefire.core.errors import ParameterError
from icefire.core.membership import MembershipCase
from icefire.core.release import Guess, Release
from icefire.core.types import DataKind, Progress, no_progress
from icefire.io.given_roles import read_for_use
from icefire.io.options import DataSource, ReadOptions, takes_read_options
from icefire.recipe.load import RecipeSource

Function = TypeVar("Function", bound=Callable[..., Any])


@takes_read_options
def run_attack(
    name: str,
    original: DataSource,
    released: DataSource | Release[Any],
    *,
    parameters: Mapping[str, Any] | None = None,
    recipe: RecipeSource | None = None,
    method_known: bool = False,
    seed: int = seeds.DEFAULT_SEED,
    released_customers: DataSource | None = None,
    progress: Progress = no_progress,
    **reading: Unpack[ReadOptions],
) -> Guess:
    """Run one attack and return its answers. No truth is opened.

    An attack on membership answers for every row of `original`, the records asked about, with released rows.
    Called without data, as `@icefire.attack("my_attack", knows="…")`, it is the decorator that registers an attack.

    Args:
        name: Name or code of the attack.
        original: The original data.
        released: The released data: a file, a release folder, a table, or a `Release`.
        parameters: Parameters of the attack.
        recipe: For the attack `replay`: the recipe of the release. Default: the one that a release folder names.
        method_known: For the attack `replay`: try likely recipes where none is named.
        seed: Seed of every random step.
        released_customers: Histories: customer table of the release.
        progress: Called with the name of each stage.

    Returns:
        One answer per released row; of a history, per released subject.

    Raises:
        UnknownNameError: If there is no such attack.
        ParameterError: If a parameter is not allowed, or the attack is for another kind of data.
        InputError: If a file cannot be read.
    """
    entry = registry.get("attack", name)
    bound = entry.bind(parameters or {})
    if entry.question == "linking":
        raise ParameterError(
            f"attack {entry.name!r} links pseudonyms of two periods, not released people with original ones; "
            "use icefire audit, which asks it and judges the answers"
        )
    if entry.question == "attribute":
        raise ParameterError(
            f"attack {entry.name!r} guesses hidden values of people, not whose row is whose; "
            "use icefire audit, which asks it and judges the answers"
        )
    if entry.release == "synthetic":
        raise ParameterError(
            f"attack {entry.name!r} gives scores of membership, not rows; use icefire audit --synthetic, "
            "which asks it and judges the answers"
        )
    progress("reading")
    data = read_for_use(original, **reading)
    adapter = adapter_of(data)
    about_members = entry.question == "membership"
    files = ReleaseFiles(released, reading.get("how"), released_customers, reading.get("customers_how"))
    release = adapter.load(files, data, records_only=about_members)
    entry = registry.get("attack", name, adapter.kind)
    bound = entry.bind(parameters or {})
    check_needs(entry, release.original)
    progress(f"fire: {entry.name}")
    if about_members:
        guess, _ = attack_case(MembershipCase(release.original, release.released), entry, bound, seed)
        return guess
    shuffled, order = adapter.shuffle(release.released, seeds.generator(seed, "shuffle"))
    plan = AuditPlan(attacks=[entry.name], recipe=recipe, method_known=method_known)
    known = known_recipe(release, plan, progress)
    if entry.name == REPLAY and not known.copies:
        raise ParameterError(f"attack {REPLAY!r} {known.left_out[REPLAY]}")
    case = replace(adapter.case(release.original, shuffled), replayed=known.copies)
    guess, _ = attack_case(case, entry, bound, seed)
    return in_file_order(guess, order)


@overload
def attack(
    name: str,
    *,
    code: str = "",
    data: DataKind = "table",
    question: registry.Question = "origin",
    release: registry.ReleaseKind = "rows",
    needs: tuple[str, ...] = (),
    knows: str,
) -> Callable[[Function], Function]: ...


@overload
def attack(
    name: str,
    original: DataSource,
    released: DataSource | Release[Any],
    *,
    parameters: Mapping[str, Any] | None = None,
    recipe: RecipeSource | None = None,
    method_known: bool = False,
    seed: int = seeds.DEFAULT_SEED,
    released_customers: DataSource | None = None,
    progress: Progress = no_progress,
    **reading: Unpack[ReadOptions],
) -> Guess: ...


@wraps(run_attack)
def attack(name: str, *data: Any, **options: Any) -> Any:
    """Run an attack on data, or register one."""
    is_run = bool(data) or "original" in options
    return run_attack(name, *data, **options) if is_run else registry.attack(name, **options)


attack.__name__ = attack.__qualname__ = "attack"
