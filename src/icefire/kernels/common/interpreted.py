"""Compiled functions as plain Python, for little work: compiling takes longer than the work itself.

The plain function and the compiled one are the same source and give the same bytes, provided that the source
- calculates with narrow integers only where they cannot overflow (compiled code widens them, numpy's scalars do not),
- takes logarithms and exponentials from `math`, not from numpy, whose own may differ in the last digit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, wraps
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np
from numba.core.dispatcher import Dispatcher

LIMIT = 1 << 18
"""Steps that one function is interpreted for in one process: some tenths of a second. After that it is compiled."""
SLOW_TO_COMPILE = 1 << 20
"""The same for functions whose compiling takes a second and more."""
FIRST_LOADED = 1 << 20
"""Steps of all functions together that are interpreted before the first compiled one is loaded, which takes most of a
second: Numba prepares itself."""
LOADED = 1 << 15
"""The same for one function, once another was loaded."""
BY_NUMPY = 32
"""Steps that numpy makes in the time of one in plain Python, at least."""

_steps: Counter[Dispatcher] = Counter()
_settings = {"always compiled": False, "one is loaded": False}


@contextmanager
def always_compiled() -> Iterator[None]:
    """Compile whatever is called inside the block, however little it has to do."""
    before = _settings["always compiled"]
    _settings["always compiled"] = True
    try:
        yield
    finally:
        _settings["always compiled"] = before


def is_little(size: int, most: int) -> bool:
    """Tell whether work of this size, at most `most`, is left to numpy, so that nothing need be compiled for it."""
    return size <= most and not _settings["always compiled"]


def compiled_if_worth(
    function: Any, steps: int, by_numpy: Callable[..., Any] | None = None, limit: int = LIMIT
) -> Callable[..., Any]:
    """Return the compiled function where it is at hand or there is much to do, and plain Python for little work.

    Args:
        function: A compiled function.
        steps: About how often its innermost loop will run.
        by_numpy: The same in numpy, with the same bytes, to be taken instead of plain Python.
        limit: Steps after which it is compiled.
    """
    if not isinstance(function, Dispatcher):  # Numba is switched off
        return function  # type: ignore[no-any-return]
    steps = steps // BY_NUMPY if by_numpy else steps
    all_steps = _steps[function] + steps
    if function.signatures or not is_little(all_steps, limit) or (_is_worth_loading(all_steps) and is_cached(function)):
        _settings["one is loaded"] = True
        return function
    _steps[function] += steps
    return by_numpy or interpreted(function)


def _is_worth_loading(steps: int) -> bool:
    """Tell whether a function with so many steps to make is loaded if an earlier process compiled it."""
    return steps > LOADED and (_settings["one is loaded"] or _steps.total() + steps > FIRST_LOADED)


@cache
def is_cached(function: Any) -> bool:
    """Tell whether an earlier process compiled the function, for whatever types."""
    folder = function.stats.cache_path
    if not folder:
        return False
    return any(Path(folder).glob(f"*.{function.py_func.__qualname__}-*.nbi"))


@cache
def interpreted(function: Any) -> Callable[..., Any]:
    """Return the plain Python function of a compiled one; what it calls is interpreted, too."""
    plain = _plain(function)

    @wraps(function.py_func)
    def call(*arguments: Any) -> Any:
        with np.errstate(all="ignore"):  # unsigned numbers wrap around, as compiled ones do
            return plain(*arguments)

    return call


@cache
def _plain(function: Any) -> FunctionType:
    source = function.py_func
    own = {
        name: _plain(value) if isinstance(value, Dispatcher) else value
        for name, value in source.__globals__.items()
        if name in source.__code__.co_names
    }
    own["__builtins__"] = source.__globals__["__builtins__"]
    return FunctionType(source.__code__, own, source.__name__, source.__defaults__, source.__closure__)
