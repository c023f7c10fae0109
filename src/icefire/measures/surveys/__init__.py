"""Measures for a survey of people with an outcome, run where they are asked for. See docs/survey.md."""
