"""Commands are found by their files; groups of options stand for their options."""

from __future__ import annotations

import inspect
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from support.commands import run_icefire

import icefire.cli
from icefire.cli.app import application
from icefire.cli.commands import Command, CommandGroup, declared_in, expand_options

NEW_VERB = '''
"""icefire greet: a verb in one file."""

from __future__ import annotations

from typing import Annotated

import typer

from icefire.cli.commands import Command
from icefire.cli.console import out
from icefire.cli.options import TextFiles


def greet(name: Annotated[str, typer.Argument(help="Whom.")], *, files: TextFiles) -> None:
    """Greet somebody."""
    out.print(f"hello {name}, split by {files.delimiter}", markup=False)


COMMANDS = [Command(greet, order=45)]
'''


@pytest.fixture
def new_verb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A file with a new verb on the path of the command line's package."""
    (tmp_path / "greet.py").write_text(NEW_VERB)
    monkeypatch.setattr(icefire.cli, "__path__", [*icefire.cli.__path__, str(tmp_path)])
    yield
    sys.modules.pop("icefire.cli.greet", None)


@pytest.mark.usefixtures("new_verb")
def test_a_new_file_is_a_new_verb_in_its_place(capsys: pytest.CaptureFixture[str]) -> None:
    listed = run_icefire(capsys, "--help").out
    greeting = re.search(r"  greet +Greet somebody\.", listed)
    assert greeting is not None
    assert listed.index("  audit ") < greeting.start() < listed.index("  attack ")
    done = run_icefire(capsys, "greet", "Ann", "--delimiter", ";")
    assert (done.code, done.out) == (0, "hello Ann, split by ;\n")
    assert run_icefire(capsys, "greet").code == 2


def test_the_order_follows_the_data() -> None:
    names = [command.name or command.callback.__name__ for command in application().registered_commands]
    order = [
        "demo",
        "sample",
        "anonymize",
        "audit",
        "attack",
        "score",
        "fingerprint",
        "inspect",
        "check",
        "list",
        "study",
    ]
    assert [name for name in names if name in order] == order
    assert [group.name for group in application().registered_groups][:3] == ["recipe", "hierarchy", "arena"]


def test_every_command_has_an_order_of_its_own() -> None:
    for package in ("icefire.cli", "icefire.cli.arena"):
        orders = [command.order for command in declared_in(package)]
        assert len(set(orders)) == len(orders)


def test_every_command_says_what_it_does() -> None:
    def functions(commands: list[Command | CommandGroup]) -> Iterator[Command]:
        for command in commands:
            if isinstance(command, Command):
                yield command
            else:
                yield from functions(list(command.commands))

    found = list(functions(declared_in("icefire.cli")))
    assert len(found) > 20
    for command in found:
        assert command.function.__doc__


@dataclass(frozen=True)
class Inner:
    deep: int = 1


@dataclass(frozen=True)
class Outer:
    near: str = "x"
    inner: Inner = field(default_factory=Inner)


def test_a_group_of_options_is_replaced_by_its_options_in_its_place() -> None:
    called = []

    def command(first: int, group: Outer, last: bool = False) -> None:
        called.append((first, group, last))

    command.__annotations__ = {"first": int, "group": Outer, "last": bool, "return": None}
    expanded = expand_options(command)
    assert list(inspect.signature(expanded).parameters) == ["first", "near", "deep", "last"]
    expanded(first=3, near="y", deep=7, last=True)
    assert called == [(3, Outer("y", Inner(7)), True)]


def test_a_command_without_groups_is_left_as_it_is() -> None:
    def command(first: int) -> None:
        pass

    assert expand_options(command) is command


@pytest.mark.parametrize(("given", "used"), [(None, "1"), ("4", "4")])
def test_linear_algebra_uses_one_thread_unless_the_user_says_otherwise(
    given: str | None, used: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    if given is not None:
        monkeypatch.setenv("OPENBLAS_NUM_THREADS", given)
    run_icefire(capsys, "--version")
    assert os.environ["OPENBLAS_NUM_THREADS"] == used
    words = [sys.executable, "-c", "import sys, icefire.cli.app; print('numpy' in sys.modules)"]
    assert subprocess.run(words, capture_output=True, text=True, check=True).stdout == "False\n"
