"""The joint attack on tables: every released column, learned channels, one person per row.

- `ordering`: both tables in an order of their values.
- `dates`, `similar_texts`, `known_encodings`: dates as numbers, free text by similarity, values in codes without a key.
- `columns`: columns of both tables as levels.
- `channels`: the channels that a column may have.
- `starts`: channels to begin learning with.
- `learning`: which channel each column has, by the likelihood of a hidden matching.
- `column_sources`, `reading`: columns under other headers, and sums or rotations of several.
- `search`: candidates of released rows, by all pairs or by trees.
- `matching`: candidates, posterior weights and the one-to-one answer.
- `refinement`: learned tables instead of channels, where they explain other rows better.
- `calibration`, `agreement`: how probable the answers are.
- `explanation`: what was learned about each column.
- `attack`: the registered attack `link`.
- `second_matching`: the attack `link_rest`, for rows that hold the values of two people.
- `distance`, `t_kernel`: distances over all columns, and the attack that goes by them alone.
"""
