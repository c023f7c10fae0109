"""Anonymising in partitions: the rows of one process where a method says so, and what is refused before any work."""

from __future__ import annotations

import errno
import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from support.commands import run_icefire

import icefire
from icefire.audit.parts import anonymize as verb
from icefire.core import registry
from icefire.core.errors import InputError, OutputError, ParameterError, SchemaError
from icefire.engines.partition_files import PartitionFiles
from icefire.io.folder import read_truth

ROLES: dict[str, Any] = {"qi": ["age", "town", "code"], "sa": ["pay", "rent"]}
ROWS = 600


def table(rows: int = ROWS) -> pl.DataFrame:
    rng = np.random.default_rng(3)
    frame = pl.DataFrame(
        {
            "age": rng.integers(20, 60, rows),
            "town": rng.choice(["Here", "There", "Nowhere"], rows),
            "code": rng.choice(["0101", "0102", "0201", "1101"], rows),
            "pay": rng.integers(0, 900, rows) * 10,
            "rent": rng.normal(500, 90, rows).round(1),
        }
    )
    return frame.with_columns(pl.when(pl.Series(rng.random(rows) > 0.05)).then(pl.col("town")).alias("town"))


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("partitions") / "original"
    folder.mkdir()
    for number, (start, stop) in enumerate(((0, 250), (250, 250), (250, ROWS))):  # the second part has no rows
        table()[start:stop].write_parquet(folder / f"part-{number}.parquet")
    return folder


@pytest.fixture(autouse=True)
def _small_partitions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verb, "_rows_at_once", lambda table, limit: 130)


def released(original: Path, output: Path, *steps: dict[str, Any], **options: Any) -> pl.DataFrame:
    """Anonymise in partitions; returns the released rows by origin."""
    written = icefire.anonymize(
        original, {"seed": 5, "step": list(steps)}, output=output, engine="partitioned", **{**ROLES, **options}
    )
    assert written.rows == pl.read_parquet(output / "released.parquet").height
    return by_origin(pl.read_parquet(output / "released.parquet"), read_truth(output.with_name("rel.secret")).rows)


def by_origin(frame: pl.DataFrame, rows: np.ndarray) -> pl.DataFrame:
    return frame.with_columns(pl.Series("origin", rows)).sort("origin")


def in_one_process(*steps: dict[str, Any]) -> pl.DataFrame:
    release = icefire.anonymize(table(), {"seed": 5, "step": list(steps)}, **ROLES)
    return by_origin(release.released.frame, release.truth.rows)


SAME = [
    {"method": "suppress_columns"},
    {"method": "unify", "columns": ["town"], "value": "Here"},
    {"method": "round_values", "base": 50},
    {"method": "top_code", "value": 5000, "columns": ["pay"]},
    {"method": "top_code", "value": 7000, "columns": ["pay"], "how": "drop"},
    {"method": "bottom_code", "value": 400, "columns": ["rent"]},
    {"method": "generalize", "columns": ["age"], "width": 7},
    {"method": "generalize", "columns": ["age"], "width": 7, "level": 2},
    {"method": "generalize", "columns": ["age"], "cuts": "30,45"},
    {"method": "generalize", "columns": ["code"], "prefix": 2},
    {"method": "generalize", "columns": ["town"], "groups": {"Known": ["Here", "There"]}},
    {"method": "generalize"},
    {"method": "generalize", "top": True, "columns": ["age"]},
    {"method": "average", "qi": ["town", "code"]},
    {"method": "suppress_rows", "k": 3},
    {"method": "k_anonymize", "mode": "full_domain", "k": 4},
    {"method": "k_anonymize", "mode": "full_domain", "k": 8, "max_suppressed": 0.2},
]


@pytest.mark.parametrize("step", SAME, ids=lambda step: " ".join(str(value) for value in step.values()))
def test_steps_that_follow_rows_values_classes_or_counts_give_the_rows_of_one_process(
    original: Path, tmp_path: Path, step: dict[str, Any]
) -> None:
    mine, theirs = released(original, tmp_path / "rel", step), in_one_process(step)
    assert mine.schema == theirs.schema
    assert mine.drop("rent").equals(theirs.drop("rent"))
    assert np.allclose(mine["rent"].to_numpy(), theirs["rent"].to_numpy())


