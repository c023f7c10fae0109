"""CPU seconds of one request for each page of a large competition: after a change of the board, a guess, and again.

    python -m benchmarks.arena_pages [--teams 200] [--releases 600] [--guesses 100] [--phase attack] [--database URL]

The application runs in this process, without a server; the time of the database's own process is not counted.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import tempfile
import time
from pathlib import Path
from typing import Any

from rich.console import Console
from starlette.testclient import TestClient

from benchmarks import arena_crowd
from icefire.arena.contest.arena import Arena, open_arena
from icefire.arena.storage import log
from icefire.arena.web.app import create_app
from icefire.arena.web.session import cookie_name

PAGES = ("/", "/matrix", "/board", "/pictures", "/rules", "/team", "/submit", "/log")
READS = ("matrix", "board", "releases", "teams", "team", "contest", "rounds", "overall")
console = Console(soft_wrap=True)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.arena_pages", description=__doc__)
    parser.add_argument("--teams", type=int, default=200)
    parser.add_argument("--releases", type=int, default=600)
    parser.add_argument("--guesses", type=int, default=100, help="of each team")
    parser.add_argument("--phase", default="attack", choices=arena_crowd.ORDER)
    parser.add_argument("--rows", type=int, default=300)
    parser.add_argument("--database", help="postgresql://…; default: SQLite in the folder")
    parser.add_argument("--profile", help="print where the time of one address goes")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="icefire-pages-") as place:
        folder = Path(place)
        arena_crowd.write_contest(folder, arguments.rows, arguments.phase)
        arena = open_arena(folder, arguments.database)
        players = arena_crowd.add_players(arena, arguments.teams)
        arena_crowd.add_releases(arena, arguments.releases, arguments.guesses, arguments.rows)
        with TestClient(create_app(arena, worker=False)) as client:
            time.sleep(2)  # the snapshot of a frozen board is taken
            if arguments.profile:
                _profile(client, arguments.profile, players[0])
            else:
                for path in (*PAGES, *(f"/api/v1/{name}" for name in READS)):
                    _measure(arena, client, path, players)
        arena.database.close()


def _measure(arena: Arena, client: Any, path: str, players: list[tuple[str, str]]) -> None:
    _get(client, path, players[0])
    _change(arena)
    changed, size = _get(client, path, players[1])
    arena_crowd.add_guess(arena)
    guessed, _ = _get(client, path, players[7])
    again = min(_get(client, path, player)[0] for player in players[2:7])
    times = f"after a change {1e3 * changed:5.0f} ms  a guess {1e3 * guessed:6.0f} ms  again {1e3 * again:6.1f} ms"
    console.print(f"{path:20} {times}  {size:9,} bytes")


def _change(arena: Arena) -> None:
    with arena.database.transaction() as session:
        log.write(session, arena.now(), "judge", "renamed")


def _get(client: Any, path: str, player: tuple[str, str]) -> tuple[float, int]:
    cookie, token = player
    headers = (
        {"Authorization": f"Bearer {token}"}
        if path.startswith("/api")
        else {"Cookie": f"{cookie_name(client.app.state.arena)}={cookie}"}
    )
    began = time.process_time()
    answer = client.get(path, headers=headers)
    took = time.process_time() - began
    answer.raise_for_status()
    return took, len(answer.content)


def _profile(client: Any, path: str, player: tuple[str, str]) -> None:
    profile = cProfile.Profile()
    import threading

    threading.setprofile_all_threads(None)  # type: ignore[attr-defined]
    profile.enable()
    _get(client, path, player)
    profile.disable()
    pstats.Stats(profile).sort_stats("cumulative").print_stats(40)


if __name__ == "__main__":
    main()
