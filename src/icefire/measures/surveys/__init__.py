"""Measures of a survey of people with an outcome, computed only where they are named. See docs/survey.md."""
