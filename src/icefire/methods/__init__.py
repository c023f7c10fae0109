"""Anonymisation methods: one file each. A method receives a `Dataset` and returns one.

The frame carries a hidden origin column: a method that moves values leaves it, one that moves or drops rows
moves or drops it with them. Nothing else is needed for the truth to come out right.
"""
