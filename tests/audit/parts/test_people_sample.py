"""A sample of the people of large tables: whole classes, and what is found among them."""

from __future__ import annotations

from collections import Counter
from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl
import pytest
from support.engine_tables import skewed

import icefire
from icefire.audit.parts import people as parts_people
from icefire.audit.parts import people_sample
from icefire.audit.parts.people_sample import draw_people, drawn_rows
from icefire.audit.parts.tables import LargeTables
from icefire.core.release import Guess
from icefire.core.scorecard.attacks import AttackResult
from icefire.engines.raw_tables import PolarsTable
from icefire.testing.engines import in_tiny_buckets

QI, SA = ("age", "town", "height"), ("income", "rent", "illness")


def classes(frame: pl.DataFrame) -> list[tuple[Any, ...]]:
    return frame.select(QI).rows()


def test_whole_classes_are_drawn_and_large_ones_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(people_sample, "PEOPLE", 60)
    monkeypatch.setattr(people_sample, "CLASS", 20)
    comparison = skewed(300, 1, missing=0.0)
    shown = comparison.released.frame
    tables = in_tiny_buckets(comparison.original.frame, shown, comparison.original.schema)
    rows = drawn_rows(tables, 3)
    others = drawn_rows(tables, 4)
    tables.close()
    sizes = Counter(classes(shown))
    assert 0 < len(rows) < 150
    assert rows.tolist() != others.tolist()
    for key, count in Counter(classes(shown[rows])).items():
        assert count == min(sizes[key], 20)


def test_the_people_of_the_rows_are_taken_in_the_order_of_the_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(people_sample, "PEOPLE", 50)
    comparison = skewed(200, 2, share=0.0)
    known, shown = comparison.original.frame, comparison.released.frame
    order = np.random.default_rng(0).permutation(shown.height)
    tables = in_tiny_buckets(known, shown[order], comparison.original.schema)
    large = LargeTables(PolarsTable(known.lazy()), PolarsTable(shown.lazy()), comparison.original.schema)
    sample = draw_people(tables, large, comparison.truth.rows[order], order, {"qi": list(QI), "sa": list(SA)}, 1)
    tables.close()
    drawn = sample.release.published
    assert 10 < drawn.height < 120
    assert sample.people == drawn.height
    file_rows = shown.with_row_index("n").join(drawn, on=shown.columns, how="semi", nulls_equal=True)["n"].to_numpy()
    assert drawn.equals(shown[file_rows])
    people = known[comparison.truth.rows[file_rows]]
    assert sample.release.original.frame[sample.comparison.truth.rows].equals(people)


def answer(rate: float, people: int, **notes: Any) -> Any:
    ci = (max(0.0, rate - 0.05), min(1.0, rate + 0.05))
    result = AttackResult("", rate, int(rate * people), people, people, ci, 0.0, None, None, "", {}, 0.0)
    return SimpleNamespace(guess=Guess(np.zeros(people, np.int64), notes=notes), result=result)


def test_an_attack_counts_that_finds_more_than_link_among_the_same_people() -> None:
    answers = {"link": answer(0.3, 100), "t_kernel": answer(0.4, 100), "cover": answer(0.32, 100)}
    counted, left_out = parts_people._more_than_link(answers, 100)
    assert list(counted) == ["t_kernel"]
    assert counted["t_kernel"].sampled
    assert list(left_out) == ["cover"]
    assert "100 people" in left_out["cover"]


def test_link_counts_among_the_people_where_it_reads_columns_otherwise() -> None:
    counted, _ = parts_people._more_than_link({"link": answer(0.3, 100, read_otherwise=True)}, 100)
    assert list(counted) == ["link"]


@pytest.mark.parametrize(("in_order", "lacking"), [(True, []), (False, ["the order of the rows"])])
def test_rows_moved_so_little_that_a_sample_is_in_order_are_not_assessed(in_order: bool, lacking: list[str]) -> None:
    truth = SimpleNamespace(rows=np.array([0, 1, 5]))
    assert parts_people._lacking(SimpleNamespace(comparison=SimpleNamespace(truth=truth)), in_order) == lacking


def test_columns_under_other_headers_are_noted_by_link() -> None:
    rng = np.random.default_rng(3)
    frame = pl.DataFrame({name: rng.normal(place * 50, 1 + place, 120).round(3) for place, name in enumerate("abcd")})
    moved = frame.rename({"a": "b", "b": "a", "c": "d", "d": "c"}).select(frame.columns)
    for shown, expected in ((frame, False), (moved, True)):
        guess = icefire.attack("link", frame, shown, qi=["a"], sa=["b", "c", "d"])
        assert guess.notes["read_otherwise"] is expected
