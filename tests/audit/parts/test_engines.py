"""Audits of tables in parts: the figures and the verdict of one process, and what is refused before any work."""

from __future__ import annotations

import json
import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import numpy as np
import pytest
from support.commands import run_icefire
from support.engine_tables import skewed

import icefire
from icefire.attacks.tables.link import sampled_rows
from icefire.audit.knowledge.replay import repeats_steps
from icefire.audit.parts import engine_choice
from icefire.audit.parts.gathered import fits_one_process
from icefire.audit.parts.tables import LargeTables
from icefire.core.errors import ParameterError, SchemaError
from icefire.core.registry import entries
from icefire.core.schema import Schema
from icefire.engines.memory import parse_memory

ROLES: dict[str, Any] = {"qi": ["age", "town", "height"], "sa": ["income", "rent", "illness"]}
LIMIT = "1GB"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("large")
    comparison = skewed(600, 4)
    (folder / "original").mkdir()
    for number, start in enumerate((0, 250, 250)):  # the second part has no rows
        part = comparison.original.frame[start : (250, 250, 600)[number]]
        part.write_parquet(folder / "original" / f"part-{number}.parquet")
    comparison.released.frame.write_parquet(folder / "released.parquet")
    np.savetxt(folder / "truth.csv", comparison.truth.rows, fmt="%d")
    return folder


