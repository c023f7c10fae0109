"""Functions that only compiled functions call: they need no way in from Python, which takes long to compile."""

from __future__ import annotations

from numba import njit

njit_inner = njit(nogil=True, cache=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)  # type: ignore[call-overload]
