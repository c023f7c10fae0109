"""The studies of purchase histories, on the synthetic shop with hardly any annealing, and the arithmetic by hand."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from rich.console import Console
from support.commands import run_icefire
from support.history_tables import CONTEST, sets

from icefire import studies
from icefire.core.errors import InputError, ParameterError
from icefire.io.marker import MARKER
from icefire.methods.histories.clustering import minimal
from icefire.studies import euclidean, p1_clusters, p1_dummies, p1_optimum, p1_utility, printed, shop, shop_plots
from icefire.studies.result import Part, StudyResult
from icefire.studies.shop import ClusterSetting

STUDIES = ("p1-clusters", "p1-dummies", "p1-optimum", "p1-utility")
SMALL = 120


@pytest.fixture(scope="module", autouse=True)
def little_work() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(minimal, "TRIES_PER_SUBJECT", 500)
        for study in (p1_clusters, p1_dummies, p1_optimum):
            patch.setattr(study, "RUNS", 2)
        patch.setattr(p1_utility, "RUNS", dict.fromkeys(p1_utility.RUNS, 1))
        patch.setattr(p1_utility, "CLUSTERS", (25, 100, 200))
        patch.setattr(p1_dummies, "IN_FIGURES", (25, 50, 125, 200))
        patch.setattr(p1_optimum, "CLUSTERS", (25, 50, 69, 100))
        yield


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, StudyResult]:
    """With as many customers as the paper, so that printed figures stand beside ours."""
    folder = tmp_path_factory.mktemp("studies")
    return {name: studies.run_study(name, folder / name, rows=None, seed=7) for name in STUDIES}


def csv(result, name: str) -> pl.DataFrame:
    return pl.read_csv(result.folder / f"{name}.csv")


def said(result) -> str:
    console = Console(file=io.StringIO(), width=80)
    result.show(console)
    return console.file.getvalue()


# --- which data ------------------------------------------------------------------------------------------------


@pytest.fixture
def contest_folder(tmp_path: Path) -> Path:
    """The synthetic shop in the contest's form: two files without a header."""
    history = shop.history(SMALL, 3, None)
    folder = tmp_path / "contest"
    folder.mkdir()
    people = history.customers.select("customer", "sex", pl.lit("1990/1/1"), "country")
    people.write_csv(folder / "M.csv", include_header=False)
    columns = ("customer", "receipt", "date", "time", "goods", "price", "number")
    history.frame.select(columns).write_csv(folder / "T.csv", include_header=False)
    return folder


def test_the_contests_files_are_read_from_a_folder(contest_folder, tmp_path):
    result = studies.run_study("p1-clusters", tmp_path / "out", rows=None, seed=3, data=contest_folder)
    text = (result.folder / "README.md").read_text(encoding="utf-8")
    assert f"Data: the contest's files M.csv and T.csv: {SMALL} customers" in text
    assert f"icefire study p1-clusters --data {contest_folder} --seed 3" in text
    synthetic = p1_clusters.parts(SMALL, 3, lambda _: None)
    assert "Data: the synthetic shop" in synthetic[0].conclusion
    assert result.parts[1].table.equals(synthetic[1].table)


def test_a_folder_without_the_files_is_refused_by_name(contest_folder, tmp_path):
    (contest_folder / "T.csv").unlink()
    with pytest.raises(InputError, match=r"no file T\.csv in .* name the folder with M\.csv and T\.csv"):
        studies.run_study("p1-clusters", tmp_path / "out", rows=None, seed=7, data=contest_folder)
    assert not (tmp_path / "out").exists()


def test_data_are_refused_where_a_study_takes_none_or_rows_are_asked_for_too(contest_folder, tmp_path, capsys):
    done = run_icefire(capsys, "study", "p0-attacks", "--data", contest_folder, "-o", tmp_path / "out")
    assert done.code == 2
    assert "p0-attacks draws its own sample and takes no --data" in done.err
    assert "p1-clusters" in done.err
    with pytest.raises(ParameterError, match="give only one"):
        studies.run_study("p1-clusters", tmp_path / "out", rows=200, seed=7, data=contest_folder)


def test_too_few_customers_are_refused_with_a_number_that_works():
    with pytest.raises(ParameterError, match="rows=100 or more"):
        shop.history(20, 7, None)


