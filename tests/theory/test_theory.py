"""Releases whose scores are known beforehand."""

from __future__ import annotations

import numpy as np
import pytest

import icefire
from icefire.core.release import Truth

UTILITY = ("mean_error", "cross_mean", "cross_count", "correlation_error", "information_loss", "row_change")


def audit(data, released, truth, **options):
    return icefire.audit(data, released, truth=Truth(np.asarray(truth)), **options).scorecard


@pytest.fixture(scope="module")
def unchanged(households):
    return audit(households, households.frame, np.arange(households.height))


def test_an_unchanged_release_loses_nothing_and_hides_nobody(households, unchanged):
    card = unchanged
    assert all(card.measures[name].value == 0 for name in UTILITY)
    for name in ("euc1", "euc2", "id_sa", "sort"):
        assert card.attacks[name].rate > 0.99, name
    assert card.attacks["euc1"].answered == households.height
    assert card.aya is not None
    assert card.aya.farther == 0


def test_an_unchanged_release_in_another_order_is_just_as_open(households):
    order = np.random.default_rng(3).permutation(households.height)
    card = audit(households, households.frame[order], order, attacks=["euc1"])
    for name in UTILITY:
        assert card.measures[name].value == pytest.approx(0, abs=1e-9), name
    assert card.attacks["euc1"].rate == 1.0
    assert card.provenance.in_original_order is False


def test_id_rand_expects_the_number_of_classes_over_the_rows_on_an_unchanged_release(households, unchanged):
    # Every class of size s is right with chance 1/s for each of its s rows: 1 per class.
    card = unchanged
    classes = households.height / card.measures["k_mean"].value
    assert card.attacks["id_rand"].expected == pytest.approx(classes / households.height)
    low, high = card.attacks["id_rand"].ci
    assert low <= card.attacks["id_rand"].expected <= high


def test_a_release_of_pure_noise_is_no_better_than_guessing(households):
    rng = np.random.default_rng(5)
    frame = households.frame.with_columns(
        households.frame[name][rng.permutation(households.height)] for name in (*households.qi, *households.sa)
    )
    card = audit(households, frame, np.arange(households.height))
    # A guess is right with chance 1/500; 500 guesses are right 1 time on average, 7 times with chance 1e-4.
    for name, attack in card.attacks.items():
        assert attack.hits < 7, name
        assert attack.baseline == pytest.approx(1 / households.height)


def test_rows_swapped_inside_their_class_keep_every_mean(households):
    release = icefire.anonymize(households, {"step": [{"method": "swap"}]})
    measures = icefire.audit(households, release, attacks=["id_rand"]).scorecard.measures
    assert measures["mean_error"].value == pytest.approx(0, abs=1e-6)
    assert measures["cross_mean"].value == pytest.approx(0, abs=1e-6)
    assert measures["cross_count"].value == 0
    assert measures["information_loss"].value > 0


def test_the_cheating_permutation_shows_only_in_information_loss_and_aya(households):
    release = icefire.anonymize(households, {"step": [{"method": "permute_index"}]})
    card = icefire.audit(households, release, attacks=["euc1"]).scorecard
    assert card.attacks["euc1"].rate == 0
    assert card.aya is not None
    assert card.aya.rate > 0.99
    assert card.aya.farther > 0.99 * households.height
    assert card.measures["mean_error"].value == pytest.approx(0, abs=1e-9)
    assert card.measures["information_loss"].value > 0.01
