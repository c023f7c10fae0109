"""The contract of attacks on synthetic releases: chance level on noise, their best on the people themselves."""

from __future__ import annotations

from functools import cache

import numpy as np
import polars as pl

from icefire.audit.judge import Z_95
from icefire.audit.scores import auc_with_interval, scores_of_answers
from icefire.core import roles, seeds
from icefire.core.dataset import Dataset
from icefire.core.membership import LabelledRecords, MembershipCase
from icefire.core.registry import Entry
from icefire.kernels.types import Bool

PEOPLE = 240
"""Members asked about; as many outsiders, examples of both, and people of the background."""
DEVIATIONS = 4.0
ROUNDING = 1e-9


def check_synthetic_attack(entry: Entry) -> None:
    """Check that an attack learns nothing from noise, and nowhere more than from the people themselves."""
    noise, half = _drawn_anew(1), np.arange(2 * PEOPLE) % 2 == 0
    on_noise, (low, high) = _auc(entry, noise)
    deviation = (high - low) / (2 * Z_95)
    assert abs(on_noise - 0.5) <= DEVIATIONS * deviation + ROUNDING, (
        f"{entry.name}: a release that has nothing to do with the people gives an AUC of {on_noise:.3f}, not 0.5"
    )
    unchanged = _people(0)
    half_copied = unchanged.with_frame(unchanged.frame.filter(half).vstack(noise.frame.filter(~half)))
    best, partly = _auc(entry, unchanged)[0], _auc(entry, half_copied)[0]
    assert best >= 0.5, f"{entry.name}: on the people themselves the AUC is {best:.3f}, below chance"
    assert best + DEVIATIONS * deviation >= partly, (
        f"{entry.name}: on the people themselves the AUC is {best:.3f}, where half of them are copied {partly:.3f}"
    )


def _auc(entry: Entry, released: Dataset) -> tuple[float, tuple[float, float]]:
    case, member = _case(released)
    guess = entry.function(case, rng=seeds.generator(1, entry.name), **entry.bind({})).checked(
        case.targets, case.choices
    )
    return auc_with_interval(scores_of_answers(guess), member)


def _case(released: Dataset) -> tuple[MembershipCase, Bool]:
    """Ask about half of the members and as many outsiders; the other half, and others outside, are examples."""
    members, outsiders, others = _people(0), _people(1), _people(2)
    order = np.random.default_rng(3).permutation(2 * PEOPLE)
    asked = members.with_frame(members.frame[:PEOPLE].vstack(outsiders.frame[:PEOPLE])[order])
    known = members.with_frame(members.frame[PEOPLE:].vstack(outsiders.frame[PEOPLE:]))
    labels = np.arange(2 * PEOPLE) < PEOPLE
    return MembershipCase(asked, released, background=others, examples=LabelledRecords(known, labels)), labels[order]


@cache
def _people(seed: int) -> Dataset:
    """People of one population; every seed draws others."""
    rng = np.random.default_rng(10 + seed)
    rows = 2 * PEOPLE
    height = rng.normal(0, 1, rows)
    frame = pl.DataFrame(
        {
            "age": rng.integers(20, 80, rows),
            "job": rng.choice(["cook", "nurse", "smith"], rows),
            "income": np.exp(8 + 0.5 * height + 0.3 * rng.normal(0, 1, rows)).round(1),
            "rent": np.exp(6 + 0.3 * height + 0.3 * rng.normal(0, 1, rows)).round(1),
        }
    )
    return Dataset(frame, roles.choose(frame, ("age", "job"), ("income", "rent")))


def _drawn_anew(seed: int) -> Dataset:
    """A release of the same population that has nothing to do with the people asked about."""
    return _people(100 + seed)
