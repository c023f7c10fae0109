"""TOML files of attackers: reading them, and telling registers from other knowledge."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from icefire.audit.knowledge.register import RegisterSource
from icefire.core.attacker_entries import ENTRY_CONTENT, AttackerEntry
from icefire.core.errors import InputError
from icefire.core.knowledge import Knowledge


class AttackerFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The content of a TOML file that names attackers."""

    attacker: list[AttackerEntry]


KnowledgeSource = str | Path | Knowledge | AttackerEntry
"""A profile, a notation, a TOML file, or knowledge put together already."""


def read_entries(path: str | os.PathLike[str]) -> list[AttackerEntry]:
    """Read the attackers of a TOML file; files that it names are found from its folder.

    Raises:
        InputError: If it cannot be read, holds anything else, or names nobody.
    """
    try:
        content = tomllib.loads(Path(path).read_text(encoding="utf-8-sig"))
        entries = msgspec.convert(content, AttackerFile).attacker
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"attackers {str(path)!r} cannot be read: {error}; give a TOML file in UTF-8") from None
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise InputError(f"attackers {str(path)!r} cannot be used: {error}; {ENTRY_CONTENT}") from None
    if not entries:
        raise InputError(f"attackers {str(path)!r} names nobody; {ENTRY_CONTENT}")
    return [entry.placed(Path(path).parent) for entry in entries]


def with_files_read(sources: Sequence[KnowledgeSource]) -> list[str | Knowledge | AttackerEntry]:
    """Return sources with the entries of TOML files in place of the files."""
    read: list[str | Knowledge | AttackerEntry] = []
    for source in sources:
        if isinstance(source, os.PathLike) or (isinstance(source, str) and source.strip().endswith(".toml")):
            read += read_entries(source)
        else:
            read.append(source)
    return read


def recipe_entries(recipe: Mapping[str, Any]) -> list[AttackerEntry]:
    """Return the attackers that the recipe of a release names.

    Raises:
        InputError: If they are not written as a recipe has them.
    """
    try:
        entries = msgspec.convert(recipe.get("attacker", []), list[AttackerEntry])
    except msgspec.ValidationError as error:
        raise InputError(f"the attackers of the release's recipe cannot be used: {error}; {ENTRY_CONTENT}") from None
    if any(entry.register for entry in entries):
        raise InputError("the release's recipe names a register, which no recipe may; name it with --register")
    return entries


def register_source(entry: AttackerEntry) -> RegisterSource:
    """Return the register that an entry names, checked."""
    source = RegisterSource(
        entry.register,
        entry.register_truth or None,
        entry.register_key or None,
        entry.register_of,
        name=entry.name or Path(entry.register).stem,
        words=entry.words,
    )
    source.check()
    return source


def listed_sources(knowledge: KnowledgeSource | Sequence[KnowledgeSource]) -> tuple[KnowledgeSource, ...]:
    """Return one source or several as several."""
    several = isinstance(knowledge, Sequence) and not isinstance(knowledge, str)
    return tuple(knowledge) if several else (knowledge,)  # type: ignore[return-value, arg-type]
