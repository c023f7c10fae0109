"""Every command on a page, inside sentences too, names a verb and options that exist. test_docs_run.py runs them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from support.doc_blocks import PAGES, blocks, inline_commands, page_name, statements

COMMON = {"--help", "-h", "--quiet", "--verbose", "--lang"}


def commands(page: Path) -> list[str]:
    """Return the commands of the blocks and of the sentences of a page."""
    shown = [line for block in blocks(page) if block.kind == "shell" for line in statements(block.text)]
    return [line for line in shown if line.startswith("icefire ")] + inline_commands(page)


@pytest.fixture(scope="module")
def app() -> Any:
    import typer

    from icefire.cli.app import application

    return typer.main.get_command(application())


def options(command: Any) -> set[str]:
    return {name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)}


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_the_commands_on_a_page_exist(page: Path, app: Any) -> None:
    for line in commands(page):
        words = [word for word in re.split(r"[\s\[\]()|]+", line) if word][1:]
        command = app
        while words and hasattr(command, "commands") and words[0] in command.commands:
            command = command.commands[words.pop(0)]
        assert command is not app or words[0].startswith("-"), f"no such verb: {line}"
        named = {word.partition("=")[0] for word in words if re.fullmatch(r"--?[a-z][\w-]*(=.*)?", word)}
        assert named - options(command) - COMMON == set(), line
