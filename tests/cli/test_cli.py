"""The command line, verb by verb, as a newcomer would type it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
from support.commands import run_icefire
from support.places import DOCS

from icefire.core import scorecard
from icefire.io.marker import MARKER

RECIPE = 'seed = 11\n[[step]]\nmethod = "k_anonymize"\nk = 4\n[[step]]\nmethod = "swap"\n'

ROWS = 100


@pytest.fixture
def survey(tmp_path, monkeypatch, capsys):
    """A folder with a survey of a hundred households, a recipe and a release."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    Path("r.toml").write_text(RECIPE)
    assert run_icefire(capsys, "sample", "households", "-n", ROWS, "-o", "data").code == 0
    words = ("anonymize", "data/households.csv", "--schema", "data/schema.toml", "--recipe", "r.toml", "-o", "release")
    assert run_icefire(capsys, *words).code == 0
    return tmp_path


SCHEMA = ("--schema", "data/schema.toml")
QUICK = ("--attacks", "id_rand,euc1,euc2")
"""Attacks that take no time, for what does not depend on the attacks."""


def test_help_names_every_verb():
    done = subprocess.run([sys.executable, "-m", "icefire", "--help"], capture_output=True, text=True, check=True)
    for verb in ("demo", "sample", "anonymize", "audit", "attack", "score", "list", "study"):
        assert verb in done.stdout


def test_version_is_printed(capsys):
    assert run_icefire(capsys, "--version").out.startswith("icefire 0.")


def test_a_sample_brings_its_roles(survey):
    frame = pl.read_csv("data/households.csv")
    assert frame.shape == (ROWS, 25)
    assert "qi = [" in Path("data/schema.toml").read_text()


def test_a_sample_is_the_same_as_parquet(survey, capsys):
    assert run_icefire(capsys, "sample", "households", "-n", ROWS, "-o", "pq", "--format", "parquet").code == 0
    assert (
        pl.read_parquet("pq/households.parquet")
        .cast(pl.String)
        .equals(pl.read_csv("data/households.csv").cast(pl.String))
    )


def test_a_release_folder_holds_what_it_should(survey):
    assert sorted(path.name for path in Path("release").rglob("*")) == [MARKER, "released.csv", "scorecard.json"]
    assert sorted(path.name for path in Path("release.secret").rglob("*")) == [MARKER, "seed.txt", "truth.csv"]
    card = scorecard.load("release/scorecard.json")
    assert card.recipe["steps"][0]["notes"]["suppressed"] == 0
    assert card.measures["k_min"].value >= 4


def test_audit_of_a_release_folder_writes_report_and_json_with_the_same_numbers(survey, capsys):
    done = run_icefire(
        capsys, "audit", "data/households.csv", "release", *SCHEMA, "--html", "r.html", "--json", "r.json"
    )
    assert done.code == 1, "the public policy applies, and the release does not keep it"
    card = json.loads(Path("r.json").read_text())
    assert card["format_version"] == 1
    assert set(card["attacks"]) == {
        "id_rand",
        "id_sa",
        "sort",
        "sa_nearest",
        "euc1",
        "euc2",
        "cover",
        "link",
        "link_rest",
        "replay",
        "t_kernel",
    }
    attack = card["attacks"]["euc1"]
    assert {"code", "rate", "hits", "targets", "answered", "ci", "baseline", "seconds"} <= set(attack)
    page = Path("r.html").read_text()
    for found in card["attacks"].values():
        assert f"{found['hits']:,}" in page
    for reason in card["verdict"]["reasons"]:
        assert reason["text"] in page.replace("&#39;", "'").replace("\N{NO-BREAK SPACE}", " ")
    assert "euc1" in done.out


def test_json_to_standard_output_is_nothing_but_json(survey, capsys):
    done = run_icefire(capsys, "audit", "data/households.csv", "release", *SCHEMA, *QUICK, "--json", "-")
    assert json.loads(done.out)["provenance"]["original"]["rows"] == ROWS


