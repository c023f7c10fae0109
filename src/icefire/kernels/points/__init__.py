"""Known points of histories: how many people fit some of a person's points, by the sets that fewest people fit."""
