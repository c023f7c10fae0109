"""A definition of a contest with one round."""

TOML = """
title = "Test"
rules = "pwscup2015"
zone = "Asia/Tokyo"

[[round]]
name = "final"
data = "original.csv"
anonymise = 2026-05-01T09:00:00
freeze = 2026-05-02T09:00:00
attack = 2026-05-03T09:00:00
reveal = 2026-05-04T09:00:00
"""
