"""Item sets: search by similarity, pairs, rare items, dummy rows."""
