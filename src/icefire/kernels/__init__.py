"""Array functions compiled with Numba: arrays in, arrays out, no tables.

Packages, by topic (the docstring of each lists its files):

- `common`: thread pool, random draws, sums, binary search, counting sort.
- `grouping`: rows with equal keys, and statistics of the groups.
- `neighbours`: nearest rows (kd-trees, scans) and points inside boxes.
- `records`: the loss between records of numbers and categories, searches within a limit of it.
- `baskets`: item sets: similarity search, pairs, rare goods, dummy purchases.
- `clustering`: clusters of item sets.
- `microaggregation`: groups of k similar points.
- `lattice`: full-domain generalisation.
- `recoding`: local recoding.
- `suppression`: suppression of single cells.
- `assignment`: one-to-one assignment.

`types` holds the array types for annotations.

Every compiled function releases the interpreter lock and works on a range of its input; `common.threads.starmap`
hands the ranges to a thread pool. This compiles several times faster than Numba's own parallel mode. Ranges and
partial sums depend on the data alone, so that no result depends on the number of threads.
"""

from icefire.kernels.common.cache_folder import use_cache_folder

use_cache_folder()
