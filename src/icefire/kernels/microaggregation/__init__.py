"""Groups of at least k similar points.

- `mdav`: groups of k points (MDAV), and standardised points for it.
- `vmdav`: groups of k to 2k - 1 points (V-MDAV).
- `univariate`: optimal groups of one column.
- `remaining_points`: farthest and nearest points among those not yet grouped.
"""
