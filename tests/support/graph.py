"""Walk the object graph: what can be reached from what an attack receives."""

from __future__ import annotations

import gc


def reachable(start: object) -> list[object]:
    """Every object that can be reached from one by references, modules and classes aside."""
    seen: dict[int, object] = {}
    stack = [start]
    while stack:
        item = stack.pop()
        if id(item) in seen or isinstance(item, type) or type(item).__name__ == "module" or callable(item):
            continue
        seen[id(item)] = item
        stack.extend(gc.get_referents(item))
    return list(seen.values())
