"""The language of the command line: --lang anywhere among the words typed, and help in that language."""

from __future__ import annotations

import inspect
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from icefire.core.errors import ParameterError
from icefire.words import languages, said, t

OPTION = "--lang"
END_OF_OPTIONS = "--"


def split_language(arguments: Sequence[str]) -> tuple[str, list[str]]:
    """Return the language asked for and the other words typed; it is an option of every command, in any place.

    Raises:
        ParameterError: If there is no such language.
    """
    rest: list[str] = []
    asked: str | None = None
    words = iter(arguments)
    for word in words:
        if word == END_OF_OPTIONS:
            rest += [word, *words]
        elif word == OPTION:
            asked = next(words, "")
        elif word.startswith(f"{OPTION}="):
            asked = word.removeprefix(f"{OPTION}=")
        else:
            rest.append(word)
    try:
        return (languages.current_language() if asked is None else languages.language_code(asked, OPTION)), rest
    except ValueError as error:
        raise ParameterError(str(error)) from None


def translate_help(command: Any, settings: Mapping[str, Any] | None = None) -> None:
    """Put the help of a command and of its own commands into the current language.

    Args:
        command: The command of the framework; its texts are replaced.
        settings: Settings of the context that it has from the command it belongs to.
    """
    settings = {**(settings or {}), **command.context_settings}
    command.context_class = _context_class(command.context_class)
    command.help = _translated(command.help)
    command.short_help = _translated(command.short_help) or command.help
    for parameter in (*command.params, *_help_options(command, settings)):
        parameter.help = _translated(getattr(parameter, "help", None))
    for inner in getattr(command, "commands", {}).values():
        translate_help(inner, settings)


def _help_options(command: Any, settings: Mapping[str, Any]) -> list[Any]:
    """Return the option --help; the framework makes it once and keeps it."""
    option = command.get_help_option(command.context_class(command, **settings))
    return [] if option is None else [option]


def _translated(text: str | None) -> str | None:
    return None if text is None else said(" ".join(inspect.cleandoc(text).split()))


def _context_class(base: Any) -> Any:
    """Return a context whose help is laid out for wide characters, with headings in the current language."""
    formatter = type("TranslatedHelp", (_TranslatedHelp, base.formatter_class), {})
    return type("TranslatedContext", (base,), {"formatter_class": formatter})


class _TranslatedHelp:
    """A help page in the current language; goes before the formatter of the framework."""

    width: int
    current_indent: int

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        """Write the line of usage."""
        super().write_usage(prog, args, t("help.usage") if prefix is None else prefix)  # type: ignore[misc]

    def write_heading(self, heading: str) -> None:
        """Write a heading."""
        super().write_heading(said(heading))  # type: ignore[misc]

    def write_text(self, text: str) -> None:
        """Write a paragraph."""
        self._lines(wrapped(text, self.width - self.current_indent), " " * self.current_indent)

    def write_dl(self, rows: Sequence[tuple[str, str]], col_max: int = 30, col_spacing: int = 2) -> None:
        """Write terms and their definitions side by side."""
        rows = list(rows)
        first = min(max(cells(term) for term, _ in rows), col_max) + col_spacing
        for term, definition in rows:
            lines = wrapped(_with_marks(definition), max(self.width - self.current_indent - first, 10))
            start = " " * self.current_indent + term
            if cells(term) > first - col_spacing:
                self._lines([start], "")
                start = " " * self.current_indent
            indent = " " * (self.current_indent + first)
            self._lines([start + " " * (cells(indent) - cells(start)) + next(lines, "")], "")
            self._lines(lines, indent)

    def _lines(self, lines: Any, indent: str) -> None:
        for line in lines:
            self.write(f"{indent}{line}".rstrip() + "\n")  # type: ignore[attr-defined]


def _with_marks(definition: str) -> str:
    """Translate what the framework adds to a definition: the default, and whether it is required."""

    def default(match: re.Match[str]) -> str:
        return f"[{t('help.default')}: {said(match['value'].removeprefix('(').removesuffix(')'))}{match['end']}"

    text = re.sub(r"\[default: (?P<value>.*?)(?P<end>\]|; )", default, definition)
    return re.sub(r"(\[|; )required\]", lambda match: f"{match[1]}{t('help.required')}]", text)


def cells(text: str) -> int:
    """Return how many columns of a terminal a text takes."""
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)


def wrapped(text: str, width: int) -> Iterator[str]:
    """Break a text into lines: at spaces, and between wide characters, none of which begins a line with 、 or 。."""
    pieces = re.findall(r"\s+|[\u2e80-\uffef][、。）」：！？]*|[^\s\u2e80-\uffef]+[、。）」：！？]*", text)
    line = ""
    for piece in pieces:
        if line and cells(line) + cells(piece.rstrip()) > width:
            yield line.rstrip()
            line = ""
        line += piece if line or piece.strip() else ""
    if line.strip():
        yield line.rstrip()
