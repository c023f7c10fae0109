"""The studies of the health survey: here on few people, with the arithmetic checked by hand."""

from __future__ import annotations

import io
from collections.abc import Iterator

import numpy as np
import polars as pl
import pytest
from rich.console import Console
from support.places import DATA

from icefire import studies
from icefire.contests import pwscup2021
from icefire.core.errors import InputError, ParameterError
from icefire.core.release import Release, Truth
from icefire.io.marker import MARKER
from icefire.studies import p3_limits, p3_pipeline, p3_score, survey, survey_final
from icefire.theory import membership

ROWS = 1_000
SAMPLED = ("p3-limits", "p3-pipeline")
B = DATA / "pwscup2021_nhanes"
pytestmark = pytest.mark.heavy
contest = pytest.mark.skipif(
    not (B / "B.csv").is_file(), reason="the shared data (../shared/data/pwscup2021_nhanes) is not here"
)


@pytest.fixture(scope="module", autouse=True)
def few_draws() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(survey, "DRAWS", 2)
        patch.setattr(survey_final, "RELEASES", 2)
        patch.setattr(p3_limits, "LIMITS", (4, 6))
        patch.setattr(p3_limits, "THRESHOLDS", (10, 25))
        yield


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, studies.result.StudyResult]:
    folder = tmp_path_factory.mktemp("studies")
    made = {name: studies.run_study(name, folder / name, rows=ROWS, seed=7) for name in SAMPLED}
    return made | {"p3-score": studies.run_study("p3-score", folder / "p3-score", rows=None, seed=7)}


@pytest.fixture(scope="module")
def people():
    return survey.table(ROWS, 7, None)


def csv(result, name: str) -> pl.DataFrame:
    return pl.read_csv(result.folder / f"{name}.csv")


def said(result) -> str:
    console = Console(file=io.StringIO(), width=80)
    result.show(console)
    return console.file.getvalue()


# --- what is written and shown ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["p3-score", *SAMPLED])
def test_tables_and_pictures_are_written_and_shown_in_eighty_columns(results, name):
    folder = results[name].folder
    assert sorted(path.name for path in folder.iterdir() if path.name != MARKER) == sorted(results[name].files)
    assert all((folder / file).stat().st_size > 0 for file in results[name].files)
    assert any(file.endswith(".png") for file in results[name].files)
    text = said(results[name])
    assert max(len(line.rstrip()) for line in text.splitlines()) <= 80
    assert "…" not in text


@pytest.mark.parametrize("name", ["p3-score", pytest.param("p3-limits", marks=pytest.mark.heavy)])
def test_the_same_seed_gives_the_same_bytes(results, name, tmp_path):
    again = studies.run_study(name, tmp_path / name, rows=None if name == "p3-score" else ROWS, seed=7)
    for file in again.files:
        assert (again.folder / file).read_bytes() == (results[name].folder / file).read_bytes(), file


# --- data ------------------------------------------------------------------------------------------------------


def test_a_folder_without_the_contests_file_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"no file B\.csv in"):
        studies.run_study("p3-pipeline", tmp_path / "out", rows=None, seed=7, data=tmp_path)


def test_too_few_people_are_refused_with_a_number_that_works():
    with pytest.raises(ParameterError, match="rows=1000 or more"):
        survey.table(999, 7, None)


def test_the_contests_file_is_read_like_the_sample(people, tmp_path):
    people.frame.write_csv(tmp_path / "B.csv", include_header=False)
    read = survey.table(None, 7, tmp_path)
    assert read.schema.names == people.schema.names == pwscup2021.COLUMNS
    assert read.qi == people.qi == pwscup2021.EXPLAINING
    assert survey.candidates(read, 4).tolist() == survey.candidates(people, 4).tolist()


def test_a_threshold_is_as_large_a_share_of_any_number_of_rows(people):
    # 25 of 4,190 rows are 5.97 of 1,000; 1 of 4,190 would be 0.24, but none at all is never meant.
    assert survey.scaled_threshold(people, 25) == 6
    assert survey.scaled_threshold(people, 1) == 1


@contest
def test_candidates_in_the_contests_table():
    original = survey.table(None, 7, B)
    final, early = (survey.candidates(original, limit) for limit in (4, 6))
    assert (final.min(), np.median(final), final.max()) == (0, 120, 282)
    assert ((final == 0).sum(), (final <= 25).sum()) == (11, 296)
    assert (early.min(), np.median(early), early.max()) == (0, 440, 646)


# --- utility and danger ----------------------------------------------------------------------------------------


