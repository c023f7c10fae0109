"""The synthetic health survey: its shape, its resemblance to the contest's data, its reproducibility."""

from __future__ import annotations

import hashlib

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.places import DATA

import icefire
from icefire import samples
from icefire.core.errors import ParameterError
from icefire.regression import fit, parse
from icefire.samples import draw, survey, writing
from icefire.samples.survey import COLUMNS, DEFAULT_ROWS, QI, SA

B = DATA / "pwscup2021_nhanes" / "B.csv"
VALUES = {
    "gen": {"Female", "Male"},
    "race": {"Black", "Hispanic", "Mexican", "Other", "White"},
    "edu": {"9th", "11th", "HighSchool", "College", "Graduate"},
    "mar": {"Divorced", "Married", "Never", "Parther", "Separated", "Widowed"},
    "dep": {0, 1},
    "pir": {0, 1},
    "gh": {0},
    "mets": {0},
    "qm": {"Q1", "Q2", "Q3", "Q4"},
    "dia": {0, 1},
}
COUNTED = ("gen", "race", "edu", "mar", "dep", "pir", "qm", "dia")


@pytest.fixture(scope="module")
def data() -> pl.DataFrame:
    return survey.frame()


@pytest.fixture(scope="module")
def contest() -> pl.DataFrame:
    if not B.is_file():
        pytest.skip("the shared data (../shared/data/pwscup2021_nhanes) is not here")
    return pl.read_csv(B, has_header=False, new_columns=list(COLUMNS))


def candidates(frame: pl.DataFrame, most: int = 4) -> np.ndarray:
    """Count for every row the others within reach: ages, indices and number of unequal categories at most 4."""
    age, bmi = (frame[name].to_numpy() for name in ("age", "bmi"))
    codes = np.stack([frame[name].cast(pl.String).rank("dense").to_numpy() for name in COUNTED])
    counts = []
    for row in range(frame.height):
        near = np.flatnonzero((abs(age - age[row]) <= most) & (abs(bmi - bmi[row]) <= most + 1e-9))
        counts.append(((codes[:, near] != codes[:, [row]]).sum(axis=0) <= most).sum() - 1)
    return np.array(counts)


# --- Shape ---


def test_the_default_sample_has_the_contests_shape(data):
    assert data.shape == (4190, 12)
    assert data.columns == list(COLUMNS)
    assert {*QI, *SA} == set(COLUMNS) - {"gh", "mets"}  # which are always 0


@pytest.mark.parametrize("name", VALUES)
def test_a_column_takes_exactly_its_documented_values(data, name):
    assert set(data[name].unique()) == VALUES[name]


def test_ages_and_indices_lie_where_the_contest_has_them(data):
    assert data["age"].dtype == data["bmi"].dtype == pl.Float64
    assert (data["age"].min(), data["age"].max()) == (20, 80)
    assert (data["age"] == data["age"].round()).all()
    assert data["bmi"].min() >= 14
    assert data["bmi"].max() <= 70
    assert (data["bmi"] == data["bmi"].round(1)).all()


def test_nothing_is_missing_and_hardly_anybody_occurs_twice(data):
    assert sum(data.null_count().row(0)) == 0
    assert data.n_unique() > 0.99 * DEFAULT_ROWS


# --- Resemblance ---


@pytest.mark.parametrize("name", COUNTED)
def test_shares_are_near_those_of_the_contest(data, contest, name):
    ours = dict(data[name].value_counts(normalize=True).rows())
    theirs = dict(contest[name].value_counts(normalize=True).rows())
    assert ours.keys() == theirs.keys()
    assert max(abs(ours[value] - theirs[value]) for value in ours) < 0.025


@pytest.mark.parametrize("name", ["age", "bmi"])
def test_numbers_lie_as_those_of_the_contest(data, contest, name):
    for share in (0.05, 0.25, 0.5, 0.75, 0.95):
        assert data[name].quantile(share) == pytest.approx(contest[name].quantile(share), rel=0.05)
    assert data[name].mean() == pytest.approx(contest[name].mean(), rel=0.02)
    assert data[name].std() == pytest.approx(contest[name].std(), rel=0.05)


def test_no_row_was_taken_from_the_contest(contest):
    # A few of a hundred thousand rows agree by chance; a copy would make all of them.
    rows = survey.frame(100_000, seed=1).with_columns(pl.col("dep", "pir", "gh", "mets", "dia").cast(pl.Int64))
    assert rows.join(contest.unique(), on=list(COLUMNS), how="semi").height < 300


