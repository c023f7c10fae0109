"""The synthetic household survey: its shape, its resemblance to the contest's data, its reproducibility."""

from __future__ import annotations

import hashlib
import subprocess
import sys

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from icefire import samples
from icefire.core.errors import ParameterError, UnknownNameError
from icefire.samples import draw, households
from icefire.samples.households import DEFAULT_ROWS, QI, SA

VALUES = {
    "region": {"metro", "other"},
    "members": {2, 3, 4, 5, 6},
    "workers": {1, 2, 3, 4},
    "dwelling": {"detached", "terrace", "apartment"},
    "tenure": {"owner", "renter"},
    "head_sex": {1, 2},
    "head_age": set(range(20, 80, 5)),
    "employment": {"private", "public", "self"},
    "industry": {1, 2, 3, 4, 5, 6},
    "firm_size": {1, 2, 3, 4},
    "spouse_work": {0, 1, 2},
    "children": {0, 1, 2, 3},
    "seniors": {0, 1, 2},
}


@pytest.fixture(scope="module")
def data() -> pl.DataFrame:
    return households.frame()


@pytest.fixture
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(draw, "CHUNK_ROWS", 64)
    return 64


def class_sizes(data: pl.DataFrame, columns: tuple[str, ...]) -> pl.Series:
    return data.group_by(columns).len()["len"]


def mean_where(data: pl.DataFrame, column: str, condition: pl.Expr) -> float:
    return float(data.filter(condition)[column].mean())  # type: ignore[arg-type]


# --- Shape ---


def test_the_default_sample_has_8333_rows_and_13_plus_12_columns(data: pl.DataFrame) -> None:
    assert data.shape == (8333, 25)
    assert data.columns == [*QI, *SA]
    assert (len(QI), len(SA)) == (13, 12)


def test_the_column_with_most_zeros_is_the_21st(data: pl.DataFrame) -> None:
    zeros = [(data[name] == 0).mean() for name in SA]
    assert data.columns[20] == SA[7] == "tuition"
    assert int(np.argmax(zeros)) == 7  # type: ignore[arg-type]


def test_the_types_are_compact(data: pl.DataFrame) -> None:
    texts = {name for name, dtype in data.schema.items() if dtype == pl.String}
    assert texts == {"region", "dwelling", "tenure", "employment"}
    assert {data.schema[name] for name in QI if name not in texts} == {pl.Int8()}
    assert {data.schema[name] for name in SA} == {pl.Int32()}


def test_nothing_is_missing(data: pl.DataFrame) -> None:
    assert sum(data.null_count().row(0)) == 0


@pytest.mark.parametrize("name", QI)
def test_a_quasi_identifier_takes_exactly_its_documented_values(data: pl.DataFrame, name: str) -> None:
    assert set(data[name].unique()) == VALUES[name]


@pytest.mark.parametrize("name", SA)
def test_amounts_are_skewed_and_not_negative(data: pl.DataFrame, name: str) -> None:
    assert data[name].min() >= 0  # type: ignore[operator]
    assert data[name].mean() > data[name].median()  # type: ignore[operator]
    assert data[name].max() <= 9_999_999  # type: ignore[operator]


def test_every_household_is_possible(data: pl.DataFrame) -> None:
    spouse = (pl.col("spouse_work") > 0).cast(pl.Int8)
    earning_spouse = (pl.col("spouse_work") == 2).cast(pl.Int8)
    possible = data.select(
        room=pl.col("members") >= 1 + spouse + pl.col("children"),
        adults_earn=pl.col("workers") <= pl.col("members") - pl.col("children"),
        earners=pl.col("workers") >= 1 + earning_spouse,
        ages=pl.col("children") + pl.col("seniors") <= pl.col("members"),
        old_head=(pl.col("head_age") < 65) | (pl.col("seniors") >= 1),
        office=(pl.col("firm_size") == 4) == (pl.col("employment") == "public"),
        government=(pl.col("industry") != 6) | (pl.col("employment") == "public"),
    )
    assert possible.select(pl.all().all()).row(0) == (True,) * possible.width


# --- Resemblance to the data of PWSCUP 2015 ---


def test_the_mean_class_has_1_88_households_and_the_smallest_one(data: pl.DataFrame) -> None:
    sizes = class_sizes(data, QI)
    assert DEFAULT_ROWS / len(sizes) == pytest.approx(1.88, abs=0.1)
    assert sizes.min() == 1


