"""The plug-in keeps icefire's contract, and is worth having where it says it is."""

import numpy as np
import polars as pl

import icefire
from icefire import testing


def test_it_keeps_the_contract():
    testing.check("attack", "mahalanobis")


def test_it_sees_through_noise_that_is_correlated_like_the_data():
    survey = icefire.sample("households", 2000)
    amounts = survey.frame.select(survey.sa).to_numpy().astype(float)
    rng = np.random.default_rng(1)
    # The difference of two random rows has twice the covariance of the data.
    noise = amounts[rng.permutation(2000)] - amounts[rng.permutation(2000)]
    released = survey.frame.with_columns(
        pl.Series(n, c) for n, c in zip(survey.sa, (amounts + 0.3 * noise).T, strict=True)
    )
    parameters = {"mahalanobis": {"qi": ""}, "euc2": {"qi": "", "scale": "standard"}}
    found = icefire.audit(survey, released, aligned=True, attacks=list(parameters), parameters=parameters)
    rates = {name: attack.rate for name, attack in found.scorecard.attacks.items()}
    assert rates["mahalanobis"] > rates["euc2"] + 0.03, rates
