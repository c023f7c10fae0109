"""Run the blocks of a page in their order, as a reader would, in a folder with small files."""

from __future__ import annotations

import ast
import doctest
import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import icefire
from icefire.core import registry
from support import doc_files, doc_forms
from support.commands import run_icefire
from support.doc_blocks import Block, statements
from support.doc_tables import assert_shown
from support.places import ROOT

SMALL = {"shop": 15, "households": 80, "hospital": 120, "survey": 300}
"""Rows of the samples that pages make (of the shop: customers), while the reader is to be fast."""
JUDGED = {"audit", "gate", "check"}
"""Commands that end with 1 where something does not pass; all others must end with 0."""
ROLES = {"--qi", "--sa", "--id", "--schema", "--infer-roles", "--subject", "--contest", "--synthetic"}
ASK_FOR_ROLES = ("audit", "inspect", "compare", "attack", "fingerprint", "anonymize", "recipe init", "hierarchy")
"""Commands that ask on a terminal whether the roles they inferred are right; here the answer is yes."""


class Reader:
    """Somebody who types the blocks of one page, one after the other."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        doc_files.write_files(folder)
        for name in ("examples", "docs"):
            (folder / name).symlink_to(ROOT / name)
        self.folder, self.capsys, self.monkeypatch = folder, capsys, monkeypatch
        self.names: dict[str, Any] = {"__name__": "page"}
        self.small = True
        """Whether samples are made small."""
        monkeypatch.chdir(folder)
        registry.entries("method")  # all are found before the list of them is copied
        monkeypatch.setattr(registry, "_entries", dict(registry._entries))
        sample = icefire.sample
        monkeypatch.setattr(
            icefire, "sample", lambda name, rows=None, **rest: sample(name, self._rows(name, rows), **rest)
        )

    def _rows(self, name: str, rows: int | None) -> int | None:
        return min(rows or 10**9, SMALL[name]) if self.small else rows

    def run(self, block: Block) -> None:
        """Run a block and check that it does what a reader expects."""
        {"shell": self.shell, "python": self.python, "toml": self.toml, "other": lambda _: None}[block.kind](block.text)

    def toml(self, text: str) -> None:
        """Write a file that names itself in its first line, and check recipes."""
        named = re.match(r"# ([\w.]+\.toml)\n", text)
        place = Path(named[1] if named else "shown.toml")
        place.write_text(text, encoding="utf-8")
        if re.search(r"^\[\[step\]\]", text, re.MULTILINE):
            self.command(f"icefire recipe check {place}")

    def shell(self, text: str) -> None:
        """Run the commands of a block; of a form also its longer variants, each in a copy of the folder."""
        for statement in statements(text):
            if not re.match(r"([A-Z_]+=\S+ )*icefire ", statement):
                subprocess.run(["bash", "-ec", statement], cwd=self.folder, check=True)
                continue
            shortest, *others = doc_forms.commands_of(statement)
            for variant in others:
                self.in_a_copy(variant)
            self.command(shortest)

    def in_a_copy(self, command: str) -> None:
        """Run a command in a copy of the folder, with the files of the contest it names."""
        copy = self.folder.with_name(self.folder.name + "-copy")
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(self.folder, copy, symlinks=True)
        self.monkeypatch.chdir(copy)
        words = command.split()
        for output in (words[place + 1] for place, word in enumerate(words) if word == "-o"):
            shutil.rmtree(output) if Path(output).is_dir() else Path(output).unlink(missing_ok=True)
        self.command(command)
        self.monkeypatch.chdir(self.folder)

    def command(self, text: str) -> None:
        """Run one command in this process."""
        words = shlex.split(text)
        while "=" in words[0]:
            name, _, value = words.pop(0).partition("=")
            self.monkeypatch.setenv(name, value)
        words = self._made_small(words[1:])
        for name in doc_files.WRITTEN_FOR.keys() & set(words):
            doc_files.WRITTEN_FOR[name](Path())
        asks = " ".join(words).startswith(ASK_FOR_ROLES) and words[1] not in ("show", "check")
        if asks and not ROLES & set(words) and not _has_own_roles(words):
            words.append("--infer-roles")
        done = run_icefire(self.capsys, *words)
        assert done.code in ((0, 1) if words[0] in JUDGED else (0,)), f"{text}\n{done.out[-500:]}\n{done.err[-1500:]}"
        os.environ.pop("ICEFIRE_LANG", None)

    def _made_small(self, words: list[str]) -> list[str]:
        if words[0] != "sample" or not self.small:
            return words
        rows = int(words[words.index("-n") + 1]) if "-n" in words else None
        kept = [word for place, word in enumerate(words) if "-n" not in words[max(place - 1, 0) : place + 1]]
        return [*kept, "-n", str(self._rows(words[1], rows))]

    def python(self, text: str) -> None:
        """Run Python; a comment that says what a line gives or raises is checked."""
        if text.lstrip().startswith(">>> "):
            text = "".join(example.source for example in doctest.DocTestParser().get_examples(text))
        lines = text.splitlines()
        for statement in ast.parse(text).body:
            comment = lines[(statement.end_lineno or 1) - 1].partition("  # ")[2].strip()
            self._statement(statement, comment)
        self.capsys.readouterr()

    def _statement(self, statement: ast.stmt, comment: str) -> None:
        raised = re.match(r"raises an? (\w+)", comment)
        if raised:
            assert raised[1] == self._raised_by(statement)
            return
        value = self._execute(statement)
        if isinstance(value, int | float) and re.match(r"(h = )?[-\d]|True|False", comment):
            shown = comment.removeprefix("h = ")
            assert shown.startswith(str(value)) if isinstance(value, bool) else assert_shown(shown, value) is None

    def _raised_by(self, statement: ast.stmt) -> str:
        try:
            self._execute(statement)
        except Exception as problem:
            return type(problem).__name__
        return "nothing"

    def _execute(self, statement: ast.stmt) -> Any:
        if isinstance(statement, ast.Expr):
            return eval(compile(ast.Expression(statement.value), "page", "eval"), self.names)
        exec(compile(ast.Module([statement], []), "page", "exec"), self.names)
        return None


def _has_own_roles(words: list[str]) -> bool:
    """Return whether all tables of a command are saved scorecards."""
    return words[0] == "compare" and all(word.endswith(".json") for word in words[1:4])
