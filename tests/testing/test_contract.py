"""Every registered function keeps the contract."""

from __future__ import annotations

import pytest

from icefire import testing
from icefire.core import registry

SORTS = ("method", "measure", "attack")
EVERYTHING = [(sort, entry.name, entry.data) for sort in SORTS for entry in registry.entries(sort)]


@pytest.mark.parametrize(("sort", "name", "data"), EVERYTHING, ids=[f"{s}:{n}:{d}" for s, n, d in EVERYTHING])
def test_it_keeps_the_contract(sort, name, data):
    testing.check(sort, name, data)


def test_the_registry_holds_what_the_papers_name():
    codes = {entry.code for sort in ("measure", "attack") for entry in registry.entries(sort)}
    assert {"S1", "S2", "U1", "U2", "U3", "U4", "U5", "U6", "E1", "E2", "E3", "E4", "EUC1", "EUC2"} <= codes
    methods = {entry.name for entry in registry.entries("method")}
    assert {"k_anonymize", "noise", "unify", "average", "swap", "delete", "permute_index"} <= methods
