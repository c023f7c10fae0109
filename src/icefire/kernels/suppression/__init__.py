"""Suppression of single cells until every row is k-anonymous.

- `cell_keys`: one key per row for any set of hidden columns, and numbers for distinct keys.
- `mask_search`: the sets of columns to try, and the greedy search that the next two share.
- `local`: a hidden cell is a value of its own.
- `wildcard`: a hidden cell matches anything.
"""
