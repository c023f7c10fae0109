"""Policies: the limits that a release must keep, per question, from a TOML file or by a built-in name."""

from __future__ import annotations

import math
import os
import tomllib
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any

import msgspec

from icefire.audit.limits import (
    ATTRIBUTE_ADVANTAGE,
    ATTRIBUTE_CERTAIN,
    LINKABILITY,
    LINKING_RECALL,
    MEMBERSHIP_TPR,
    REID,
    SINGLING_OUT,
    Gate,
    limits_identification,
)
from icefire.core import registry
from icefire.core.attacker_entries import ENTRY_CONTENT, AttackerEntry
from icefire.core.errors import InputError, ParameterError, UnknownNameError, did_you_mean, listing

BUILT_IN = ("public", "trusted", "internal")
DEFAULT = "public"
CONTENT = (
    "a policy has a title, [origin] max_identified, [membership] max_tpr, [attribute] max_advantage and max_certain, "
    "[singling_out] max_share, [linkability] max_advantage, [linking] max_recall (each 0 to 1), [classes] min_k "
    "(at least 1) and any number of [[attacker]]: " + ENTRY_CONTENT
)
SHORT_NAMES = {
    "max_identified": ("origin", "max_identified"),
    "max_reid": ("origin", "max_identified"),
    "max_membership_tpr": ("membership", "max_tpr"),
    "max_attribute_advantage": ("attribute", "max_advantage"),
    "max_attribute_certain": ("attribute", "max_certain"),
    "max_singling_out": ("singling_out", "max_share"),
    "max_linkability": ("linkability", "max_advantage"),
    "max_linking_recall": ("linking", "max_recall"),
    "min_k": ("classes", "min_k"),
}
"""Limits may also stand at the top of a policy file, each under one name: the section and the key it stands for."""
LimitedShare = Annotated[float, msgspec.Meta(ge=0, le=1)]


class OriginLimits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Limits on the question of origin."""

    max_identified: LimitedShare | None = None
    """Largest share of people that any attack may identify."""


class ClassLimits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Limits on class sizes."""

    min_k: Annotated[int, msgspec.Meta(ge=1)] | None = None
    """Smallest class allowed where the recipe claims k-anonymity."""


class MembershipLimits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Limits on the question of membership, where it is asked."""

    max_tpr: LimitedShare | None = None
    """Largest share of members that any attack may recognise while it takes 1 % of the outsiders for members."""


class AttributeLimits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Limits on the question of hidden values, where it is asked."""

    max_advantage: LimitedShare | None = None
    """Largest advantage of any attack on any sensitive column."""
    max_certain: LimitedShare | None = None
    """Largest share of people whose value of any sensitive column may be certain."""


class SinglingOutLimits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Limits on singling out, where it is measured."""

    max_share: LimitedShare | None = None
    """Largest share of people whom a few released values may single out."""


class LinkabilityLimits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Limits on linkability, where it is measured."""

    max_advantage: LimitedShare | None = None
    """Largest share of people, beyond the control, two halves of whose record the release may bring together."""


class LinkingLimits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Limits on linking pseudonyms, where they change."""

    max_recall: LimitedShare | None = None
    """Largest share of people whose pseudonyms of neighbouring periods any attack may link."""


class PolicyFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The content of a policy file."""

    title: str = ""
    origin: OriginLimits = OriginLimits()
    membership: MembershipLimits = MembershipLimits()
    attribute: AttributeLimits = AttributeLimits()
    singling_out: SinglingOutLimits = SinglingOutLimits()
    linkability: LinkabilityLimits = LinkabilityLimits()
    linking: LinkingLimits = LinkingLimits()
    classes: ClassLimits = ClassLimits()
    attacker: list[AttackerEntry] = []
    """The attackers whom the limits are for; without any, the one who knows everything."""


