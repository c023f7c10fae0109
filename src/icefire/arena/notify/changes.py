"""Which lines of the log are told outside, and what is said of them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from icefire.arena.contest import languages_of_texts
from icefire.arena.contest.definition import Definition
from icefire.arena.storage import log
from icefire.arena.storage.tables import EventRow
from icefire.words.files import read_texts

TOLD = ("begun", "phase", "pause", "resume", "reveal")
WORDS = Path(__file__).parent / "words.toml"
LANGUAGES = ("en", "ja")


@dataclass(frozen=True, slots=True)
class PhaseChange:
    """A change of phases, as a line of the log tells it."""

    event: str
    """begun, moved, paused, resumed or revealed."""
    line: int
    at: str
    round: str = ""
    phase: str = ""
    starts: dict[str, Any] | None = None
    """Of moved and resumed: when phases begin now."""

    def as_json(self, definition: Definition) -> dict[str, Any]:
        """Return what the organisers' server gets."""
        return {
            "event": self.event,
            "title": definition.title,
            "address": definition.address,
            "round": self.round or None,
            "phase": self.phase or None,
            "starts": self.starts,
            "at": self.at,
            "log_line": self.line,
        }


def change_of(line: EventRow) -> PhaseChange | None:
    """Return the change that a line tells of; None if it tells of none, or only of how the contest was planned."""
    body, line_and_time = line.body, (line.number, line.at.isoformat())
    if line.kind == "begun":
        return PhaseChange("begun", *line_and_time, body["round"], body["phase"])
    if line.kind == "phase" and line.actor != log.SERVER:
        return PhaseChange("moved", *line_and_time, body["round"], starts=body["starts"])
    if line.kind == "pause":
        return PhaseChange("paused", *line_and_time)
    if line.kind == "resume":
        return PhaseChange("resumed", *line_and_time, starts=body.get("starts"))
    if line.kind == "reveal" and body.get("done"):
        return PhaseChange("revealed", *line_and_time, body["round"], "reveal")
    return None


def subject(definition: Definition, change: PhaseChange) -> str:
    """Return the subject of a mail, in every language."""
    said = [_said(definition, language, f"notify.{change.event}", change) for language in LANGUAGES]
    return " ".join(f"{definition.title}: {' / '.join(said)}".split())


def text(definition: Definition, change: PhaseChange) -> str:
    """Return the text of a mail, one part for each language."""
    parts = []
    for language in LANGUAGES:
        lines = [_said(definition, language, f"notify.{change.event}_text", change), ""]
        times = change.starts or {}
        for name, at in times.items() if change.event == "moved" else ():
            lines.append(f"{_said(definition, language, f'notify.phase_{name}', change)}: {at}")
        parts.append("\n".join([*lines, definition.address]).strip())
    return "\n\n--\n\n".join(parts) + "\n"


def _said(definition: Definition, language: str, key: str, change: PhaseChange) -> str:
    words = read_texts([WORDS], language)
    phase = str(words[f"notify.phase_{change.phase}"]) if change.phase else ""
    title = languages_of_texts.round_title(definition, change.round, language)
    return str(words[key]).format(round=title, phase=phase)


def link_message(definition: Definition, name: str, link: str) -> dict[str, str]:
    """Return the mail that brings somebody the one-time link of a new account, in every language."""
    words = [read_texts([WORDS], language) for language in LANGUAGES]
    subject = " / ".join(str(one["notify.link"]) for one in words)
    parts = [f"{str(one['notify.link_text']).format(name=name)}\n\n{link}" for one in words]
    return {"subject": " ".join(f"{definition.title}: {subject}".split()), "text": "\n\n--\n\n".join(parts) + "\n"}