def test_the_real_data_are_those_of_table_3():
    if not CONTEST.is_dir():
        pytest.skip("the shared data (../shared/data/pwscup2016) is not here")
    part = shop.data_part(shop.history(None, 7, CONTEST), CONTEST)
    here = dict(part.table.select("figure", "here").iter_rows())
    assert {name: here[name] for name in ("customers", "rows", "receipts", "goods")} == {
        name: printed.P1_TABLE_3[name] for name in ("customers", "rows", "receipts", "goods")
    }
    assert round(here["mean Jaccard"], 2) == 0.03
    assert round(here["largest Jaccard"], 2) == 0.40


# --- what is written and shown ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", STUDIES)
def test_files_readme_and_pictures_are_there(results, name):
    result = results[name]
    assert sorted(path.name for path in result.folder.iterdir() if path.name != MARKER) == sorted(result.files)
    assert any(file.endswith(".png") for file in result.files)
    text = (result.folder / "README.md").read_text(encoding="utf-8")
    assert "Data: the synthetic shop: 400 customers" in text
    assert f"icefire study {name} --seed 7" in text


@pytest.mark.parametrize("name", STUDIES)
def test_the_tables_shown_fit_eighty_columns_and_nothing_is_cut(results, name):
    text = said(results[name])
    assert max(len(line.rstrip()) for line in text.splitlines()) <= 80
    assert "…" not in text


def test_the_same_seed_gives_the_same_bytes(tmp_path):
    first, again = (
        studies.run_study("p1-clusters", tmp_path / name, rows=SMALL, seed=5) for name in ("first", "again")
    )
    assert first.files == again.files
    for file in first.files:
        assert (first.folder / file).read_bytes() == (again.folder / file).read_bytes(), file


@pytest.mark.parametrize("name", STUDIES)
def test_a_smaller_shop_gives_the_same_tables_again_and_nothing_printed_beside_them(name):
    first, again = (studies.load(name).parts(SMALL, 5, lambda _: None) for _ in range(2))
    assert all(left.table.equals(right.table) for left, right in zip(first, again, strict=True))
    assert all(part.table[column].null_count() == part.table.height for part, column in _printed(first))


def _printed(parts: list[Part]) -> list[tuple[Part, str]]:
    """Columns with figures that only 400 customers can be compared with."""
    return [(part, column) for part in parts for column in part.table.columns if column.endswith("_printed")]


def test_clusters_are_scaled_to_the_number_of_customers():
    assert [shop.scaled_clusters(c, 400) for c in (25, 69, 200)] == [25, 69, 200]
    assert [shop.scaled_clusters(c, 120) for c in (25, 100, 200)] == [8, 30, 60]
    assert shop.scaled_clusters(1, 100) == 1


# --- figures from clusters -------------------------------------------------------------------------------------


def test_figures_of_clusters_by_hand():
    # Clusters {ab, abc} and {d, e}; one customer bought nothing. Unions abc and de: 1 + 0 + 1 + 1 dummies. abc fits the
    # second customer alone, who is right for himself; de fits d and e equally, one of two for both; whoever bought
    # nothing may be anybody, one of five: 1 + 1/2 + 1/2 + 1/5.
    held = sets("ab", "abc", "d", "e", "").baskets
    found = shop.evaluate(held, np.array([0, 0, 1, 1, -1]))
    assert found.dummies == 3
    assert found.sizes.tolist() == [2, 2]
    assert found.jaccard == pytest.approx(2.2 / 5)
    assert found.drawn == pytest.approx(2 / 5)


def test_a_customer_of_another_cluster_may_fit_better():
    # Clusters {a, b, c} and {abcd}: the union abc of the first is most like abcd of the second, so nobody of the first
    # is found; abcd finds himself.
    found = shop.evaluate(sets("a", "b", "c", "abcd").baskets, np.array([0, 0, 0, 1]))
    assert found.jaccard == pytest.approx(1 / 4)
    assert found.drawn == pytest.approx(2 / 4)


def test_figures_of_clusters_are_those_of_the_release():
    history, cell = shop.history(SMALL, 7, None), ClusterSetting("balanced", 20, 6)
    released = shop.release_figures(history, cell, 7)
    assert released["random"] == pytest.approx(20 / SMALL)
    assert 0 < released["Jaccard"] <= released["random"] + 1e-12
    assert min(released[code] for code in ("Δm", "U1", "U2")) > 0
    assert released == shop.release_figures(history, cell, 7)


def test_the_same_run_starts_every_method_from_the_same_draws():
    held = shop.history(SMALL, 7, None).baskets
    tfidf, balanced = (
        shop.cluster(held, ClusterSetting(*cell), 7, 0) for cell in (("tfidf", 20, None), ("balanced", 20, 1))
    )
    assert tfidf.tolist() == balanced.tolist()
    assert tfidf.tolist() != shop.cluster(held, ClusterSetting("tfidf", 20), 7, 1).tolist()


