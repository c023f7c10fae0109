"""Inferred roles are used only where somebody agreed to them, or is there to see them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import polars as pl
import pytest

import icefire
from icefire.core.errors import SchemaError
from icefire.io import given_roles
from icefire.io.given_roles import check_inferred

PEOPLE = pl.DataFrame({"age": [20, 21, 20, 21], "diabetes": ["y", "n", "n", "y"]})
STEPS = {"step": [{"method": "swap"}]}
LITTLE = {"attacks": ["euc1"], "measures": ["k_min"]}


@pytest.fixture(autouse=True)
def nobody_agreed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(given_roles, "check_inferred", check_inferred)


VERBS: dict[str, Callable[..., Any]] = {
    "anonymize": lambda table, **roles: icefire.anonymize(table, STEPS, **roles),
    "audit": lambda table, **roles: icefire.audit(table, PEOPLE, aligned=True, **LITTLE, **roles),
    "attack": lambda table, **roles: icefire.attack("id_rand", table, PEOPLE, **roles),
    "inspect": lambda table, **roles: icefire.inspect(table, measures=["k_min"], **roles),
    "assert_safe": lambda table, **roles: icefire.assert_safe(PEOPLE, table, aligned=True, **LITTLE, **roles),
}


@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_refuses_roles_that_nobody_gave(verb: str) -> None:
    with pytest.raises(SchemaError, match=r"pass qi=\[…\] and sa=\[…\], schema=…, or infer_roles=True") as refusal:
        VERBS[verb](PEOPLE)
    lines = str(refusal.value).splitlines()[1:]
    assert [line.split()[:2] for line in lines] == [["age", "quasi-identifier"], ["diabetes", "sensitive"]]
    assert "by its name it tells of health" in lines[1]


@pytest.mark.parametrize("verb", ["anonymize", "attack", "inspect"])
@pytest.mark.parametrize(
    ("table", "roles"),
    [(PEOPLE, {"infer_roles": True}), (PEOPLE, {"qi": "age", "sa": "diabetes"}), (icefire.read(PEOPLE), {})],
)
def test_a_verb_takes_roles_that_somebody_agreed_to(verb: str, table: Any, roles: dict[str, Any]) -> None:
    VERBS[verb](table, **roles)


def test_in_a_session_inferred_roles_are_shown_and_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(given_roles, "is_interactive", lambda: True)
    with pytest.warns(UserWarning, match=r"(?s)these were inferred.*diabetes  sensitive"):
        assert icefire.inspect(PEOPLE, measures=["k_min"]).measures


def test_reading_alone_shows_the_roles() -> None:
    assert icefire.read(PEOPLE).sa == ("diabetes",)
    assert icefire.read(PEOPLE, infer_roles=True).sa == ("diabetes",)
