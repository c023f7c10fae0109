"""Words that were typed wrongly (an option that is missing or unknown) as one error of ours, in the language in use."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from itertools import pairwise
from typing import Any

from icefire.core.errors import ParameterError

FOUND_BY = "format_message"
"""What only errors of the framework have; the class itself moves from version to version."""


def with_own_errors(command: Any) -> Any:
    """Make a command of the framework raise our errors, in the language in use, where it would print its own."""
    for step in ("make_context", "invoke"):
        setattr(command, step, _with_own_errors(getattr(command, step)))
    return command


def _with_own_errors(step: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(step)
    def guarded(*words: Any, **options: Any) -> Any:
        try:
            return step(*words, **options)
        except Exception as error:
            if not hasattr(error, FOUND_BY) or type(error).__name__ == "NoArgsIsHelpError":
                raise
            raise ParameterError(usage_error(error)) from None

    return guarded


def refuse_options_without_value(command: Any, words: Sequence[str]) -> None:
    """Refuse an option at the end, or before the next option: the framework would take that one for its value.

    Args:
        command: The command line, a group.
        words: What was typed behind its name.

    Raises:
        ParameterError: If an option has no value.
    """
    path = ["icefire"]
    while getattr(command, "commands", None) and (name := next((w for w in words if w in command.commands), None)):
        command, words = command.commands[name], words[list(words).index(name) + 1 :]
        path.append(name)
    options = {name: one for one in command.params if one.param_type_name == "option" for name in one.opts}
    before_end = list(words[: list(words).index("--")]) if "--" in words else list(words)
    for word, following in pairwise([*before_end, None]):
        takes_value = word in options and not options[word].is_flag and not options[word].count
        if takes_value and (following is None or following in options):
            raise ParameterError(f"option {word} has no value; write one after it; see: {' '.join(path)} --help")


def usage_error(error: Any) -> str:
    """Say what was typed wrongly and where to look.

    Args:
        error: An error of the framework: of its command, `ctx`, of its parameter, `param`, and with a message.
    """
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "icefire"
    what = _what(error, context, command)
    return f"{what}{'' if what.endswith('?') else ';'} see: {command} --help"


def _what(error: Any, context: Any, command: str) -> str:
    message = " ".join(error.format_message().split()).rstrip(".")
    kind, parameter = type(error).__name__, getattr(error, "param", None)
    if kind == "MissingParameter" and parameter is not None:
        return _missing(parameter, command)
    if kind == "NoSuchOption":
        words = [word for one in context.command.params for word in one.opts] if context is not None else []
        return f"{command} has no option {error.option_name}" + _meant(error.option_name, words)
    if unknown := re.fullmatch(r"No such command '(.*?)'.*", message):
        names = list(getattr(context.command, "commands", ())) if context is not None else []
        return f"{command} has no command {unknown[1]}" + _meant(unknown[1], names)
    if extra := re.fullmatch(r"Got unexpected extra argument(?:s|\(s\))? \((.*)\)", message):
        return f"{command} takes no more words, and got {extra[1]}"
    if valueless := re.fullmatch(r"Option '?(\S+?)'? requires an argument", message):
        return f"option {valueless[1]} has no value; write one after it"
    return message


def _missing(parameter: Any, command: str) -> str:
    """Name a missing option or argument and say what it is for."""
    purpose = (getattr(parameter, "help", None) or "").strip().rstrip(".。")
    if parameter.param_type_name == "option":
        name = max(parameter.opts, key=len)
        return f"{command} needs the option {name}" + (f" ({purpose})" if purpose else "")
    name = parameter.metavar or parameter.name.upper()
    return f"{command} needs {name}" + (f" ({purpose})" if purpose else "")


def _meant(word: str, words: Sequence[str]) -> str:
    near = get_close_matches(word, words, n=1)
    return f"; did you mean {near[0]}?" if near else ""
