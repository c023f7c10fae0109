"""Compile the kernels of the usual work before it is needed, into the cache that later processes load them from.

A kernel is compiled when it is called for the first time. So every kind of audit is done once, on little data.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

from icefire.attacks.tables.link.search import CandidateSearch
from icefire.audit import audit
from icefire.audit.anonymize import anonymize
from icefire.core.types import Progress, no_progress
from icefire.kernels.common.compilation import Compilations, counted_compilations
from icefire.kernels.common.interpreted import always_compiled
from icefire.samples.sample import sample

PEOPLE, CUSTOMERS = 120, 24
TABLE_STEPS = [
    {"method": "k_anonymize", "k": 5},
    {"method": "swap"},
    {"method": "rank_swap", "p": 20},
    {"method": "microaggregate", "k": 3},
    {"method": "noise", "scale": 0.05},
]


def compile_kernels(progress: Progress = no_progress) -> Compilations:
    """Compile the kernels that audits of tables, histories and synthetic tables use.

    Args:
        progress: Called with the name of each stage.

    Returns:
        What was compiled; nothing where all of it was in the cache.
    """
    jobs: dict[str, Callable[[Path], None]] = {
        "a table": _table,
        "a large table": _large_table,
        "a synthetic table": _synthetic_table,
        "a history": _history,
    }
    with always_compiled(), counted_compilations() as compilations, tempfile.TemporaryDirectory() as folder:
        for place, (name, job) in enumerate(jobs.items(), 1):
            progress(f"compiling for {name}, {place} of {len(jobs)}")
            job(Path(folder) / str(place))
    return compilations


def _table(folder: Path) -> None:
    survey = sample("households", PEOPLE)
    anonymize(survey, {"steps": TABLE_STEPS}, output=folder, seed=1)
    audit(survey, folder, max_reid=0.05)


def _large_table(_: Path) -> None:
    """Search through trees, as in tables of more than 10,000 rows."""
    rng = np.random.default_rng(1)
    ratios, shares = [rng.random((8, 8)) + 0.1 for _ in range(4)], [np.full(8, 1 / 8) for _ in range(4)]
    x_levels, y_rows = rng.integers(0, 8, (4, 400)).astype(np.uint16), rng.integers(0, 8, (300, 4)).astype(np.int32)
    search = CandidateSearch(ratios, shares, x_levels, np.array([True, True, False, False]), y_rows, len(y_rows))
    search.by_trees(y_rows, 8)


def _synthetic_table(_: Path) -> None:
    survey = sample("households", PEOPLE)
    people, others = (survey.with_frame(survey.frame[half::2]) for half in range(2))
    release = anonymize(people, {"steps": [{"method": "synthesize"}]}, seed=1)
    audit(people, release.released.frame, synthetic=True, holdout=others)


def _history(folder: Path) -> None:
    shop = sample("shop", CUSTOMERS)
    anonymize(shop, "shop_paper", output=folder, seed=1)
    audit(shop, folder, max_reid=0.05)