def test_every_method_that_gives_the_rows_of_one_process_is_compared() -> None:
    compared = {step["method"] for step in SAME}
    for entry in registry.entries("method", "table"):
        way = entry.in_partitions
        if isinstance(way, str) and way != "partitions" and entry.draws is False:
            assert entry.name in compared
    assert {"swap", "noise", "rank_swap", "microaggregate", "k_anonymize"} <= {
        entry.name for entry in registry.entries("method", "table") if "partitioned" in entry.engines
    }


def test_several_steps_follow_one_another_over_other_divisions(original: Path, tmp_path: Path) -> None:
    steps: list[dict[str, Any]] = [
        {"method": "generalize", "columns": ["age"], "width": 10},
        {"method": "suppress_rows", "k": 3, "qi": ["age", "town"]},
        {"method": "k_anonymize", "mode": "full_domain", "k": 5, "max_suppressed": 0.1},
        {"method": "average", "qi": ["town"]},
        {"method": "round_values", "base": 10, "columns": ["pay"]},
    ]
    mine, theirs = released(original, tmp_path / "rel", *steps), in_one_process(*steps)
    assert mine.drop("rent").equals(theirs.drop("rent"))
    card = json.loads((tmp_path / "rel" / "scorecard.json").read_text())
    release = icefire.anonymize(table(), {"seed": 5, "step": steps}, **ROLES)
    assert [step.get("notes") for step in card["recipe"]["steps"]][1:3] == [
        step.get("notes") for step in release.recipe["steps"]
    ][1:3]


def test_swapped_values_stay_in_their_classes(original: Path, tmp_path: Path) -> None:
    mine = released(original, tmp_path / "rel", {"method": "swap", "qi": ["town", "code"], "columns": ["pay"]})
    before = table()
    assert mine.select("age", "town", "code", "rent").equals(before.select("age", "town", "code", "rent"))
    assert not mine["pay"].equals(before["pay"])
    by = ["town", "code"]
    for frame, other in zip(
        *(one.sort([*by, "pay"], nulls_last=True).group_by(by, maintain_order=True) for one in (mine, before)),
        strict=True,
    ):
        assert frame[1]["pay"].equals(other[1]["pay"])


def test_local_classes_have_k_rows_over_all_partitions_and_the_recipe_says_where_they_were_made(
    original: Path, tmp_path: Path
) -> None:
    mine = released(original, tmp_path / "rel", {"method": "k_anonymize", "k": 6}, {"method": "rank_swap", "p": 10})
    assert min(Counter(mine.select(ROLES["qi"]).rows()).values()) >= 6
    assert sorted(mine["pay"]) == sorted(table()["pay"])
    steps = json.loads((tmp_path / "rel" / "scorecard.json").read_text())["recipe"]["steps"]
    assert all(step["notes"]["within_partitions"] for step in steps)


def test_rows_are_published_in_random_order_without_identifiers(original: Path, tmp_path: Path) -> None:
    released(original, tmp_path / "rel", {"method": "round_values", "base": 50}, qi=["age", "town"], ids=["code"])
    assert pl.read_parquet(tmp_path / "rel" / "released.parquet").columns == ["age", "town", "pay", "rent"]
    truth = read_truth(tmp_path / "rel.secret").rows
    assert sorted(truth) == list(range(ROWS))
    assert abs(np.corrcoef(truth, np.arange(ROWS))[0, 1]) < 0.15


def test_the_same_seed_gives_the_same_release(original: Path, tmp_path: Path) -> None:
    step = {"method": "noise"}
    one, two = (released(original, tmp_path / name / "rel", step) for name in ("one", "two"))
    assert one.equals(two)
    assert (tmp_path / "one/rel.secret/truth.csv").read_bytes() == (tmp_path / "two/rel.secret/truth.csv").read_bytes()


