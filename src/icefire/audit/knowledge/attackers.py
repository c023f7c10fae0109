"""The attackers of an audit: what each of them knows, as named by the user or by the policy, and what each achieved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from icefire.audit.adapter import Adapter
from icefire.audit.correspondence import LoadedRelease
from icefire.audit.knowledge.attacker_files import recipe_entries, register_source, with_files_read
from icefire.audit.knowledge.register import RegisterSource
from icefire.audit.plan import AuditPlan
from icefire.audit.questions.origin import Attacker
from icefire.core import seeds
from icefire.core.attacker_entries import AttackerEntry
from icefire.core.errors import InputError, ParameterError, listing
from icefire.core.knowledge import Knowledge, parse, split_share
from icefire.core.profiles import MAXIMUM, PROFILES
from icefire.core.release import NO_ANSWER, Truth
from icefire.core.scorecard import Reason
from icefire.core.scorecard.attackers import AttackerResult
from icefire.core.scorecard.attacks import AttackResult
from icefire.core.scorecard.attributes import AttributeFindings
from icefire.core.scorecard.membership import MembershipFindings
from icefire.recipe.load import load
from icefire.words import t

ALL = "all"
"""Stands for all profiles."""


KnownSource = str | Knowledge | AttackerEntry
"""A profile, `all` of them, a notation, an entry of a TOML file, or knowledge put together already."""


def named_attackers(plan: AuditPlan, recipe: Mapping[str, Any]) -> list[KnownSource]:
    """Return what the attackers know whom the policy, the user or the recipe names, in this order.

    Those of a recipe come besides: if nobody else is named, the one who knows everything is tried too.

    Args:
        plan: The policy, what the user named, and the recipe that he names.
        recipe: The recipe that came with the release.
    """
    named = with_files_read(plan.attackers)
    of_recipe = recipe_entries(recipe) if plan.recipe is None else load(plan.recipe).attackers
    further = [entry for entry in of_recipe if entry not in named]
    return [*(named or [MAXIMUM]), *further] if further else named


def attackers_of(
    adapter: Adapter[Any, Any, Any],
    release: LoadedRelease[Any],
    sources: Sequence[KnownSource],
    register: RegisterSource | None,
    truth: Truth,
    seed: int,
) -> list[Attacker[Any]]:
    """Make what every attacker holds.

    Args:
        adapter: The kind of data.
        release: The release, and the original laid out like it.
        sources: What attackers know; some entries may name registers.
        register: A table that one more attacker holds instead of a part of the original.
        truth: Which original each released row comes from.
        seed: Seed of the audit.

    Returns:
        The attackers in the order they were named, those with a register last.

    Raises:
        ParameterError: If knowledge is written otherwise than allowed, or two attackers are called the same.
        SchemaError: If a column is not there.
        InputError: If a file or a register cannot be used.
    """
    known = knowledge_of(adapter, release.original_as_read, sources)
    registers = registers_of(sources, register)
    check_names([*map(attacker_name, known), *(source.name for source in registers)])
    attackers = [_attacker(adapter, release, knowledge, seed) for knowledge in known]
    return attackers + [_holder_of_register(adapter, release, source, truth) for source in registers]


def knowledge_of(adapter: Adapter[Any, Any, Any], data: Any, sources: Sequence[KnownSource]) -> list[Knowledge]:
    """Return what attackers know, as the user, a policy or a recipe names it; registers are left out.

    Args:
        adapter: The kind of data.
        data: The original as it was read, whose roles decide what profiles know.
        sources: What attackers know.

    Raises:
        ParameterError: If knowledge is written otherwise than allowed.
    """
    return [knowledge for source in sources for knowledge in _read(adapter, data, source)]


def registers_of(sources: Sequence[KnownSource], register: RegisterSource | None) -> list[RegisterSource]:
    """Return the registers that entries name, and the one given besides."""
    entries = [source for source in sources if isinstance(source, AttackerEntry) and source.register]
    return [register_source(entry) for entry in entries] + ([] if register is None else [register])


def attacker_name(knowledge: Knowledge) -> str:
    """Return what an attacker is called: as named, otherwise by what is known."""
    return knowledge.name or knowledge.words


def check_names(names: Sequence[str]) -> None:
    """Refuse two attackers of one name."""
    repeated = next((name for name in names if names.count(name) > 1), None)
    if repeated is not None:
        raise ParameterError(f"two attackers are called {repeated!r}; name each once")


def _attacker(
    adapter: Adapter[Any, Any, Any], release: LoadedRelease[Any], knowledge: Knowledge, seed: int
) -> Attacker[Any]:
    view, released = adapter.view(release, knowledge, seeds.generator(seed, "knowledge"))
    columns = adapter.shared_columns(view.known, released)
    if not columns:
        raise InputError(
            f"the attacker {attacker_name(knowledge)!r} knows no column that is released; name another column"
        )
    blurred = {column.name: column.blur for column in knowledge.columns or () if column.name in columns and column.blur}
    return Attacker(
        attacker_name(knowledge), knowledge.words, view, released, columns, blurred, knowledge.is_everything
    )


def _holder_of_register(
    adapter: Adapter[Any, Any, Any], release: LoadedRelease[Any], source: RegisterSource, truth: Truth
) -> Attacker[Any]:
    view, released = adapter.register(release, source, truth)
    columns = adapter.shared_columns(view.known, released)
    return Attacker(source.name, source.holds(len(view.people), columns), view, released, columns, {})


def _read(adapter: Adapter[Any, Any, Any], data: Any, source: KnownSource) -> list[Knowledge]:
    """Return the knowledge that a source names: one, several where it is `all`, none where it is a register."""
    if isinstance(source, Knowledge):
        return [source]
    if isinstance(source, AttackerEntry):
        return [] if source.register else _of_entry(adapter, data, source)
    if source.strip() == ALL:
        return [adapter.profile(name, data) for name in PROFILES]
    return [_written(adapter, data, source)]


def _of_entry(adapter: Adapter[Any, Any, Any], data: Any, entry: AttackerEntry) -> list[Knowledge]:
    """Return the knowledge of an entry of a TOML file."""
    listed = entry.known_columns()
    if listed is not None:
        return [listed]
    share = "" if entry.share is None else f";share={entry.share}"
    several = _read(adapter, data, entry.notation + share)
    if len(several) > 1 and (entry.name or entry.words):
        raise ParameterError(f"{entry.notation!r} are several attackers, who have names; leave out name and words")
    return [replace(one, name=entry.name or one.name, scenario=entry.words or one.scenario) for one in several]


def _written(adapter: Adapter[Any, Any, Any], data: Any, text: str) -> Knowledge:
    """Read a profile, perhaps with another share of the people, or columns."""
    what, share = split_share(text)
    profile = next((name for name in PROFILES if name == what), None)
    if profile is None:
        return parse(text)
    known = adapter.profile(profile, data)
    if share is None or share == known.share:
        return known
    # The scenario says how many are known; with another number the columns say it.
    return replace(known, share=share, name=text.strip(), scenario="")


def attacker_result(
    attacker: Attacker[Any],
    truth: Truth,
    attacks: Mapping[str, AttackResult],
    left_out: Mapping[str, str],
    membership: MembershipFindings | None = None,
    attributes: AttributeFindings | None = None,
) -> AttackerResult:
    """Put together what an attacker knows and what every attack achieved with it."""
    worst = max(attacks, key=lambda name: attacks[name].rate, default=None)
    best = None if worst is None else attacks[worst]
    return AttackerResult(
        name=attacker.name,
        words=attacker.words,
        columns=list(attacker.columns),
        blurred=dict(attacker.blurred),
        people=len(attacker.view.people),
        strangers=attacker.view.strangers,
        targets=int((attacker.truth(truth).rows != NO_ANSWER).sum()),
        released=len(truth),
        attacks=dict(attacks),
        left_out=dict(left_out),
        worst_attack=worst,
        rate=None if best is None else best.rate,
        ci=None if best is None else best.ci,
        precision=None if best is None else best.precision,
        membership=membership,
        attributes=attributes,
    )


def known_columns(attackers: Sequence[Attacker[Any]]) -> set[str] | None:
    """Name the columns that some attacker knows; None where one knows everything."""
    if any(attacker.knows_everything for attacker in attackers):
        return None
    return {column for attacker in attackers for column in attacker.columns}


def nobody_known(attacker: Attacker[Any], truth: Truth) -> list[Reason]:
    """Refuse to pass a release that an attacker was tried on who knows nobody in it: that shows nothing."""
    if (attacker.truth(truth).rows != NO_ANSWER).any():
        return []
    text = t("verdict.further.nobody_known", attacker=attacker.name)
    return [Reason("not_assessed", text, {"attacker": attacker.name})]


def more_knowledge_untried(names: Sequence[str], named_by_policy: bool) -> list[Reason]:
    """Refuse to pass a release that only attackers with little knowledge were tried on, unless a policy names them."""
    if named_by_policy:
        return []
    text = t("verdict.further.more_knowledge", attackers=listing(names))
    return [Reason("not_assessed", text, {"attackers": [*names]})]
