"""The pages of the organisers, under /desk. Judges read them and have things judged again."""
