"""Tell by its content whether icefire wrote a file, so that nothing else is ever replaced by a new one.

Pages, XML, SARIF and pictures name icefire near their beginning, TOML files say "written by icefire" in their first
comment. JSON and tables are told by what the new file begins with: the same keys, the same header. Answers, which are
nothing but numbers, are told by their size and range; a truth is none.
"""

from __future__ import annotations

import codecs
import io
import re
from typing import Any

import msgspec
import numpy as np
import polars as pl

from icefire.kernels.types import Int

BEGINNING = 4000
"""So many bytes are searched for the name of who wrote a file."""
_NAMED = re.compile(rb'(?:name|content)="icefire"|<(?:dc:)?title>icefire\b')
_WRITTEN = re.compile(rb"written\s+(?:#\s*)?by\s+(?:#\s*)?icefire")
_ANSWER = re.compile(rb"-?\d+(?:,-?\d+)*")
_BETWEEN_CELLS = re.compile(rb"[,;\t]")
_MARKS = ("## ✅".encode(), "## ❌".encode())
"""How a summary in Markdown begins."""
MOST = 2
"""Row numbers of an older answer are below so many times those of the new one."""
_IN_COMMON = 2
"""So many names of columns, or keys, say that two files were written by the same command."""


def is_own(old: bytes, new: bytes) -> bool:
    """Tell whether a file that exists was written by the command that would now replace it.

    Args:
        old: Content of the file that exists.
        new: What would be written in its place.

    Returns:
        Whether it may be replaced. An empty file may be.
    """
    if not old.strip():
        return True
    if b"\0" in old or b"\0" in new:
        return old[:4] == new[:4] and (b"icefire" in old[:BEGINNING] or _same_table(old, new))
    old, new = (content.removeprefix(codecs.BOM_UTF8).lstrip() for content in (old, new))
    if new.startswith(b"<"):
        return old.startswith(b"<") and _NAMED.search(old[:BEGINNING]) is not None
    if new.startswith((b"{", b"[")):
        return _same_keys(old, new)
    if new.startswith(_MARKS):
        return old.startswith(_MARKS)
    if new.startswith(b"#"):
        return old.startswith(b"#") and _WRITTEN.search(old[:BEGINNING]) is not None
    return _same_header(old, new)


def _same_header(old: bytes, new: bytes) -> bool:
    """Tell whether two tables are both answers, or have columns in common by their first lines."""
    first_old, first_new = (content.partition(b"\n")[0].strip() for content in (old, new))
    if _ANSWER.fullmatch(first_new):
        return _ANSWER.fullmatch(first_old) is not None and _are_answers(old, new)
    cells, others = (_BETWEEN_CELLS.split(line) for line in (first_old, first_new))
    of_hierarchies = len(others) > 1 and cells[-1] == others[-1] == b"*"
    return of_hierarchies or _alike(cells, others)


def _are_answers(old: bytes, new: bytes) -> bool:
    """Tell whether numbers may be an earlier answer to the question of the new ones: row numbers, as many, no truth."""
    before, after = _numbers(old), _numbers(new)
    if before is None or after is None or len(before) != len(after):
        return False
    are_rows = before.min() >= -1 and before.max() <= MOST * max(int(after.max()), len(after))
    return bool(are_rows) and (_names_each_once(after) or not _names_each_once(before))


def _numbers(content: bytes) -> Int | None:
    try:
        return pl.read_csv(io.BytesIO(content), has_header=False, infer_schema_length=None).to_numpy().astype(np.int64)
    except (pl.exceptions.PolarsError, ValueError):
        return None


def _names_each_once(rows: Int) -> bool:
    """Tell whether every row number occurs once, as in a truth; guesses seldom do."""
    return rows.shape[1] == 1 and bool(np.array_equal(np.sort(rows[:, 0]), np.arange(len(rows))))


def _same_table(old: bytes, new: bytes) -> bool:
    return _alike(_columns(old), _columns(new))


def _columns(content: bytes) -> list[str]:
    """Return the columns of a Parquet or Arrow file; none of another or a damaged one."""
    for read in (pl.read_parquet_schema, pl.read_ipc_schema):
        try:
            return list(read(io.BytesIO(content)))
        except (pl.exceptions.PolarsError, OSError):
            continue
    return []


def _same_keys(old: bytes, new: bytes) -> bool:
    try:
        before, after = msgspec.json.decode(old), msgspec.json.decode(new)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return False
    if isinstance(after, dict) and "runs" in after:
        return bool(_tool(before) == _tool(after))
    return _alike(_keys(before), _keys(after))


def _tool(content: Any) -> Any:
    """Return the name of the tool that wrote a SARIF file."""
    try:
        return content["runs"][0]["tool"]["driver"]["name"]
    except (KeyError, IndexError, TypeError):
        return None


def _keys(content: Any) -> list[str]:
    first = content[0] if isinstance(content, list) and content else content
    return list(first) if isinstance(first, dict) else []


def _alike(names: list[Any], others: list[Any]) -> bool:
    """Tell whether two lists begin alike and have enough in common."""
    common = set(names) & set(others)
    return bool(common) and names[0] == others[0] and len(common) >= min(_IN_COMMON, len(set(names) | set(others)))
