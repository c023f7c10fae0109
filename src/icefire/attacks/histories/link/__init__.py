"""The joint attack on histories: the own copy coarsened as the release was, all columns, learned rates, one to one.

- `reading`, `goods`, `dates`, `amounts`, `merging`, `units`: how the release was made, read from the two histories.
- `prepared`: both histories made comparable.
- `layers`: keys of rows in layers, and the evidence of shared keys.
- `learning`: rates of survival and addition.
- `structure`: the order of the columns.
- `renaming`: names of goods that cannot be read.
- `similarity`: answers by the sets of goods alone.
- `matching`: the answers and their probability.
- `explanation`: what was learned about each column; `answers_explained`: what speaks for each answer.
- `attack`: the registered attack.
"""
