"""Generalisation hierarchies: what each value of a column becomes, level by level.

    from icefire import hierarchy

    ages = hierarchy.read("adult_hierarchy_age.csv")          # ARX-style: value;level1;level2;…
    ages = hierarchy.intervals(frame["age"], width=5)         # 5, 10, 20, … up to *
    ages = hierarchy.infer(frame["age"])
    print(ages.describe())
    ages.write("hierarchies/age.csv")

Level 0 is the value itself. Everything built or inferred here ends in one top value `*`, which tells nothing.
"""

from __future__ import annotations

from icefire.hierarchy.core import TOP, Hierarchy
from icefire.hierarchy.dates import UNITS, dates
from icefire.hierarchy.fitting import Fitted, Unseen, fit
from icefire.hierarchy.folder import find_file, read, read_folder
from icefire.hierarchy.inference import fit_inferred, infer
from icefire.hierarchy.numbers import intervals, rounding
from icefire.hierarchy.texts import grouping, ordering, prefixes, redaction, suppression

__all__ = [
    "TOP",
    "UNITS",
    "Fitted",
    "Hierarchy",
    "Unseen",
    "dates",
    "find_file",
    "fit",
    "fit_inferred",
    "grouping",
    "infer",
    "intervals",
    "ordering",
    "prefixes",
    "read",
    "read_folder",
    "redaction",
    "rounding",
    "suppression",
]
