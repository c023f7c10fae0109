"""Records of numbers and categories, and the loss between them (iloss).

- `loss`: records packed into words; loss and squared distance of two rows.
- `strip_index`: rows indexed for searches within a limit; `candidates`: rows within a limit of loss.
- `sliding_counts`: the same counted through a sliding window, for many rows of few kinds.
- `nearest`: the k nearest records.
- `candidate_pairs`: distances of records to their candidates, and the best pairs.
- `conspicuous_candidates`: candidates that an attacker would guess first.
- `row_swapping`: random swaps of rows with candidates.
- `row_deletion`: rows to delete so that averages stay within tolerances.
"""
