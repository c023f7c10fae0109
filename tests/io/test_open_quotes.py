"""Quotes that are opened and not closed: rows behind them are not lost in one cell."""

from __future__ import annotations

from pathlib import Path

import pytest

import icefire
from icefire.core.errors import InputError

ROWS = [f"{20 + i},{1000 + i},flu" for i in range(10)]


def read(folder: Path, changed: dict[int, str], rows: list[str] | None = None, header: str = "age,pay,ill"):
    lines = [header, *(rows or ROWS)]
    for row, line in changed.items():
        lines[row + 1] = line
    file = folder / "people.csv"
    file.write_text("\n".join(lines) + "\n")
    return icefire.read(file).frame


@pytest.mark.parametrize(
    ("changed", "row"),
    [
        ({0: '20,1000,"flu', 3: '23,1003,"cold"'}, 0),
        ({0: '20,1000,"flu', 1: '21,1001,cold"'}, 0),
        ({2: '"22,1002,flu', 3: '"23",1003,flu'}, 2),
        ({2: '22,"1002,flu', 5: '25,"1005",flu'}, 2),
        ({4: '24,1004,"flu'}, 4),
        ({9: '29,1009,"flu'}, 9),
        ({2: '"22,1002,flu'}, 2),
    ],
)
def test_rows_behind_an_open_quote_are_not_lost(changed: dict[int, str], row: int, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=f"row {row} of 'people.csv' opens a quote that is not closed"):
        read(tmp_path, changed)


def test_rows_of_texts_are_not_lost(tmp_path: Path) -> None:
    rows = [f"p{i},{'north' if i % 2 else 'south'},flu" for i in range(10)]
    with pytest.raises(InputError, match=r"row 2 of 'people\.csv' opens a quote"):
        read(tmp_path, {2: 'p2,south,"flu', 3: 'p3,north,flu"'}, rows, "name,region,ill")


@pytest.mark.parametrize(
    "note",
    ["one\ntwo", "Dear Sir,\nI was ill, and at home, for days", "20,30\n40,50", 'said ""no""\nand left', "a\n\nb,c,d"],
)
def test_line_breaks_inside_a_cell_are_kept(note: str, tmp_path: Path) -> None:
    frame = read(tmp_path, {3: f'23,1003,"{note}"'})
    assert frame.height == 10
    assert frame["ill"][3] == note.replace('""', '"')


def test_an_inch_sign_opens_nothing(tmp_path: Path) -> None:
    assert read(tmp_path, {3: '23,1003,5" pipe'})["ill"][3] == '5" pipe'
