"""The code blocks of README and docs: what kind each is, and the marks that say how a test treats it.

A mark is an HTML comment on the line before a block, invisible on the page:

    <!-- not run: REASON -->     the block cannot be run here
    <!-- heavy -->               it takes long: run by `make test-heavy`
"""

from __future__ import annotations

import ast
import re
import textwrap
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from markdown_it import MarkdownIt

from support.places import DOCS, ROOT

Kind = Literal["shell", "python", "toml", "other"]

PAGES = sorted([*DOCS.rglob("*.md"), ROOT / "README.md"])
MARK = re.compile(r"<!-- (not run: .+|heavy) -->")
FENCES: dict[str, Kind] = {"python": "python", "toml": "toml", "shell": "shell"}
SHELL = re.compile(r"(\$ )?([A-Z_]+=\S+ )*(icefire|cat|cp|pip|make|python|\.venv/bin/python|RUN) ")


@dataclass(frozen=True)
class Block:
    """A block of code of a page, without its indentation, and its mark."""

    page: Path
    line: int
    kind: Kind
    text: str
    mark: str

    @property
    def reason_not_run(self) -> str:
        """Return why it cannot be run, or nothing."""
        return self.mark.removeprefix("not run: ") if self.mark.startswith("not run: ") else ""


def page_name(page: Path) -> str:
    """Return the path of a page in the repository."""
    return page.relative_to(ROOT).as_posix()


def blocks(page: Path) -> Iterator[Block]:
    """Return the code blocks of a page in their order."""
    mark = ""
    for token in MarkdownIt().parse(page.read_text(encoding="utf-8")):
        if token.type == "html_block":
            found = MARK.search(token.content)
            mark = found[1] if found else ""
        elif token.type in ("code_block", "fence"):
            kind = FENCES[token.info] if token.info in FENCES else kind_of(token.content)
            yield Block(
                page, token.map[0] + 1 if token.map else 0, kind, textwrap.dedent(token.content).strip("\n"), mark
            )
            mark = ""
        elif token.nesting >= 0 and token.type.endswith("_open"):
            mark = ""


def kind_of(text: str) -> Kind:
    """Return what kind of text a block without a name is."""
    if SHELL.match(text.lstrip()):
        return "shell"
    if text.lstrip().startswith(">>> "):
        return "python"
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return "python" if _is_python(text) else "other"
    return "toml"


def _is_python(text: str) -> bool:
    try:
        parts = ast.walk(ast.parse(text))
    except SyntaxError:
        return False
    return any(isinstance(part, ast.Call | ast.Import | ast.ImportFrom | ast.FunctionDef) for part in parts)


def inline_commands(page: Path) -> list[str]:
    """Return the commands inside sentences and tables of a page."""
    tokens = MarkdownIt().enable("table").parse(page.read_text(encoding="utf-8"))
    codes = [child.content for token in tokens for child in token.children or () if child.type == "code_inline"]
    return [code for code in codes if code.startswith("icefire ")]


def statements(text: str) -> list[str]:
    """Return the commands of a block: continued lines are joined, a text after << belongs to its command.

    Where lines begin with "$ ", they are the commands, and the others what is printed.
    """
    lines = iter(re.sub(r"\\\n\s*", " ", text).splitlines())
    found: list[str] = []
    for line in lines:
        here = re.search(r"<<'(\w+)'", line)
        if here:
            found.append("\n".join([line, *iter(lambda end=here[1]: _until(lines, end), None)]) + f"\n{here[1]}")
        elif line.strip() and not line.startswith("#"):
            found.append(line)
    prompted = [line.removeprefix("$ ") for line in found if line.startswith("$ ")]
    return [line.partition("   #")[0].rstrip() if "<<" not in line else line for line in prompted or found]


def _until(lines: Iterator[str], end: str) -> str | None:
    line = next(lines)
    return None if line == end else line
