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
from datetime import datetime
from pathlib import Path
from typing import Any, Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec

from icefire import contests
from icefire.arena.contest import settings
from icefire.arena.contest.instants import in_utc
from icefire.arena.contest.settings import Mail, Oidc, Server, Webhook
from icefire.contests.common.contest import Contest
from icefire.contests.common.game import AYA, SECURITY
from icefire.contests.custom import contest as customs
from icefire.contests.games.limits import of_measures as limits_of_measures
from icefire.core import registry
from icefire.core.errors import InputError, ParameterError, UnknownNameError, did_you_mean
from icefire.words.languages import LANGUAGES

FILE = "contest.toml"
PHASES = ("anonymise", "freeze", "attack", "reveal")
_OURS = ("vault", "store", "spool", "arena.db", FILE)
"""What is in the folder and must never be handed out as data."""
LIMITED = ("pair", "account", "browser", "address", "invite", "link", "register", "wrong")
"""What failures are counted of; see `icefire.arena.auth.throttling`."""
MOST_DIGITS = 17
"""So many digits give every number back as it was."""
_ROUND_NAME = re.compile(r"\w[\w -]{0,39}")
_ADDRESS = re.compile(r"https?://[^/?#\s@]+")


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
    title: str | dict[str, str] = ""
    """What pages call it: a text, or one for each language (en, ja)."""

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
    members_per_team: int | None = None
    """How many people a team may have; no limit if not given."""
    divisions: tuple[str, ...] = ()
    """Groups of teams that have rankings of their own beside the one of all; a team is founded in one of them."""
    address: str = ""
    """Where the server is reached, such as https://cup.example; for links made on its terminal or sent by mail."""
    terms: str | dict[str, str] = ""
    """What is to be accepted before any data is downloaded: a text, or one for each language (en, ja)."""
    releases_per_team: int = 3
    """How many releases a team may have in a round at one time."""
    submissions_per_team: int = 30
    """How many it may hand in altogether: each one shows its measures, and those must not be asked for ever."""
    max_upload_mb: int = 64
    ceremony: bool = False
    """Whether the organiser reveals the ranking place by place; otherwise all is public when the reveal begins."""
    show_utility: bool = True
    """Whether the measures of the releases listed are shown at once, the own ones and others."""
    show_sample_attacks: bool = True
    """Whether what the sample attacks and AYA achieve on the releases listed is shown at once, as in PWSCUP 2015."""
    shown_digits: int = 2
    """To how many significant digits measures, and to how many decimals shares are shown before the reveal."""
    formulas: Literal["refuse", "escape"] = "refuse"
    """What is done with text cells that a spreadsheet would run, in files that rivals download: releases with them are
    refused, or such cells get a ' put before them where they are handed out."""
    keep_withdrawn_days: int = 30
    """For how many days the files of a release are kept that was withdrawn while releases were taken."""
    joint_attacks: bool = True
    """Whether the strongest attacks are among the sample attacks, beside those that the rules name."""
    ranking: Literal["normalised", "rank_sum"] = "normalised"
    aya: Literal["total", "limit", "shown"] = "total"
    """What AYA counts for: the security, and so the total, and the limit on AYA; that limit alone; or nothing."""
    limits: dict[str, float] = {}
    """Worst value of a measure that a release may have: the largest or, if it is better when higher, the smallest; of
    "security" the largest share of people that a sample attack may identify, of "aya" the largest AYA. A release that
    breaks a limit, or lacks a value that is limited or counts in the ranking, is refused: shown, not ranked."""
    custom: dict[str, Any] = {}
    """The organiser's own contest, where rules is "custom"; see `icefire.contests.custom`."""
    server: Server = Server()
    mail: Mail | None = None
    webhook: Webhook | None = None
    oidc: Oidc | None = None
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
            "formulas": self.formulas,
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


