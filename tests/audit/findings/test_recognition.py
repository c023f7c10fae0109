"""The probability of being recognised: calibrated, and not a matter of luck or seed."""

from __future__ import annotations

import numpy as np
import pytest

import icefire
from icefire.audit.findings import recognition
from icefire.audit.findings.recognition import groups_of_equal_confidence, pooled_groups, recognised_people
from icefire.core.blocks import Candidates
from icefire.core.release import Guess, Truth


def test_groups_are_large_enough_and_never_cut_people_of_one_confidence() -> None:
    rng = np.random.default_rng(1)
    confidence = rng.choice([0.1, 0.2, 0.2001, 0.5, 0.9], 1000, p=[0.5, 0.02, 0.02, 0.4, 0.06])
    labels = groups_of_equal_confidence(confidence)
    sizes = np.bincount(labels)
    assert sizes.min() >= recognition.LEAST_PEOPLE
    assert len({(value, label) for value, label in zip(confidence, labels, strict=True)}) == len(np.unique(confidence))
    assert (np.diff(labels[np.argsort(confidence)]) >= 0).all()


def test_pooled_groups_are_right_more_often_the_surer_they_are() -> None:
    rng = np.random.default_rng(2)
    labels = np.repeat(np.arange(12), 60)
    right = (rng.random(720) < 0.4).astype(float)
    merged = pooled_groups(labels, right)
    rates = np.bincount(merged, right) / np.bincount(merged)
    assert (np.diff(rates) > 0).all()


def test_a_hit_by_lot_is_worth_its_chance_and_no_more() -> None:
    people, size = 400, 8
    truth = Truth(np.arange(people))
    start = np.arange(people) // size * size
    candidates = Candidates(np.arange(people), start, start + size)
    for seed in range(3):
        answers = start + np.random.default_rng(seed).integers(0, size, people)
        result = recognised_people(truth, {"id_rand": Guess(answers, candidates)}, people, "link")
        assert result.risk == pytest.approx(np.full(people, 1 / size))


def test_probabilities_that_are_too_high_are_corrected() -> None:
    people = 1000
    rng = np.random.default_rng(3)
    right = rng.random(people) < 0.3
    answers = np.where(right, np.arange(people), (np.arange(people) + 1) % people)
    guess = Guess(answers, probability=np.full(people, 0.95))
    result = recognised_people(Truth(np.arange(people)), {"link": guess}, people, "link")
    assert result.risk == pytest.approx(np.full(people, right.mean()))
    assert (result.low < 0.3).all()
    assert (result.high > 0.3).all()


def test_without_attacks_the_risk_is_that_of_random_guesses() -> None:
    result = recognised_people(Truth(np.arange(5)), {}, 50, "link")
    assert result.risk == pytest.approx(np.full(5, 0.02))
    assert result.summary().expected == pytest.approx(0.1)


@pytest.mark.parametrize("step", [{"method": "swap"}, {"method": "noise", "scale": 1.0}], ids=["swap", "noise"])
def test_people_at_highest_risk_do_not_change_with_the_seed_beyond_their_interval(step: dict) -> None:
    table = icefire.sample("households", 200)
    release = icefire.anonymize(table, {"step": [{"method": "k_anonymize", "k": 5}, step]}, seed=2)
    audits = [icefire.audit(table, release, seed=seed, attacks=["link", "id_rand"], measures=[]) for seed in (1, 2)]
    first = {person.original_row: person for person in audits[0].scorecard.at_risk}
    for other in audits[1:]:
        rows = other.records.sort("original_row").select("risk_low", "risk_high")[list(first)]
        low, high = np.array([person.interval for person in first.values()]).T
        assert ((rows["risk_high"].to_numpy() >= low) & (rows["risk_low"].to_numpy() <= high)).all()
        again = {person.original_row for person in other.scorecard.at_risk}
        assert len(again & set(first)) >= 0.5 * len(first)
    assert all(person.by for person in first.values())
