"""Numbers and labels printed in the papers, to be compared with what we measure."""

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

# P0 Table 14: D1 … D12, the releases of the contest. Its attack rates are those of Table 16 with two decimals.
_TABLE_14 = {
    "U1": (0,) * 12,
    "U2": (58340.87, 0, 31572.91, 31400.95, 0, 0, 4321.75, 0, 0, 65093.42, 52975.02, 46100.64),
    "U3": (18.6, 0, 1.01, 0.99, 0, 0, 1.54, 0, 0, 7.28, 2.97, 1.85),
    "U4": (0, 0.01, 0, 0, 0.07, 0.07, 0.03, 0.09, 0.09, 0.15, 0.11, 0.11),
    "U5": (0, 0.01, 0.02, 0.02, 0.02, 0.02, 0.01, 0.01, 0.01, 0.02, 0.02, 0.02),
    "U6": (0,) * 12,
    "S1": (1, 1, 3, 3, 1, 1, 3, 1, 1, 41, 8, 4),
    "S2": (2.66, 1.88, 4.91, 4.86, 36.07, 36.07, 36.07, 13.71, 13.68, 106.83, 42.3, 31.09),
}

# P0 Table 16, with its mean, its standard deviation and how often each attack is the best.
_TABLE_16 = {
    "E1": (0.033, 0.649, 0.199, 0.189, 0.0, 0.0, 0.002, 0.0, 0.0, 0.006, 0.018, 0.021),
    "E2": (0.824, 0.651, 0.241, 0.240, 0.022, 0.022, 0.022, 0.0, 0.0, 0.007, 0.016, 0.021),
    "E3": (1.0, 0.001, 0.248, 0.253, 0.0, 0.0, 0.009, 0.0, 0.0, 0.0, 0.0, 0.0),
    "E4": (0.186, 0.002, 0.051, 0.045, 0.0, 0.0, 0.001, 0.0, 0.0, 0.0, 0.0, 0.0),
    "EUC1": (0.301, 0.478, 0.207, 0.211, 0.074, 0.074, 0.876, 0.001, 0.002, 0.004, 0.008, 0.008),
}

P0_TABLE_14 = {
    (f"D{number}", code): float(value) for code, line in _TABLE_14.items() for number, value in enumerate(line, 1)
}
"""(release, measure) → value."""

P0_TABLE_16 = {(f"D{number}", code): rate for code, line in _TABLE_16.items() for number, rate in enumerate(line, 1)}
"""(release, attack) → rate."""

P0_TABLE_16_SUMMARY = {
    "E1": (0.093, 0.174, 2),
    "E2": (0.172, 0.258, 3),
    "E3": (0.126, 0.268, 3),
    "E4": (0.024, 0.050, 0),
    "EUC1": (0.187, 0.243, 5),
}
"""attack → mean, standard deviation (which counts the mean as a thirteenth value), number of bests."""

P1_CUSTOMERS = 400
"""Customers of the contest's data; the figures of P1 are comparable only with as many."""

P1_TABLE_3 = {
    "customers": 400,
    "rows": 38_087,
    "receipts": 1_763,
    "goods": 2_781,
    "goods per customer": 65,
    "mean Jaccard": 0.03,
    "largest Jaccard": 0.41,
}
"""The last figure is in the text below the table."""

P1_TABLE_4 = {
    "D1": (0.2225, 0.2225),
    "D2": (0.2375, 0.2375),
    "D3": (0.2550, 0.2550),
    "D4": (0.2750, 0.2750),
    "D5": (0.3025, 0.3025),
    "D6": (0.3175, 0.3175),
    "D8": (0.3725, 0.2750),
    "D9": (0.3850, 0.3850),
    "D10": (0.5500, 0.5500),
}
"""release → best rate of the participants, rate of Algorithm 1."""

P1_TABLE_6 = {"simple": (211, 33), "tfidf": (32, 0), "balanced": (16, 0)}
"""method → (largest cluster, clusters of one customer)."""

P1_FIGURE_10 = (25, 540_583)
"""The one point of the figure that the text gives: clusters, Δm of the simple method."""

# P1 Table 7: a row for each figure, correlated with itself and those before it.
P1_FIGURES = ("Δm", "U1", "U2", "U3", "Jaccard", "random", "c")
_TABLE_7 = (
    (1.0,),
    (0.9798, 1.0),
    (0.9798, 1.0, 1.0),
    (0.9547, 0.9876, 0.9876, 1.0),
    (-0.8586, -0.9327, -0.9327, -0.9494, 1.0),
    (-0.8489, -0.9247, -0.9247, -0.9432, 0.9996, 1.0),
    (-0.8454, -0.9220, -0.9220, -0.9406, 0.9994, 0.9999, 1.0),
)

P1_TABLE_7 = {
    (P1_FIGURES[row], P1_FIGURES[column]): value
    for row, line in enumerate(_TABLE_7)
    for column, value in enumerate(line)
}
"""(figure, figure before it or itself) → correlation."""

P1_TABLE_8 = {
    ("tfidf", 50, None): (182_897, 0.1728, 0.1235),
    ("tfidf", 100, None): (128_568, 0.3060, 0.2488),
    ("tfidf", 125, None): (97_581, 0.3692, 0.3120),
    ("balanced", 50, 2): (183_902, 0.1729, 0.1223),
    ("balanced", 50, 3): (175_449, 0.1726, 0.1222),
    ("balanced", 50, 4): (162_474, 0.1723, 0.1218),
    ("balanced", 50, 8): (125_798, 0.1681, 0.1218),
    ("balanced", 100, 2): (99_228, 0.3061, 0.2475),
    ("balanced", 100, 3): (68_357, 0.3041, 0.2480),
    ("balanced", 100, 4): (59_374, 0.3044, 0.2465),
    ("balanced", 125, 2): (60_492, 0.3687, 0.3105),
    ("balanced", 125, 3): (46_101, 0.3667, 0.3102),
}
"""(method, clusters, least size) → (Δm, Jaccard rate, random rate)."""

P1_FIGURE_14 = {"customers": 400, "rows": 38_000, "goods": 2_700, "best": 69, "scale": 1_042_653}
"""What the curve is drawn for, its best number of clusters, and E(Δm) at one cluster."""
