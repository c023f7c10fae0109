"""The releases of the study `strongest`: which data, and by which recipes they were made."""

from __future__ import annotations

import gzip
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import polars as pl

from icefire import recipe as recipes
from icefire.core import roles
from icefire.core.dataset import Dataset
from icefire.core.errors import InputError
from icefire.recipe import gallery
from icefire.studies import households, shop, survey
from icefire.studies.p0_attacks import FAR

NINE = [*FAR, "seniors", "spouse_work", "head_sex", "tenure"]
_K5 = {"method": "k_anonymize", "k": 5}
_SWAP = {"method": "swap"}
_NO_PROFILE, _NEW_RECEIPTS = {"method": "drop_profile"}, {"method": "rename_receipts"}
_ROUND = {"method": "round_purchases"}
_ONE = {"method": "round_purchases", "number": "one"}
_DUMMIES = {"method": "dummies", "clusters": 50, "min_size": 8, "placement": "plausible"}

LimitKind = Literal["classes", "records", "baskets", "chance"]
"""What bounds every attacker: classes in which values were exchanged or averaged, different released records, different
sets of goods, or nothing but chance."""


@dataclass(frozen=True, slots=True)
class StudyRelease:
    """One line of the study."""

    name: str
    steps: Sequence[Mapping[str, Any]]
    limit: LimitKind | None = None


@dataclass(frozen=True, slots=True)
class ReleasesOfData:
    """The releases of one original."""

    title: str
    original: Any
    releases: Sequence[StudyRelease]
    question: Literal["origin", "membership"] = "origin"


def from_gallery(name: str, limit: LimitKind | None = None) -> StudyRelease:
    """Return a release by a recipe of the gallery."""
    steps = recipes.load(name).as_run()["steps"]
    given = [{key: value for key, value in step.items() if value is not None} for step in steps]
    return StudyRelease(name, given, limit)


HOUSEHOLDS = (
    StudyRelease("noise 0.5", [{"method": "noise", "scale": 0.5}]),
    StudyRelease("k = 5", [_K5], "records"),
    StudyRelease("k = 5, noise 0.1", [_K5, {"method": "noise", "scale": 0.1}]),
    StudyRelease("k = 5, noise 0.5", [_K5, {"method": "noise", "scale": 0.5}]),
    StudyRelease("k = 5, rank swap 5", [_K5, {"method": "rank_swap", "p": 5}]),
    StudyRelease("k = 5, rank swap 20", [_K5, {"method": "rank_swap", "p": 20}]),
    StudyRelease("k = 5, microaggregate 5", [_K5, {"method": "microaggregate", "k": 5}], "records"),
    StudyRelease("full domain k = 5, rank swap 10", [{**_K5, "mode": "full_domain"}, {"method": "rank_swap", "p": 10}]),
    StudyRelease("pram 0.5, rank swap 20", [{"method": "pram", "keep": 0.5}, {"method": "rank_swap", "p": 20}]),
    StudyRelease("pram 0.3, rank swap 25", [{"method": "pram", "keep": 0.3}, {"method": "rank_swap", "p": 25}]),
    StudyRelease("laplace 20", [{"method": "laplace", "epsilon": 20}]),
    StudyRelease("k = 5, swap", [_K5, _SWAP], "classes"),
    StudyRelease("k = 5, average", [_K5, {"method": "average"}], "classes"),
    StudyRelease("swap, unify 5", [_SWAP, {"method": "unify", "columns": FAR}]),
    StudyRelease("unify 9, noise 1", [{"method": "unify", "columns": NINE}, {"method": "noise", "scale": 1.0}]),
    StudyRelease(
        "response 0.6, correlated 0.5",
        [{"method": "randomized_response", "keep": 0.6}, {"method": "correlated_noise", "scale": 0.5}],
    ),
    StudyRelease("synthesize", [{"method": "synthesize"}], "chance"),
)
GALLERY: Mapping[str, LimitKind | None] = {
    "contest_d10": "classes",
    "teaching_file": None,
    "statistical_office": "records",
    "strong_privacy": None,
}
FORMER = (  # recipes of the gallery as they were before link broke them
    StudyRelease(
        "teaching_file, as it was",
        [
            {"method": "sample_rows", "share": 0.2},
            {"method": "pram", "keep": 0.9},
            {"method": "k_anonymize", "k": 3},
            _SWAP,
            {"method": "round_values", "base": 1000},
        ],
    ),
    StudyRelease(
        "statistical_office, as it was",
        [{"method": "local_suppress", "k": 3}, {"method": "microaggregate", "k": 5}],
        "records",
    ),
)
ADULT = (
    StudyRelease("k = 5", [_K5], "records"),
    StudyRelease("k = 5, rank swap 10", [_K5, {"method": "rank_swap", "p": 10}]),
    StudyRelease("pram 0.8, noise 0.3", [{"method": "pram", "keep": 0.8}, {"method": "noise", "scale": 0.3}]),
    StudyRelease(
        "local suppression 5, noise 0.2", [{"method": "local_suppress", "k": 5}, {"method": "noise", "scale": 0.2}]
    ),
    StudyRelease("full domain k = 10", [{**_K5, "k": 10, "mode": "full_domain"}], "records"),
    StudyRelease("swap, unify 3", [_SWAP, {"method": "unify", "columns": ["workclass", "education", "occupation"]}]),
)
HISTORIES = (  # without the table of customers, and with new numbers of receipts
    StudyRelease("goods 3", [{"method": "generalize_goods", "prefix": 3}]),
    StudyRelease(
        "goods 2, month, rounded",
        [{"method": "generalize_goods", "prefix": 2}, {"method": "coarsen_dates", "to": "month"}, _ROUND],
    ),
    StudyRelease(
        "goods 2, quarter, number 1, 30 % deleted",
        [
            {"method": "generalize_goods", "prefix": 2},
            {"method": "coarsen_dates", "to": "quarter"},
            _ONE,
            {"method": "delete_purchases", "share": 0.3},
        ],
    ),
    StudyRelease("dummies, rounded, no dates", [_ROUND, {"method": "coarsen_dates", "to": "all"}, _DUMMIES]),
    StudyRelease("dummies, month, number 1", [_ONE, {"method": "coarsen_dates", "to": "month"}, _DUMMIES]),
    StudyRelease("monthly pseudonyms", [{"method": "change_pseudonyms", "period": "month"}]),
    StudyRelease(
        "monthly pseudonyms, goods 3, rounded",
        [
            {"method": "generalize_goods", "prefix": 3},
            _ROUND,
            {"method": "change_pseudonyms", "period": "month"},
        ],
    ),
    StudyRelease("pseudonym per receipt", [{"method": "change_pseudonyms", "period": "receipt"}]),
)
LEAST_CUSTOMERS = 400
"""For the clusters of the dummies."""
SURVEY_LIMIT = 4.0
ADULT_FILE, ADULT_ROWS = "adult.data.gz", 8000
ADULT_COLUMNS = [
    *("age", "workclass", "weight", "education", "schooling", "marital", "occupation", "relationship", "race", "sex"),
    *("gain", "loss", "hours", "country", "income"),
]
ADULT_QI = ["age", "workclass", "education", "marital", "occupation", "relationship", "race", "sex", "country"]