def test_a_record_has_about_as_many_others_within_reach_as_in_the_contest(data):
    found = candidates(data)
    assert 120 / 1.5 < np.median(found) < 120 * 1.5  # there: 120
    assert 296 / 1.5 < (found <= 25).sum() < 296 * 1.5  # there: 296
    assert (found == 0).sum() < 30  # there: 11


def test_about_as_many_people_are_unique(data):
    tens = [(pl.col(name) / 10).round(mode="half_to_even") for name in ("age", "bmi")]
    keys = data.select("gen", tens[0], "race", "edu", "mar", tens[1], "dep", "pir", "qm")
    alone = (keys.group_by(pl.all()).len()["len"] == 1).sum()
    assert alone == pytest.approx(2900, rel=0.1)  # there: 2,900


def test_odds_of_diabetes_rise_with_age_and_weight_as_in_the_contest():
    found = fit(survey.frame(100_000), parse("dia ~ gen + age + race + edu + mar + bmi + dep + pir + qm", COLUMNS))
    ratios = dict(zip(found.labels, found.odds_ratios.tolist(), strict=True))
    # Beside it what the same model finds in the contest's data.
    for label, there in {"age": 1.058, "bmi": 1.102, "gen=Male": 1.497, "race=White": 0.439, "qm=Q4": 0.670}.items():
        assert ratios[label] == pytest.approx(there, rel=0.1)


@pytest.mark.parametrize(
    ("event", "more", "less"),
    [
        (pl.col("mar") == "Widowed", pl.col("age") >= 70, pl.col("age") < 50),
        (pl.col("mar") == "Never", pl.col("age") < 30, pl.col("age") >= 40),
        (pl.col("pir") == 1, pl.col("edu") == "9th", pl.col("edu") == "Graduate"),
        (pl.col("edu") == "Graduate", pl.col("race") == "Other", pl.col("race") == "Mexican"),
        (pl.col("qm") == "Q1", pl.col("age") == 80, pl.col("age") < 40),
        (pl.col("dep") == 1, pl.col("pir") == 1, pl.col("pir") == 0),
        (pl.col("bmi") > 30, pl.col("race") == "Black", pl.col("race") == "Other"),
    ],
)
def test_these_people_more_often_are(event, more, less):
    share = survey.frame(20_000).select(more=event.filter(more).mean(), less=event.filter(less).mean())
    assert share["more"][0] > share["less"][0] + 0.05


# --- Reproducibility ---


def test_the_first_rows_never_change():
    # Printed once. If this fails, every figure made from the sample changes: say so in the changelog.
    digest = hashlib.sha256(survey.frame(1000).write_csv().encode()).hexdigest()
    assert survey.frame(1).row(0) == ("Male", 47, "Hispanic", "HighSchool", "Never", 25.3, 1, 0, 0, 0, "Q4", 0)
    assert digest == "f599e0da333373ad887724b3ad3dd1ba7848e8b5cc32850dea613109a0810d92"


def test_another_seed_gives_other_people(data):
    other = survey.frame(seed=survey.DEFAULT_SEED + 1)
    assert (other["bmi"] == data["bmi"]).mean() < 0.05


@settings(max_examples=25, deadline=None)
@given(n=st.integers(1, 400), seed=st.integers(0, 2**70))
def test_fewer_rows_are_a_prefix_of_more_rows(n, seed):
    assert survey.frame(n, seed).equals(survey.frame(400, seed).head(n))


def test_the_prefix_holds_across_chunks(monkeypatch):
    monkeypatch.setattr(draw, "CHUNK_ROWS", 64)
    assert [len(chunk) for chunk in survey.chunks(150)] == [64, 64, 22]
    assert survey.frame(100).equals(survey.frame(150).head(100))


# --- Use ---


def test_a_sample_without_rows_is_refused_at_once():
    with pytest.raises(ParameterError, match="a sample of 0 rows cannot be made"):
        survey.chunks(0)


def test_it_is_found_by_name_and_read_with_its_roles():
    assert "survey" in samples.available()
    read = icefire.sample("survey", 50)
    assert read.qi == QI
    assert read.sa == SA


def test_it_is_written_with_its_roles(tmp_path):
    path = writing.write("survey", tmp_path / "out", 100, 7, "csv", False)
    data = icefire.read(path, schema=tmp_path / "out" / "schema.toml")
    assert data.frame.equals(survey.frame(100, 7).with_columns(pl.col(pl.Int8).cast(pl.Int64)))
    assert (data.qi, data.sa) == (QI, SA)
    assert path.read_text().splitlines()[1].split(",")[1].endswith(".0")  # an age as the contest writes it