def test_euclidean_clusters_gather_small_sets_whatever_is_in_them():
    # Squared distances: 6 between the large sets, which share most goods; 2 between l, m and n, which share nothing; 9
    # between a large and a small one. With the centres a large, a large, a small one the small ones are together.
    held = sets("abcdefgh", "abcdeijk", "l", "m", "n", "").baskets
    starts = (np.random.default_rng(seed) for seed in range(40))
    found = [euclidean.labels(held, 3, rng).tolist() for rng in starts]
    assert all(labels[5] == -1 for labels in found)
    assert [0, 1, 2, 2, 2, -1] in found


def test_euclidean_clusters_are_those_of_the_slow_way():
    held = shop.history(100, 7, None).baskets
    labels = euclidean.labels(held, 10, np.random.default_rng(2))
    rows = np.zeros((held.subjects, held.goods))
    rows[held.owners, held.items] = 1
    centres = np.array([rows[labels == cluster].mean(axis=0) for cluster in range(labels.max() + 1)])
    distances = ((rows[:, None, :] - centres[None]) ** 2).sum(axis=2)
    assert (distances[np.arange(len(rows)), labels] <= distances.min(axis=1) + 1e-9).all()


# --- p1-clusters -----------------------------------------------------------------------------------------------


def test_table_6_has_the_printed_sizes_beside_ours(results):
    table = csv(results["p1-clusters"], "table6").filter(c=50)
    assert table["method"].to_list() == list(shop.METHODS)
    by_method = {line["method"]: line for line in table.to_dicts()}
    assert (by_method["simple"]["largest_printed"], by_method["simple"]["singletons_printed"]) == (211, 33)
    assert (by_method["tfidf"]["largest_printed"], by_method["balanced"]["largest_printed"]) == (32, 16)
    assert by_method["tfidf"]["dummies_printed"] == 182_897
    assert by_method["minimal"]["largest_printed"] is None


def test_balance_takes_monopoly_and_singletons_away(results):
    table = csv(results["p1-clusters"], "table6").filter(c=50)
    by_method = {line["method"]: line for line in table.to_dicts()}
    assert by_method["euclidean"]["largest"] > by_method["tfidf"]["largest"] > by_method["balanced"]["largest"]
    assert by_method["euclidean"]["singletons"] > 10
    assert by_method["balanced"]["singletons"] == by_method["minimal"]["singletons"] == 0
    assert by_method["minimal"]["dummies"] < by_method["balanced"]["dummies"] < by_method["tfidf"]["dummies"]
    assert (table["monopoly"] * 400 - table["largest"]).abs().max() < 1e-6


def test_the_histogram_counts_every_customer_once(results):
    sizes = csv(results["p1-clusters"], "sizes")
    customers = sizes.group_by("method", "c").agg((pl.col("size") * pl.col("clusters")).sum().alias("all"))
    assert customers["all"].to_list() == pytest.approx([400] * customers.height)


@pytest.mark.parametrize(
    ("size", "name"), [(1, "1"), (2, "2"), (3, "3–4"), (4, "3–4"), (5, "5–8"), (8, "5–8"), (9, "9–16")]
)
def test_classes_of_sizes_double(size, name):
    assert shop_plots._class_name(int(shop_plots._size_class(np.array([size]))[0])) == name


# --- p1-dummies ------------------------------------------------------------------------------------------------


def test_table_8_has_every_printed_figure_beside_ours(results):
    table = csv(results["p1-dummies"], "table8")
    found = {
        (line["method"], line["c"], line["s_min"]): (
            line["dummies_printed"],
            line["jaccard_printed"],
            line["random_printed"],
        )
        for line in table.drop_nulls("dummies_printed").to_dicts()
    }
    other_reading = {("smallest_first", *key[1:]): value for key, value in found.items() if key[0] == "balanced"}
    assert found == printed.P1_TABLE_8 | other_reading
    assert "from the printed figures of Method 2: balanced " in " ".join(said(results["p1-dummies"]).split())
    balanced = table.filter(method="balanced", c=50)
    assert balanced["s_min"].to_list() == [2, 3, 4, 5, 6, 7, 8]


