"""A PostgreSQL server for tests: the binaries found on the machine, run as somebody unprivileged, on a Unix socket."""

from __future__ import annotations

import glob
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

FAST = ("fsync=off", "synchronous_commit=off", "full_page_writes=off", "max_connections=200")


def binary(name: str) -> str | None:
    """Find a program of PostgreSQL; Debian keeps them off the PATH."""
    return shutil.which(name) or next(iter(sorted(glob.glob(f"/usr/lib/postgresql/*/bin/{name}"), reverse=True)), None)


def missing() -> str | None:
    """Return why there is no PostgreSQL here; None if there is."""
    if binary("initdb") is None or binary("postgres") is None:
        return "PostgreSQL's initdb and postgres are not on this machine"
    if os.geteuid() == 0 and _somebody() is None:
        return "PostgreSQL does not run as root, and there is no unprivileged account here"
    return None


def _somebody() -> str | None:
    known = {one.pw_name for one in pwd.getpwall()}
    return next((name for name in ("postgres", "nobody") if name in known), None)


@contextmanager
def server() -> Iterator[str]:
    """Run a server until the end; gives the address of its folder, to be followed by a database's name."""
    folder = Path(tempfile.mkdtemp(prefix="icefire-pg-"))
    user = _somebody() if os.geteuid() == 0 else None
    if user is not None:
        shutil.chown(folder, user)
    data = folder / "data"
    made = [binary("initdb"), "-D", str(data), "-U", "icefire", "-A", "trust", "-E", "UTF8", "--no-sync", "--locale=C"]
    subprocess.run(made, check=True, user=user, cwd=folder, stdout=subprocess.DEVNULL)
    settings = [part for one in FAST for part in ("-c", one)]
    begun = [binary("postgres"), "-D", str(data), "-k", str(folder), "-h", "", *settings]
    running = subprocess.Popen(begun, user=user, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        _wait(folder)
        yield f"postgresql://icefire@/{{}}?host={folder}"
    finally:
        running.send_signal(signal.SIGINT)  # at once: a connection that was left open must not hold up the end
        running.wait()
        shutil.rmtree(folder, ignore_errors=True)


def _wait(folder: Path) -> None:
    import psycopg

    for _ in range(100):
        try:
            psycopg.connect(f"postgresql://icefire@/postgres?host={folder}").close()
        except psycopg.OperationalError:
            time.sleep(0.1)
        else:
            return
    raise RuntimeError("PostgreSQL did not start within ten seconds")


def new_database(address: str, name: str) -> str:
    """Make an empty database and return its address."""
    import psycopg

    with psycopg.connect(address.format("postgres"), autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
    return address.format(name)
