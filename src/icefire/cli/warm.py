"""icefire warm: compile before the first use, for images of containers and servers."""

from __future__ import annotations

from icefire.cli.commands import Command
from icefire.cli.console import note, out, progress


def warm() -> None:
    """Compile what audits use into the cache, so that the first one starts at once."""
    import time

    import numba

    from icefire.audit.compiling.warm import compile_kernels
    from icefire.core.formatting import counted
    from icefire.kernels.common.cache_folder import cache_folder

    started = time.perf_counter()
    with progress() as stage:
        compilations = compile_kernels(stage)
    seconds = time.perf_counter() - started
    functions = counted(len(compilations.functions), "function")
    out.print(
        f"{functions} compiled for {compilations.specialisations:,} types of arguments: "
        f"{compilations.seconds:.1f} CPU s of {seconds:.1f} s in all.",
        markup=False,
        highlight=False,
    )
    note(f"The cache is {getattr(numba.config, 'CACHE_DIR', '') or cache_folder()}.")


COMMANDS = [Command(warm, order=95)]
