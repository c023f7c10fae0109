"""Games on histories: customers are renamed, judged and guessed."""

from __future__ import annotations

import pytest
from support.games import lines, numbers, originals, table

import icefire
from icefire import contests
from icefire.contests import pwscup2016

SHOP = {"rules": "pwscup2016"}


@pytest.fixture(scope="module")
def shop():
    made = icefire.sample("shop", 30)
    bought, people = made.frame.select(pwscup2016.T), made.customers.select(pwscup2016.M)
    return {
        "original.csv": table(bought, False),
        "people.csv": table(people, False),
        "released.csv": table(bought, False),
        "customers.csv": table(people, False),
        "correspondence.csv": lines(range(30)),
    }


def test_customers_are_renamed_and_their_truth_moves_with_them(run, shop):
    taken, made = run("receive", shop, **SHOP, seed=3)
    assert (taken["problems"], taken["rows"]) == ([], 30)
    assert sorted(made) == ["customers.csv", "released.csv", "truth.csv"]
    truth = numbers(made["truth.csv"])[:, 0]
    before = [line.split(",", 1)[1] for line in shop["people.csv"].decode().splitlines()]
    after = [line.split(",", 1)[1] for line in made["customers.csv"].decode().splitlines()]
    assert after == [before[row] for row in truth]
    names = {line.split(",")[0] for line in made["released.csv"].decode().splitlines()}
    assert names == {str(number) for number in range(1, 31)}


def test_the_same_history_under_other_names_has_the_same_content(run, shop):
    def content(released, customers):
        given = shop | {"released.csv": released, "customers.csv": customers}
        return run("receive", given, **SHOP, seed=3)[0]["content"]

    def renamed(content):
        rows = [line.split(",", 1) for line in content.decode().splitlines()]
        return "".join(f"x{name},{rest}\n" for name, rest in reversed(rows)).encode()

    first = content(shop["released.csv"], shop["customers.csv"])
    assert content(renamed(shop["released.csv"]), renamed(shop["customers.csv"])) == first
    longer = shop["released.csv"] + shop["released.csv"].partition(b"\n")[0] + b"\n"
    assert content(longer, shop["customers.csv"]) != first


def test_a_history_is_judged_and_a_guess_scored(run, shop):
    game = contests.get("pwscup2016").play()
    assert game.utilities == ("U1-cMAE", "U2-cMAE", "U3-RFM")
    _, made = run("receive", shop, **SHOP, seed=3)
    given = originals(shop, "people.csv") | made
    found, _ = run("judge", given, **SHOP, seed=3)
    assert tuple(found["measures"]) == game.measures
    assert (*found["attacks"], "replay") == game.attacks  # no recipe was handed in
    assert found["attacks"]["jaccard"]["rate"] == 1
    assert found["aya"] is None
    answers = numbers(made["truth.csv"])
    answers[0] = -1
    files = originals(shop, "people.csv") | {"guess.csv": lines(answers), "truth.csv": made["truth.csv"]}
    scored, _ = run("guess", files, **SHOP, targets=30)
    assert (scored["hits"], scored["targets"]) == (29, 30)


def test_the_arena_ranks_2016_by_the_score_that_an_audit_shows():
    contest_2016 = contests.get("pwscup2016")
    score_parts = contest_2016.play().score_parts
    assert score_parts is not None
    parts = score_parts({"Δm": 9.0, "U1-cMAE": 0.25, "U2-cMAE": 0.5, "U3-RFM": 0.125}, 0.75)
    assert parts == {"U1-cMAE": 0.0, "U2-cMAE": 0.25, "U3-RFM": 0.0, "security": 0.375}
    figures = contest_2016.figures({"u1_cmae": 0.25, "u2_cmae": 0.5, "u3_rfm": 0.125}, 0.75)
    assert figures == {"utility": 0.5, "security": 0.75, "score": sum(parts.values())}
    assert contests.get("pwscup2015").play().score_parts is None


def test_the_reference_of_a_history_is_the_history_itself(run, shop):
    found, _ = run("reference", originals(shop, "people.csv"), **SHOP, seed=3)
    assert found["measures"]["Δm"]["value"] == 0
    assert found["attacks"]["jaccard"]["rate"] == 1
