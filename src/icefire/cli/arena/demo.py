"""icefire arena demo: play a whole competition, then serve it with a browser open."""

from __future__ import annotations

import tempfile
import threading
import webbrowser
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from icefire._version import DEFAULT_SEED
from icefire.cli import options
from icefire.cli.arena.options import Port
from icefire.cli.commands import Command
from icefire.cli.console import note, out, progress
from icefire.core.errors import OutputError


def demo(
    folder: Annotated[
        Path | None, typer.Option("-o", "--folder", help="Keep the competition here.", show_default="a temporary one")
    ] = None,
    port: Port = 8000,
    rows: Annotated[int, typer.Option("-n", "--rows", min=100, help="Households of the survey.")] = 600,
    no_open: Annotated[bool, typer.Option("--no-open", help="Open no browser.")] = False,
    seed: options.Seed = DEFAULT_SEED,
) -> None:
    """A whole competition with teams, releases and attacks, on this machine, to look around in."""
    from icefire.arena import server
    from icefire.arena.contest.arena import open_arena
    from icefire.arena.demo import build

    if folder is not None and folder.exists() and any(folder.iterdir()):
        raise OutputError(f"{str(folder)!r} holds something already; name a new folder, or serve what is in it")
    listener = server.listen("127.0.0.1", port)
    with ExitStack() as stack:
        place = folder or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="icefire-demo-"))) / "arena"
        with progress() as stage:
            competition = build(place, seed, rows=rows, progress=stage)
        address = server.address(listener)
        out.print(f"Open {address} in a browser.  (Ctrl-C stops it)", markup=False, soft_wrap=True)
        for line in competition.lines:
            note(line)
        server.serve(open_arena(place), listener, ready=lambda: _open_browser(address) if not no_open else None)
    note(f"stopped; go on with: icefire arena serve {folder}" if folder else "stopped; the demo is gone")


def _open_browser(address: str) -> None:
    """Open the browser from a thread of its own: some take long, and the server must not wait."""
    threading.Timer(0.5, webbrowser.open, (address,)).start()


COMMANDS = [Command(demo, order=10)]
