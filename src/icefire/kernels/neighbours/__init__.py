"""Nearest rows and points inside boxes.

- `euclidean`: nearest rows by Euclidean distance, everywhere or inside blocks: chooses between the next two.
- `scan`: nearest rows by comparing with every candidate.
- `kd_trees`: kd-trees over parts of a table; `kd_search`: the search in them.
- `median_splits`: the order of rows that a kd-tree needs.
- `single_value`: nearest rows by one number.
- `prefix_tree`: points of small whole numbers inside boxes.
- `weighted_boxes`: sums of weights inside boxes, and sums of the boxes around points.
"""
