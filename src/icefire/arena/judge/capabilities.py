"""The capabilities of Linux, which are the powers of root one by one: a task of the judge keeps none."""

from __future__ import annotations

import ctypes
import struct
import sys

_PR_CAPBSET_DROP, _PR_CAP_AMBIENT, _CLEAR_ALL, _PR_SET_NO_NEW_PRIVS = 24, 47, 4, 38
_HIGHEST = 63
_VERSION_3 = 0x20080522
_KEPT = ("CapInh:", "CapPrm:", "CapEff:", "CapAmb:")


def drop_all() -> bool:
    """Give up every capability for good, also those that a started program could get; False where some are left."""
    if sys.platform != "linux":
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_PR_CAP_AMBIENT, _CLEAR_ALL, 0, 0, 0)
    for number in range(_HIGHEST + 1):  # those the kernel does not know, and all if there is no right to, are refused
        libc.prctl(_PR_CAPBSET_DROP, number, 0, 0, 0)
    header, nothing = struct.pack("=Ii", _VERSION_3, 0), bytes(24)
    libc.capset(header, nothing)
    libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    return has_none()


def has_none() -> bool:
    """Tell whether this process has no capability."""
    try:
        with open("/proc/self/status", encoding="utf-8") as status:
            kept = [line.split()[1] for line in status if line.startswith(_KEPT)]
    except OSError:
        return False
    return bool(kept) and all(int(one, 16) == 0 for one in kept)
