"""Anonymising histories in partitions: the rows and the truth of one process, and what is refused before any work."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal
from support.commands import run_icefire

import icefire
from icefire.audit.parts import anonymize_histories as verb
from icefire.core.errors import InputError, ParameterError
from icefire.engines.basket_files import HistoryMemory
from icefire.io.folder import read_truth

COLUMNS: dict[str, Any] = {"subject": "customer", "item": "goods"}
DUMMIES = {"method": "dummies", "clustering": "tfidf", "clusters": 12}


def frame(size: int = 900, people: int = 60) -> pl.DataFrame:
    """Purchases on few days, so that latest receipts and latest prices are often tied."""
    rng = np.random.default_rng(4)
    who = rng.integers(0, people, size)
    return pl.DataFrame(
        {
            "customer": [f"c{number}" for number in who],
            "receipt": [f"r{number}" for number in who * 10 + rng.integers(0, 4, size)],
            "date": [f"2020-01-{day:02d}" for day in rng.integers(1, 9, size)],
            "goods": [f"{number:03d}" for number in (50 * rng.random(size) ** 2).astype(int)],
            "price": rng.integers(1, 400, size) / 4,
            "number": rng.integers(1, 5, size),
            "shop": rng.choice(["north", "south"], size),
        }
    )


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three files, one of them without rows."""
    folder = tmp_path_factory.mktemp("histories") / "sales"
    folder.mkdir()
    for number, (first, last) in enumerate(((0, 400), (400, 400), (400, 900))):
        frame()[first:last].write_parquet(folder / f"part-{number}.parquet")
    return folder


@pytest.fixture(autouse=True)
def _little_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """So little that there are several batches, pieces and partitions."""
    monkeypatch.setattr(verb, "plan_partitions", lambda opened, limit: (HistoryMemory(170, 250), 400))


def rows_of(folder: Path) -> pl.DataFrame:
    return in_order(pl.read_parquet(folder / "released.parquet"))


def in_order(rows: pl.DataFrame) -> pl.DataFrame:
    return rows.sort(rows.columns)


@pytest.mark.parametrize(
    "step",
    [
        DUMMIES,
        {"method": "dummies", "clustering": "minimal"},
        {"method": "dummies", "clustering": "balanced", "clusters": 7, "min_size": 5},
    ],
)
@pytest.mark.parametrize("without", [(), ("price", "date", "number", "receipt")])
def test_the_rows_and_the_truth_are_those_of_one_process(original, tmp_path, step, without):
    source = tmp_path / "some.parquet" if without else original
    if without:
        frame().drop(without).write_parquet(source)
    recipe = {"seed": 5, "step": [step]}
    alone = icefire.anonymize(source, recipe, **COLUMNS)
    written = icefire.anonymize(source, recipe, output=tmp_path / "rel", engine="partitioned", **COLUMNS)
    assert_frame_equal(rows_of(tmp_path / "rel"), in_order(alone.released.frame))
    assert read_truth(tmp_path / "rel.secret").rows.tolist() == alone.truth.rows.tolist()
    assert written.recipe == alone.recipe
    assert (written.originals, written.rows, written.subjects) == (900, alone.released.height, 60)


def test_the_order_of_the_rows_is_drawn(original, tmp_path):
    """Rows of a customer and of a partition do not stand together."""
    icefire.anonymize(
        original, {"seed": 5, "step": [DUMMIES]}, output=tmp_path / "rel", engine="partitioned", **COLUMNS
    )
    names = pl.read_parquet(tmp_path / "rel" / "released.parquet")["customer"].cast(pl.Int64).to_numpy()
    neighbours = (names[1:] == names[:-1]).mean()
    assert neighbours == pytest.approx(1 / 60, abs=0.02)


