"""The joint attack on tables in parts finds what it finds in one process, for a sample of the released rows."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import icefire
from icefire.attacks.tables.link import rivals, sampled, sampled_rows, search
from icefire.attacks.tables.link.attack import link
from icefire.attacks.tables.link.columns import encode, readable
from icefire.attacks.tables.link.level_maps import LevelMap, levels_of_rows, rows_of, sampled_tables
from icefire.attacks.tables.link.sampled import SampledAnswers, link_sample
from icefire.core import align
from icefire.core.dataset import Dataset
from icefire.core.parts import ROW
from icefire.core.release import Case
from icefire.engines.coding import code_tables
from icefire.engines.memory import MemoryPlan
from icefire.engines.partitioned import PartitionedTables
from icefire.engines.raw_tables import PolarsTable
from icefire.kernels.linkage.best_candidates import CandidateLists

SMALL = MemoryPlan(batch_rows=150, bucket_rows=100, working=1 << 30)
K5 = {"method": "k_anonymize", "k": 5}
RELEASES = {
    "noise": [{"method": "noise", "scale": 1.0}],
    "k-anonymity and noise": [K5, {"method": "noise", "scale": 0.5}],
    "k-anonymity and rank swap": [K5, {"method": "rank_swap", "p": 20}],
    "microaggregation": [K5, {"method": "microaggregate", "k": 5}],
    "swapped in classes": [K5, {"method": "swap"}],
}


def in_parts(original: pl.DataFrame, released: pl.DataFrame, schema: icefire.Schema) -> PartitionedTables:
    x, y = PolarsTable(original.lazy(), "original"), PolarsTable(released.lazy(), "released")
    return PartitionedTables(x, y, code_tables(x, y, schema), SMALL)


def linked(data: Dataset, released: pl.DataFrame) -> SampledAnswers:
    tables = in_parts(data.frame, released, data.schema)
    try:
        return link_sample(tables, np.random.default_rng(1))
    finally:
        tables.close()


def in_one_process(data: Dataset, released: pl.DataFrame) -> np.ndarray:
    case = Case(*align.match(data, released))
    return link(case, rng=np.random.default_rng(1)).first


def released(data: Dataset, steps: list[dict[str, object]]) -> tuple[pl.DataFrame, np.ndarray]:
    release = icefire.anonymize(data, {"step": steps}, seed=1)
    order = np.random.default_rng(0).permutation(release.released.height)
    assert release.truth is not None
    return release.released.frame[order], release.truth.rows[order]


def test_answers_about_an_unchanged_release_are_those_of_one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampled_rows, "ASKED", 120)
    monkeypatch.setattr(sampled_rows, "ENCODED", 150)
    frame = icefire.sample("households", rows=300).frame[:, -8:]
    data = icefire.read(frame, qi=frame.columns[:2], sa=frame.columns[2:])
    assert isinstance(data, Dataset)
    truth = np.random.default_rng(0).permutation(300)
    found = linked(data, data.frame[truth])
    assert len(found.rows) == 120
    assert found.guess.first.tolist() == in_one_process(data, data.frame[truth])[found.rows].tolist()
    assert found.guess.first.tolist() == truth[found.rows].tolist()


@pytest.mark.heavy
@pytest.mark.parametrize("name", RELEASES)
@pytest.mark.parametrize("known", [10**7, 900])
def test_a_sample_of_the_rows_is_found_as_often_as_in_one_process(
    name: str, known: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module, constant, value in (
        (sampled_rows, "ASKED", 600),
        (sampled_rows, "ENCODED", 1200),
        (sampled, "LEARNED", known),
        (search, "PAIRS", 0),
        (search, "PIECE", 1000),
    ):
        monkeypatch.setattr(module, constant, value)
    data = icefire.sample("households", rows=2500)
    shown, truth = released(data, RELEASES[name])
    found = linked(data, shown)
    rate = (found.guess.first == truth[found.rows]).mean()
    # The answers of one process about the same rows: what is drawn differs, not whom it is about. Of 2,500 people,
    # 900 teach less.
    assert rate > (in_one_process(data, shown) == truth)[found.rows].mean() - (0.07 if known == 900 else 0.04)


@pytest.mark.heavy
def test_rows_that_compete_for_people_are_compared_besides(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampled_rows, "ASKED", 100)
    data = icefire.sample("households", rows=400)
    shown, truth = released(data, [{"method": "unify", "columns": "@qi"}, {"method": "noise", "scale": 0.7}])
    found = linked(data, shown)
    monkeypatch.setattr(rivals, "SURE", -1.0)
    without = linked(data, shown)
    assert without.compared == 100
    assert found.compared > 100
    rates = [(one.guess.first == truth[one.rows]).mean() for one in (found, without)]
    assert rates[0] > rates[1]


def test_levels_of_rows_in_parts_are_those_of_one_process() -> None:
    data = icefire.sample("households", rows=200)
    frame = data.frame.with_columns(pl.when(pl.int_range(200) % 7 > 0).then(pl.col("food")).alias("food"))
    shown = frame[::-1]
    tables = in_parts(frame, shown, data.schema)
    every = np.arange(200)
    read = sampled_tables(tables, rows_of(tables, "original", every), rows_of(tables, "released", every))
    mapped = read.encoded(16)
    x, y = (levels_of_rows(tables, side, mapped) for side in ("original", "released"))
    some = levels_of_rows(tables, "original", mapped, np.array([3, 50, 199]))
    for place, column in enumerate(mapped):
        if column.column.name != column.source:
            assert column.column.name.endswith("(missing)")
            continue
        whole = encode(*readable(frame[column.source], shown[column.source]), 16)
        assert whole is not None
        assert x[place].tolist() == whole.x.codes.tolist()
        assert y[place].tolist() == whole.y.codes.tolist()
        assert some[place].tolist() == whole.x.codes[[3, 50, 199]].tolist()
    assert any(column.column.name == "food (missing)" for column in mapped)
    tables.close()


def test_a_number_between_two_known_ones_has_the_level_of_the_lower_one() -> None:
    levels = LevelMap(np.array([1.0, 2.0, 5.0]), np.array([0, 1, 2], np.int32), 3)
    assert levels(np.array([0.0, 1.0, 1.5, 4.9, 5.0, 9.0, np.nan])).tolist() == [0, 0, 0, 1, 2, 2, 3]


def test_texts_that_no_sampled_row_has_get_levels() -> None:
    data = Dataset(*_towns(["a", "b", "c", "d"] * 5))
    tables = in_parts(data.frame, data.frame, data.schema)
    first = rows_of(tables, "original", np.array([0, 1]))
    assert first[ROW].to_list() == [0, 1]
    mapped = sampled_tables(tables, first, first).encoded(16)
    town = next(column for column in mapped if column.source == "town")
    levels = levels_of_rows(tables, "original", [town])[0]
    assert [len(set(levels[start::4].tolist())) for start in range(4)] == [1, 1, 1, 1]
    assert len(set(levels.tolist())) == 4
    tables.close()


def _towns(towns: list[str]) -> tuple[pl.DataFrame, icefire.Schema]:
    frame = pl.DataFrame({"town": towns, "age": np.arange(len(towns))})
    return frame, icefire.read(frame, qi=["town"], sa=["age"]).schema  # type: ignore[union-attr]


def test_the_best_of_several_pieces_are_the_best_of_all() -> None:
    rng = np.random.default_rng(2)
    scores = rng.integers(-6, 6, (5, 30)).astype(np.float32)
    order = np.argsort(-scores, axis=1, kind="stable")
    pieces = [(_listed(scores[:, start : start + 8], 4), start) for start in range(0, 30, 8)]
    merged = search.merged_pieces(pieces)
    assert merged.rows.tolist() == order[:, :4].tolist()
    best = np.take_along_axis(scores, order, axis=1)
    assert merged.scores.tolist() == best[:, :4].tolist()
    assert merged.rest == pytest.approx(np.log(np.exp(best[:, 4:].astype(float)).sum(axis=1)), rel=1e-5)


def _listed(scores: np.ndarray, keep: int) -> CandidateLists:
    order = np.argsort(-scores, axis=1, kind="stable")
    best = np.take_along_axis(scores, order, axis=1)
    rest = np.log(np.exp(best[:, keep:].astype(float)).sum(axis=1))
    return CandidateLists(order[:, :keep].astype(np.int32), best[:, :keep], rest.astype(np.float32))