def _zone(name: object) -> ZoneInfo:
    try:
        return ZoneInfo(str(name))
    except (ZoneInfoNotFoundError, ValueError):
        raise ParameterError(f"zone is {name!r}; it takes a name such as Asia/Tokyo or Europe/Berlin") from None


def checked(definition: Definition, folder: Path) -> Definition:
    """Return the definition if it can be played: known rules, files that exist, phases in order."""
    rules = _rules(definition)
    _check_shares(definition.limits)
    _check_limits(limits_of_measures(definition.limits), rules)
    if not definition.rounds:
        raise InputError(f"{FILE} has no [[round]]; a competition has at least one")
    if definition.releases_per_team < 1:
        raise ParameterError(f"releases_per_team is {definition.releases_per_team}; it must be at least 1")
    _check_people(definition)
    settings.check_server(definition.server, LIMITED)
    if definition.oidc is not None and not definition.address:
        raise InputError(
            '[oidc] needs address, where the provider sends people back to: address = "https://cup.example"'
        )
    settings.check_services(definition.mail, definition.webhook, definition.oidc)
    if definition.keep_withdrawn_days < 0:
        raise ParameterError(f"keep_withdrawn_days is {definition.keep_withdrawn_days}; it takes 0 or more days")
    if not 1 <= definition.shown_digits <= MOST_DIGITS:
        raise ParameterError(
            f"shown_digits is {definition.shown_digits}; it takes 1 to {MOST_DIGITS}, which leaves scores as they are"
        )
    names = [one.name for one in definition.rounds]
    if len(set(names)) != len(names):
        raise InputError(f"{FILE}: two rounds have the same name; names must differ: {', '.join(names)}")
    for one in definition.rounds:
        _check_round(one, folder, rules)
    return definition


def _check_people(definition: Definition) -> None:
    if definition.members_per_team is not None and definition.members_per_team < 1:
        raise ParameterError(f"members_per_team is {definition.members_per_team}; it must be at least 1")
    for name in definition.divisions:
        if not _ROUND_NAME.fullmatch(name) or definition.divisions.count(name) > 1:
            raise InputError(
                f"division {name!r}: a name has 1 to 40 letters, digits, spaces, - and _, and no other division has it"
            )
    _check_languages(definition.terms, "terms")
    if definition.address and not _ADDRESS.fullmatch(definition.address):
        raise InputError(
            f"address is {definition.address!r}; it takes https://HOST or http://HOST:PORT, without a path"
        )


def _check_languages(given: str | dict[str, str], what: str) -> None:
    """Refuse a text in a language that pages have not, or one without words."""
    for language, text in given.items() if isinstance(given, dict) else ():
        if language not in LANGUAGES or not text.strip():
            raise InputError(f"{what} has {language!r}; it takes a text for each of {', '.join(LANGUAGES)}")


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


def _check_shares(limits: dict[str, float]) -> None:
    for name in (SECURITY, AYA):
        limit = limits.get(name, 1.0)
        if not 0 <= limit <= 1:
            raise ParameterError(f"{FILE}: limits.{name} is {limit:g}; it is a share from 0 to 1, and 1 is no limit")


def _check_limits(limits: dict[str, float], rules: Contest) -> None:
    data = rules.data
    if rules.own_audit is not None:
        unknown = next((name for name in limits if name not in (rules.measures or ())), None)
        if unknown is not None:
            hint = did_you_mean(unknown, rules.measures or ())
            raise ParameterError(f"{FILE}: limits has {unknown!r}, which {rules.name} does not measure; {hint}")
        return
    for name in limits:
        entry = registry.get("measure", name)
        if entry.data != data:
            raise ParameterError(f"{FILE}: limits has {name!r}, a measure of a {entry.data}; {rules.name} has a {data}")


def _check_round(one: Round, folder: Path, rules: Contest) -> None:
    if not _ROUND_NAME.fullmatch(one.name):
        raise InputError(f"round {one.name!r}: a name has 1 to 40 letters, digits, spaces, - and _; it is in addresses")
    _check_languages(one.title, f"round {one.name!r}: title")
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
