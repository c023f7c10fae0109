"""A recipe that leaves out everybody is refused, with the way to find the step."""

from __future__ import annotations

import pytest

import icefire
from icefire.core.errors import ParameterError


def test_a_recipe_that_leaves_no_row_is_refused():
    """Of 100 people nobody has more than 100 candidates."""
    people = icefire.sample("survey", 100)
    with pytest.raises(ParameterError, match=r"leaves out all 100 rows of .*icefire recipe explain"):
        icefire.anonymize(people, {"step": [{"method": "swap_rows", "few": 100}]}, seed=1)