def test_a_limit_is_a_least_for_rows_kept_and_a_most_for_all_else():
    assert survey.limits_of_round(4) == {
        "kept": 0.5,
        "iloss": 4,
        "uniqrt": 0.5,
        "rate_max": 0.05,
        "or_max": 0.1,
        "cor_max": 0.1,
    }
    # More than half must be kept; 0.8 of the rows use 0.5 / 0.8 of that limit.
    assert survey.is_within("kept", 0.5, 0.5)
    assert survey.is_within("uniqrt", 0.5, 0.5)
    assert not survey.is_within("or_max", None, 0.1)
    assert survey.share_used("kept", 0.8, 0.5) == 0.625
    assert survey.share_used("or_max", 0.15, 0.1) == pytest.approx(1.5)
    assert survey.share_used("or_max", None, 0.1) is None


def test_utility_is_what_the_contest_measures(people, tmp_path):
    made = survey.make_release(people, survey.swap_delete(4, 6), 7)
    in_order = np.argsort(made.truth.rows)
    gone = np.setdiff1d(np.arange(people.height), made.truth.rows)
    people.frame.write_csv(tmp_path / "B.csv", include_header=False)
    made.released.take(in_order).frame.write_csv(tmp_path / "D.csv", include_header=False)
    pl.DataFrame({"row": gone}).write_csv(tmp_path / "X.csv", include_header=False)
    judged = pwscup2021.measure_limits([tmp_path / f"{name}.csv" for name in "BDX"]).limits
    found = survey.utility(people, made)
    assert found.pop("kept") == made.released.height / ROWS
    assert found == pytest.approx({limit.name: limit.value for limit in judged})


def test_means_and_largest_are_those_computed_by_hand():
    # a: 0.1 and 0.3, b: 0.25 and 0.05; the strongest is b in the first draw and a in the second.
    draws = pl.DataFrame(
        {"attack": ["a", "b", "a", "b"], "draw": [1, 1, 2, 2], "danger": [0.1, 0.25, 0.3, 0.05]}
    ).with_columns(recall=1.0, precision=0.5, top_3=pl.col("danger"))
    summed = {line["attack"]: line for line in survey.summarize(draws).to_dicts()}
    assert (summed["a"]["mean"], summed["a"]["largest"], summed["a"]["worst"]) == (pytest.approx(0.2), 0.3, True)
    assert (summed["b"]["mean"], summed["b"]["largest"], summed["b"]["worst"]) == (pytest.approx(0.15), 0.25, False)
    strongest = summed[survey.STRONGEST]
    assert (strongest["mean"], strongest["largest"], strongest["worst"]) == (pytest.approx(0.275), 0.3, None)
    assert survey.worst_attack(survey.summarize(draws))["attack"] == "a"


def test_as_many_members_are_asked_about_as_there_are_people_left_out(people):
    kept = np.arange(3, ROWS)
    found = survey.attack_draws(people, Release(people.take(kept), Truth(kept)), 4, 7)
    # Three of each: unchanged rows are all found, and one half of all is a member.
    assert found["draw"].unique().to_list() == [1, 2]
    claims = found.filter(attack="all_members").to_dicts()
    assert all((line["recall"], line["precision"], line["top_3"]) == (1, 0.5, 1) for line in claims)
    assert claims[0]["danger"] == pytest.approx(1.01 * 0.51 * 1.01)


def test_nobody_left_out_is_nobody_to_ask_about(people):
    everybody = Release(people, Truth(np.arange(ROWS)))
    summed = survey.summarize(survey.attack_draws(people, everybody, 4, 7))
    assert survey.worst_attack(summed)["mean"] is None
    assert p3_pipeline._describe_worst("all", summed) == "all: nobody was left out to ask about."


def test_every_attack_on_membership_takes_part():
    assert {"all_members", "candidate_bayes", "far_candidate", "rlink", *survey.VARIANTS} <= set(survey.attacks())
    assert "euc1" not in survey.attacks()


# --- p3-pipeline -----------------------------------------------------------------------------------------------


def test_both_orders_and_ours_stand_side_by_side(results):
    danger = csv(results["p3-pipeline"], "danger")
    releases = ["delete-swap 6", "delete-swap 4", "swap-delete 4", "ours 6", "ours 4"]
    assert danger["release"].unique(maintain_order=True).to_list() == releases
    assert danger.height == len(releases) * (len(survey.attacks()) + 1)
    marked = danger.filter("worst")
    assert marked["release"].unique(maintain_order=True).to_list() == releases
    draws = csv(results["p3-pipeline"], "draws")
    assert draws.height == len(releases) * len(survey.attacks()) * 2


