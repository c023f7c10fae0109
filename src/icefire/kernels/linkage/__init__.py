"""Linkage of released rows to original rows by the likelihood of a hidden matching.

- `channels`: tables of how likely a released level is for an original level, as a ratio to chance.
- `ascent`: the marginal likelihood of sampled released rows, column by column.
- `channels_by_numpy`, `ascent_by_numpy`: both for small tables, without compiling.
- `pair_weights`: posterior weights of sampled and original rows, balanced to those of a matching.
- `best_candidates`: the original rows of highest score for every released row.
- `level_trees`, `row_tree`, `tree_search`: the same for large tables, by a search through trees of the original rows.
- `pair_sums`: posterior weights of listed pairs, summed by pair of levels.
- `balancing`: posterior weights of listed pairs when every original row stands for at most one released row.
- `simulated_levels`: released levels drawn by a channel.
"""