def test_a_hundred_random_rows_hold_about_97_distinct_households(data: pl.DataFrame) -> None:
    rng = np.random.default_rng(1)
    picks = [rng.choice(DEFAULT_ROWS, 100, replace=False) for _ in range(200)]
    distinct = [data.select(QI)[pick].n_unique() for pick in picks]
    assert np.mean(distinct) == pytest.approx(97, abs=1)
    assert 95 <= data.select(QI).head(100).n_unique() <= 99


def test_the_cross_table_of_the_first_six_columns_has_well_filled_cells(data: pl.DataFrame) -> None:
    cells = class_sizes(data, QI[:6])
    assert 25 <= DEFAULT_ROWS / len(cells) <= 50


def test_three_in_four_pay_no_tuition_and_nearly_all_pay_the_rest(data: pl.DataFrame) -> None:
    zeros = {name: (data[name] == 0).mean() for name in SA}
    assert zeros.pop("tuition") == pytest.approx(0.76, abs=0.02)
    assert max(zeros.values()) < 0.06  # type: ignore[type-var, operator]


def test_spending_tells_households_apart(data: pl.DataFrame) -> None:
    assert data.select(SA).n_unique() == DEFAULT_ROWS
    assert data.select(pl.sum_horizontal(SA)).n_unique() > 0.98 * DEFAULT_ROWS


def test_most_amounts_are_moderately_correlated_and_none_is_a_sum_of_others(data: pl.DataFrame) -> None:
    amounts = data.select(SA).to_numpy().astype(float)
    pairs = np.corrcoef(amounts.T)[np.triu_indices(len(SA), 1)]
    assert np.mean((pairs > 0.1) & (pairs < 0.6)) > 0.75
    assert np.abs(pairs).max() < 0.7
    assert np.linalg.cond(amounts / amounts.std(axis=0)) < 100  # an exact sum would make it about 1e15


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_other_seeds_resemble_the_contest_as_well(seed: int) -> None:
    other = households.frame(seed=seed)
    assert DEFAULT_ROWS / len(class_sizes(other, QI)) == pytest.approx(1.88, abs=0.1)
    assert (other["tuition"] == 0).mean() == pytest.approx(0.76, abs=0.02)


# --- Dependence: who spends more on what ---


@pytest.mark.parametrize(
    ("column", "more", "less"),
    [
        ("medical", pl.col("head_age") >= 60, pl.col("head_age") < 40),
        ("housing", pl.col("tenure") == "renter", pl.col("tenure") == "owner"),
        ("food", pl.col("members") >= 5, pl.col("members") == 2),
        ("utilities", pl.col("tenure") == "owner", pl.col("tenure") == "renter"),
        ("tuition", pl.col("children") > 0, pl.col("children") == 0),
        ("transport", pl.col("workers") >= 3, pl.col("workers") == 1),
        ("recreation", pl.col("firm_size") == 3, pl.col("firm_size") == 1),
    ],
)
def test_these_households_spend_more(data: pl.DataFrame, column: str, more: pl.Expr, less: pl.Expr) -> None:
    assert mean_where(data, column, more) > 1.1 * mean_where(data, column, less)


@pytest.mark.parametrize(
    ("event", "more", "less"),
    [
        (pl.col("tenure") == "owner", pl.col("head_age") >= 45, pl.col("head_age") < 35),
        (pl.col("dwelling") == "apartment", pl.col("region") == "metro", pl.col("region") == "other"),
        (pl.col("employment") == "self", pl.col("head_age") >= 60, pl.col("head_age") < 60),
        (pl.col("spouse_work") == 0, pl.col("head_sex") == 2, pl.col("head_sex") == 1),
    ],
)
def test_these_households_more_often_are(data: pl.DataFrame, event: pl.Expr, more: pl.Expr, less: pl.Expr) -> None:
    share = data.select(more=event.filter(more).mean(), less=event.filter(less).mean())
    assert share["more"][0] > share["less"][0] + 0.1


# --- Reproducibility ---


def test_the_first_rows_never_change() -> None:
    # Printed once. If this fails, every figure made from the sample changes: say so in the changelog.
    first, second = households.frame(2).rows()
    assert first[:13] == ("metro", 4, 1, "detached", "owner", 1, 40, "private", 2, 3, 1, 2, 0)
    assert first[13:] == (52839, 18652, 12745, 4493, 7918, 3192, 5789, 35951, 16764, 23787, 10785, 3125)
    assert second[:13] == ("other", 4, 2, "detached", "owner", 1, 40, "private", 2, 2, 2, 2, 0)
    assert second[13:] == (80804, 14292, 23394, 5921, 10977, 4532, 34091, 9298, 26315, 34351, 33384, 0)
    digest = hashlib.sha256(households.frame(1000).write_csv().encode()).hexdigest()
    assert digest == "ae1cbecbe7447ba3c2539ab596e616054775a854605952d74818d5ccbaeae8c9"


