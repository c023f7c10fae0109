"""Rows grouped by equal keys, and statistics of the groups.

- `packed_keys`: mixed-radix keys, group sizes, and the rows of each group.
- `class_statistics`: l-diversity, t-closeness, β-likeness and others of every class, from its histogram.
- `tree_distance`: hierarchical t-closeness (earth mover's distance over a tree of values).
- `special_uniques`: minimal sets of columns on which a row is unique.
- `wildcard_matches`: rows that match where a missing cell matches anything.
"""
