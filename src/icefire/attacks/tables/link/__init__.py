"""The joint attack on tables: every released column, learned channels, one person per row.

- `ordering`: both tables in an order of their values.
- `dates`, `similar_texts`: dates as numbers, free text by similarity.
- `known_encodings`, `numerals`: values in codes without a key, numbers written or computed otherwise.
- `columns`: columns of both tables as levels.
- `channels`: the channels that a column may have.
- `starts`: channels to begin learning with.
- `channel_tables`: tables of channels and what was learned by them, kept for other attacks on the same case.
- `learner`: the sample of released rows, and channels tried on it.
- `belonging`: whether the values of a released row belong together.
- `learning`: which channel each column has, by the likelihood of a hidden matching.
- `column_sources`, `reading`: columns under other headers, and sums or rotations of several.
- `search`: candidates of released rows, by all pairs or by trees.
- `matching`: candidates, posterior weights and the one-to-one answer.
- `refinement`: learned tables instead of channels, where they explain other rows better.
- `exchange_classes`: classes of rows among which values were exchanged.
- `calibration`, `agreement`, `held_out`: how probable the answers are.
- `explanation`: what was learned about each column.
- `attack`: the registered attack `link`.
- `second_matching`: the attack `link_rest`, for rows that hold the values of two people.
- `distance`, `t_kernel`: distances over all columns, and the attack that goes by them alone.
"""
