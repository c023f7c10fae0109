"""What PWS Cup 2021 measures of a release, and how much of it each round allows."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from icefire.contests.rules import Checked
from icefire.core import registry, roles
from icefire.core.dataset import Dataset
from icefire.core.errors import UndefinedError
from icefire.core.release import Case, Comparison, Truth
from icefire.core.scorecard import Limit
from icefire.io import files
from icefire.io.files import Format

ASKED = 50
"""So many deleted records and so many kept ones are asked about."""

COLUMNS = ("gen", "age", "race", "edu", "mar", "bmi", "dep", "pir", "gh", "mets", "qm", "dia")
EXPLAINING = ("gen", "age", "race", "edu", "mar", "bmi", "dep", "pir", "qm")
NUMBERS = ("age", "bmi")
CATEGORIES = ("gen", "race", "edu", "mar", "dep", "pir", "qm", "dia")
READING: Mapping[str, Any] = {
    "qi": EXPLAINING,
    "sa": ("dia",),
    "how": Format(header=False, columns=COLUMNS),
}

_COUNTS = {
    "columns": EXPLAINING,
    "by": "dia",
    "bins": "age: 19 44 64 80; bmi: 15 18.5 25 30 70; dep: -inf 0.5 inf; pir: -inf 0.5 inf",
}
_FORMULA = {"formula": "dia ~ " + " + ".join(EXPLAINING)}
_CORRELATED = {"columns": (*EXPLAINING, "dia")}
_MEASURED: Mapping[str, Mapping[str, Any]] = {
    "iloss": {"numbers": NUMBERS, "categories": CATEGORIES},
    "iloss_age": {},
    "iloss_bmi": {},
    "iloss_cat": {"categories": CATEGORIES},
    "uniqrt": {"columns": EXPLAINING, "rounding": "age: 10; bmi: 10"},
    **dict.fromkeys(("cnt_max", "cnt_mean", "rate_max", "rate_mean"), _COUNTS),
    **dict.fromkeys(("coef_max", "coef_mean", "or_max", "or_mean", "pvalue_max", "pvalue_mean"), _FORMULA),
    **dict.fromkeys(("cor_max", "cor_mean"), _CORRELATED),
}
MEASURES = tuple(_MEASURED)

_LOSS = {"numbers": NUMBERS, "categories": CATEGORIES}
_LOSS_ATTACKS = (
    "all_members",
    "far_candidate",
    "random_candidate",
    "near_density",
    "candidate_bayes",
    "member_assignment",
)
_ONE_HOT = ("gen", "race", "edu", "mar", "qm")
_ATTACKED: Mapping[str, Mapping[str, Any]] = {
    "rlink": {"numbers": tuple(name for name in COLUMNS if name not in _ONE_HOT), "categories": _ONE_HOT},
    **dict.fromkeys(_LOSS_ATTACKS, _LOSS),
}
ATTACKS = tuple(_ATTACKED)
PARAMETERS = {**_MEASURED, **_ATTACKED}

LIMITS = {"uniqrt": 0.5, "rate_max": 0.05, "or_max": 0.1, "cor_max": 0.1}
ILOSS = {"preliminary": 6.0, "final": 4.0}


def limits(b: Path, d: Path, x: Path) -> Checked:
    """Measure a release without problems against the limits of the final round; the preliminary's are a remark.

    The loss of a row compares D with C, the share of unique rows is that of C, all else compares D with B.
    """
    known, shown = table(b), table(d)
    gone = files.read_integers(x, "deleted rows")[:, 0]
    kept = np.setdiff1d(np.arange(known.height), gone)
    left = known.take(kept)
    rowwise = Comparison(Case(left, shown), Truth(np.arange(left.height)))
    values = {"iloss": _value("iloss", rowwise)}
    values["uniqrt"] = unique_share(known, kept)
    against = Comparison(Case(known, shown), Truth(kept))
    values |= {name: _value(name, against) for name in ("rate_max", "or_max", "cor_max")}
    final, early = (_checked(values, LIMITS | {"iloss": loss}) for loss in (ILOSS["final"], ILOSS["preliminary"]))
    held = "within" if all(limit.passed for limit in early) else "over"
    remark = f"preliminary round (iloss at most {ILOSS['preliminary']:g}): {held} the limits"
    return Checked(limits=tuple(final), remarks=(remark,))


def unique_share(known: Dataset, kept: NDArray[np.int64]) -> float | None:
    """Return the share of unique rows, which is that of C: the kept rows before anything was changed."""
    return _value("uniqrt", Comparison(Case(known, known.take(kept)), Truth(kept)))


def _checked(values: Mapping[str, float | None], allowed: Mapping[str, float]) -> list[Limit]:
    """Compare; a figure without a value, such as odds ratios after a category vanished, is over its limit."""
    return [Limit(n, "max", allowed[n], v, v is not None and v <= allowed[n]) for n, v in values.items()]


def table(path: Path) -> Dataset:
    """Read a table of the contest with its roles."""
    frame = files.read_frame(path, READING["how"])
    return Dataset(frame, roles.choose(frame, READING["qi"], READING["sa"]), path.name)


def _value(name: str, comparison: Comparison) -> float | None:
    entry = registry.get("measure", name)
    try:
        return float(entry.function(comparison, **entry.bind(PARAMETERS[name])))
    except UndefinedError:
        return None