def all_releases(rows: int | None, seed: int, data: Path | None) -> Iterator[ReleasesOfData]:
    """List the originals with their releases.

    Args:
        rows: Rows of the synthetic tables, customers of the synthetic shop.
        seed: Seed of the synthetic data.
        data: Folder with the files of contests and of UCI Adult, or with folders of them; what is not there is
            synthetic or left out.
    """
    of_gallery = [from_gallery(name, limit) for name, limit in GALLERY.items() if name in gallery.names()]
    yield ReleasesOfData("households", households.survey(rows, seed), (*HOUSEHOLDS, *of_gallery, *FORMER))
    folders = {} if data is None else _folders(data)
    if ADULT_FILE in folders:
        yield ReleasesOfData("Adult", adult(folders[ADULT_FILE]), ADULT)
    customers = None if rows is None or shop.FILES[0] in folders else max(rows, LEAST_CUSTOMERS)
    bought = shop.history(customers, seed, folders.get(shop.FILES[0]))
    without_names = [replace(release, steps=[_NO_PROFILE, *release.steps, _NEW_RECEIPTS]) for release in HISTORIES]
    yield ReleasesOfData("histories", bought, (*without_names, from_gallery("shop_strong", "baskets")))
    people = None if rows is None else max(rows, survey.LEAST_ROWS)
    surveyed = survey.table(None if survey.FILE in folders else people, seed, folders.get(survey.FILE))
    steps = survey.ours(SURVEY_LIMIT, survey.scaled_threshold(surveyed, survey.default_threshold()))
    scattered = StudyRelease("scatter_rows, limit 4", steps)
    yield ReleasesOfData("survey", surveyed, [scattered], "membership")


def _folders(data: Path) -> dict[str, Path]:
    """Return where each of the known files is: in the folder itself, or in one inside it."""
    known = (ADULT_FILE, shop.FILES[0], survey.FILE)
    places = [data, *sorted(path for path in data.glob("*") if path.is_dir())]
    where = {name: place for name in known for place in reversed(places) if (place / name).is_file()}
    if not where:
        raise InputError(f"--data {str(data)!r} holds none of {', '.join(known)}, nor do the folders in it")
    return where


def adult(folder: Path) -> Dataset:
    """Read the first rows of UCI Adult; without the survey weight, which is nearly a name."""
    file = folder / ADULT_FILE
    if not file.is_file():
        raise InputError(f"--data {str(folder)!r} holds no {ADULT_FILE}; download UCI Adult there")
    with gzip.open(file, "rb") as lines:
        frame = pl.read_csv(lines.read(), has_header=False, new_columns=ADULT_COLUMNS).head(ADULT_ROWS)
    frame = frame.with_columns(pl.col(pl.String).str.strip_chars()).drop("weight", "schooling")
    frame = frame.with_columns(pl.col("age", "gain", "loss", "hours").cast(pl.Int64))
    return Dataset(frame, roles.choose(frame, ADULT_QI, ["gain", "loss", "hours"]), "adult")
