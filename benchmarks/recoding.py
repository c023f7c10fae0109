"""Local recoding on ARX's Adult data (or a survey of households) against anonypy's Mondrian; a million rows alone."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import polars as pl

from benchmarks.data import QI, survey
from benchmarks.race import Row, Runner, console, race
from icefire import api, hierarchy, seeds
from icefire.dataset import Dataset
from icefire.hierarchy import Fitted
from icefire.methods.local_recoding import local_recoding

ADULT = Path(__file__).parents[2] / "shared" / "data" / "arx_adult"
EIGHT = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation"]
K = 5
LARGE = 1_000_000


def run(rows: int | None) -> list[Row]:
    """Thirty thousand rows against anonypy, with and without hierarchies; then a million."""
    data, known = _adult(rows or 30_162) if ADULT.is_dir() else _households(rows or 30_000)
    found = _race(data, known, _peers(data))
    if rows is None:
        large, more = _adult(LARGE) if ADULT.is_dir() else _households(LARGE)
        found += _race(large, more, [])
    return found


def _race(data: Dataset, known: Sequence[Fitted], peers: list[Runner]) -> list[Row]:
    names = [column.name for column in known]
    title = f"k = {K}, {len(names)} quasi-identifiers, {data.height:,} rows"

    def with_trees() -> Dataset:
        return local_recoding(data, names, k=K, rng=seeds.generator(0), fitted=known)

    def without() -> Dataset:
        return local_recoding(data, names, k=K, rng=seeds.generator(0))

    rows = race(f"local recoding with hierarchies, {title}", with_trees, peers, rounds=1 if peers else 3)
    rows += race(f"local recoding without hierarchies, {title}", without, [])
    _say("with hierarchies", with_trees)
    _say("without", without)
    return rows


def _say(what: str, job: Callable[[], Dataset]) -> None:
    started = time.process_time()
    notes = job().notes
    spent = time.process_time() - started
    detail = f", granularity {notes['granularity']:.4f}" if "granularity" in notes else ""
    console.print(f"{what}: {spent:.2f} CPU seconds{detail}, {notes['suppressed']} rows suppressed")


def _peers(data: Dataset) -> list[Runner]:
    if find_spec("anonypy") is None:
        console.print("anonypy is not installed, so nothing is compared with it (pip install anonypy)")
        return []
    from anonypy import Preserver

    names = list(data.qi)
    frame = data.frame.select(*names, data.sa[0]).to_pandas()
    for name in names:
        if not data.frame[name].dtype.is_numeric():
            frame[name] = frame[name].astype("category")
    return [Runner("anonypy", lambda: Preserver(frame, names, data.sa[0]).anonymize_k_anonymity(K), 20)]


def _adult(rows: int) -> tuple[Dataset, list[Fitted]]:
    """Adult; beyond its size, rows drawn with replacement and each cell drawn anew with probability 0.1."""
    frame = pl.read_csv(ADULT / "adult.csv.gz", separator=";")
    data = api.read(frame if rows == frame.height else _drawn(frame, rows), qi=EIGHT, sa=["salary-class"])
    known = hierarchy.read_folder(ADULT, EIGHT)
    return data, [hierarchy.fit(known[name], data.frame[name]) for name in EIGHT]


def _drawn(frame: pl.DataFrame, rows: int) -> pl.DataFrame:
    rng = np.random.default_rng(0)
    which = rng.integers(0, frame.height, rows)
    again = ((rng.random(rows) < 0.1, rng.integers(0, frame.height, rows)) for _ in frame.columns)
    return frame.select(column[np.where(new, other, which)] for column, (new, other) in zip(frame, again, strict=True))


def _households(rows: int) -> tuple[Dataset, list[Fitted]]:
    console.print(f"the Adult data is not at {ADULT}: households with inferred hierarchies instead")
    data = survey(rows)
    return data, [hierarchy.fit(hierarchy.infer(data.frame[name]), data.frame[name]) for name in QI]