def test_a_limit_that_is_broken_exits_with_1_and_one_that_holds_with_0(survey, capsys):
    words = ("audit", "data/households.csv", "release", *SCHEMA)
    quick = (*words, *QUICK)
    assert run_icefire(capsys, *quick, "--max-reid", "0").code == 1
    assert run_icefire(capsys, *words, "--max-reid", "1").code == 0
    assert run_icefire(capsys, *quick, "--max", "U5=0").code == 1
    assert run_icefire(capsys, *words, "--max-reid", "1", "--max", "row_change=0", "--min", "k_min=4").code == 0
    assert run_icefire(capsys, *quick, "--max", "row_change=0").code == 1, "the share identified has a limit as well"
    assert run_icefire(capsys, *quick, "--min", "S1=99").code == 1


def test_an_output_is_written_even_when_a_limit_is_broken(survey, capsys):
    done = run_icefire(
        capsys, "audit", "data/households.csv", "release", *SCHEMA, *QUICK, "--max-reid", "0", "--json", "r.json"
    )
    assert done.code == 1
    assert json.loads(Path("r.json").read_text())["verdict"]["passed"] is False


def test_attack_then_score_gives_what_audit_gives(survey, capsys):
    words = ("data/households.csv", "release", *SCHEMA)
    assert run_icefire(capsys, "attack", "EUC2", *words, "-o", "g.csv").code == 0
    scored = json.loads(run_icefire(capsys, "score", "release.secret/truth.csv", "g.csv", "--json", "-").out)
    audited = json.loads(run_icefire(capsys, "audit", *words, *QUICK, "--json", "-").out)["attacks"]["euc2"]
    assert (scored["rate"], scored["hits"]) == (audited["rate"], audited["hits"])
    assert scored["ci"] == audited["ci"]


def test_a_parameter_reaches_its_attack(survey, capsys):
    words = ("audit", "data/households.csv", "release", *SCHEMA, "--attacks", "euc1", "--json", "-")
    card = json.loads(run_icefire(capsys, *words, "--param", "EUC1.qi=region,members").out)
    assert card["attacks"]["euc1"]["parameters"]["qi"] == ["region", "members"]


def test_aya_takes_its_distance_and_columns_from_the_command_line(survey, capsys):
    words = ("audit", "data/households.csv", "release", *SCHEMA, "--attacks", "euc2", "--json", "-")
    plain = json.loads(run_icefire(capsys, *words).out)["aya"]
    one = json.loads(run_icefire(capsys, *words, "--aya-scale", "raw", "--aya-columns", "food").out)["aya"]
    assert plain["farther"] != one["farther"]


def test_records_say_for_each_row_which_attacks_identified_it(survey, capsys):
    words = ("audit", "data/households.csv", "release", *SCHEMA, "--records", "rows.csv", "--json", "-")
    card = json.loads(run_icefire(capsys, *words).out)
    rows = pl.read_csv("rows.csv")
    assert rows.height == ROWS
    attacks = list(card["attacks"])
    for name in attacks:
        assert rows[name].cast(pl.Int64).sum() == card["attacks"][name]["hits"]
    assert rows["risk"].sum() == pytest.approx(card["recognition"]["expected"])
    assert ((rows["risk_low"] <= rows["risk"]) & (rows["risk"] <= rows["risk_high"])).all()


def test_people_at_risk_are_row_numbers_unless_the_data_is_asked_for(survey, capsys):
    words = ("audit", "data/households.csv", "data/households.csv", *SCHEMA, *QUICK, "--aligned", "--json", "-")
    words = (*words, "--people", 3)
    plain = json.loads(run_icefire(capsys, *words).out)["at_risk"]
    assert len(plain) == 3
    assert plain[0]["values"] is None
    shown = json.loads(run_icefire(capsys, *words, "--show-data").out)["at_risk"]
    assert shown[0]["values"]["region"]


