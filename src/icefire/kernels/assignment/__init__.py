"""One-to-one assignment: auction, maximum matching, random matchings."""
