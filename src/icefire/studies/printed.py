"""Numbers and words printed in the papers, to stand beside what we measure. Facts only; nothing is computed here."""

from __future__ import annotations

RELEASES = ("Da", "Db", "Dc", "Dd", "De", "Df", "Dg", "Dh")

# P0 Table 12: the expected effect of each method; "EUC" stands for EUC1, which the paper evaluates.
_TABLE_12 = {
    "U1": "- slightly - - - - - negative",
    "U2": "negative slightly - - negative - - negative",
    "U3": "negative slightly - - negative - - negative",
    "U4": "- slightly - - - negative negative negative",
    "U5": "- slightly negative - - negative negative negative",
    "U6": "- - - - - - - negative",
    "S1": "positive - - - - - - -",
    "S2": "positive - - positive positive - - -",
    "E1": "slightly vulnerable positive slightly slightly vulnerable vulnerable vulnerable",
    "E2": "slightly vulnerable positive slightly slightly vulnerable slightly vulnerable",
    "E3": "vulnerable slightly positive vulnerable vulnerable positive positive vulnerable",
    "E4": "vulnerable slightly positive vulnerable vulnerable positive slightly vulnerable",
    "EUC1": "slightly vulnerable positive slightly slightly vulnerable positive vulnerable",
}

# P0 Table 13 without its column "Original", whose attack rates cannot be right (0 on unchanged data).
_TABLE_13 = {
    "U1": (0, 46.225, 0, 0, 0, 0, 0, 295.731),
    "U2": (38837.9, 7808.7, 0, 0, 15135.7, 104.9, 209.7, 1094.4),
    "U3": (5.833, 0, 0, 0, 2, 0, 0, 0.097),
    "U4": (0, 0.02, 0, 0, 0, 0, 0, 0.049),
    "U5": (0, 0.016, 0.12, 0, 0, 0, 0, 0),
    "U6": (0, 0, 0, 0, 0, 0, 0, 10),
    "S1": (3, 1, 1, 1, 1, 1, 1, 1),
    "S2": (7.692, 1.031, 1.031, 1.053, 1.053, 1.031, 1.031, 1.034),
    "E1": (0.13, 0.99, 0, 0.07, 0.11, 0.94, 1, 1),
    "E2": (0.17, 1, 0, 1, 1, 1, 1, 1),
    "E3": (1, 0.54, 0, 1, 1, 1, 0.91, 0.067),
    "E4": (0.24, 0.22, 0, 0.24, 0.24, 0.24, 0.24, 0.089),
    "EUC1": (0.13, 1, 0, 0.07, 0.11, 1, 1, 1),
    "EUC2": (0.17, 1, 0, 1, 1, 1, 1, 1),
}

P0_TABLE_12 = {
    (name, code): word for code, line in _TABLE_12.items() for name, word in zip(RELEASES, line.split(), strict=True)
}
"""(release, measure) → expected effect."""

P0_TABLE_13 = {
    (name, code): float(value) for code, line in _TABLE_13.items() for name, value in zip(RELEASES, line, strict=True)
}
"""(release, measure) → value printed for 100 rows of the contest's data."""