def test_ours_needs_fewest_dummies_and_more_clusters_need_fewer(results):
    figures = csv(results["p1-dummies"], "figures")
    by_method = {name: figures.filter(method=name).sort("c") for name in shop.METHODS}
    assert (by_method["minimal"]["dummies"] < by_method["balanced"]["dummies"]).all()
    assert (by_method["balanced"]["dummies"] < by_method["tfidf"]["dummies"]).all()
    for method in ("tfidf", "balanced", "minimal"):
        assert by_method[method]["dummies"].is_sorted(descending=True)
    assert by_method["simple"]["dummies_printed"].to_list()[0] == printed.P1_FIGURE_10[1]


def test_a_larger_least_size_needs_fewer_dummies(results):
    table = csv(results["p1-dummies"], "table8").filter(method="balanced", c=50).sort("s_min")
    assert table["dummies"][-1] < table["dummies"][0]


def test_no_jaccard_rate_is_above_clusters_over_customers(results):
    for name in ("table8", "figures"):
        table = csv(results["p1-dummies"], name)
        assert (table["jaccard"] <= table["random"] + 1e-9).all()
        assert (table["random"] <= table["c"] / 400 + 1e-9).all()
    too_high = csv(results["p1-dummies"], "table8").drop_nulls("jaccard_printed")
    assert (too_high["jaccard_printed"] > too_high["c"] / 400).all()


def test_ours_is_run_often_where_the_paper_prints_a_figure():
    table, figures = p1_dummies.in_table(400), p1_dummies.in_figures(400)
    assert [cell for cell in table if cell.method == "minimal"] == [
        ClusterSetting("minimal", 50, 8),
        ClusterSetting("minimal", 100, 4),
        ClusterSetting("minimal", 125, 3),
    ]
    assert table[ClusterSetting("minimal", 50, 8)] == p1_dummies.RUNS
    assert figures[ClusterSetting("minimal", 200, 2)] == p1_dummies.RUNS_OF_MINIMAL
    assert ClusterSetting("tfidf", 125) in figures


# --- p1-utility ------------------------------------------------------------------------------------------------


def test_table_7_stands_beside_the_printed_one(results):
    table = csv(results["p1-utility"], "table7")
    assert {
        (a, b): value for a, b, value in table.select("figure", "with", "printed").iter_rows()
    } == printed.P1_TABLE_7
    assert len(printed.P1_TABLE_7) == 7 * 8 // 2
    here = {(a, b): value for a, b, value in table.select("figure", "with", "here").iter_rows()}
    assert all(here[name, name] == pytest.approx(1) for name in printed.P1_FIGURES)
    assert here["U1", "Δm"] > 0.5
    assert here["c", "Δm"] < -0.5
    assert here["c", "random"] > 0.99


def test_correlations_by_hand():
    # Δm 1, 2, 3 and U1 1, 3, 2: deviations (-1, 0, 1) and (-1, 1, 0), products 1, squares 2 and 2: r = 1/2.
    frame = pl.DataFrame({name: [1.0, 2.0, 3.0] for name in printed.P1_FIGURES}).with_columns(
        U1=pl.Series([1.0, 3.0, 2.0]), U3=pl.lit(5.0), c=pl.Series([3, 2, 1])
    )
    found = p1_utility.correlations(frame)
    at = printed.P1_FIGURES.index
    assert found[at("Δm"), at("U1")] == pytest.approx(0.5)
    assert found[at("Δm"), at("c")] == pytest.approx(-1)
    assert np.isnan(found[at("Δm"), at("U3")])


# --- p1-optimum ------------------------------------------------------------------------------------------------


def test_the_papers_best_c_is_found(results):
    text = said(results["p1-optimum"])
    assert "69 for the paper's counts (printed 69)" in text
    curve = csv(results["p1-optimum"], "curves").filter(curve="paper")
    assert curve.sort("total")["c"][0] == 69
    assert round(curve["dummies"][0]) == printed.P1_FIGURE_14["scale"]


def test_the_best_c_of_the_real_data_is_68():
    if not CONTEST.is_dir():
        pytest.skip("the shared data (../shared/data/pwscup2016) is not here")
    history = shop.history(None, 7, CONTEST)
    curve = p1_optimum.theory.curve(history.subjects, history.height, len(history.goods))
    assert curve.best == 68
    assert round(curve.dummies[49]) == 229_122


def test_measured_totals_add_cost_and_rate_on_the_scale_of_the_theory(results):
    table = csv(results["p1-optimum"], "measured")
    scale = csv(results["p1-optimum"], "curves").filter(curve="history")["dummies"][0]
    assert (table["dummies"] / scale + table["random"] - table["total"]).abs().max() < 1e-8
    assert (table["dummies"] < table["expected_dummies"]).all()
