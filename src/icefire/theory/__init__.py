"""Expected values by formula: dummies and clusters of a history, the score of a membership answer."""
