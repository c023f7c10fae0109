"""Functions that several kernels use.

- `threads`: the thread pool, and ranges of work for it.
- `sorted_arrays`: binary search, membership, common elements.
- `counting_sort`: positions grouped by label.
- `ranges`: offsets of consecutive ranges.
- `distinct`: distinct keys by sorting.
- `sums`: means by cell and sums of absolute changes, in one pass.
- `logistic`: log-likelihood of a logistic regression with its derivatives.
- `random_draws`: random numbers inside compiled loops (SplitMix64).
- `rank_swapping`: random pairs of ranks that are not far apart.
- `interpreted`: compiled functions as plain Python, for little work.
- `inner`: functions that only compiled functions call.
- `cache_folder`: where compiled functions are kept.
- `compilation`: what is compiled, counted.
- `shuffling`: random order inside blocks.
"""
