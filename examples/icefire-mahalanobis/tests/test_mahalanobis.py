"""The plug-in keeps icefire's contract, which is all the test it needs besides its own idea."""

import icefire
from icefire import contract


def test_it_keeps_the_contract():
    contract.check("attack", "mahalanobis")


def test_correlations_identify_more_people_than_plain_distance_after_noise():
    survey = icefire.sample("households", 1000)
    release = icefire.anonymize(survey, {"step": [{"method": "noise", "scale": 0.5}]})
    found = icefire.audit(survey, release, attacks=["mahalanobis", "euc2"]).scorecard.attacks
    assert found["mahalanobis"].rate > found["euc2"].rate
