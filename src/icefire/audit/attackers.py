"""The attackers of an audit: what each of them knows, as named by the user or by the policy, and what each achieved."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from icefire.audit.adapter import Adapter
from icefire.audit.attacker_files import AttackerEntry, KnowledgeSource, read_entries
from icefire.audit.correspondence import LoadedRelease
from icefire.audit.origin import Attacker
from icefire.audit.register import RegisterSource
from icefire.core import formatting, seeds
from icefire.core.errors import InputError, ParameterError, listing
from icefire.core.knowledge import Knowledge, parse, split_share
from icefire.core.profiles import PROFILES
from icefire.core.release import NO_ANSWER, Truth
from icefire.core.scorecard import Reason
from icefire.core.scorecard.attackers import AttackerResult
from icefire.core.scorecard.attacks import AttackResult
from icefire.core.scorecard.membership import MembershipFindings
from icefire.words import t

ALL = "all"
"""Stands for all profiles."""


def attackers_of(
    adapter: Adapter[Any, Any, Any],
    release: LoadedRelease[Any],
    sources: Sequence[KnowledgeSource],
    register: RegisterSource | None,
    truth: Truth,
    seed: int,
) -> list[Attacker[Any]]:
    """Make what every attacker holds.

    Args:
        adapter: The kind of data.
        release: The release, and the original laid out like it.
        sources: What attackers know: profiles, `all` of them, notations, TOML files, or `Knowledge`.
        register: A table that an attacker holds instead of a part of the original.
        truth: Which original each released row comes from.
        seed: Seed of the audit.

    Returns:
        The attackers in the order they were named.

    Raises:
        ParameterError: If knowledge is written otherwise than allowed, or two attackers are called the same.
        SchemaError: If a column is not there.
        InputError: If a file or the register cannot be used.
    """
    known = knowledge_of(adapter, release.original_as_read, sources)
    attackers = [_attacker(adapter, release, knowledge, seed) for knowledge in known]
    if register is not None:
        attackers.append(_holder_of_register(adapter, release, register, truth))
    _check_names([attacker.name for attacker in attackers])
    return attackers


def knowledge_of(adapter: Adapter[Any, Any, Any], data: Any, sources: Sequence[KnowledgeSource]) -> list[Knowledge]:
    """Return what attackers know, as the user or a policy names it.

    Args:
        adapter: The kind of data.
        data: The original as it was read, whose roles decide what profiles know.
        sources: Profiles, `all` of them, notations, TOML files, or `Knowledge`.

    Raises:
        ParameterError: If knowledge is written otherwise than allowed, or two attackers are called the same.
    """
    known = [knowledge for source in sources for knowledge in _read(adapter, data, source)]
    _check_names([knowledge.name or knowledge.words for knowledge in known])
    return known


def _check_names(names: Sequence[str]) -> None:
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
            f"the attacker {knowledge.name or knowledge.words!r} knows no column that is released; name another column"
        )
    blurred = {column.name: column.blur for column in knowledge.columns or () if column.name in columns and column.blur}
    name = knowledge.name or knowledge.words
    return Attacker(name, knowledge.words, view, released, columns, blurred, knowledge.is_everything)


def _holder_of_register(
    adapter: Adapter[Any, Any, Any], release: LoadedRelease[Any], source: RegisterSource, truth: Truth
) -> Attacker[Any]:
    view, released = adapter.register(release, source, truth)
    columns = adapter.shared_columns(view.known, released)
    words = f"a register of {formatting.counted(len(view.people), 'person', 'people')} with {', '.join(columns)}"
    return Attacker("register", words, view, released, columns, {})


def _read(adapter: Adapter[Any, Any, Any], data: Any, source: KnowledgeSource) -> list[Knowledge]:
    """Return the knowledge that a source names: one, or several where it is a file or `all`."""
    if isinstance(source, Knowledge):
        return [source]
    if isinstance(source, AttackerEntry):
        known = _written(adapter, data, source.knows)
        return [replace(known, name=source.name or known.name, scenario=source.words or known.scenario)]
    if isinstance(source, os.PathLike) or source.endswith(".toml"):
        return [known for entry in read_entries(source) for known in _read(adapter, data, entry)]
    if source.strip() == ALL:
        return [adapter.profile(name, data) for name in PROFILES]
    return [_written(adapter, data, source)]


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