def test_customers_are_published_under_their_new_names(original, tmp_path):
    people = pl.DataFrame({"customer": [f"c{number}" for number in range(61)], "age": np.arange(61) + 20})
    people.write_csv(tmp_path / "people.csv")
    given = {**COLUMNS, "customers": tmp_path / "people.csv"}
    recipe = {"seed": 5, "step": [DUMMIES]}
    alone = icefire.anonymize(original, recipe, **given)
    icefire.anonymize(original, recipe, output=tmp_path / "rel", engine="partitioned", **given)
    assert_frame_equal(pl.read_parquet(tmp_path / "rel" / "customers.parquet"), alone.released.customers)
    assert_frame_equal(rows_of(tmp_path / "rel"), in_order(alone.released.frame))
    assert read_truth(tmp_path / "rel.secret").rows.tolist() == alone.truth.rows.tolist()


@pytest.mark.parametrize(
    ("steps", "words"),
    [
        ([{"method": "coarsen_dates", "to": "month"}], "coarsen_dates needs the whole history at once"),
        ([{**DUMMIES, "placement": "plausible"}], "dummies with these parameters needs the whole history"),
        ([DUMMIES, DUMMIES], "the recipe has 2 steps; in partitions of a history runs: dummies"),
        ([{**DUMMIES, "clusters": 1000}], "recipe step 1: clusters is 1000, but only 60 customers have purchases"),
    ],
)
def test_what_cannot_run_is_refused_and_nothing_is_written(original, tmp_path, steps, words):
    with pytest.raises(ParameterError, match=words):
        icefire.anonymize(original, {"step": steps}, output=tmp_path / "rel", engine="partitioned", **COLUMNS)
    assert not (tmp_path / "rel").exists()


def test_spark_and_text_files_are_refused(original, tmp_path):
    with pytest.raises(ParameterError, match="choose the engine local or partitioned"):
        icefire.anonymize(original, {"step": [DUMMIES]}, output=tmp_path / "rel", engine="spark", **COLUMNS)
    frame().write_csv(tmp_path / "sales.csv")
    with pytest.raises(InputError, match="in Parquet and Arrow files"):
        icefire.anonymize(
            tmp_path / "sales.csv", {"step": [DUMMIES]}, output=tmp_path / "rel", engine="partitioned", **COLUMNS
        )


@pytest.mark.parametrize(
    "written",
    [pl.col("price").cast(pl.String), pl.col("date").str.split("-").list.reverse().list.join("/").alias("date")],
    ids=["prices as text", "dates day first"],
)
def test_what_one_process_rewrites_on_reading_is_refused(tmp_path, written):
    frame().with_columns(written).write_parquet(tmp_path / "sales.parquet")
    given = {**COLUMNS, "date_order": "day"} if written.meta.output_name() == "date" else COLUMNS
    with pytest.raises(InputError, match="rewritten on reading"):
        icefire.anonymize(
            tmp_path / "sales.parquet", {"step": [DUMMIES]}, output=tmp_path / "rel", engine="partitioned", **given
        )


def test_a_cluster_that_does_not_fit_is_refused(original, tmp_path):
    with pytest.raises(ParameterError, match=r"the largest cluster has [0-9,]+ rows with its dummies"):
        icefire.anonymize(
            original, {"step": [{**DUMMIES, "clusters": 1}]}, output=tmp_path / "rel", engine="partitioned", **COLUMNS
        )


def test_the_command_line_writes_a_folder_that_can_be_audited(original, tmp_path, capsys):
    (tmp_path / "recipe.toml").write_text(
        'seed = 5\n[[step]]\nmethod = "dummies"\nclustering = "tfidf"\nclusters = 12\n'
    )
    columns = ["--subject", "customer", "--item", "goods"]
    done = run_icefire(
        capsys, "anonymize", str(original), "-r", str(tmp_path / "recipe.toml"), "-o", str(tmp_path / "rel"),
        "--engine", "partitioned", "--memory-limit", "2GB", *columns,
    )  # fmt: skip
    assert done.code == 0
    assert "60 of 60 customers" in done.out
    card = icefire.audit(
        original, tmp_path / "rel", engine="partitioned", memory_limit="2GB", attacks=["jaccard"], **COLUMNS
    ).scorecard
    assert card.history.released.subjects == 60
    assert card.attacks["jaccard"].rate < 0.5
