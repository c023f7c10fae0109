"""Declare and find commands.

A module of the command line lists its commands in a constant `COMMANDS`; `declared_in` finds all of them, so that a new
verb is one new file. A parameter whose type is a group of options (a dataclass) stands for all options of that group.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, TypeAlias, get_type_hints

import typer

from icefire.cli.outputs import recorded


@dataclass(frozen=True, slots=True)
class Command:
    """A function as a command; commands are listed by `order`, which follows the data from sample to verdict."""

    function: Callable[..., None]
    order: int = 0
    name: str | None = None
    """Default: the name of the function."""


@dataclass(frozen=True, slots=True)
class CommandGroup:
    """A command that has commands of its own; groups are listed after single commands."""

    name: str
    help: str
    commands: Sequence[Declared]
    order: int = 0


Declared: TypeAlias = Command | CommandGroup


def declared_in(package: str) -> list[Declared]:
    """Return the commands that the modules of a package declare, in their order."""
    path = import_module(package).__path__
    modules = [import_module(f"{package}.{module.name}") for module in iter_modules(path)]
    declared = [command for module in modules for command in getattr(module, "COMMANDS", ())]
    return sorted(declared, key=lambda command: command.order)


def add_commands(app: typer.Typer, commands: Iterable[Declared], named: Container[str] | None = None) -> None:
    """Add commands and groups of commands to an application.

    Args:
        app: The application.
        commands: What is added.
        named: The names of commands whose options are read, which takes most of the time before a command runs; the
            others are listed with their help alone. None reads all.
    """
    for command in commands:
        if isinstance(command, CommandGroup):
            group = typer.Typer(help=command.help, no_args_is_help=True, rich_markup_mode=None)
            if named is None or command.name in named:
                add_commands(group, command.commands, named)
            else:
                group.command("listed")(_listed(add_commands))
            app.add_typer(group, name=command.name)
        elif named is None or _name(command) in named:
            app.command(command.name)(recorded(expand_options(command.function)))
        else:
            app.command(_name(command))(_listed(command.function))


def _name(command: Command) -> str:
    """Return the name of a command as it is typed."""
    return command.name or command.function.__name__.replace("_", "-")


def _listed(function: Callable[..., None]) -> Callable[[], None]:
    """Return a command without options that has the help of a function; nothing calls it."""

    def listed() -> None:
        raise AssertionError("a command that was not named was called")

    listed.__doc__ = function.__doc__
    return listed


def expand_options(command: Callable[..., None]) -> Callable[..., None]:
    """Put in the place of every parameter that is a group of options the options of that group."""
    hints = get_type_hints(command, include_extras=True)
    groups = {name: hint for name, hint in hints.items() if _is_group(hint)}
    if not groups:
        return command
    parameters: list[inspect.Parameter] = []
    for parameter in inspect.signature(command).parameters.values():
        if parameter.name in groups:
            parameters += _options(groups[parameter.name])
        else:
            parameters.append(_option(parameter.name, hints[parameter.name], parameter.default))

    @functools.wraps(command)
    def expanded(**given: Any) -> None:
        own = {name: value for name, value in given.items() if name in hints}
        command(**own, **{name: _collected(group, given) for name, group in groups.items()})

    expanded.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    expanded.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    del expanded.__wrapped__
    return expanded


def _is_group(hint: Any) -> bool:
    return isinstance(hint, type) and is_dataclass(hint)


def _option(name: str, hint: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hint)


def _options(group: Any) -> list[inspect.Parameter]:
    """Return the options of a group, those of groups inside it included."""
    hints = get_type_hints(group, include_extras=True)
    options: list[inspect.Parameter] = []
    for field in fields(group):
        hint = hints[field.name]
        options += _options(hint) if _is_group(hint) else [_option(field.name, hint, field.default)]
    return options


def _collected(group: Any, given: Mapping[str, Any]) -> Any:
    """Build a group from the values of its options."""
    hints = get_type_hints(group)
    values = {name: _collected(hint, given) if _is_group(hint) else given[name] for name, hint in hints.items()}
    return group(**values)
