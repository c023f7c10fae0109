"""Logistic regression: how the odds of an outcome change with age, sex, income, …, for any formula.

    from icefire.regression import fit, parse
    fit(frame, parse("dia ~ gen + age + bmi", frame.columns)).table()

The maximum of the likelihood is found by Newton's method, which for this model is iteratively reweighted least
squares. Where there is none (perfect separation, columns that say the same, too few rows) an error says so in words.
"""

from icefire.regression.fitting import Fit, fit
from icefire.regression.formula import INTERCEPT, Formula, parse

__all__ = ["INTERCEPT", "Fit", "Formula", "fit", "parse"]
