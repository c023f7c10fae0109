"""Local recoding: classes of at least k rows, each generalised no further than its rows require.

- `value_trees`: the hierarchies of all columns as arrays; where the rows of a class meet, and the loss there.
- `grow`: greedy growth of classes of k rows; `regroup`: neighbouring classes pooled and grown again.
- `merge`: the cheapest partner of a class that must be merged.
- `mondrian`: regions of at least k rows by median cuts, without hierarchies.
"""
