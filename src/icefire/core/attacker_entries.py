"""Attackers as TOML files describe them: one `[[attacker]]` each, in a file of their own, a policy or a recipe."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import msgspec

from icefire.core.errors import ParameterError
from icefire.core.knowledge import Knowledge, KnownColumn
from icefire.core.profiles import PROFILES

ENTRY_CONTENT = (
    "each [[attacker]] has one of knows (a profile, or columns such as 'age~2,sex'), [attacker.columns] (each column "
    '"exactly" or a table of within, rounded and error) and register (a file, with register_truth or register_key); '
    "it may have name, words and share"
)
ONE_OF = "knows, columns and register"


class ColumnEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How well a column is known, in a table `[attacker.columns]`."""

    within: float = 0.0
    rounded: float = 0.0
    error: float = 0.0
    """Chance that the value is wrong."""


class AttackerEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One `[[attacker]]` of a TOML file."""

    knows: str | list[str] = ""
    """A profile, or columns in the notation of `icefire.core.knowledge`, as one text or a list."""
    columns: dict[str, Literal["exactly"] | ColumnEntry] = {}
    share: float | None = None
    """Share of the people known; of a profile, in place of its own."""
    register: str = ""
    """A file of people, who are known with the columns it has."""
    register_truth: str = ""
    register_key: str = ""
    register_of: Literal["original", "released"] = "original"
    name: str = ""
    words: str = ""
    """What is known, completing "an attacker who knows …"."""

    def __post_init__(self) -> None:
        given = [bool(self.knows), bool(self.columns), bool(self.register)]
        if sum(given) != 1:
            raise ValueError(f"it has {'none' if not any(given) else 'several'} of {ONE_OF}; give one of them")
        if self.name in PROFILES and self.knows != self.name:
            raise ValueError(f"the name {self.name!r} is that of a profile, but something else is known; rename it")
        if self.share is not None and (self.register or ";" in self.notation):
            other = "a register has its own people" if self.register else "knows has one already"
            raise ValueError(f"share = {self.share} is not used: {other}; leave it out")
        if (self.register_truth or self.register_key) and not self.register:
            raise ValueError("register_truth and register_key say who is who in register; name the file")
        if self.share is not None and not 0 < self.share <= 1:
            raise ValueError(f"share is {self.share}; it must be above 0 and at most 1")
        try:
            self.known_columns()
        except ParameterError as error:
            raise ValueError(error.message) from None

    @property
    def notation(self) -> str:
        """What is known, as one text; empty where a table of columns or a register says it."""
        return self.knows if isinstance(self.knows, str) else ",".join(self.knows)

    def known_columns(self) -> Knowledge | None:
        """Return what the table of columns says is known; None without one.

        Raises:
            ParameterError: If a column is known in a way that is not possible.
        """
        if not self.columns:
            return None
        exactly = ColumnEntry()
        entries = {name: exactly if entry == "exactly" else entry for name, entry in self.columns.items()}
        columns = tuple(KnownColumn(name, e.within, e.rounded, e.error) for name, e in entries.items())
        return Knowledge(columns, 1.0 if self.share is None else self.share, self.name, self.words)

    def placed(self, folder: Path) -> AttackerEntry:
        """Return the entry with the files of its register found from a folder, that of the file it stands in."""
        if not self.register:
            return self
        truth = str(folder / self.register_truth) if self.register_truth else ""
        return msgspec.structs.replace(self, register=str(folder / self.register), register_truth=truth)
