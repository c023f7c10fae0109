"""Releases listed in a file, for pipelines: which tables are audited, and with which keywords."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from icefire.audit.options import AuditOptions
from icefire.core.errors import InputError, did_you_mean

FILE = "icefire.toml"
CONTENT = "write a [[release]] with original, released and keywords of icefire.audit for each release"
PATHS = (
    "original",
    "released",
    "schema",
    "truth",
    "holdout",
    "background",
    "register",
    "register_truth",
    "recipe",
    "customers",
    "released_customers",
    "policy",
)
TYPES: dict[str, tuple[tuple[type, ...], str]] = {
    "bool": ((bool,), "true or false"),
    "int": ((int,), "a whole number"),
    "float": ((int, float), "a number"),
}
"""What an entry takes, by the type of the keyword of icefire.audit; the others take text."""
LISTS = ("Sequence", "ArrayLike", "RecipeSource", "KnowledgeSource")
TABLES = ("RecipeSource", "KnowledgeSource")
"""Types that a list, or a table of TOML, can be."""
NOT_IN_FILES = {"progress", "how", "customers_how", "parameters", "limits"}


@dataclass(frozen=True, slots=True)
class ListedRelease:
    """One release to audit."""

    original: str
    released: str
    options: dict[str, Any]
    html: str | None = None
    """Where its report is written; a report that is there is replaced."""

    @property
    def files(self) -> list[Path]:
        """The files it depends on."""
        named = [self.original, self.released, *(v for k, v in self.options.items() if k in PATHS)]
        return [Path(str(name)) for name in named]

    def depends_on(self, changed: Collection[Path]) -> bool:
        """Tell whether one of these files belongs to it, or lies in one of its folders."""
        own = [path.resolve() for path in self.files]
        return any(one.resolve() == path or path in one.resolve().parents for one in changed for path in own)


def load(place: str | Path) -> list[ListedRelease]:
    """Read a list of releases; paths are relative to the file, and `$NAME` in them is taken from the environment.

    Raises:
        InputError: If the file cannot be read or is no list of releases.
    """
    path = Path(place)
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise InputError(f"list of releases {str(path)!r} cannot be read ({error.strerror}); {CONTENT}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"list of releases {str(path)!r} is not TOML: {error}; {CONTENT}") from None
    entries = content.get("release")
    unknown = next((name for name in content if name != "release"), None)
    if unknown is not None:
        raise InputError(f"list of releases {str(path)!r}: unknown entry {unknown!r}; {CONTENT}")
    if not isinstance(entries, list) or not entries or not all(isinstance(entry, Mapping) for entry in entries):
        raise InputError(f"list of releases {str(path)!r} names no release; {CONTENT}")
    return [_release(entry, number, path) for number, entry in enumerate(entries, 1)]


def _release(entry: Mapping[str, Any], number: int, path: Path) -> ListedRelease:
    where = f"list of releases {str(path)!r}, release {number}"
    known = sorted(set(AuditOptions.__annotations__) - NOT_IN_FILES)
    for name in ("original", "released"):
        if not isinstance(entry.get(name), str):
            raise InputError(f"{where}: {name} is {entry.get(name)!r}, which is no text; {CONTENT}")
    unknown = next((name for name in entry if name not in (*known, "original", "released", "html")), None)
    if unknown is not None:
        raise InputError(f"{where}: unknown entry {unknown!r}; {did_you_mean(unknown, known)}")
    for name, value in entry.items():
        if name in known:
            _check_type(name, value, where)
    placed = {name: _placed(name, value, path.parent, where) for name, value in entry.items()}
    options = {name: value for name, value in placed.items() if name not in ("original", "released", "html")}
    report = placed.get("html")
    if report is not None and (not isinstance(report, str) or Path(report).suffix != ".html"):
        raise InputError(f"{where}: html is {report!r}; name a file that ends in .html: an older one is replaced")
    return ListedRelease(placed["original"], placed["released"], options, report)


def _check_type(name: str, value: Any, where: str) -> None:
    """Refuse a value of a type that the keyword of this name does not take."""
    hint = AuditOptions.__annotations__[name]
    written = str(getattr(hint, "__forward_arg__", hint))
    taken, words = TYPES.get(written.partition(" ")[0], ((str,), "text"))
    if "| int" in written:
        taken, words = (*taken, int), f"{words} or a whole number"
    if any(kind in written for kind in LISTS):
        taken, words = (*taken, list), f"{words} or a list"
    if any(kind in written for kind in TABLES):
        taken, words = (*taken, dict), f"{words} or a table"
    if not isinstance(value, taken) or (isinstance(value, bool) and bool not in taken):
        raise InputError(f"{where}: {name} is {value!r}; it takes {words}")


def _placed(name: str, value: Any, folder: Path, where: str) -> Any:
    """Return a path relative to the file; names of the gallery and of policies, and values, stay as they are."""
    if not isinstance(value, str) or name not in (*PATHS, "html"):
        return value
    text = os.path.expandvars(value)
    if "$" in text:
        raise InputError(f"{where}: {name} is {value!r}, but that variable is not set; set it, or write the path")
    placed = folder / text
    return text if name in ("policy", "recipe") and not placed.exists() else str(placed)
