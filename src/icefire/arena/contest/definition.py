"""What a competition is: one TOML file beside its data.

title = "Anonymisation contest"
rules = "pwscup2015"
zone = "Asia/Tokyo"

[[round]]
name = "preliminary"
data = "original.csv"
anonymise = 2026-05-01T09:00:00
freeze = 2026-05-15T17:00:00
attack = 2026-05-16T09:00:00
reveal = 2026-05-30T17:00:00
"""

from __future__ import annotations

import itertools
import re
import tomllib
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec

from icefire import contests
from icefire.contests.common.contest import Contest
from icefire.contests.custom import contest as customs
from icefire.core import registry
from icefire.core.errors import InputError, ParameterError, UnknownNameError, did_you_mean

FILE = "contest.toml"
PHASES = ("anonymise", "freeze", "attack", "reveal")
_OURS = ("vault", "store", "arena.db", FILE)
"""What is in the folder and must never be handed out as data."""
_ROUND_NAME = re.compile(r"\w[\w -]{0,39}")


class Round(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One round: its data, its weight in the end, and when each phase begins."""

    name: str
    data: str
    anonymise: datetime
    freeze: datetime
    attack: datetime
    reveal: datetime
    weight: float = 1.0
    customers: str | None = None

    def starts(self) -> dict[str, datetime]:
        """When each phase begins, in order."""
        return {phase: getattr(self, phase) for phase in PHASES}


class Definition(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A competition as its organiser wrote it down."""

    title: str
    rules: str
    zone: str = "UTC"
    description: str = ""
    registration: Literal["open", "invite", "organiser"] = "open"
    team_names: Literal["shown", "hidden"] = "hidden"
    """Whether the author of a release is shown before the reveal."""
    releases_per_team: int = 3
    """How many releases a team may have in a round at one time."""
    submissions_per_team: int = 30
    """How many it may hand in altogether: each one shows its measures, and those must not be asked for ever."""
    max_upload_mb: int = 64
    ceremony: bool = False
    """Whether the organiser reveals the ranking place by place; otherwise all is public when the reveal begins."""
    show_utility: bool = True
    """Whether the measures of the releases listed are shown at once, the own ones and others."""
    show_sample_attacks: bool = False
    """Whether a team sees what the sample attacks achieve on its own releases at once."""
    joint_attacks: bool = True
    """Whether the strongest attacks are among the sample attacks, beside those that the rules name."""
    ranking: Literal["normalised", "rank_sum"] = "normalised"
    limits: dict[str, float] = {}
    """Worst value of a measure that a release may have: the largest or, if it is better when higher, the smallest."""
    custom: dict[str, Any] = {}
    """The organiser's own contest, where rules is "custom"; see `icefire.contests.custom`."""
    round: tuple[Round, ...] = ()

    @property
    def rounds(self) -> tuple[Round, ...]:
        """The rounds in order."""
        return self.round

    def custom_table(self) -> dict[str, Any] | None:
        """The organiser's own contest, if it is one."""
        return self.custom if self.rules == customs.NAME else None

    def task_options(self) -> dict[str, Any]:
        """Return what every task of the judge is told about the contest."""
        return {
            "rules": self.rules,
            "custom": self.custom_table(),
            "limits": dict(self.limits),
            "joint_attacks": self.joint_attacks,
        }


def load(folder: Path) -> Definition:
    """Read and check the definition in a folder."""
    path = folder / FILE
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(
            f"{str(path)!r} cannot be read ({error.strerror}); make one with: icefire arena init"
        ) from None
    return checked(parse(text, path.name), folder)


def parse(text: str, name: str = FILE) -> Definition:
    """Read a definition from TOML; local times are those of its zone."""
    try:
        given = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{name} is not TOML: {error}") from None
    zone = _zone(given.get("zone", "UTC"))
    for one in given.get("round", []):
        for phase in PHASES:
            if isinstance(one, dict) and isinstance(one.get(phase), datetime):
                one[phase] = in_utc(one[phase], zone)
    try:
        return msgspec.convert(given, Definition)
    except msgspec.ValidationError as error:
        raise InputError(f"{name}: {error}; see docs/arena.md") from None


def in_utc(at: datetime, zone: ZoneInfo) -> datetime:
    """Read a time without offset as one of the organiser's zone."""
    return (at.replace(tzinfo=zone) if at.tzinfo is None else at).astimezone(UTC)


def _zone(name: object) -> ZoneInfo:
    try:
        return ZoneInfo(str(name))
    except (ZoneInfoNotFoundError, ValueError):
        raise ParameterError(f"zone is {name!r}; it takes a name such as Asia/Tokyo or Europe/Berlin") from None


def checked(definition: Definition, folder: Path) -> Definition:
    """Return the definition if it can be played: known rules, files that exist, phases in order."""
    rules = _rules(definition)
    _check_limits(definition.limits, rules)
    if not definition.rounds:
        raise InputError(f"{FILE} has no [[round]]; a competition has at least one")
    if definition.releases_per_team < 1:
        raise ParameterError(f"releases_per_team is {definition.releases_per_team}; it must be at least 1")
    names = [one.name for one in definition.rounds]
    if len(set(names)) != len(names):
        raise InputError(f"{FILE}: two rounds have the same name; names must differ: {', '.join(names)}")
    for one in definition.rounds:
        _check_round(one, folder, rules)
    return definition


def _rules(definition: Definition) -> Contest:
    known = (*contests.names(), customs.NAME)
    if definition.rules not in known:
        raise UnknownNameError(f"no contest is called {definition.rules!r}; {did_you_mean(definition.rules, known)}")
    if definition.rules == customs.NAME:
        return customs.build(definition.custom)
    if definition.custom:
        raise InputError(
            f"{FILE}: [custom] goes with rules = {customs.NAME!r}, not with {definition.rules!r}; drop one"
        )
    return contests.get(definition.rules)


def _check_limits(limits: dict[str, float], rules: Contest) -> None:
    data = rules.data
    for name in limits:
        entry = registry.get("measure", name)
        if entry.data != data:
            raise ParameterError(f"{FILE}: limits has {name!r}, a measure of a {entry.data}; {rules.name} has a {data}")


def _check_round(one: Round, folder: Path, rules: Contest) -> None:
    if not _ROUND_NAME.fullmatch(one.name):
        raise InputError(f"round {one.name!r}: a name has 1 to 40 letters, digits, spaces, - and _; it is in addresses")
    starts = list(one.starts().items())
    for (earlier, start), (later, end) in itertools.pairwise(starts):
        if end < start:
            raise InputError(
                f"round {one.name!r}: {later} ({end}) begins before {earlier} ({start}); put them in order"
            )
    for name in filter(None, (one.data, one.customers)):
        if (Path(name).parts or ("",))[0].casefold() in _OURS:
            raise InputError(f"round {one.name!r}: {name!r} belongs to the arena itself; put the data elsewhere")
        path = folder / name
        if not path.resolve().is_relative_to(folder.resolve()) or not path.is_file():
            raise InputError(f"round {one.name!r}: there is no file {name!r} in the competition's folder")
    if (rules.data == "history") != (one.customers is not None):
        wanted = "needs a file of `customers`" if one.customers is None else "has no `customers`"
        raise InputError(f"round {one.name!r}: {rules.name} {wanted}; correct {FILE}")
    if rules.name == customs.NAME:
        customs.check_original(rules, folder / one.data)
