"""Attackers as TOML files describe them: entries `[[attacker]]`, in a file of their own or in a policy."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path

import msgspec

from icefire.core.errors import InputError
from icefire.core.knowledge import Knowledge

FILE_CONTENT = "each [[attacker]] has knows (a profile, or columns such as 'age~2,sex'), and may have name and words"


class AttackerEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One `[[attacker]]` of a TOML file."""

    knows: str
    """A profile, or columns in the notation of `icefire.core.knowledge`."""
    name: str = ""
    words: str = ""
    """What is known, completing "an attacker who knows …"."""


class AttackerFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The content of a TOML file that names attackers."""

    attacker: list[AttackerEntry]


KnowledgeSource = str | Path | Knowledge | AttackerEntry
"""A profile, a notation, a TOML file, or knowledge put together already."""


def read_entries(path: str | os.PathLike[str]) -> list[AttackerEntry]:
    """Read the attackers of a TOML file.

    Raises:
        InputError: If it cannot be read, or holds anything else.
    """
    try:
        content = tomllib.loads(Path(path).read_text(encoding="utf-8"))
        return msgspec.convert(content, AttackerFile).attacker
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"attackers {str(path)!r} cannot be read: {error}; give a TOML file in UTF-8") from None
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise InputError(f"attackers {str(path)!r} cannot be used: {error}; {FILE_CONTENT}") from None
