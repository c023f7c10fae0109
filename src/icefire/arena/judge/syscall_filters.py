"""Two filters of Linux on a process: the files it may open (Landlock), and the system calls it may make (seccomp).

Both need no privilege, cannot be taken back, and bind every thread and child started afterwards. Where the system does
not know one of them, the process goes on without it; the others still hold.
"""

from __future__ import annotations

import ctypes
import os
import platform
import struct
import sys
from collections.abc import Iterable
from pathlib import Path

_LINUX = sys.platform == "linux" and struct.calcsize("P") == 8
"""The numbers below are those of Linux, for programs of 64 bits."""
_libc = ctypes.CDLL(None, use_errno=True)
_PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP = 38, 22

# --- files: Landlock, the same numbers on every machine

_CREATE, _ADD, _RESTRICT = 444, 445, 446
_VERSION, _PATH_BENEATH = 1, 1
_EXECUTE, _WRITE, _READ, _READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_READING = _EXECUTE | _READ | _READ_DIR
_KNOWN = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 5: (1 << 16) - 1}
"""All rights on files there are, from each version on."""
_TCP = 0b11
_SCOPES = 0b11
"""Not to reach sockets and processes outside."""


def only_these_files(readable: Iterable[Path], writable: Path) -> bool:
    """Let this process open files beneath these places and nowhere else; False where the system cannot."""
    if not _LINUX:
        return False
    version = _libc.syscall(_CREATE, None, ctypes.c_size_t(0), ctypes.c_uint(_VERSION))
    if version < 1:
        return False
    rights = next(_KNOWN[known] for known in sorted(_KNOWN, reverse=True) if known <= version)
    parts = [rights, *([_TCP] if version >= 4 else []), *([_SCOPES] if version >= 6 else [])]
    packed = struct.pack(f"{len(parts)}Q", *parts)
    rules = _libc.syscall(_CREATE, packed, ctypes.c_size_t(len(packed)), ctypes.c_uint(0))
    if rules < 0:
        return False
    try:
        for place in readable:
            _allow(rules, place, _READING)
        _allow(rules, writable, rights & ~_EXECUTE)
        _libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        return bool(_libc.syscall(_RESTRICT, rules, ctypes.c_uint(0)) == 0)
    finally:
        os.close(rules)


def _allow(rules: int, place: Path, rights: int) -> None:
    try:
        handle = os.open(place, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    if not place.is_dir():
        rights &= _EXECUTE | _WRITE | _READ
    beneath = struct.pack("=Qi", rights, handle)
    _libc.syscall(_ADD, rules, _PATH_BENEATH, beneath, ctypes.c_uint(0))
    os.close(handle)


# --- calls: seccomp, with the numbers of each machine

_REFUSED = (
    *("socket", "connect", "io_uring_setup"),
    *("execve", "execveat", "ptrace", "process_vm_readv", "process_vm_writev", "pidfd_getfd"),
    *("kill", "pidfd_send_signal"),
    *("unshare", "setns", "mount", "umount2", "chroot", "bpf", "perf_event_open", "userfaultfd"),
    *("add_key", "request_key", "keyctl"),
)
"""The network, by either way; other programs and their memory; signals to others; the system itself; its key rings."""
_CALLS = {
    "x86_64": (
        0xC000003E,
        (41, 42, 425, 59, 322, 101, 310, 311, 438, 62, 424, 272, 308, 165, 166, 161, 321, 298, 323, 248, 249, 250),
    ),
    "aarch64": (
        0xC00000B7,
        (198, 203, 425, 221, 281, 117, 270, 271, 438, 129, 424, 97, 268, 40, 39, 51, 280, 241, 282, 217, 218, 219),
    ),
}
"""The number of the machine, and the numbers of these calls on it."""
_FILTER = 2
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000 | 1  # "not permitted"
_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_NUMBER_AT, _MACHINE_AT = 0, 4
_OTHER_NUMBERS = 0x40000000
"""From here on the same calls have second numbers on x86."""


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("code", ctypes.c_char_p))


def no_network_and_no_programs() -> bool:
    """Keep this process from opening sockets and from starting or tracing programs; False where the system cannot."""
    machine, refused = _CALLS.get(platform.machine(), (0, ()))
    if not _LINUX or not refused:
        return False
    steps = [
        (_LOAD, 0, 0, _MACHINE_AT),
        (_EQUAL, 0, len(refused) + 3, machine),
        (_LOAD, 0, 0, _NUMBER_AT),
        (_AT_LEAST, len(refused) + 1, 0, _OTHER_NUMBERS),
        *((_EQUAL, len(refused) - place, 0, number) for place, number in enumerate(refused)),
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, _REFUSE),
    ]
    code = b"".join(struct.pack("=HBBI", *step) for step in steps)
    program = _Program(len(steps), code)
    _libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    return bool(_libc.prctl(_PR_SET_SECCOMP, _FILTER, ctypes.byref(program), 0, 0) == 0)
