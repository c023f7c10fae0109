"""Full-domain generalisation: one level of its hierarchy for every column.

- `key_layout`: quasi-identifiers, their bit fields in a packed key, and look-up tables that generalise keys.
- `class_keys`: compiled functions on packed keys (generalise, merge, count).
- `packed_table`: a table as packed keys, and its classes at any levels.
- `population`: a population coded like the table, and how many people a class may stand for.
- `nodes`: what each node of the lattice suppresses and loses; intermediate classes are cached.
- `node_bounds`: lower bounds of the loss of every node.
- `search`: the search for the node of least loss.
"""
