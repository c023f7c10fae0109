"""The joint attack beside record linkage by expectation and maximisation, and beside the nearest neighbour.

Splink and recordlinkage score all pairs of the two tables, the pairs that `link` compares too, and learn their weights
without the truth; Splink learns on pairs that agree in three categories, since it stopped on all pairs. They compare
categories as equal or not, numbers by steps of distance. The nearest neighbour of scikit-learn gets standardised
numbers and categories as 0 and 1. Each answers with the best original row of every released row.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable

import numpy as np
import polars as pl

import icefire
from benchmarks.cpu_time import cpu_seconds
from benchmarks.results import Timing, console
from icefire.core import align, registry, seeds
from icefire.core.release import Case
from icefire.core.seeds import generator

ROWS = 500
"""All pairs of so many rows are compared; recordlinkage takes five minutes for those of 1,000."""
MANY = 8333
"""Rows for the nearest neighbour, which needs no pairs."""
K5 = {"method": "k_anonymize", "k": 5}
SHUFFLED = "ages shuffled, noise 0.1"
RELEASES = {
    "k = 5, noise 0.1": [K5, {"method": "noise", "scale": 0.1}],
    SHUFFLED: [{"method": "noise", "scale": 0.1}],
    "k = 5, rank swap 20": [K5, {"method": "rank_swap", "p": 20}],
    "pram 0.5, rank swap 20": [{"method": "pram", "keep": 0.5}, {"method": "rank_swap", "p": 20}],
    "k = 5, microaggregate 5": [K5, {"method": "microaggregate", "k": 5}],
}
STEPS = (0.1, 0.5, 1.0)
"""Distances of numbers that are told apart, in standard deviations."""

Answer = Callable[[Case], np.ndarray]


def benchmark(rows: int | None) -> list[Timing]:
    """Rates and CPU seconds of all; there is no bar, since they do not answer equally well."""
    peers: dict[str, Answer] = {
        "Splink": answers_of_splink,
        "recordlinkage": answers_of_recordlinkage,
        "1-NN of scikit-learn": nearest_neighbours,
    }
    timings = compared(rows or ROWS, peers)
    return timings + (compared(MANY, {"1-NN of scikit-learn": nearest_neighbours}) if rows is None else [])


def compared(rows: int, peers: dict[str, Answer]) -> list[Timing]:
    """Let everybody answer on each release; prints rates and seconds, returns the timings."""
    data = icefire.sample("households", rows=rows)
    joint_attack(_case(data, SHUFFLED)[0])
    timings = []
    for name in RELEASES:
        case, truth = _case(data, name)
        mine, answers = cpu_seconds(lambda case=case: joint_attack(case))
        job = f"linkage, {name}, {rows:,} rows, CPU seconds"
        console.print(f"{job}: link finds {(answers == truth).mean():.3f} in {mine:.2f} s")
        timings.append(Timing(job, "icefire", mine, 1.0, None, None))
        for peer, answer in peers.items():
            try:
                theirs, answers = cpu_seconds(lambda case=case, answer=answer: answer(case))
            except ValueError as error:
                console.print(f"    {peer} stops: {error}")
                continue
            rate = (answers == truth).mean()
            console.print(f"    {peer} finds {rate:.3f} in {theirs:.2f} s, {theirs / mine:.1f} times our time")
            timings.append(Timing(job, peer, theirs, theirs / mine, None, None))
    return timings


def _case(data: icefire.Dataset, name: str) -> tuple[Case, np.ndarray]:
    release = icefire.anonymize(data, {"step": RELEASES[name]}, seed=1)
    rng = generator(1, "benchmark")
    order, frame = rng.permutation(data.height), release.released.frame
    if name == SHUFFLED:
        frame = frame.with_columns(frame["head_age"][rng.permutation(data.height)])
    return Case(*align.match(data, frame[order])), release.truth.rows[order]


def joint_attack(case: Case) -> np.ndarray:
    """Answer by the attack `link`."""
    answers: np.ndarray = registry.get("attack", "link").function(case, rng=seeds.generator(1, "")).first
    return answers


def _tables(case: Case) -> tuple[pl.DataFrame, pl.DataFrame, list[str], list[str]]:
    """Return both tables with columns of one type, the columns of numbers and the others."""
    x, y = case.known.frame, case.released.frame
    both = [name for name in x.columns if name in y.columns]
    numbers = [name for name in both if x[name].dtype.is_numeric() and y[name].dtype.is_numeric()]
    words = [name for name in both if name not in numbers]
    typed = [pl.col(numbers).cast(pl.Float64), pl.col(words).cast(pl.String)]
    return x.select(typed), y.select(typed), numbers, words


def _best(x_rows: np.ndarray, y_rows: np.ndarray, scores: np.ndarray, released: int) -> np.ndarray:
    """Return the original row of highest score for every released row."""
    order = np.lexsort((x_rows, -scores, y_rows))
    first = np.searchsorted(y_rows[order], np.arange(released))
    best: np.ndarray = x_rows[order][first]
    return best


def answers_of_splink(case: Case) -> np.ndarray:
    """Answer by Splink: expectation and maximisation over all pairs, then the pair of highest weight."""
    import splink.comparison_level_library as levels
    import splink.comparison_library as comparisons
    from splink import DuckDBAPI, Linker, SettingsCreator, block_on

    x, y, numbers, words = _tables(case)
    steps = [
        comparisons.CustomComparison(
            output_column_name=name,
            comparison_levels=[
                levels.NullLevel(name),
                *(levels.AbsoluteDifferenceLevel(name, step * float(x[name].std() or 1.0)) for step in STEPS),
                levels.ElseLevel(),
            ],
        )
        for name in numbers
    ]
    settings = SettingsCreator(
        link_type="link_only",
        comparisons=[*steps, *(comparisons.ExactMatch(name) for name in words)],
        blocking_rules_to_generate_predictions=["1=1"],
        probability_two_random_records_match=1.0 / x.height,
        unique_id_column_name="row",
    )
    database = DuckDBAPI()
    tables = [
        database.register(table.with_row_index("row").to_pandas(), dataset_display_name=name)
        for name, table in (("a_original", x), ("b_released", y))
    ]
    linker = Linker(tables, settings, log_level=logging.ERROR)
    linker.training.estimate_u_using_random_sampling(max_pairs=1e6, seed=1)
    # As its documentation asks: one round per choice of columns in which pairs agree, so that matches are not too rare.
    for some in (words[:3], words[3:6]):
        linker.training.estimate_parameters_using_expectation_maximisation(
            block_on(*some), record_sample_proportion=1.0
        )
    pairs = linker.inference.predict().as_pandas_dataframe()
    return _best(*(pairs[name].to_numpy() for name in ("row_l", "row_r", "match_weight")), y.height)


def answers_of_recordlinkage(case: Case) -> np.ndarray:
    """Answer by recordlinkage: its classifier by expectation and conditional maximisation over all pairs."""
    import recordlinkage

    x, y, numbers, words = _tables(case)
    known, shown = x.to_pandas(), y.to_pandas()
    index = recordlinkage.Index()
    index.full()
    compare = recordlinkage.Compare()
    for name in numbers:
        compare.numeric(name, name, method="step", offset=STEPS[1] * float(x[name].std() or 1.0), label=name)
    for name in words:
        compare.exact(name, name, label=name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        vectors = compare.compute(index.index(known, shown), known, shown)
        varying = vectors.loc[:, vectors.nunique() > 1]
        classifier = recordlinkage.ECMClassifier(binarize=0.5)
        classifier.fit(varying)
        scores = classifier.prob(varying)
    pairs = [scores.index.get_level_values(level).to_numpy() for level in range(2)]
    return _best(*pairs, scores.to_numpy(), y.height)


def nearest_neighbours(case: Case) -> np.ndarray:
    """Answer by the nearest original row in all columns, standardised, categories as 0 and 1."""
    from sklearn.neighbors import NearestNeighbors

    x, y, _, words = _tables(case)
    known, shown = x.to_dummies(words), y.to_dummies(words)
    both = [name for name in known.columns if name in shown.columns]
    a, b = known.select(both).to_numpy().astype(float), shown.select(both).to_numpy().astype(float)
    spread = np.maximum(a.std(axis=0), 1e-9)
    nearest = NearestNeighbors(n_neighbors=1).fit(a / spread)
    rows: np.ndarray = nearest.kneighbors(b / spread, return_distance=False)[:, 0]
    return rows
