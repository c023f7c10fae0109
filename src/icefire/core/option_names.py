"""Names of options in messages.

Messages write options as on the command line (`--truth FILE`, `--aligned`). Whoever uses Python is shown the keywords
instead (`truth=…`, `aligned=True`): errors are put into the words of the surface in use when they become text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager

FLAGS = {"aligned", "drop_unusable", "force", "infer_roles", "method_known", "scores", "show_data", "synthetic"}
LISTS = {"ask", "attacks", "aya_columns", "ids", "measures", "qi", "sa"}
"""Keywords that take several names."""
RENAMED = {"id": "ids", "knows": "knowledge", "format": "kind", "input-format": "kind", "separator": "delimiter"}
"""Options whose keyword is called otherwise."""
OF_FORMAT = {"columns", "comment", "decimal", "delimiter", "encoding", "missing", "query", "sheet", "skip", "thousands"}
"""Options that are fields of a `Format` in Python."""
LISTS_OF_FORMAT = {"columns", "missing"}
WORDS = {
    "ask": ("membership", "origin"),
    "knows": ("neighbour", "journalist", "insider", "maximum", "all"),
    "encoding": ("cp932", "cp1252"),
}
"""Values that follow an option as a plain word."""
VERBS = ("anonymize", "attack", "audit", "fingerprint", "inspect", "sample", "score")

_VALUE = r'[A-Z][A-Z|]*\b|\d[\d.]*\b|"[^"]*"|' + "|".join(word for words in WORDS.values() for word in words)
_OPTION = re.compile(rf"(?<![\w'\"-])--([a-z][a-z-]*[a-z])(?:=(\w+)| (\w+=[\w.]+)| ({_VALUE}))?")
_COMMAND = re.compile(rf"\bicefire ({'|'.join(VERBS)})\b(?! [A-Z\"'])((?: --[a-z-]+)*)")

_QUOTED = rf"--({'|'.join(sorted(OF_FORMAT | {'separator'}))}) '([^']*)'"
_OF_FORMAT = re.compile(rf"{_QUOTED}(?: {_QUOTED.replace('(', '(?:')})*")
"""Options of reading with their values in quotes, one or several: one `Format`."""

_TERMINAL = re.compile(r"icefire (?:arena|check|demo|hierarchy|list|recipe|study)\b")
"""Commands that have no verb in Python: they and their options stay as they are typed."""

_on_command_line = False


@contextmanager
def command_line_words() -> Iterator[None]:
    """Show options as on the command line while this runs."""
    global _on_command_line
    before, _on_command_line = _on_command_line, True
    try:
        yield
    finally:
        _on_command_line = before


def in_words_of_surface(text: str) -> str:
    """Return a message with its options as the surface in use calls them: the command line, or Python."""
    return text if _on_command_line else in_python(text)


def in_python(text: str) -> str:
    """Return a message with the keywords of Python for the options of the command line."""
    command = _TERMINAL.search(text)
    before, after = (text[: command.start()], text[command.start() :]) if command else (text, "")
    said = _OPTION.sub(_keyword, _OF_FORMAT.sub(_format, _COMMAND.sub(_call, before)))
    return said + after


def _call(match: re.Match[str]) -> str:
    """Write a command as a call: `icefire audit --synthetic` as `icefire.audit(…, synthetic=True)`."""
    keywords = [in_python(f" {option}").strip() for option in match[2].split()]
    return f"icefire.{match[1]}" if not keywords else f"icefire.{match[1]}(…, {', '.join(keywords)})"


def _format(match: re.Match[str]) -> str:
    """Write options and their values as a format: `--decimal '.' --thousands ','` as `how=icefire.Format(…)`."""
    fields = []
    for option, value in re.findall(_QUOTED, match[0]):
        name = RENAMED.get(option, option)
        shown = json.dumps(value, ensure_ascii=False)
        if name in LISTS_OF_FORMAT:
            shown = json.dumps(value.split(","), ensure_ascii=False)
        fields.append(f"{name}={shown}")
    return f"how=icefire.Format({', '.join(fields)})"


def _keyword(match: re.Match[str]) -> str:
    option, equal, pair, value = match.groups()
    name = option.replace("-", "_")
    if option in ("header", "no-header"):
        return f"how=icefire.Format(header={option == 'header'})"
    if option in ("max", "min") and pair:
        measure, _, limit = pair.partition("=")
        return _limit(option, measure, limit)
    if option == "customer-columns":
        return "customers_how=icefire.Format(columns=[…])"
    rest = f" {pair}" if pair else ""
    name = RENAMED.get(option, name)
    if value and value.isalpha() and value.islower() and value not in WORDS.get(option, ()):
        rest, value = f" {value}", None
    if equal is None and value is None and not rest and _is_subject(match):
        return name
    shown = _value(name, equal, value)
    return (f"how=icefire.Format({name}={shown})" if name in OF_FORMAT else f"{name}={shown}") + rest


def _limit(kind: str, name: str, limit: str) -> str:
    return f'limits={{"{name}": {limit}}}' if kind == "max" else f'limits=[icefire.Gate("{name}", {limit}, "min")]'


def _is_subject(match: re.Match[str]) -> bool:
    """Tell whether the sentence is about the option, so that its name alone is meant."""
    return match.start() == 0 or match.string[match.end() : match.end() + 1] == ":"


def _value(name: str, equal: str | None, value: str | None) -> str:
    if name in FLAGS:
        return "True"
    given = f'"{equal}"' if equal is not None else value
    if given is None or given.isupper():
        return "[…]" if name in LISTS or name in LISTS_OF_FORMAT else "…"
    given = given if given[0] in "\"'" or given[0].isdigit() else f'"{given}"'
    return f"[{given}]" if name in LISTS else given