def test_utility_stands_beside_its_limit(results):
    used = csv(results["p3-pipeline"], "utility")
    loss = used.filter(figure="iloss")
    assert loss["limit"].to_list() == [6, 4, 4, 6, 4]
    assert loss["within"].all()
    line = used.filter(release="ours 4", figure="uniqrt").row(0, named=True)
    assert line["used"] == pytest.approx(line["value"] / 0.5)
    assert line["within"]
    assert "over uniqrt" in said(results["p3-pipeline"])


def test_the_mark_is_met_by_mean_and_by_every_draw_within_the_limits():
    # Means 0.03 and 0.04, largest 0.06 and 0.05: the variant is above the mark on average.
    summary = pl.DataFrame(
        {
            "attack": ["rlink", *survey.VARIANTS, survey.STRONGEST],
            "mean": [0.03, 0.04, 0.9],
            "largest": [0.06, 0.05, 0.9],
        }
    )
    found = survey_final.compared(summary, within=True)
    assert (found["plain_mean"], found["plain_largest"], found["plain_met"]) == (0.03, 0.06, True)
    assert (found["all_mean"], found["all_largest"], found["all_met"]) == (0.04, 0.06, False)
    assert not survey_final.compared(summary, within=False)["plain_met"]


def test_ours_is_made_with_several_seeds(results):
    table = csv(results["p3-pipeline"], "releases")
    assert table["seed"].to_list() == [7, 8]
    draws = csv(results["p3-pipeline"], "danger").filter(release="ours 4", attack=survey.STRONGEST)
    assert table["all_largest"][0] == pytest.approx(draws["largest"].item())


# --- p3-score --------------------------------------------------------------------------------------------------


def test_the_slides_table_comes_out_to_the_last_digit(results):
    table = csv(results["p3-score"], "table")
    assert table["included"].round(5).to_list() == [0.16329, 0.15865, 0.15819, 0.15814]
    assert table["left_out"].round(5).to_list() == [0.15810] * 4
    assert "8 of the 8 printed scores" in said(results["p3-score"])


def test_half_of_the_records_are_worth_claiming_where_members_are_told_well():
    claims = p3_score.claims()
    # a = 1: recall and precision 1, found 0.3; all: recall 1, precision one half.
    assert claims["half"][-1] == pytest.approx(1.01 * 1.01 * 0.31)
    assert claims["all"][0] == pytest.approx(1.01 * 0.51 * 0.31)
    better = claims["half"] > claims["all"]
    assert claims["worth_claiming"].to_list() == [50 if half else 100 for half in better]
    assert claims["told"].filter(better).min() == pytest.approx(0.793)


def test_the_score_takes_no_sample(tmp_path):
    with pytest.raises(ParameterError, match="leave rows=… out"):
        studies.run_study("p3-score", tmp_path / "out", rows=1_000, seed=7)
    with pytest.raises(ParameterError, match="takes no data=…"):
        studies.run_study("p3-score", tmp_path / "out", rows=None, seed=7, data=tmp_path)
    assert p3_score.scores(0.3)[0] == membership.expected_score(0.3, True)


# --- p3-limits -------------------------------------------------------------------------------------------------


def test_a_histogram_counts_every_row_once():
    bars = p3_limits.histogram(np.array([0, 0, 3, 9, 10, 20]), 10)
    assert bars.rows() == [(0, 9, 4), (10, 19, 1), (20, 29, 1)]


def test_both_pipelines_are_swept_over_limits_and_thresholds(results, people):
    limits, thresholds = (csv(results["p3-limits"], name) for name in ("limits", "thresholds"))
    assert limits.select("pipeline", "limit").rows() == [
        ("swap-delete", 4),
        ("swap-delete", 6),
        ("ours", 4),
        ("ours", 6),
    ]
    assert thresholds["threshold"].to_list() == [10, 25, 10, 25]
    assert (limits["iloss"] <= limits["limit"]).all()
    # P3's threshold leaves out exactly the rows with few candidates.
    few = survey.candidates(people, 4) <= survey.scaled_threshold(people, 25)
    kept = thresholds.filter(pipeline="swap-delete", threshold=25)["kept"].item()
    assert kept == pytest.approx(1 - few.mean())


def test_a_release_of_almost_nobody_has_no_odds_and_is_over_the_limits(people):
    line = p3_limits.swept(people, {"swap-delete": [(2, 25)]}, 7, lambda _: None).row(0, named=True)
    assert line["or_max"] is None
    assert line["or_max_used"] is None
    assert line["kept_used"] > 1
    assert not line["within"]