def test_a_release_made_in_partitions_is_audited_with_its_truth(original: Path, tmp_path: Path) -> None:
    released(original, tmp_path / "rel", {"method": "noise"})
    card = icefire.audit(original, tmp_path / "rel", attacks=["euc1"], measures=["k_min"], **ROLES).scorecard
    assert card.attacks["euc1"].targets == ROWS
    assert card.recipe["steps"][0]["method"] == "noise"


@pytest.mark.parametrize(
    ("steps", "options", "error", "words"),
    [
        ([{"method": "synthesize"}], {}, ParameterError, "step 1: synthesize needs the whole table.*rank_swap"),
        ([{"method": "round_values"}], {}, ParameterError, "round_values with these parameters needs the whole table"),
        ([{"method": "laplace"}], {}, ParameterError, "laplace with these parameters"),
        ([{"method": "k_anonymize", "t_equal": 0.2}], {}, ParameterError, "k_anonymize with these parameters"),
        ([{"method": "noise"}], {"qi": None, "sa": None}, SchemaError, "no roles were given"),
        ([{"method": "noise"}], {"kind": "csv"}, ParameterError, "writes parquet, not csv"),
        ([{"method": "suppress_rows", "k": 500}], {}, ParameterError, "leaves out all 600 rows"),
    ],
)
def test_what_does_not_work_in_partitions_is_refused_and_nothing_is_written(
    original: Path,
    tmp_path: Path,
    steps: list[dict[str, Any]],
    options: dict[str, Any],
    error: type[Exception],
    words: str,
) -> None:
    with pytest.raises(error, match=words):
        released(original, tmp_path / "rel", *steps, **options)
    assert not list(tmp_path.iterdir())


def test_a_class_that_does_not_fit_is_refused_by_name(tmp_path: Path) -> None:
    same = table().with_columns(pl.lit("Here").alias("town"), pl.lit("1").alias("code"), pl.lit(30).alias("age"))
    same.write_parquet(tmp_path / "one_class.parquet")
    with pytest.raises(ParameterError, match=r"step 1: swap needs 600 rows at once, because so many have the same"):
        released(tmp_path / "one_class.parquet", tmp_path / "rel", {"method": "swap"})


def test_text_files_and_too_little_memory_are_refused(
    original: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table().write_csv(tmp_path / "table.csv")
    with pytest.raises(InputError, match="Parquet and Arrow files"):
        released(tmp_path / "table.csv", tmp_path / "rel", {"method": "noise"})
    monkeypatch.undo()
    with pytest.raises(ParameterError, match=r"0.0 GB are too little for 600 rows; give at least 0.8GB"):
        released(original, tmp_path / "rel", {"method": "noise"}, memory_limit="1MB")


def test_a_full_disk_is_one_clear_error(original: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*args: object, **kwargs: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(PartitionFiles, "deal", full)
        with pytest.raises(OutputError, match=r"icefire-.* is full; make room, or set TMPDIR"):
            released(original, tmp_path / "rel", {"method": "noise"})
    monkeypatch.setattr(verb.files, "write_integers", full)
    with pytest.raises(OutputError, match=r"rel' is full; .* nothing was written"):
        released(original, tmp_path / "rel", {"method": "noise"})
    assert not list(tmp_path.iterdir())


def test_the_command_anonymises_in_partitions(
    original: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "recipe.toml").write_text('seed = 1\n[[step]]\nmethod = "noise"\n')
    command = ["anonymize", str(original), "-r", str(tmp_path / "recipe.toml"), "-o", str(tmp_path / "rel")]
    roles = ["--qi", "age,town,code", "--sa", "pay,rent"]
    done = run_icefire(capsys, *command, *roles, "--engine", "partitioned", "--memory-limit", "1GB")
    assert done.code == 0, done.err
    assert "600 of 600 rows released" in done.out
    assert "rel.secret" in done.err.replace("\n", "")
    refused = run_icefire(capsys, *command, *roles, "--memory-limit", "1GB", "--force")
    assert refused.code == 2
    assert "--engine partitioned" in refused.err
