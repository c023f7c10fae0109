"""Linkage of released rows to original rows by the likelihood of a hidden matching.

- `channels`: tables of how likely a released level is for an original level, as a ratio to chance.
- `ascent`: the marginal likelihood of sampled released rows, column by column.
- `best_candidates`: the original rows of highest score for every released row.
- `pair_features`: scores of listed pairs, and sums of posterior weights by pair of levels.
- `balancing`: posterior weights of listed pairs when every original row stands for at most one released row.
"""
