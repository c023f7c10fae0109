"""Item sets (baskets): which set resembles which, pairs, rare goods, dummy purchases.

A set is a range of ascending items: set i holds items[start[i]:start[i + 1]].

- `similarity`: the known sets most similar to each given set, by four rules; with ties.
- `similarity_rules`: those rules, and bounds for the search; `search`: the compiled search for the other rules.
- `size_classes`: sets by size, for `prefix_search`: the compiled search by the rarest items, for Jaccard.
- `inverted_index`: sets by size, items by rarity, the holders of each item.
- `set_groups`: equal sets grouped; `best_matches`: from the best groups to their members.
- `weighted_similarity`: the most similar sets by cosine or by amounts; `weighted_index`: the index for it.
- `top_matches`: the few most similar sets with their similarity; `top_list`: a sorted list of bounded length.
- `evidence`: known sets that explain a set of more or less credible items.
- `subject_pairs`: Jaccard similarity over pairs of subjects.
- `item_pairs`: pairs of items most often bought together.
- `multisets`: surplus of one multiset over another, by owner.
- `incidence`: items by subject and subjects by item, as one type.
- `rare_goods`: goods to remove until no combination is rare.
- `missing_goods`: goods that a subject lacks of its cluster; `dummy_placement`: inconspicuous places for them.
"""