def test_the_same_seed_gives_the_same_bytes(data: pl.DataFrame) -> None:
    assert households.frame().equals(data, null_equal=False)


def test_another_seed_gives_other_households(data: pl.DataFrame) -> None:
    other = households.frame(seed=households.DEFAULT_SEED + 1)
    assert all((other[name] != data[name]).any() for name in data.columns)
    assert (other["food"] == data["food"]).mean() < 0.01  # type: ignore[operator]


@pytest.mark.parametrize("n", [1, 63, 64, 65, 128, 130])
def test_fewer_rows_are_a_prefix_of_more_rows(small_chunks: int, n: int) -> None:
    longer = households.frame(200)
    assert households.frame(n).equals(longer.head(n))


@settings(max_examples=25, deadline=None)
@given(n=st.integers(1, 400), seed=st.integers(0, 2**70))
def test_any_seed_and_size_keep_the_prefix(n: int, seed: int) -> None:
    assert households.frame(n, seed).equals(households.frame(400, seed).head(n))


def test_the_prefix_holds_across_real_chunks() -> None:
    border = draw.CHUNK_ROWS
    longer = households.frame(2 * border + 5)
    assert longer.n_chunks() == 3
    assert households.frame(border + 3).equals(longer.head(border + 3))
    assert not longer[:border].equals(longer[border : 2 * border])


def test_chunks_are_full_but_the_last(small_chunks: int) -> None:
    assert [len(chunk) for chunk in households.chunks(150)] == [64, 64, 22]
    assert [len(chunk) for chunk in households.chunks(128)] == [64, 64]


def test_chunks_put_together_are_the_frame(small_chunks: int) -> None:
    assert pl.concat(households.chunks(150)).equals(households.frame(150))


# --- Drawing categories ---


def test_a_category_of_weight_zero_is_never_drawn() -> None:
    lines = np.array([0, 1] * 500)
    codes = draw.Draws(seed=0, chunk=0, rows=1000).category(((1, 0, 0), (0, 3, 3)), lines)
    assert set(codes[lines == 0]) == {0}
    assert set(codes[lines == 1]) == {1, 2}


def test_categories_follow_their_weights() -> None:
    # 1 : 2 : 1 of 10,000; three standard deviations are at most 150.
    codes = draw.Draws(seed=0, chunk=0, rows=10_000).category((1, 2, 1))
    assert np.bincount(codes) == pytest.approx([2500, 5000, 2500], abs=150)


def test_every_column_and_chunk_has_its_own_numbers() -> None:
    first = draw.Draws(seed=0, chunk=0, rows=4)
    columns = [first.uniform(), first.uniform(), draw.Draws(seed=0, chunk=1, rows=4).uniform()]
    assert len({tuple(column) for column in columns}) == 3


# --- Wrong use, and finding samples by name ---


@pytest.mark.parametrize("n", [0, -5])
def test_a_sample_without_rows_is_refused_at_once(n: int) -> None:
    with pytest.raises(ParameterError, match=f"a sample of {n} rows cannot be made"):
        households.chunks(n)
    with pytest.raises(ParameterError, match="ask for at least 1"):
        households.frame(n)


def test_a_negative_seed_is_refused() -> None:
    with pytest.raises(ParameterError, match="the seed is -1"):
        households.chunks(10, seed=-1)


def test_samples_are_found_by_name() -> None:
    assert "households" in samples.available()
    assert samples.available() == sorted(samples.available())
    assert samples.load("households") is households


def test_every_available_sample_offers_the_same_names() -> None:
    for name in samples.available():
        module = samples.load(name)
        assert {"DEFAULT_ROWS", "DEFAULT_SEED", "chunks", "frame"} <= set(dir(module))


def test_an_unknown_sample_is_answered_with_the_known_ones() -> None:
    with pytest.raises(UnknownNameError, match=r"no sample is called 'xyz'; allowed: .*households"):
        samples.load("xyz")


def test_listing_the_samples_imports_none_of_them() -> None:
    code = "import sys; from icefire import samples; samples.available(); print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "icefire.samples" in run.stdout.split()
    assert "icefire.samples.households" not in run.stdout.split()
