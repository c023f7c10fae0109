"""The contract of methods, measures and attacks, ours and those of plug-ins, as checks to run in tests.

    from icefire import testing

    def test_my_attack_keeps_the_contract():
        testing.check("attack", "my_attack")

`check` runs a registered function on small example data of its kind. A broken promise raises `AssertionError` with the
promise in words.
"""

from __future__ import annotations

from icefire.core import registry
from icefire.core.registry import Sort
from icefire.core.types import DataKind
from icefire.testing import attacks, measures, methods
from icefire.testing.descriptions import check_description
from icefire.testing.engines import check_engines
from icefire.testing.examples import examples_for
from icefire.testing.partitions import check_partitions

__all__ = ["check"]

_CHECKS = {"method": methods.check_method, "measure": measures.check_measure, "attack": attacks.check_attack}


def check(sort: Sort, name: str, data: DataKind | None = None) -> None:
    """Check one registered function: what it says of itself, and what it does to small data.

    Args:
        sort: "method", "measure" or "attack".
        name: Its name, or its code in a paper.
        data: The kind of data it is for, where two functions have the name.

    Raises:
        AssertionError: If it breaks the contract; the message says which promise.
        UnknownNameError: If there is no such function.
    """
    entry = registry.get(sort, name, data)
    check_description(entry)
    examples = examples_for(entry)
    _CHECKS[sort](entry, examples)
    check_engines(entry, examples)
    check_partitions(entry, examples)
