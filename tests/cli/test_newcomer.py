"""Jobs of a new user, each with its bad inputs: no file is lost, no role is guessed unasked, an error is a sentence."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import polars as pl
import pytest
from support.commands import Done, run_icefire

import icefire
from icefire.core.seeds import drawn_seed

ROLES = ("--qi", "age,sex", "--sa", "pay")
RECIPE = '[[step]]\nmethod = "swap"\n'
LITTLE = ("--attacks", "euc1", "--measures", "k_min")


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a table of 40 people and a recipe."""
    monkeypatch.chdir(tmp_path)
    people = range(40)
    pl.DataFrame(
        {
            "name": [f"p{i}" for i in people],
            "age": [20 + i % 7 for i in people],
            "sex": ["fm"[i % 2] for i in people],
            "diabetes": [i % 3 == 0 for i in people],
            "pay": [1000 + 37 * i for i in people],
        }
    ).write_csv("people.csv")
    Path("recipe.toml").write_text(RECIPE)
    return tmp_path


def refused(done: Done, *words: str) -> None:
    """The command ended with one sentence that holds these words, exit code 2 and no traceback."""
    assert done.code == 2, done.out
    line = done.err.splitlines()[-1]
    assert line.startswith("icefire: error: ")
    for word in words:
        assert word in line, line
    assert "Traceback" not in done.err


def anonymize(capsys: pytest.CaptureFixture[str], *words: object) -> Done:
    return run_icefire(capsys, "anonymize", "people.csv", *ROLES, "-r", "recipe.toml", *words)


def content() -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in Path().rglob("*") if path.is_file()}


