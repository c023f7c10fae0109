"""Released rows that tell something about a person: those that cover him, the nearest, those in the leaves of trees."""
