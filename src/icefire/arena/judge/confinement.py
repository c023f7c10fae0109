"""Resource limits and isolation of a judge's process, set before it reads anything a team handed in."""

from __future__ import annotations

import ctypes
import os
import resource
import sys
from dataclasses import dataclass
from pathlib import Path

import icefire
from icefire.arena.judge import capabilities, syscall_filters

CLONE_NEWUSER = 0x10000000
CLONE_NEWNET = 0x40000000
PR_SET_PDEATHSIG = 1
NICE = 10
SYSTEM = (
    *("/usr", "/lib", "/lib64", "/etc/ld.so.cache", "/etc/localtime", "/dev/null", "/dev/zero", "/dev/urandom"),
    *("/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/sys/devices/system/cpu", "/sys/fs/cgroup"),
)
"""What libraries read of the machine."""


@dataclass(frozen=True, slots=True)
class TaskLimits:
    """How much one task may use."""

    seconds: float = 60
    memory: int = 4 << 30
    """Address space in bytes; compiled code and thread stacks count, though they are hardly touched."""
    file_size: int = 1 << 28
    threads: int = 1
    """Of one task; several run at once, and pages come first."""


def give_way() -> None:
    """Have this process, and those it starts, run when the pages leave a processor free.

    Where the system weighs sessions against one another (autogroup), this counts within the own session only.
    """
    os.nice(max(0, NICE - os.nice(0)))


def confine(folder: Path, limits: TaskLimits) -> list[str]:
    """Limit this process, which must not have started a thread, for good; returns what it is cut off from."""
    give_way()
    seconds = max(1, round((limits.threads + 1) * limits.seconds))
    _limit(resource.RLIMIT_AS, limits.memory, limits.memory)
    _limit(resource.RLIMIT_FSIZE, limits.file_size, limits.file_size)
    _limit(resource.RLIMIT_CORE, 0, 0)
    _limit(resource.RLIMIT_CPU, seconds, seconds + 5)
    threads = str(limits.threads)
    os.environ.update(TMPDIR=str(folder), POLARS_MAX_THREADS=threads, ICEFIRE_THREADS=threads)
    os.chdir(folder)
    steps = {
        "network": leave_the_network,
        "capabilities": capabilities.drop_all,
        "files": lambda: syscall_filters.only_these_files(_readable(), folder),
        "programs": syscall_filters.no_network_and_no_programs,
    }
    return [name for name, done in steps.items() if done()]


def _limit(what: int, soft: int, hard: int) -> None:
    """Set a limit, or keep the one there is if it is lower already."""
    _, most = resource.getrlimit(what)
    if most != resource.RLIM_INFINITY:
        soft, hard = min(soft, most), min(hard, most)
    resource.setrlimit(what, (soft, hard))


def _readable() -> list[Path]:
    """Where Python, its packages and their compiled kernels are, and the system files they read."""
    from icefire.kernels.common.cache_folder import cache_folder  # loads Numba, which the judge needs and pages do not

    ours = [sys.prefix, sys.base_prefix, *(path for path in sys.path if os.path.isabs(path)), *icefire.__path__]
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    kernels = os.environ.get("NUMBA_CACHE_DIR") or os.path.join(cache, "numba")
    return [Path(place) for place in (*ours, kernels, str(cache_folder()), *SYSTEM, f"/proc/{os.getpid()}")]


def leave_the_network() -> bool:
    """Move to a network without any interface, where the system lets us; as root, powers over the machine go too."""
    try:
        libc = ctypes.CDLL(None, use_errno=True)
        return bool(libc.unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0 or libc.unshare(CLONE_NEWNET) == 0)
    except (OSError, AttributeError):
        return False


def die_with(parent: int) -> None:
    """Have the system end this process when its parent ends, however that ends."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, 9, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)
