"""Without what only Unix has, the package and the command line still load; the arena says what it needs."""

from __future__ import annotations

import subprocess
import sys

import pytest

from icefire.cli.arena.packages import NotInstalled, requiring_packages
from icefire.cli.commands import Command

LIKE_WINDOWS = """
import os, signal, sys

ABSENT = ("fcntl", "grp", "pwd", "resource", "termios")

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name in ABSENT:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Absent())
for name in ABSENT:
    sys.modules.pop(name, None)
for name in ("fork", "geteuid", "getuid", "sched_getaffinity", "fchmod", "setsid", "mkfifo", "chown"):
    if hasattr(os, name):
        delattr(os, name)
for name in ("SIGKILL", "SIGALRM", "SIGHUP", "SIGUSR1", "SIGPIPE"):
    if hasattr(signal, name):
        delattr(signal, name)
import icefire
for name in icefire.__all__:
    getattr(icefire, name)
from typer.main import get_command
from icefire.cli.app import application
from icefire.core import registry
assert len(get_command(application()).commands) > 10
assert len(registry.entries("attack")) > 20
assert icefire.read({"age": [1, 2, 3]}, qi="age").height == 3
"""


def test_the_package_and_the_command_line_load_without_unix() -> None:
    done = subprocess.run([sys.executable, "-c", LIKE_WINDOWS], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_arena_says_what_it_needs() -> None:
    def serve() -> None:
        raise ModuleNotFoundError("No module named 'resource'", name="resource")

    [command] = requiring_packages([Command(serve)])
    assert isinstance(command, Command)
    with pytest.raises(NotInstalled, match="run the arena on Linux"):
        command.function()
