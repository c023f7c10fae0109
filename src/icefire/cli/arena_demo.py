"""The demo of the arena: a whole competition is played, then served, with a browser on it."""

from __future__ import annotations

import tempfile
import threading
import webbrowser
from contextlib import ExitStack
from pathlib import Path

from icefire.arena import server
from icefire.arena.contest.arena import open_arena
from icefire.arena.demo import build
from icefire.cli.console import note, out, progress
from icefire.core.errors import OutputError


def run(folder: Path | None, port: int, rows: int, seed: int, browse: bool) -> None:
    """Build the competition, say who can log in, and serve it until Ctrl-C."""
    if folder is not None and folder.exists() and any(folder.iterdir()):
        raise OutputError(f"{str(folder)!r} holds something already; name a new folder, or serve what is in it")
    listener = server.listen("127.0.0.1", port)
    with ExitStack() as stack:
        place = folder or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="icefire-demo-"))) / "arena"
        with progress() as stage:
            made = build(place, seed, rows=rows, progress=stage)
        address = server.address(listener)
        out.print(f"Open {address} in a browser.  (Ctrl-C stops it)", markup=False, soft_wrap=True)
        for line in made.told:
            note(line)
        server.serve(open_arena(place), listener, ready=lambda: _open(address) if browse else None)
    note(f"stopped; go on with: icefire arena serve {folder}" if folder else "stopped; the demo is gone")


def _open(address: str) -> None:
    """Open the browser from a thread of its own: some take their time, and the server must not wait."""
    threading.Timer(0.5, webbrowser.open, (address,)).start()
