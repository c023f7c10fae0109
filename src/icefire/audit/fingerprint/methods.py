"""The methods that a fingerprint recognises: sixteen from the tables alone, one more by the truth."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class RecognisedMethod:
    """A method, and others that leave the same traces and go by its name."""

    name: str
    traces: str
    """What it does to a table, for people."""
    covers: tuple[str, ...]
    """Methods of the registry that count as this one."""
    needs_truth: bool = False


METHODS = (
    RecognisedMethod("k_anonymize", "quasi-identifiers made equal in groups", ("k_anonymize",)),
    RecognisedMethod("local_suppress", "cells of rare combinations blanked", ("local_suppress",)),
    RecognisedMethod("suppress_cells", "cells blanked at random", ("suppress_cells",)),
    RecognisedMethod("unify", "whole columns made one value", ("unify", "suppress_columns")),
    RecognisedMethod("delete", "rows left out at random", ("delete", "sample_rows")),
    RecognisedMethod("suppress_rows", "rows of rare combinations left out", ("suppress_rows",)),
    RecognisedMethod("noise", "noise added to numbers", ("noise", "laplace", "gaussian", "correlated_noise")),
    RecognisedMethod("round_values", "numbers rounded", ("round_values",)),
    RecognisedMethod("top_code", "numbers cut off at a largest or smallest value", ("top_code", "bottom_code")),
    RecognisedMethod("microaggregate", "means of small groups of similar rows", ("microaggregate",)),
    RecognisedMethod("average", "means of rows with equal quasi-identifiers", ("average",)),
    RecognisedMethod("swap", "values exchanged among rows with equal quasi-identifiers", ("swap",)),
    RecognisedMethod("rank_swap", "values exchanged with others of nearly the same rank", ("rank_swap",)),
    RecognisedMethod("shuffle", "values of a column dealt out over all rows", ("shuffle",)),
    RecognisedMethod("pram", "categories replaced at random", ("pram", "randomized_response")),
    RecognisedMethod("synthesize", "rows drawn anew from a model", ("synthesize",)),
)
"""What tables alone can show."""

PERMUTE_INDEX = RecognisedMethod("permute_index", "a false correspondence is claimed", ("permute_index",), True)
"""Changes no value: only somebody who knows the claimed correspondence can see it."""

NAMES = tuple(method.name for method in METHODS)


def recognised_as(method: str) -> str | None:
    """Return under which name a method of the registry is recognised; None for those that are not."""
    return next((known.name for known in (*METHODS, PERMUTE_INDEX) if method in known.covers), None)
