"""The transaction log of Delta Lake folders: which of the Parquet files in them are the table today.

A folder also holds the files of earlier versions, whose rows were deleted or changed since. Read are the newest
checkpoint and the commits after it, as the protocol of Delta Lake describes them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import msgspec
import polars as pl

from icefire.core.errors import InputError, listing

LOG = "_delta_log"
UNDERSTOOD = frozenset({"timestampNtz", "vacuumProtocolCheck", "columnMapping", "deletionVectors"})
"""Features of a table with which a reader may open it, as far as the table does not use the last two."""
_COMMIT = re.compile(r"^(\d{20})\.json$")
_CHECKPOINT = re.compile(r"^(\d{20})\.checkpoint(?:\.(\d{10})\.(\d{10}))?\.parquet$")
_ACTIONS = ("protocol", "metaData", "add", "remove")


@dataclass
class _State:
    """What the log says of the table after the actions that were read."""

    files: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    protocol: Mapping[str, Any] = field(default_factory=dict)
    metadata: Mapping[str, Any] = field(default_factory=dict)

    def apply(self, action: Mapping[str, Any]) -> None:
        """Take one line of the log into account."""
        if action.get("protocol"):
            self.protocol = action["protocol"]
        if action.get("metaData"):
            self.metadata = action["metaData"]
        if action.get("remove"):
            self.files.pop(action["remove"]["path"], None)
        if action.get("add"):
            self.files[action["add"]["path"]] = action["add"]


def is_delta(folder: Path) -> bool:
    """Tell whether a folder has a log of Delta Lake."""
    return (folder / LOG).is_dir()


def live_files(folder: Path) -> list[Path]:
    """Return the Parquet files that are the newest version of the table, in order of name.

    Args:
        folder: A folder with a log.

    Raises:
        InputError: If the log is not whole, or the table uses what cannot be read from its Parquet files alone.
    """
    state = _State()
    try:
        for action in _actions(folder):
            state.apply(action)
    except (msgspec.DecodeError, pl.exceptions.PolarsError, AttributeError, KeyError, TypeError) as error:
        raise _refusal(folder, f"its log cannot be read ({str(error).partition(chr(10))[0]})") from None
    _check_features(folder, state)
    return sorted(_located(folder, state, path) for path in state.files)


def _actions(folder: Path) -> Iterator[Mapping[str, Any]]:
    """Give the actions of the newest checkpoint and of the commits after it, in their order."""
    names = [path.name for path in (folder / LOG).iterdir()]
    commits = {int(matched[1]): name for name in names if (matched := _COMMIT.match(name))}
    newest, parts = _newest_checkpoint(names)
    for part in parts:
        yield from _checkpoint_actions(folder / LOG / part)
    last = max(commits, default=newest)
    if last < 0:
        raise _refusal(folder, "its log has no commit")
    for version in range(newest + 1, last + 1):
        if version not in commits:
            raise _refusal(folder, f"version {version} is missing in its log")
        lines = (folder / LOG / commits[version]).read_bytes().splitlines()
        yield from (msgspec.json.decode(line) for line in lines if line.strip())


def _newest_checkpoint(names: Iterable[str]) -> tuple[int, list[str]]:
    """Return the version of the newest checkpoint of which all parts are there, and these; -1 if there is none."""
    parts: dict[tuple[int, int], list[str]] = {}
    for name in sorted(names):
        matched = _CHECKPOINT.match(name)
        if matched:
            parts.setdefault((int(matched[1]), int(matched[3] or 1)), []).append(name)
    whole = [key for key, listed in parts.items() if len(listed) == key[1]]
    return (max(whole)[0], parts[max(whole)]) if whole else (-1, [])


def _checkpoint_actions(path: Path) -> Iterator[Mapping[str, Any]]:
    held = pl.read_parquet_schema(path)
    yield from pl.read_parquet(path, columns=[name for name in _ACTIONS if name in held]).iter_rows(named=True)


def _check_features(folder: Path, state: _State) -> None:
    """Refuse tables whose rows are not those of their Parquet files."""
    if not state.protocol or not state.metadata:
        raise _refusal(folder, "its log says nothing of its protocol and columns")
    unknown = sorted(set(state.protocol.get("readerFeatures") or ()) - UNDERSTOOD)
    if unknown or int(state.protocol["minReaderVersion"]) > 3:
        raise _refusal(folder, f"it uses {listing(unknown) if unknown else 'a newer protocol'}, which is not read")
    if any(added.get("deletionVector") for added in state.files.values()):
        raise _refusal(folder, "rows were deleted by deletion vectors, which are not read")
    configured = _as_mapping(state.metadata.get("configuration"))
    if configured.get("delta.columnMapping.mode", "none") != "none":
        raise _refusal(folder, "its columns have other names in its files (column mapping)")
    if not state.files:
        raise InputError(f"the Delta table {folder.name!r} has no rows; give a table with at least two")


def _as_mapping(value: Any) -> dict[str, Any]:
    """Return a map of a checkpoint, which some versions of polars give as a list of pairs."""
    return {one["key"]: one["value"] for one in value} if isinstance(value, list) else dict(value or {})


def _located(folder: Path, state: _State, path: str) -> Path:
    """Return where a file is; the names of its folders must hold the columns that are not in it."""
    place = unquote(path)
    if "://" in place or place.startswith(("/", "file:")) or ".." in Path(place).parts:
        raise _refusal(folder, f"its file {place!r} lies elsewhere")
    named = {part.partition("=")[0] for part in Path(place).parts[:-1] if "=" in part}
    lost = [name for name in state.metadata.get("partitionColumns") or () if name not in named]
    if lost:
        raise _refusal(folder, f"the column {lost[0]!r} is neither in its file {place!r} nor in the names above it")
    located = folder / place
    if not located.is_file():
        raise _refusal(folder, f"its file {place!r} is missing")
    return located


def _refusal(folder: Path, reason: str) -> InputError:
    return InputError(
        f"the Delta table {folder.name!r} cannot be read: {reason}; write it as plain Parquet files, and give their "
        "folder"
    )
