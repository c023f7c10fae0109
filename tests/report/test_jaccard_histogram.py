"""The picture of how alike two people of a history are (P1 Figure 2): drawn right, in page, notebook and file."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from support.commands import run_icefire

import icefire
from icefire.audit.inspection.history_statistics import Resemblance
from icefire.report.html.inspection import inspection_page
from icefire.report.html.jaccard_histogram import HEIGHT, in_words, jaccard_histogram, steps_shown


def resemblance(counts: dict[int, int]) -> Resemblance:
    histogram = [counts.get(step, 0) for step in range(100)]
    return Resemblance(sum(histogram), False, 0.05, (max(counts) + 0.5) / 100, histogram, 3.0)


def test_a_bar_for_each_step_that_has_pairs_in_proportion() -> None:
    drawn = ET.fromstring(str(jaccard_histogram(resemblance({0: 60, 1: 30, 5: 15}))))
    bars = [(bar.get("x"), float(bar.get("height"))) for bar in drawn.iter("rect")]
    assert bars == [("0%", HEIGHT), ("5%", HEIGHT / 2), ("25%", HEIGHT / 4)]  # 20 steps of 5 %
    words = [text.text for text in drawn.iter("text")]
    assert {"mean 0.050", "60 pairs", "0.2", "Jaccard coefficient; largest 0.055"} <= set(words)


def test_the_axis_ends_with_the_largest_coefficient() -> None:
    assert len(steps_shown(resemblance({3: 1}))) == 20
    assert len(steps_shown(resemblance({40: 1}))) == 50
    assert len(steps_shown(resemblance({99: 1}))) == 100
    assert in_words(resemblance({0: 3, 50: 1})) == "4 pairs; mean 0.0500, largest 0.505; 75.0 % of the pairs below 0.1"


def test_people_without_any_pair_are_drawn_as_an_empty_picture() -> None:
    drawn = str(jaccard_histogram(Resemblance(0, False, 0.0, 0.0, [0] * 100, 0.0)))
    assert "<rect" not in drawn
    assert ET.fromstring(drawn).tag == "svg"


def test_page_and_notebook_show_it_and_nothing_is_fetched() -> None:
    inspection = icefire.inspect(icefire.sample("shop", 100))
    page = inspection_page(inspection)
    assert "<svg" in inspection._repr_html_()
    assert "<svg" in page
    assert "<script" not in page
    assert not re.search(r"(src|href)=|url\(", page)


def test_the_command_writes_page_and_picture(tmp_path: Path, capsys) -> None:
    pytest.importorskip("matplotlib")
    assert run_icefire(capsys, "sample", "shop", "-n", "100", "-o", tmp_path / "shop").code == 0
    shop = [tmp_path / "shop" / "shop.csv", "--schema", tmp_path / "shop" / "schema.toml"]
    files = tmp_path / "page.html", tmp_path / "figure.svg", tmp_path / "figure.png"
    done = run_icefire(capsys, "inspect", *shop, "--html", files[0], "--picture", files[1])
    assert done.code == 0, done.err
    assert run_icefire(capsys, "inspect", *shop, "--picture", files[2]).code == 0
    assert "pairs of customers" in files[1].read_text(encoding="utf-8")
    assert files[2].read_bytes().startswith(b"\x89PNG")
    assert "Pairs of people by the Jaccard coefficient" in files[0].read_text(encoding="utf-8")
    refused = run_icefire(capsys, "inspect", *shop, "--candidates", tmp_path / "list.csv")
    assert refused.code == 2
    assert "--candidates is for tables" in refused.err