@pytest.mark.parametrize("output", [".", "..", "../..", "/", "here", "people.csv", "mine"])
def test_force_never_removes_a_file_of_the_user(output: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("here").symlink_to(".")
    Path("mine").mkdir()
    Path("mine/notes.txt").write_text("mine")
    before = content()
    refused(anonymize(capsys, "-o", output, "--force"))
    assert content() == before


def test_a_release_is_handed_out_without_truth_and_seed(capsys: pytest.CaptureFixture[str]) -> None:
    done = anonymize(capsys, "-o", "release", "--seed", 918273)
    assert (done.code, "the seed is fixed" in done.err) == (0, True)
    assert sorted(os.listdir("release")) == [".icefire.json", "released.csv", "scorecard.json"]
    assert "918273" not in "".join(path.read_text() for path in Path("release").iterdir()) + done.out + done.err
    assert Path("release.secret/seed.txt").read_text() == "918273\n"
    assert Path("release.secret").stat().st_mode & 0o777 == 0o700
    refused(anonymize(capsys, "-o", "release"), "'release' exists already", "--force")
    assert anonymize(capsys, "-o", "release", "--force").code == 0
    Path("release/notes.txt").write_text("mine")
    refused(anonymize(capsys, "-o", "release", "--force"), "notes.txt")


def test_secrets_go_where_they_are_told_but_not_into_the_release(capsys: pytest.CaptureFixture[str]) -> None:
    refused(anonymize(capsys, "-o", "release", "--secret", "release/secret"), "must not lie in the folder")
    refused(anonymize(capsys, "-o", "release", "--secret", "release"), "must not lie in the folder")
    assert anonymize(capsys, "-o", "release", "--secret", "kept").code == 0
    assert not Path("release.secret").exists()
    words = ("people.csv", "release", *ROLES, *LITTLE)
    assert run_icefire(capsys, "audit", *words, "--truth", "kept").code in (0, 1)
    refused(run_icefire(capsys, "audit", *words, "--truth", "kept", "--records", "release/r.csv"), "handed out")
    assert anonymize(capsys, "-o", "other").code == 0
    refused(anonymize(capsys, "-o", "other", "--secret", "kept", "--force"), "another kind", "secrets of release")


def test_a_seed_is_drawn_unless_one_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("icefire.core.seeds.drawn_seed", drawn_seed)
    steps = tomllib.loads(RECIPE)
    roles = {"qi": ["age", "sex"], "sa": ["pay"]}
    one, other = (icefire.anonymize("people.csv", steps, **roles) for _ in range(2))
    assert one.seed != other.seed
    assert (one.seed_was_drawn, other.seed_was_drawn) == (True, True)
    assert not icefire.anonymize("people.csv", steps, seed=5, **roles).seed_was_drawn
    assert not icefire.anonymize("people.csv", {"seed": 5, **steps}, **roles).seed_was_drawn


def test_an_output_over_an_input_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    before = content()
    audit = ("audit", "people.csv", "people.csv", "--aligned", *ROLES, *LITTLE)
    for words in (
        (*audit, "--json", "people.csv"),
        (*audit, "--html", "people.csv"),
        (*audit, "--records", "./people.csv"),
        ("inspect", "people.csv", *ROLES, "--json", "people.csv"),
        ("attack", "euc1", "people.csv", "people.csv", *ROLES, "-o", "people.csv"),
        ("recipe", "check", "recipe.toml", "--json", "recipe.toml"),
    ):
        refused(run_icefire(capsys, *words, "--force"), "is read by this command")
    assert content() == before


def test_a_file_is_replaced_only_with_force(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("inspect", "people.csv", *ROLES, "--measures", "k_min", "--json", "i.json")
    assert run_icefire(capsys, *words).code == 0
    refused(run_icefire(capsys, *words), "'i.json' exists already", "--force")
    assert run_icefire(capsys, *words, "--force").code == 0
    refused(run_icefire(capsys, "audit", "people.csv", "people.csv", "--html", "a", "--json", "a"), "two outputs")


def test_inferred_roles_are_shown_with_reasons_and_not_used_unasked(capsys: pytest.CaptureFixture[str]) -> None:
    done = run_icefire(capsys, "inspect", "people.csv")
    refused(done, "--qi", "--sa", "--schema", "--infer-roles", "--write-schema")
    assert "by its name it tells of health" in done.err
    assert run_icefire(capsys, "inspect", "people.csv", "--measures", "k_min", "--infer-roles").code == 0


@pytest.mark.parametrize(
    "words",
    [
        ("recipe", "check", "recipe.toml", "people.csv"),
        ("recipe", "explain", "recipe.toml", "people.csv"),
        ("hierarchy", "infer", "people.csv"),
    ],
)
def test_recipes_and_hierarchies_use_no_role_unasked(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    refused(done := run_icefire(capsys, *words), "--qi", "--infer-roles")
    assert "by its name it tells of health" in done.err
    assert run_icefire(capsys, *words, "--infer-roles").code == 0


def test_inferred_roles_are_saved_and_read_back(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_icefire(capsys, "inspect", "people.csv", "--write-schema", "s.toml").code == 0
    assert tomllib.loads(Path("s.toml").read_text())["sa"] == ["diabetes", "pay"]
    assert icefire.read("people.csv", schema="s.toml").qi == icefire.read("people.csv").qi
    refused(run_icefire(capsys, "inspect", "people.csv", "--write-schema", "s.toml"), "exists already")
    refused(run_icefire(capsys, "inspect", "people.csv", "--write-schema", "people.csv", "--force"), "is read")


@pytest.mark.parametrize(
    "name",
    ["diabetes", "HIV_status", "SmokerYN", "icd10", "pregnant", "disability", "Religion", "union_member", "Krankheit",
     "Schwanger", "Diabeteserkrankung", "fumeur", "santé", "糖尿病", "喫煙", "宗教", "income_band"],
)  # fmt: skip
def test_columns_of_health_belief_and_income_are_sensitive(name: str) -> None:
    frame = pl.DataFrame({"age": [1, 2, 1, 2], name: ["a", "b", "a", "b"]})
    assert icefire.read(frame).sa == (name,)


@pytest.mark.parametrize("name", ["age", "sex", "region", "occupation", "housing", "travel"])
def test_columns_with_other_names_stay_quasi_identifiers(name: str) -> None:
    assert icefire.read(pl.DataFrame({name: ["a", "b", "a", "b"]})).qi == (name,)


def test_codes_of_diagnoses_are_known_by_their_values() -> None:
    frame = pl.DataFrame({"age": [1, 2, 1, 2], "code": ["E11.9", "I10", "J45.0", "E11.9"]})
    assert icefire.read(frame).sa == ("code",)


@pytest.mark.parametrize(
    "words",
    [
        ("inspect", "people.csv", *ROLES),
        ("inspect", "people.csv", *ROLES, "--json", "-"),
        ("inspect", "people.csv"),
        ("inspect", "--help"),
    ],
)
def test_a_pipe_that_closes_changes_no_exit_code(words: tuple[str, ...]) -> None:
    command = [sys.executable, "-m", "icefire", *words]
    whole = subprocess.run(command, capture_output=True, check=False)
    reading, writing = os.pipe()
    os.close(reading)
    cut = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, check=False)
    os.close(writing)
    assert cut.returncode == whole.returncode
    assert b"Traceback" not in cut.stderr
    assert b"BrokenPipe" not in cut.stderr


def test_a_limit_with_a_wrong_name_is_answered_with_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    audit = ("audit", "people.csv", "people.csv", "--aligned", *ROLES)
    refused(run_icefire(capsys, *audit, "--min", "k=5"), "did you mean 'k_min'?")
    refused(run_icefire(capsys, *audit, "--min", "kmin=5"), "did you mean 'k_min'?")
    refused(run_icefire(capsys, *audit, "--max", "reidentification=0.1"), "'reidentification'")


def test_quiet_says_only_the_result_and_verbose_every_step(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("inspect", "people.csv", *ROLES, "--measures", "k_min")
    plain, quiet, verbose = (run_icefire(capsys, *words, *manner) for manner in ((), ("--quiet",), ("--verbose",)))
    assert (quiet.err, quiet.out == plain.out == verbose.out) == ("", True)
    assert "people.csv: 40 rows, read as CSV, UTF-8, separator ," in verbose.err.replace("\n", " ")
    assert "  name: text" in verbose.err.splitlines()
    assert "s] reading" in verbose.err
    refused(run_icefire(capsys, "--quiet", "inspect", "nowhere.csv", *ROLES), "does not exist")
    refused(run_icefire(capsys, *words, "--quiet", "--verbose"), "contradict")
    assert "--quiet" in run_icefire(capsys, "audit", "--help").out


def test_a_quiet_audit_prints_the_verdict_and_the_limits_alone(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("audit", "people.csv", "people.csv", "--aligned", *ROLES, "--attacks", "euc1", "--quiet")
    shown = run_icefire(capsys, *words)
    for part, is_there in (("does not pass", True), ("Limits", True), ("hits/targets", False), ("Measures", False)):
        assert (part in shown.out) is is_there
    assert shown.err == ""
