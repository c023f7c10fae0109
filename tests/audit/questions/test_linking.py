"""The question of linking: which releases it is asked of, its score by hand, its limit, and what attackers see."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from support.graph import reachable

import icefire
from icefire import recipe
from icefire.audit.questions.linking import score_linking, total_score
from icefire.audit.questions.periods import named_periods, read_periods
from icefire.core import registry
from icefire.core.errors import IcefireError, ParameterError
from icefire.core.history import HistoryComparison
from icefire.core.linking import LinkingCase
from icefire.core.release import Guess, Release, Truth
from icefire.io import histories


@pytest.fixture(scope="module")
def shop():
    return icefire.sample("shop", rows=40)


def changed(shop, period: str = "quarter") -> Release:
    steps = {"step": [{"method": "change_pseudonyms", "period": period}]}
    return recipe.run_recipe(shop, recipe.load(steps, 918273))


def test_score_by_hand() -> None:
    """People 0 to 4, then 1 to 5: of four in both, two are linked, one wrongly, one not at all."""
    first, second = np.arange(5), np.array([5, 4, 3, 2, 1])
    score = score_linking(first, second, Guess(np.array([0, 4, 3, 1, -1])))
    assert (score.right, score.answered, score.present, score.linked) == (2, 4, 4, 2)
    assert (score.recall, score.precision) == (0.5, 0.5)
    assert score.chance == pytest.approx(1 / 5)
    assert score.recall_ci[0] < 0.5 < score.recall_ci[1]
    both = total_score([score, score_linking(np.array([7]), np.array([7]), Guess(np.array([0])))])
    assert (both.right, both.answered, both.present, both.recall) == (3, 5, 5, 3 / 5)
    assert both.chance == pytest.approx((4 / 5 + 1) / 5)


def test_a_person_with_two_pseudonyms_in_a_period_counts_once() -> None:
    score = score_linking(np.array([0, 0, 1]), np.array([0, 1]), Guess(np.array([0, 0, 0])))
    assert (score.right, score.answered, score.present, score.linked, score.recall) == (2, 3, 2, 1, 0.5)
    assert score.chance == pytest.approx(((1 - 0.25) + 0.5) / 2)


@pytest.mark.parametrize("period", ["week", "month", "quarter"])
def test_the_period_is_read_from_the_release(shop, period) -> None:
    release = changed(shop, period)
    periods = read_periods(release.released, release.truth.rows)
    assert periods is not None
    assert periods.length == period
    assert (periods.numbers >= 0).all()


def test_an_audit_asks_and_a_limit_on_the_recall_decides(shop) -> None:
    card = icefire.audit(
        shop, changed(shop), attacks=["jaccard", "match_baskets", "match_pseudonyms"], measures=[],
        limits={"linking_recall": 0.5},
    ).scorecard  # fmt: skip
    assert card.linking is not None
    assert (card.linking.period, card.linking.people, card.linking.reason) == ("quarter", 40, "")
    assert card.linking.asked == card.linking.pairs == 3
    score = card.linking.attacks["match_pseudonyms"].score
    assert score.recall > 0.8 > 10 * score.chance
    assert sum(pair.score.linked for pair in card.linking.attacks["match_pseudonyms"].periods) == score.linked
    assert "pseudonyms, which 40 people have, are identified" in card.verdict.text
    limit = next(limit for limit in card.limits if limit.name == "linking_recall")
    assert (limit.value, limit.passed) == (score.recall, False)
    assert any("pseudonyms of neighbouring periods are linked" in reason.text for reason in card.verdict.reasons)


def test_the_question_is_not_asked_by_name(shop) -> None:
    with pytest.raises(ParameterError, match=r"ask got 'linking'; leave it out: .* asked by itself of every history"):
        icefire.audit(shop, changed(shop), ask=["linking"])


def test_a_limit_needs_the_attack_that_looks_at_everything(shop) -> None:
    card = icefire.audit(
        shop, changed(shop), attacks=["jaccard", "match_baskets"], measures=[], limits={"linking_recall": 1.0}
    ).scorecard
    assert any("match_pseudonyms did not run" in reason.text for reason in card.verdict.reasons)


def test_a_policy_may_limit_the_recall(shop, tmp_path) -> None:
    policy = tmp_path / "own.toml"
    policy.write_text("[origin]\nmax_identified = 1.0\n[linking]\nmax_recall = 0.2\n")
    audited = icefire.audit(
        shop, changed(shop), attacks=["match_baskets", "match_pseudonyms"], measures=[], policy=policy
    )
    assert [limit.name for limit in audited.scorecard.limits if not limit.passed] == ["reid", "linking_recall"]


def test_the_verb_attack_refers_to_the_audit(shop) -> None:
    with pytest.raises(ParameterError, match="links pseudonyms of two periods"):
        icefire.attack("match_baskets", shop, changed(shop).released)


def test_one_pseudonym_each_is_not_asked_about(shop) -> None:
    release = recipe.run_recipe(shop, recipe.load({"step": [{"method": "drop_profile"}]}, 1))
    card = icefire.audit(shop, release, attacks=["jaccard", "match_baskets"], measures=[]).scorecard
    assert card.linking is None
    assert "everybody has only one" in card.left_out["match_baskets"]


def test_without_dates_the_question_cannot_be_put_and_this_is_said(shop) -> None:
    release = changed(shop)
    fields = {meaning: name for meaning, name in shop.fields.present.items() if meaning not in ("date", "time")}
    bare = histories.read(release.released.frame.drop("date", "time"), fields)
    truth = Truth(release.truth.rows[[release.released.names.to_list().index(name) for name in bare.names]])
    card = icefire.audit(shop, Release(bare, truth), attacks=["jaccard"], measures=[]).scorecard
    assert card.linking is not None
    assert "has no dates" in card.linking.reason


def test_a_period_can_be_named_by_its_length_or_by_a_column(shop) -> None:
    release = changed(shop, "month")
    months = named_periods(release.released, "month")
    assert months.length == "month"
    assert (months.numbers == read_periods(release.released, release.truth.rows).numbers).all()
    fifty = named_periods(release.released, "50 days")
    assert fifty.first_days[0] == release.released.frame["date"].min()
    assert 7 <= len(fifty.first_days) <= 9
    assert len(named_periods(release.released, "8 weeks").first_days) in (7, 8)
    fields = {meaning: name for meaning, name in shop.fields.present.items() if meaning not in ("date", "time")}
    half = release.released.frame.with_columns(file=pl.Series(release.released.when // 86_400 // 31 % 12 + 1))
    bare = histories.read(half.drop("date", "time"), fields)
    truth = Truth(release.truth.rows[[release.released.names.to_list().index(name) for name in bare.names]])
    options = {"attacks": ["jaccard", "match_baskets"], "measures": []}
    linking = icefire.audit(shop, Release(bare, truth), period="file", **options).scorecard.linking
    assert (linking.period, linking.reason) == ("file", "")
    assert linking.periods == 12
    assert linking.attacks["match_baskets"].score.recall > 0.2


@pytest.mark.parametrize(
    ("period", "words"),
    [
        ("fortnight", "it is one of year, quarter, month, week, day, a number of days or weeks"),
        ("0 days", "it is one of year"),
        ("9999 days", "the whole release is one period"),
        ("day", "have rows in several periods"),
    ],
)
def test_periods_that_do_not_fit_are_refused(shop, period, words) -> None:
    with pytest.raises(IcefireError, match=words):
        named_periods(changed(shop, "quarter").released, period)


def test_a_table_has_no_periods() -> None:
    table = pl.DataFrame({"a": [1, 2, 3]})
    with pytest.raises(IcefireError, match="is for histories, but this is a table"):
        icefire.audit(table, table, aligned=True, period="month")


def test_the_truth_cannot_be_reached_from_the_case(shop, monkeypatch) -> None:
    received: list[LinkingCase] = []
    entry = registry.get("attack", "match_baskets", "history")

    def spy(case, *, rng, kept=64):
        received.append(case)
        return entry.function(case, rng=rng, kept=kept)

    key = ("attack", "history", "match_baskets")
    replaced = registry.Entry("attack", "match_baskets", "", spy, entry.parameters, data="history", question="linking")
    monkeypatch.setitem(registry._entries, key, replaced)
    release = changed(shop)
    icefire.audit(shop, release, attacks=["jaccard", "match_baskets"], measures=[])
    assert len(received) == 3
    for case in received:
        objects = reachable(case)
        secret = Truth | HistoryComparison | Release
        assert not [item for item in objects if isinstance(item, secret) or (isinstance(item, int) and item == 918273)]
        tables = [item for item in objects if isinstance(item, pl.DataFrame)]
        assert {table.height for table in tables} <= {
            *(part.height for part in (case.first, case.second)),
            *(part.subjects for part in (case.first, case.second)),
        }
        arrays = [item for item in objects if isinstance(item, np.ndarray) and item.shape == release.truth.rows.shape]
        assert not [array for array in arrays if np.array_equal(array, release.truth.rows)]
        assert not set(case.first.names) & set(case.second.names)