def test_files_in_the_same_order_are_said_to_be_and_are_shuffled(survey, capsys):
    words = ("audit", "data/households.csv", "data/households.csv", *SCHEMA, *QUICK, "--aligned", "--json", "-")
    card = json.loads(run_icefire(capsys, *words, "--param", "euc1.give_up=same_row", "--param", "euc1.qi=region").out)
    assert card["provenance"]["in_original_order"] is True


def test_the_same_seed_gives_the_same_numbers(survey, capsys):
    words = ("audit", "data/households.csv", "release", *SCHEMA, "--json", "-")

    def numbers(seed):
        card = json.loads(run_icefire(capsys, *words, "--seed", seed).out)
        for attacks in (card["attacks"], *(attacker["attacks"] for attacker in card["attackers"])):
            for attack in attacks.values():
                del attack["seconds"]
        del card["provenance"]["created"]
        return card

    first = numbers(5)
    assert first == numbers(5)
    other = json.loads(run_icefire(capsys, *words, *QUICK, "--seed", 6).out)
    assert first["attacks"]["id_rand"]["hits"] != other["attacks"]["id_rand"]["hits"]


def test_roles_are_inferred_and_shown_when_none_are_given(survey, capsys):
    done = run_icefire(capsys, "audit", "data/households.csv", "release", "--infer-roles", *QUICK, "--json", "-")
    card = json.loads(done.out)
    assert card["roles"]["source"] == "inferred"
    assert len(card["roles"]["qi"]) == 13
    assert "inferred" in done.err


def test_without_sensitive_columns_only_what_can_run_runs(survey, capsys):
    done = run_icefire(capsys, "audit", "data/households.csv", "release", "--qi", "region,members", "--json", "-")
    card = json.loads(done.out)
    assert {"id_rand", "cover", "link"} <= set(card["attacks"])
    assert card["left_out"]["euc1"] == "needs a numeric sa column"


def test_headerless_files_are_audited(survey, capsys):
    for source, target in (("data/households.csv", "x.csv"), ("release/released.csv", "y.csv")):
        Path(target).write_text("".join(Path(source).read_text().splitlines(keepends=True)[1:]))
    roles = ("--qi", "c0,c1,c2", "--sa", "c13,c14")
    words = (
        "audit",
        "x.csv",
        "y.csv",
        "--truth",
        "release.secret/truth.csv",
        "--no-header",
        *roles,
        *QUICK,
        "--json",
        "-",
    )
    assert json.loads(run_icefire(capsys, *words).out)["roles"]["qi"] == ["c0", "c1", "c2"]


def test_list_shows_everything_with_its_parameters(capsys):
    done = run_icefire(capsys, "list")
    for word in ("k_anonymize", "permute_index", "information_loss", "euc2", "households", "p0-methods", "give_up"):
        assert word in done.out, word


def test_the_demo_tells_the_whole_story(survey, capsys):
    done = run_icefire(capsys, "demo", "-n", 60, "-o", "story")
    assert done.code == 0, done.err
    assert {"report.html", "scorecard.json", "original.csv", "recipe.toml", "release"} <= {
        p.name for p in Path("story").iterdir()
    }
    assert "After the recipe" in done.out
    assert run_icefire(capsys, "demo", "-n", 60, "-o", "story").code == 0, "a demo may replace a demo"


def test_every_command_is_in_the_docs():
    from icefire.cli.app import application

    text = (DOCS / "commands.md").read_text()
    for command in application().registered_commands:
        name = command.name or command.callback.__name__
        assert f"## icefire {name}" in text, name


def test_the_verbs_of_the_command_line_are_the_names_of_the_package(tmp_path):
    import icefire as package

    assert {"read", "sample", "anonymize", "audit", "attack", "score", "write_report"} <= set(dir(package))
    survey = package.sample("households", 100)
    found = package.audit(survey, survey.frame, aligned=True)
    package.write_report(found.scorecard, tmp_path / "r.html")
    assert found.scorecard.verdict.headline in (tmp_path / "r.html").read_text()
    with pytest.raises(AttributeError, match="no attribute 'anonymise'"):
        _ = package.anonymise
