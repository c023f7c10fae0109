"""The engine spark gives the same answers, row by row, as one process; bad surroundings get one clear error."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from support.engine_tables import in_parts
from support.spark import SEVERAL_PARTITIONS, files, new_session, opened  # noqa: F401

import icefire
from icefire.attacks.tables.link import sampled_rows
from icefire.attacks.tables.link.sampled import link_sample
from icefire.audit.parts import anonymize as anonymize_in_partitions
from icefire.audit.parts.people_sample import drawn_rows
from icefire.core import registry, seeds
from icefire.core.errors import InputError, MissingPackageError, ParameterError
from icefire.core.release import Comparison
from icefire.engines import spark_partitions, spark_session, spark_source
from icefire.engines.spark import SparkTables
from icefire.engines.spark_table import SparkTable
from icefire.io.tables import read_source
from icefire.testing.engines import check_in_parts, in_tiny_buckets

ROLES: dict[str, Any] = {"qi": ["age", "town", "height"], "sa": ["income", "rent", "illness"]}


@pytest.fixture(scope="module")
def session() -> Iterator[Any]:
    started = new_session(**SEVERAL_PARTITIONS)
    yield started
    started.stop()


@pytest.fixture(scope="module")
def tables(session: Any, files: tuple[Path, Comparison]) -> Iterator[SparkTables]:
    held = opened(session, *files)
    yield held
    held.close()


def test_rows_are_numbered_in_the_order_of_the_files(session: Any, files: tuple[Path, Comparison]) -> None:
    table = SparkTable(session, str(files[0] / "original"))
    frame = pl.from_arrow(table.frame.toArrow())
    assert isinstance(frame, pl.DataFrame)
    assert table.height == 400
    assert frame.sort("__row__").drop("__row__").equals(files[1].original.frame)


def test_both_tables_are_read_in_several_partitions_with_rows(tables: SparkTables) -> None:
    for frame in tables._frames.values():
        assert sum(rows > 0 for rows in frame.rdd.mapPartitions(lambda rows: [sum(1 for _ in rows)]).collect()) > 1


@pytest.mark.parametrize(
    ("sort", "name"), [(sort, entry.name) for sort in ("attack", "measure") for entry in in_parts(sort)]
)
def test_answers_are_those_of_one_process(
    tables: SparkTables, files: tuple[Path, Comparison], sort: registry.Sort, name: str
) -> None:
    check_in_parts(registry.get(sort, name), files[1], tables)


def test_a_giant_class_is_cut(tables: SparkTables) -> None:
    entry = registry.get("attack", "euc1")
    assert entry.in_parts is not None
    pieces: list[Any] = []
    cut = tables._pieces

    def watched(job: Any) -> Any:
        pieces.append(cut(job))
        return pieces[-1]

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(tables, "_cache", {})  # which may hold the answers of another test
        patched.setattr(tables, "_pieces", watched)
        entry.in_parts(tables, rng=seeds.generator(1))
    assert max(max(numbers) for numbers in pieces[0].values()) > 1


def test_sampled_rows_are_linked_as_by_the_engine_partitioned(
    tables: SparkTables, files: tuple[Path, Comparison], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sampled_rows, "ASKED", 80)
    known, shown = files[1].original, files[1].released
    on_disk = in_tiny_buckets(known.frame, shown.frame, known.schema)
    one, other = (link_sample(held, seeds.generator(1, "link")) for held in (tables, on_disk))
    on_disk.close()
    assert one.rows.tolist() == other.rows.tolist()
    assert one.guess.first.tolist() == other.guess.first.tolist()
    assert one.guess.probability is not None
    assert one.guess.probability.tolist() == other.guess.probability.tolist()
    assert drawn_rows(tables, 1).tolist() == list(range(shown.height))


def test_some_rows_are_fetched_in_the_order_of_the_files(session: Any, files: tuple[Path, Comparison]) -> None:
    table = SparkTable(session, str(files[0] / "original"))
    assert table.rows(np.array([3, 149, 150, 399])).equals(files[1].original.frame[[3, 149, 150, 399]])


def test_an_audit_on_spark_has_the_figures_of_the_engine_partitioned(
    session: Any, files: tuple[Path, Comparison]
) -> None:
    folder, _ = files
    options: dict[str, Any] = {**ROLES, "truth": folder / "truth.csv"}
    options |= {"attacks": ["id_rand", "euc1"], "measures": ["k_min", "t_equal", "information_loss"]}
    on_cluster, on_disk = (
        icefire.audit(folder / "original", folder / "released.parquet", engine=engine, **options).scorecard
        for engine in ("spark", "partitioned")
    )
    assert on_cluster.verdict.passed is False
    assert on_cluster.provenance.software["engine"].startswith("spark")
    for name, result in on_disk.attacks.items():
        assert (on_cluster.attacks[name].hits, on_cluster.attacks[name].expected) == (result.hits, result.expected)
    for name, measure in on_disk.measures.items():
        assert on_cluster.measures[name].value == pytest.approx(measure.value)


RECIPES: dict[str, list[dict[str, Any]]] = {
    "rows, values, classes": [
        {"method": "generalize", "columns": ["age"], "width": 10},
        {"method": "average", "qi": ["town"]},
        {"method": "swap", "qi": ["age"]},
        {"method": "unify", "columns": ["town"], "value": "Here"},
    ],
    "counts and rows left out": [
        {"method": "k_anonymize", "mode": "full_domain", "k": 4, "max_suppressed": 0.1},
        {"method": "suppress_rows", "k": 5, "qi": ["age", "town"]},
    ],
    "within partitions": [
        {"method": "k_anonymize", "k": 4},
        {"method": "rank_swap", "p": 10},
        {"method": "microaggregate", "k": 3},
        {"method": "noise"},
    ],
}


@pytest.mark.parametrize("name", RECIPES)
def test_a_release_made_on_spark_has_the_rows_of_the_engine_partitioned(
    session: Any, files: tuple[Path, Comparison], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(anonymize_in_partitions, "SPARK_ROWS", 130)
    monkeypatch.setattr(anonymize_in_partitions, "_rows_at_once", lambda table, limit: 130)
    monkeypatch.setattr(spark_partitions, "PIECE_ROWS", 50)
    recipe, engines = {"seed": 5, "step": RECIPES[name]}, ("partitioned", "spark")
    written = [
        icefire.anonymize(files[0] / "original", recipe, output=tmp_path / engine, engine=engine, **ROLES)
        for engine in engines
    ]
    frames = [pl.read_parquet(tmp_path / engine / "released.parquet") for engine in engines]
    assert frames[0].equals(frames[1])
    assert frames[0].schema == frames[1].schema
    truths = [(tmp_path / f"{engine}.secret" / "truth.csv").read_bytes() for engine in engines]
    assert truths[0] == truths[1]
    assert written[0].recipe == written[1].recipe
    said = json.loads((tmp_path / "spark" / "scorecard.json").read_text())["provenance"]["software"]["engine"]
    assert said == f"spark {session.version}, 130 rows at a time"


def test_what_a_step_refuses_on_a_cluster_is_the_error_of_the_engine_partitioned(
    session: Any, files: tuple[Path, Comparison], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(anonymize_in_partitions, "SPARK_ROWS", 130)
    monkeypatch.setattr(anonymize_in_partitions, "_rows_at_once", lambda table, limit: 130)
    recipe = {"step": [{"method": "k_anonymize", "k": 300}]}  # no partition has so many rows
    refused = []
    for engine in ("partitioned", "spark"):
        with pytest.raises(ParameterError) as raised:
            icefire.anonymize(files[0] / "original", recipe, output=tmp_path / "rel", engine=engine, **ROLES)
        refused.append(str(raised.value))
    assert refused[0] == refused[1]
    assert not list(tmp_path.iterdir())


def rows_of(table: SparkTable) -> pl.DataFrame:
    frame = pl.from_arrow(table.frame.toArrow())
    assert isinstance(frame, pl.DataFrame)
    return frame.sort("__row__").drop("__row__")


def test_names_of_folders_are_read_as_in_one_process(session: Any, tmp_path: Path) -> None:
    for place, (region, year, day) in enumerate((("01", "2020", "2020-01-31"), ("02", "2021", "2020-02-29"))):
        folder = tmp_path / f"region={region}" / f"year={year}" / f"day={day}"
        folder.mkdir(parents=True)
        pl.DataFrame({"age": [place, 30]}).write_parquet(folder / "1.parquet")
    for address in (tmp_path, tmp_path / "region=01"):
        assert rows_of(SparkTable(session, str(address))).equals(read_source(address).frame)


def test_files_are_taken_in_the_order_of_their_folders(session: Any, tmp_path: Path) -> None:
    for place, name in enumerate(("a b", "a", "a-b")):
        (tmp_path / name).mkdir()
        pl.DataFrame({"age": [place]}).write_parquet(tmp_path / name / "1.parquet")
    whole = read_source(str(tmp_path / "a*" / "*.parquet")).frame
    assert rows_of(SparkTable(session, str(tmp_path / "a*"))).equals(whole)
    pl.DataFrame({"age": [3]}).write_parquet(tmp_path / "4.parquet")
    with pytest.raises(InputError, match="holds files in folders that Spark does not read with it"):
        SparkTable(session, str(tmp_path))


def test_a_delta_table_is_what_its_log_says(session: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    frame = pl.DataFrame({"age": [20, 30], "town": ["a", "b"]})
    for name in ("1.parquet", "2.parquet"):
        frame.write_parquet(tmp_path / name)
    actions: list[dict[str, Any]] = [{"protocol": {"minReaderVersion": 1}}, {"metaData": {"partitionColumns": []}}]
    actions += [{"add": {"path": "1.parquet"}}, {"add": {"path": "2.parquet"}}, {"remove": {"path": "1.parquet"}}]
    (tmp_path / "_delta_log").mkdir()
    log = tmp_path / "_delta_log" / f"{0:020d}.json"
    log.write_text("\n".join(json.dumps(action) for action in actions))
    assert rows_of(SparkTable(session, str(tmp_path))).equals(frame)
    monkeypatch.setattr(spark_source, "_LOCAL", re.compile("$^"))
    with pytest.raises(InputError, match="is a Delta table, which this Spark session cannot read"):
        SparkTable(session, str(tmp_path))


def test_a_table_of_the_catalog_is_read_by_its_name(session: Any, tmp_path: Path) -> None:
    frame = pl.DataFrame({"age": [20, 30, 40], "region": ["01", "02", "02"]})
    frame.write_parquet(tmp_path / "1.parquet")
    session.sql(f"create table it_people using parquet location '{tmp_path}'")
    try:
        assert rows_of(SparkTable(session, "default.it_people")).equals(frame)
    finally:
        session.sql("drop table it_people")


def test_what_spark_cannot_read_is_one_clear_error(session: Any, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="Spark cannot read"):
        SparkTable(session, str(tmp_path / "nothing.parquet"))
    with pytest.raises(InputError, match="give a path or an address"):
        icefire.audit(pl.DataFrame({"a": [1, 2]}), "x.parquet", aligned=True, engine="spark", qi=["a"])


def test_a_text_file_is_refused_before_spark_starts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spark_session, "spark_session", lambda: pytest.fail("Spark was started"))
    (tmp_path / "x.csv").write_text("age,town\n30,a\n")
    with pytest.raises(InputError, match=r"reads Parquet alone, and .*x\.csv' is none by its name; write the table"):
        icefire.audit(tmp_path / "x.csv", tmp_path / "x.csv", aligned=True, engine="spark", **ROLES)
    with pytest.raises(InputError, match="reads Parquet alone"):
        recipe = {"step": [{"method": "noise"}]}
        icefire.anonymize(tmp_path / "x.csv", recipe, output=tmp_path / "rel", engine="spark", **ROLES)


def test_limits_of_the_engine_partitioned_are_refused(tmp_path: Path) -> None:
    recipe = {"step": [{"method": "noise"}]}
    with pytest.raises(ParameterError, match="memory_limit is for the engine partitioned"):
        icefire.anonymize("x", recipe, output=tmp_path / "rel", engine="spark", memory_limit="1GB", **ROLES)
    with pytest.raises(ParameterError, match="are for the engine partitioned"):
        icefire.audit("x.parquet", "y.parquet", aligned=True, engine="spark", memory_limit="1GB")


def test_an_old_version_of_spark_is_refused() -> None:
    spark_session.check_version("4.0.1")
    with pytest.raises(MissingPackageError, match=r"needs pyspark 4.0 or newer, but 3.5.1 is installed"):
        spark_session.check_version("3.5.1")


def test_a_machine_without_java_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(MissingPackageError, match="needs Java 17 or newer, and JAVA_HOME names"):
        spark_session.check_java()
    monkeypatch.delenv("JAVA_HOME")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingPackageError, match="none was found"):
        spark_session.check_java()
