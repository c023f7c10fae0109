"""Every command on a page names a verb and options that exist; those of the tutorial and the how-tos are executed."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.places import DOCS, ROOT

PAGES = sorted([*DOCS.rglob("*.md"), ROOT / "README.md"])
BLOCK = re.compile(r"(?:^(?:    .*|\s*)\n)+", re.MULTILINE)
COMMON = {"--help", "-h", "--quiet", "--verbose", "--lang"}
EXECUTED = ("tutorial.md", "howto/synthetic.md", "howto/shop.md", "howto/survey.md", "howto/hospital.md")


def code_lines(page: Path) -> Iterator[str]:
    """Return the indented lines of a page, continued ones joined."""
    text = page.read_text(encoding="utf-8")
    for block in BLOCK.findall(text):
        yield from re.sub(r"\\\n\s*", " ", block).splitlines()


def commands(page: Path) -> list[str]:
    lines = (line.strip().removeprefix("$ ") for line in code_lines(page))
    return [line.partition("   #")[0] for line in lines if line.startswith("icefire ")]


@pytest.fixture(scope="module")
def app() -> Any:
    import typer

    from icefire.cli.app import application

    return typer.main.get_command(application())


def options(command: Any) -> set[str]:
    return {name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_commands_on_a_page_exist(page: Path, app: Any) -> None:
    for line in commands(page):
        words = [word for word in re.split(r"[\s\[\]()|]+", line) if word][1:]
        command = app
        while words and hasattr(command, "commands") and words[0] in command.commands:
            command = command.commands[words.pop(0)]
        assert command is not app or words[0].startswith("-"), f"no such verb: {line}"
        named = {word.partition("=")[0] for word in words if re.fullmatch(r"--?[a-z][\w-]*(=.*)?", word)}
        assert named - options(command) - COMMON == set(), line


@pytest.mark.heavy
@pytest.mark.parametrize("page", EXECUTED)
def test_the_commands_of_a_page_run(page: str, tmp_path: Path) -> None:
    """As a reader would: one after the other in an empty folder. An audit that does not pass ends with 1."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    lines = "\n".join(line[4:] for line in code_lines(DOCS / page))
    script = [line for line in lines.splitlines() if "yours.csv" not in line and not line.startswith("pip ")]
    program = "\n".join(f"{line} || test $? = 1" if line.startswith("icefire ") else line for line in script)
    tool = f'icefire() {{ {shlex.quote(sys.executable)} -m icefire "$@"; }}\nset -e\n'
    where = {**os.environ, "COLUMNS": "100"}
    done = subprocess.run(["bash", "-c", tool + program], cwd=tmp_path, env=where, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
