"""Check that an uploaded file is plain text of a bounded size, before any reader of tables gets it.

Whatever could make a reader work without end is refused here: files that are no text, lines without end, more columns
or rows than the game has. The check takes time and memory in proportion to the file and no more.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

LONGEST_LINE = 100_000
MOST_COLUMNS = 10
"""So many times the columns of the game are read; the contest's own check then says what is wrong with them."""
_PACKED = {
    b"\x1f\x8b": "gzip",
    b"PK": "zip or a spreadsheet",
    b"PAR1": "Parquet",
    b"ARROW1": "Arrow",
    b"BZh": "bzip2",
    b"\xfd7zXZ": "xz",
    b"\x28\xb5\x2f\xfd": "Zstandard",
}


def problems(path: Path, most_rows: int, columns: int) -> list[str]:
    """Say what keeps a file from being read as a table of at most so many rows, the header counted, and columns."""
    raw = path.read_bytes()
    problem = _no_text(raw) or _no_table(raw, most_rows, columns)
    return [f"{path.name}: {problem}"] if problem else []


def size(path: Path) -> tuple[int, int]:
    """Count the lines and columns of a file that is known to be a table, without reading it as one."""
    raw = path.read_bytes()
    lines = raw.count(b"\n") + (not raw.endswith(b"\n"))
    return lines, _columns(raw.partition(b"\n")[0])


def _columns(line: bytes) -> int:
    return line.count(b",") + 1


def _no_text(raw: bytes) -> str | None:
    if not raw.strip():
        return "the file is empty; hand in a table"
    packed = next((name for start, name in _PACKED.items() if raw.startswith(start)), None)
    if packed:
        return f"this is {packed}; hand in plain CSV in UTF-8"
    if b"\x00" in raw:
        return f"byte {raw.index(0):,} is zero; hand in plain CSV in UTF-8"
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError as error:
        return f"byte {error.start:,} is not UTF-8; save the file as UTF-8 and try again"
    return None


def _no_table(raw: bytes, most_rows: int, columns: int) -> str | None:
    ends = np.flatnonzero(np.frombuffer(raw, np.uint8) == ord("\n"))
    edges = np.concatenate([[-1], ends, [len(raw)]])
    lengths = np.diff(edges) - 1
    if lengths.max() > LONGEST_LINE:
        row = int(lengths.argmax())
        return (
            f"line {row + 1:,} has {lengths[row]:,} bytes; at most {LONGEST_LINE:,} are read: is a line break missing?"
        )
    rows = len(lengths) - (lengths[-1] == 0)
    if rows > most_rows:
        return f"{rows:,} lines; at most {most_rows:,} are taken"
    wide = _columns(raw[: int(edges[1])])
    if wide > MOST_COLUMNS * columns:
        return f"the first line has {wide:,} columns; {columns} are needed"
    return None
