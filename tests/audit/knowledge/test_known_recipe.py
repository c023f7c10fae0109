"""The attacker who knows the recipe, in an audit: when it runs, what the report says, what the verdict makes of it."""

from __future__ import annotations

import json

import pytest
from support.commands import run_icefire

import icefire
from icefire.core.errors import ParameterError
from icefire.report.sentences import replay as sentences

K5 = {"method": "k_anonymize", "k": 5}
AVERAGE = {"steps": [K5, {"method": "average"}]}
ATTACKS = ["id_rand", "link", "replay"]


@pytest.fixture(scope="module")
def people():
    frame = icefire.sample("households", 300).frame
    qi, sa = ["region", "members", "head_age", "employment"], ["food", "housing"]
    return icefire.read(frame.select(*qi, *sa), qi=qi, sa=sa)


def audited(original, released, **options):
    return icefire.audit(original, released, attacks=ATTACKS, measures=[], **options).scorecard


def published(people, *steps):
    """Return the released table and its truth, without the recipe."""
    release = icefire.anonymize(people, {"steps": list(steps)})
    return release.released.frame, release.truth


def test_a_release_that_names_its_recipe_is_attacked_with_it(people):
    card = audited(people, icefire.anonymize(people, AVERAGE))
    assert card.replay.source == "release"
    assert card.replay.repeated == ["k_anonymize (k = 5)", "average"]
    assert card.replay.explained
    assert "replay" in card.attacks
    assert "by replay with the recipe kept with the release" in sentences.line(card)


def test_the_verdict_counts_it(people):
    card = audited(people, icefire.anonymize(people, {"steps": [K5, {"method": "microaggregate", "k": 3}]}))
    assert card.verdict.passed is False
    assert card.attacks["replay"].rate >= card.attacks["link"].rate
    assert card.limits[0].value >= card.attacks["replay"].rate


def test_without_a_recipe_it_is_left_out_and_says_how_to_run_it(people):
    frame, truth = published(people, *AVERAGE["steps"])
    card = icefire.audit(people, frame, truth=truth, measures=[]).scorecard
    assert card.replay is None
    assert "--recipe" in card.left_out["replay"]
    with pytest.raises(ParameterError, match="needs the recipe; pass recipe=…"):
        icefire.audit(people, frame, truth=truth, attacks=["replay"])


def test_a_recipe_given_is_named_in_the_report(people, tmp_path):
    frame, truth = published(people, K5, {"method": "noise"})
    file = tmp_path / "ours.toml"
    file.write_text('[[step]]\nmethod = "k_anonymize"\nk = 5\n[[step]]\nmethod = "noise"\n')
    card = audited(people, frame, truth=truth, recipe=file)
    assert card.replay.source == "given"
    assert card.replay.recipe == str(file)
    assert card.replay.learned == ["noise"]
    assert "Learned instead: noise." in sentences.line(card)


def test_where_no_recipe_is_named_likely_ones_are_tried(people):
    frame, truth = published(people, *AVERAGE["steps"])
    card = audited(people, frame, truth=truth, method_known=True, limits={"reid": 0.5})
    assert card.replay.source == "guessed"
    assert card.replay.repeated == ["k_anonymize (k = 5)", "average"]
    assert card.verdict.passed


def test_no_likely_recipe_is_no_pass(people):
    frame, truth = published(people, {"method": "synthesize"})
    card = audited(people, frame, truth=truth, method_known=True, limits={"reid": 0.9})
    assert card.verdict.passed is False
    (reason,) = card.verdict.reasons
    assert reason.code == "not_assessed"
    assert "found no method that explains the release" in reason.text
    assert "did not run" in sentences.line(card)


def test_a_recipe_that_only_draws_leaves_it_to_link(people):
    card = audited(people, icefire.anonymize(people, {"steps": [{"method": "synthesize"}]}), limits={"reid": 0.5})
    assert "knows no more than link" in card.left_out["replay"]
    assert card.verdict.passed


def test_a_recipe_of_the_release_that_cannot_be_repeated_is_no_pass(people, tmp_path):
    release = icefire.anonymize(people, AVERAGE)
    lost = {"steps": [{**K5, "hierarchies": str(tmp_path / "gone"), "mode": "full_domain"}]}
    release = icefire.Release(release.released, release.truth, lost)
    card = audited(people, release, limits={"reid": 0.9})
    assert card.verdict.passed is False
    assert "cannot repeat the recipe kept with the release" in card.verdict.reasons[0].text


def test_leaving_the_attack_out_is_said_and_is_no_pass(people):
    release = icefire.anonymize(people, AVERAGE)
    card = icefire.audit(people, release, attacks=["link"], measures=[], limits={"reid": 0.9}).scorecard
    assert [reason.evidence for reason in card.verdict.reasons] == [{"attack": "replay"}]
    with pytest.raises(ParameterError, match="add it to the attacks chosen"):
        icefire.audit(people, release, attacks=["link"], method_known=True)


@pytest.mark.parametrize(
    ("recipe", "message"),
    [
        ("missing.toml", "'missing.toml' cannot be read"),
        ("shop_paper", "dummies is for a history, but this is a table"),
        ({"steps": [{"method": "k_anonymize", "k": 1000}]}, "k is 1000, but the table has 300 rows"),
        ({"steps": [{"method": "k_anonimize"}]}, "unknown method 'k_anonimize'"),
    ],
)
def test_a_recipe_that_does_not_fit_is_refused(people, recipe, message):
    frame, truth = published(people, K5)
    with pytest.raises(icefire.IcefireError, match=message):
        audited(people, frame, truth=truth, recipe=recipe)


def test_one_attack_alone_takes_the_recipe_too(people, tmp_path):
    icefire.anonymize(people, AVERAGE, output=tmp_path / "out")
    guess = icefire.attack("replay", people, tmp_path / "out")
    assert guess.notes["equal_rows"]
    frame = icefire.anonymize(people, {"steps": [{"method": "synthesize"}]}).released.frame
    with pytest.raises(ParameterError, match="found no method"):
        icefire.attack("replay", people, frame, method_known=True)


def test_the_command_line_has_the_options(people, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    people.frame.write_csv("x.csv")
    icefire.anonymize(people, AVERAGE, output="out")
    words = ("audit", "x.csv", "out/released.csv", "--truth", "out.secret/truth.csv", "--qi", ",".join(people.qi))
    words += ("--sa", ",".join(people.sa), "--yes", "--attacks", "link,replay")
    assert run_icefire(capsys, *words, "--recipe", "missing").code == 2
    done = run_icefire(capsys, *words, "--method-known", "--json", "card.json", "--html", "card.html")
    assert "Attacker who knows the recipe" in done.out
    with open("card.json", encoding="utf-8") as file:
        assert json.load(file)["replay"]["source"] == "guessed"
    with open("card.html", encoding="utf-8") as file:
        assert "Attacker who knows the recipe:" in file.read()
