"""The gate for histories: releases that any competent attacker breaks do not pass, and honest, strong ones do."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import polars as pl
import pytest
from support import shop_releases as releases
from support.gate import assert_not_passed, assert_passed, codes
from support.shop_releases import HIDDEN, NO_DATES, ONE_PIECE, released, shop

import icefire
from icefire.core.history import Fields, History
from icefire.core.release import Release, Truth
from icefire.core.scorecard import Verdict

QUICK = {"measures": ["rows_added"]}


@cache
def clinic(people: int = 60, seed: int = 3) -> History:
    """Visits to a clinic without receipts, prices or a table of patients: who, why, when."""
    rng = np.random.default_rng(seed)
    reasons = [f"reason {number:02d}" for number in range(40)]
    usual = rng.dirichlet(np.full(40, 0.3), people)
    who = np.repeat(np.arange(people), rng.integers(4, 12, people))
    why = [reasons[rng.choice(40, p=usual[person])] for person in who]
    days = rng.integers(0, 365, len(who))
    when = pl.from_epoch(pl.Series(days.astype(np.int64) * 86_400 + 1_577_836_800), "s").dt.strftime("%Y-%m-%d")
    names = [f"patient {person:03d}" for person in who]
    return History(
        pl.DataFrame({"patient": names, "reason": why, "date": when}), Fields("patient", "reason", date="date")
    )


def judged(original: History, release: Any, **options: Any) -> Verdict:
    return icefire.audit(original, release, **QUICK, **options).scorecard.verdict


def strong(clusters: int, size: int) -> tuple[dict[str, Any], ...]:
    """All that tells members of a cluster apart is taken away, then clusters are made equal."""
    return (
        *HIDDEN[:1],
        {"method": "merge_purchases"},
        ONE_PIECE,
        NO_DATES,
        {"method": "rename_receipts", "per": "customer"},
        {"method": "dummies", "clusters": clusters, "min_size": size, "placement": "plausible"},
    )


def false_truth(release: Release[History], seed: int = 5) -> Release[History]:
    """The same release with a correspondence drawn by lot."""
    return replace(release, truth=Truth(np.random.default_rng(seed).permutation(release.truth.rows)))


def with_column(release: Release[History], name: str, values: Any) -> Release[History]:
    frame = release.released.frame.with_columns(pl.Series(name, values))
    return replace(release, released=release.released.with_frame(frame))


def with_attribute(release: Release[History], name: str, values: Any) -> Release[History]:
    customers = release.released.customers
    assert customers is not None
    return replace(release, released=release.released.with_customers(customers.with_columns(pl.Series(name, values))))


def people_with_names() -> History:
    data = shop()
    assert data.customers is not None
    names = pl.Series("name", [f"Person {chr(65 + i % 26)}{chr(97 + i // 26)} Family" for i in range(data.subjects)])
    return data.with_customers(data.customers.with_columns(names))


def names_left() -> Release[History]:
    original = people_with_names()
    release = released(shop(), *strong(3, 13))
    assert original.customers is not None
    return with_attribute(release, "name", original.customers["name"].gather(release.truth.rows))


def receipts_left() -> Release[History]:
    steps = [step for step in strong(3, 13) if step["method"] != "rename_receipts"]
    return released(shop(), *steps)


CUT = {"method": "generalize_goods", "prefix": 2}
MUST_NOT_PASS: dict[str, tuple[str, Any]] = {
    "names replaced and nothing else": ("limit", lambda: judged(shop(), released(shop(), *HIDDEN))),
    "histories published verbatim": ("verbatim", lambda: judged(shop(), released(shop(), *HIDDEN), max_reid=0.5)),
    "names of the customers kept": ("identifier", lambda: judged(shop(), shop(), aligned=True)),
    "real names in the customer table": ("identifier", lambda: judged(people_with_names(), names_left())),
    "receipt numbers kept": ("identifier", lambda: judged(shop(), receipts_left(), max_reid=0.99)),
    "a new column in the rows": (
        "not_assessed",
        lambda: judged(
            shop(),
            with_column(release := released(shop(), *strong(3, 13)), "branch", np.arange(release.released.height) % 5),
        ),
    ),
    "a new column in the customer table": (
        "not_assessed",
        lambda: judged(shop(), with_attribute(released(shop(), *strong(3, 13)), "segment", np.arange(40) % 4)),
    ),
    "goods cut to two characters, months, powers": (
        "limit",
        lambda: judged(
            shop(), released(shop(), *HIDDEN, CUT, {"method": "coarsen_dates"}, {"method": "round_purchases"})
        ),
    ),
    "goods renamed and dates removed": (
        "limit",
        lambda: judged(shop(), released(shop(), *HIDDEN, releases.renamed_goods, NO_DATES)),
    ),
    "a new name every month": (
        "limit",
        lambda: judged(shop(), released(shop(), HIDDEN[0], {"method": "change_pseudonyms"}, HIDDEN[1], CUT)),
    ),
    "plausible dummies over real rows": (
        "limit",
        lambda: judged(shop(), released(shop(), *HIDDEN, {"method": "dummies", "placement": "plausible"})),
    ),
    "a correspondence drawn by lot": (
        "correspondence",
        lambda: judged(shop(), false_truth(released(shop(), *HIDDEN)), max_reid=0.5),
    ),
    "a correspondence drawn by lot for coarsened rows": (
        "correspondence",
        lambda: judged(shop(), false_truth(released(shop(), *HIDDEN, CUT, {"method": "coarsen_dates"})), max_reid=0.5),
    ),
    "no attack at all": ("limit", lambda: judged(shop(), released(shop(), *strong(3, 13)), attacks=[], max_reid=0.5)),
    "attacks without the joint one": (
        "not_assessed",
        lambda: judged(shop(), released(shop(), *strong(3, 13)), attacks=["jaccard"], max_reid=0.5),
    ),
    "a clinic's visits by month": (
        "limit",
        lambda: judged(clinic(), released(clinic(), {"method": "coarsen_dates"})),
    ),
    "a clinic's visits, a third deleted": (
        "limit",
        lambda: judged(clinic(), released(clinic(), {"method": "delete_purchases", "share": 0.3})),
    ),
}


def one_good_for_all(data: History, rng: np.random.Generator) -> History:
    return releases.with_goods(data, ["*"] * len(data.goods))


def one_row_each(data: History, rng: np.random.Generator) -> History:
    """One row of every subject, chosen by lot."""
    order = rng.permutation(data.height)
    return data.take(np.sort(order[np.unique(data.codes[order], return_index=True)[1]]))


def strangers() -> Release[History]:
    """Rows of other people, dealt to the pseudonyms: what a synthetic history would be."""
    other = released(shop(40, 77), *HIDDEN, CUT, NO_DATES, ONE_PIECE)
    return replace(other, truth=Truth(np.random.default_rng(1).permutation(40)))


MUST_PASS = {
    "clusters of thirteen made equal": lambda: judged(shop(), released(shop(), *strong(3, 13)), policy="trusted"),
    "one cluster of everybody": lambda: judged(shop(), released(shop(), *strong(1, 40))),
    "one row of each customer, its good and date unknown": lambda: judged(
        shop(), released(shop(), *HIDDEN, one_row_each, one_good_for_all, NO_DATES, ONE_PIECE)
    ),
    "a synthetic history": lambda: judged(shop(), strangers()),
    "a clinic's visits, one for each patient, without date": lambda: judged(
        clinic(), released(clinic(), one_row_each, NO_DATES), policy="internal"
    ),
    "a clinic with one cluster": lambda: judged(
        clinic(), released(clinic(), {"method": "merge_purchases"}, NO_DATES, {"method": "dummies", "clusters": 1})
    ),
}


@pytest.mark.parametrize("release", MUST_NOT_PASS)
def test_a_history_that_can_be_broken_does_not_pass(release: str) -> None:
    code, verdict = MUST_NOT_PASS[release]
    assert_not_passed(verdict(), code)


@pytest.mark.parametrize("release", MUST_PASS)
def test_a_history_that_holds_passes(release: str) -> None:
    assert_passed(MUST_PASS[release]())


@pytest.mark.parametrize(
    "steps",
    [
        (*HIDDEN, releases.exchanged_goods),
        (*HIDDEN, {"method": "dummies", "placement": "plausible"}),
        (*HIDDEN, {"method": "delete_purchases", "share": 0.5}),
        (*HIDDEN, CUT, NO_DATES, ONE_PIECE, {"method": "delete_purchases", "share": 0.8}),
        strong(5, 8),
    ],
    ids=["exchanged", "dummies", "deleted", "coarsened and deleted", "strong"],
)
def test_an_honest_history_is_not_called_a_false_correspondence(steps: tuple[Any, ...]) -> None:
    assert "correspondence" not in codes(judged(shop(), released(shop(), *steps)))