@dataclass(frozen=True, slots=True)
class Policy:
    """A policy with its name."""

    name: str
    limits: PolicyFile

    @property
    def least_class(self) -> int:
        """The least number of people who must look the same: as stated, or as the share identified asks for."""
        stated, share = self.limits.classes.min_k, self.limits.origin.max_identified
        if stated is not None:
            return stated
        if not share:
            raise InputError(f"policy {self.name!r} lets nobody be identified and names no [classes] min_k; name one")
        return math.ceil(1 / share - 1e-9)

    def gates(self, recipe: dict[str, Any], asked: Collection[str] = ("origin",)) -> list[Gate]:
        """Return the limits that apply to a release.

        Args:
            recipe: How it was made; an empty recipe claims no classes.
            asked: The questions asked ("origin", "membership", "attribute", "criteria", "linking"): others have
                no limit.
        """
        limits = self.limits
        named: list[tuple[str, str, float | None]] = [
            ("origin", REID, limits.origin.max_identified),
            ("membership", MEMBERSHIP_TPR, limits.membership.max_tpr),
            ("attribute", ATTRIBUTE_ADVANTAGE, limits.attribute.max_advantage),
            ("attribute", ATTRIBUTE_CERTAIN, limits.attribute.max_certain),
            ("criteria", SINGLING_OUT, limits.singling_out.max_share),
            ("criteria", LINKABILITY, limits.linkability.max_advantage),
            ("linking", LINKING_RECALL, limits.linking.max_recall),
        ]
        gates = [Gate(name, limit) for question, name, limit in named if limit is not None and question in asked]
        if self.limits.classes.min_k is not None and claims_classes(recipe):
            gates.append(Gate("k_min", float(self.limits.classes.min_k), "min"))
        return gates


def claims_classes(recipe: dict[str, Any]) -> bool:
    """Tell whether a recipe has a step that promises classes of a least size."""
    names = {entry.name for entry in registry.entries("method") if entry.makes_classes}
    return any(step.get("method") in names for step in recipe.get("steps", ()))


def load(source: str | Path) -> Policy:
    """Return a built-in policy by its name, or read one from a TOML file.

    Raises:
        UnknownNameError: If it is neither a built-in name nor a file.
        InputError: If the file is not a policy.
        ParameterError: If it is neither text nor a path.
    """
    if not isinstance(source, str | os.PathLike):
        raise ParameterError(f"--policy is {source!r}; give one of {listing(BUILT_IN)}, or a TOML file")
    name = str(source)
    if name in BUILT_IN:
        return Policy(name, _parse(name, files("icefire.audit").joinpath(f"policies/{name}.toml").read_text("utf-8")))
    path = Path(source)
    if not path.is_file():
        raise UnknownNameError(f"no policy is called {name!r}; {did_you_mean(name, BUILT_IN)}, or name a TOML file")
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"policy {name!r} cannot be read: {error}; give a TOML file in UTF-8") from None
    limits = _parse(name, text)
    attackers = [entry.placed(path.parent) for entry in limits.attacker]
    return Policy(path.stem, msgspec.structs.replace(limits, attacker=attackers))


def _parse(name: str, text: str) -> PolicyFile:
    try:
        limits = msgspec.convert(_in_sections(name, tomllib.loads(text)), PolicyFile)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise InputError(f"policy {name!r} cannot be used: {error}; {CONTENT}") from None
    if limits.origin.max_identified is None:
        raise InputError(f"policy {name!r} cannot be used: it does not limit the share identified; {CONTENT}")
    return limits


def _in_sections(name: str, content: dict[str, Any]) -> dict[str, Any]:
    """Move limits that stand at the top into their sections."""
    moved = {key: value for key, value in content.items() if key not in SHORT_NAMES}
    for short, (section, key) in SHORT_NAMES.items():
        if short not in content:
            continue
        limits = moved.get(section, {})
        if not isinstance(limits, dict) or key in limits:
            raise InputError(
                f"policy {name!r} gives {short} and [{section}] {key}, which are the same; give one of them"
            )
        moved[section] = {**limits, key: content[short]}
    return moved


def policy_for(named: str | Path | None, limits: Sequence[Gate], synthetic: bool) -> Policy | None:
    """Return the policy named; the default one applies without a limit on the share identified or recognised."""
    limited = any(gate.name == MEMBERSHIP_TPR for gate in limits) if synthetic else limits_identification(limits)
    if named is None and limited:
        return None
    return load(DEFAULT if named is None else named)
