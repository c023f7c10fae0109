"""The registry: looking names up."""

from __future__ import annotations

import pytest

import icefire
from icefire.core import registry
from icefire.core.errors import ParameterError, UnknownNameError


def test_a_code_of_a_paper_is_a_name_in_any_case():
    assert registry.get("attack", " e2 ").name == "id_sa"


def test_an_unknown_name_is_answered_with_the_nearest():
    with pytest.raises(UnknownNameError, match="euc1"):
        registry.get("attack", "euc11")


def test_a_table_in_the_place_of_the_name_is_refused_in_words():
    table = icefire.sample("households", rows=20)
    with pytest.raises(ParameterError, match="expected the name of one of the attacks; got a Dataset instead"):
        icefire.attack(table, table, "link")