@pytest.fixture
def too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small tables are treated like tables that do not fit into one process."""
    monkeypatch.setattr(engine_choice, "fits_one_process", lambda large, limit: False)


@pytest.fixture(scope="module")
def in_parts(files: Path) -> icefire.Scorecard:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(engine_choice, "fits_one_process", lambda large, limit: False)
        return audited(files, engine="partitioned", memory_limit=LIMIT).scorecard


def audited(files: Path, **options: Any) -> Any:
    return icefire.audit(
        files / "original", files / "released.parquet", truth=files / "truth.csv", **{**ROLES, **options}
    )


def test_an_audit_in_parts_has_the_figures_of_one_process(files: Path, in_parts: icefire.Scorecard) -> None:
    whole = audited(files, engine="local", attacks=list(in_parts.attacks)).scorecard
    for name, result in in_parts.attacks.items():
        if name == "link":
            continue
        other = whole.attacks[name]
        assert (result.hits, result.answered, result.targets) == (other.hits, other.answered, other.targets)
        assert result.expected == pytest.approx(other.expected)
    for name, measure in in_parts.measures.items():
        assert measure.value == pytest.approx(whole.measures[name].value, rel=1e-9)
    assert in_parts.class_sizes == whole.class_sizes
    mine, theirs = in_parts.risks, whole.risks
    assert mine is not None
    assert theirs is not None
    assert mine.classes is not None
    assert theirs.classes is not None
    assert mine.classes.unmatched == theirs.classes.unmatched
    assert mine.classes.unique_in_original == theirs.classes.unique_in_original
    assert math.isclose(mine.classes.marketer, theirs.classes.marketer)
    assert mine.classes.prosecutor.rows_above == theirs.classes.prosecutor.rows_above


def test_tables_that_fit_into_one_process_get_the_verdict_of_one_process(files: Path) -> None:
    options: dict[str, Any] = {"max_reid": 1.0, "limits": {"euc1": 1.0}}
    on_disk, whole = (
        audited(files, **options, **engine)
        for engine in ({"engine": "partitioned", "memory_limit": LIMIT}, {"engine": "local"})
    )
    mine, theirs = on_disk.scorecard, whole.scorecard
    assert mine.verdict == theirs.verdict
    assert "link" in mine.attacks
    for name, result in theirs.attacks.items():
        assert msgspec.structs.replace(mine.attacks[name], seconds=result.seconds) == result
    assert list(mine.measures) == list(theirs.measures)
    assert mine.attributes == theirs.attributes
    assert on_disk.records.equals(whole.records)
    assert mine.provenance.software["engine"].startswith("partitioned")


def test_a_release_that_tells_nothing_passes_in_parts_as_in_one_process(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    frame = skewed(400, 4, share=0.0, missing=0.0).original.frame
    frame.write_parquet(tmp_path / "original.parquet")
    drawn = frame.select(column.sample(fraction=1, shuffle=True, seed=n) for n, column in enumerate(frame))
    drawn.write_parquet(tmp_path / "released.parquet")
    truth = rng.permutation(400)
    for engine in ("local", "partitioned"):
        card = icefire.audit(
            tmp_path / "original.parquet",
            tmp_path / "released.parquet",
            truth=truth,
            engine=engine,
            max_reid=0.1,
            **ROLES,
        ).scorecard
        assert card.verdict.passed, card.verdict.text


@pytest.mark.parametrize(
    ("rows", "limit", "fits"), [(600, "1GB", True), (10**6, "3GB", True), (10**6, "1GB", False), (10**7, "99GB", False)]
)
def test_tables_fit_into_one_process_by_their_cells_and_up_to_a_million_rows(rows: int, limit: str, fits: bool) -> None:
    table = SimpleNamespace(height=rows, dtypes=dict.fromkeys(range(15)))
    assert fits_one_process(LargeTables(table, table, Schema(())), parse_memory(limit)) is fits


def test_a_sample_of_the_released_rows_is_linked_and_the_end_of_its_interval_counts(
    files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine_choice, "fits_one_process", lambda large, limit: False)
    monkeypatch.setattr(sampled_rows, "ASKED", 150)
    attacks = ["link", "sort"]
    card = audited(files, engine="partitioned", memory_limit=LIMIT, attacks=attacks, max_reid=0.5).scorecard
    result = card.attacks["link"]
    assert (result.targets, result.sampled, card.attacks["sort"].sampled) == (150, True, False)
    limit = next(limit for limit in card.limits if limit.name == "reid")
    assert (limit.value, limit.interval) == (result.rate, result.ci)
    assert limit.passed is (result.ci[1] <= 0.5)
    assert "150 released rows among all original rows" in card.provenance.software["engine"]
    assert card.attributes is not None
    assert card.attributes.people_in_release == 540


@pytest.mark.usefixtures("too_large")
def test_tables_too_large_for_one_process_pass_only_where_nothing_is_told(tmp_path: Path) -> None:
    frame = skewed(400, 4, share=0.0, missing=0.0).original.frame
    frame.write_parquet(tmp_path / "original.parquet")
    drawn = frame.select(column.sample(fraction=1, shuffle=True, seed=n) for n, column in enumerate(frame))
    truth = np.random.default_rng(5).permutation(400)
    verdicts = []
    for name, shown in (("safe", drawn), ("same", frame[truth])):
        shown.write_parquet(tmp_path / f"{name}.parquet")
        card = icefire.audit(
            tmp_path / "original.parquet",
            tmp_path / f"{name}.parquet",
            truth=truth,
            engine="partitioned",
            memory_limit=LIMIT,
            max_reid=0.1,
            **ROLES,
        ).scorecard
        verdicts.append(card.verdict)
    assert verdicts[0].passed, verdicts[0].text
    assert {"limit", "verbatim"} <= {reason.code for reason in verdicts[1].reasons}


def test_a_recipe_that_could_be_repeated_is_not_assessed_in_parts() -> None:
    steps = [{"method": "k_anonymize", "k": 5, "notes": {"rows": 3}}]
    assert repeats_steps({"steps": steps})
    assert repeats_steps({"steps": [{"method": "nothing like it"}]})
    assert not repeats_steps({"steps": [{"method": "rank_swap", "p": 20}]})
    assert not repeats_steps({})


def test_the_scorecard_names_the_engine_and_what_was_left_out(in_parts: icefire.Scorecard) -> None:
    assert in_parts.provenance.software["engine"].startswith("partitioned")
    able = {entry.name for sort in ("attack", "measure") for entry in entries(sort, "table") if entry.in_parts}
    assert set(in_parts.attacks) | set(in_parts.measures) <= able | {"link"}
    assert "no more than link" in in_parts.left_out["t_kernel"]
    assert "link" not in in_parts.left_out


@pytest.mark.usefixtures("too_large")
def test_a_scratch_folder_gives_the_same_again(files: Path, tmp_path: Path, in_parts: icefire.Scorecard) -> None:
    for _ in range(2):
        card = audited(files, memory_limit=LIMIT, scratch=tmp_path / "parts").scorecard
        assert {n: r.hits for n, r in card.attacks.items()} == {n: r.hits for n, r in in_parts.attacks.items()}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"attacks": ["t_kernel"]}, "t_kernel.*does not run on the engine partitioned; choose from: .*euc1"),
        ({"measures": ["t_hierarchical"]}, "does not run on the engine"),
        ({"knowledge": "neighbour"}, "cannot be combined with the engine"),
        ({"ask": ("origin", "membership")}, "cannot be combined with the engine"),
        ({"memory_limit": "1MB"}, "too little for 600 and 540 rows"),
        ({"memory_limit": "much"}, "no amount of memory"),
        ({"engine": "local"}, "are for the engine partitioned"),
        ({"engine": "hadoop"}, "is no engine"),
    ],
)
@pytest.mark.usefixtures("too_large")
def test_what_an_engine_cannot_do_is_refused_before_any_work(files: Path, options: dict[str, Any], words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        audited(files, **{"engine": "partitioned", "memory_limit": LIMIT, **options})


def test_roles_must_be_given(files: Path) -> None:
    with pytest.raises(SchemaError, match="no roles were given"):
        audited(files, engine="partitioned", memory_limit=LIMIT, qi=None, sa=None)


@pytest.mark.usefixtures("too_large")
def test_a_release_that_recodes_by_a_rule_leaves_the_risk_models_out(files: Path, tmp_path: Path) -> None:
    frame = skewed(600, 4, missing=0.0).original.frame
    frame.with_columns((frame["age"] // 10 * 10).alias("age")).write_parquet(tmp_path / "coarse.parquet")
    frame.write_parquet(tmp_path / "original.parquet")
    card = icefire.audit(
        tmp_path / "original.parquet",
        tmp_path / "coarse.parquet",
        aligned=True,
        engine="partitioned",
        memory_limit=LIMIT,
        **ROLES,
    ).scorecard
    assert card.risks is not None
    assert card.risks.classes is None
    assert "age" in card.left_out["risk_models"]


def test_the_engine_is_chosen_by_size(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert engine_choice.fitting_engine(files / "released.parquet") == "local"
    monkeypatch.setattr(engine_choice, "available_memory", lambda: 100_000)
    assert engine_choice.fitting_engine(files / "released.parquet") == "partitioned"
    assert engine_choice.fitting_engine(files / "truth.csv") == "local"


def test_the_command_audits_in_parts(files: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["audit", str(files / "original"), str(files / "released.parquet"), "--truth", str(files / "truth.csv")]
    roles = ["--qi", "age,town,height", "--sa", "income,rent,illness", "--json", str(tmp_path / "card.json")]
    done = run_icefire(capsys, *command, *roles, "--engine", "partitioned", "--memory-limit", LIMIT)
    assert done.code == 1, done.err
    assert "partitioned" in done.out
    assert json.loads((tmp_path / "card.json").read_text())["provenance"]["software"]["engine"].startswith(
        "partitioned"
    )
    refused = run_icefire(capsys, *command, *roles[:4], "--engine", "partitioned", "--memory-limit", "1MB")
    assert refused.code == 2
    assert "too little" in refused.err
