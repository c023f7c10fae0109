"""The application: the commands that the modules of this package declare, under one name."""

from __future__ import annotations

import os
import sys
from collections.abc import Container
from typing import Annotated, Any

import typer

from icefire import __version__
from icefire.cli.commands import add_commands, declared_in
from icefire.cli.console import guarded
from icefire.cli.language import split_language, translate_help
from icefire.cli.manners import manners, split_manners
from icefire.cli.usage import refuse_options_without_value, with_own_errors
from icefire.core.option_names import command_line_words
from icefire.words.languages import DEFAULT, LANGUAGES, use_language

SUMMARY = "Anonymise personal data, attack the result, measure what was lost: know before you release."
COMPLETION = "_ICEFIRE_COMPLETE"
LANGUAGE_DEFAULT = "ICEFIRE_LANG, or en"


def main() -> None:
    """Run the command line in the language asked for."""
    with command_line_words():
        guarded(_main)


def _main() -> None:
    language, words = split_language(sys.argv[1:])
    with use_language(language):
        # Errors are said in the language asked for, so they are caught while it holds.
        guarded(lambda: _run_command(words, language))


def _run_command(words: list[str], language: str) -> None:
    quiet, verbose, arguments = split_manners(words)
    with manners(quiet, verbose):
        command = typer.main.get_command(application(_named(arguments)))
        _list_common_options(command)
        if language != DEFAULT:
            translate_help(command)
        refuse_options_without_value(command, arguments)
        with_own_errors(command)(arguments, prog_name="icefire")


def _named(arguments: list[str]) -> set[str] | None:
    """Return the words that can name a command, None where the shell asks for completions of any."""
    return None if COMPLETION in os.environ else set(arguments)


def application(named: Container[str] | None = None) -> typer.Typer:
    """Return the command line with all its commands.

    Args:
        named: The names of commands whose options are read; the others are only listed. None reads all.
    """
    app = typer.Typer(
        name="icefire",
        help=SUMMARY,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_options)
    add_commands(app, declared_in("icefire.cli"), named)
    return app


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"icefire {__version__}")
        raise typer.Exit


def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version.")
    ] = False,
    lang: Annotated[
        str | None,
        typer.Option("--lang", metavar="|".join(LANGUAGES), help="Language of texts.", show_default=LANGUAGE_DEFAULT),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Say nothing but the result and errors.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", help="Say what is read and every step with its time.")] = False,
) -> None:
    """Take the options of all commands; the language was taken from the words typed before."""


def _name_arguments(command: Any) -> None:
    """Write arguments in capitals, as the docs do and as those that are named in the code."""
    for parameter in command.params:
        if parameter.param_type_name == "argument" and parameter.metavar is None:
            parameter.metavar = parameter.name.upper() + ("..." if parameter.nargs != 1 else "")


def _list_common_options(group: Any) -> None:
    """Show the options of all commands in the help of each; they were taken from the words typed before."""
    options = [parameter for parameter in group.params if parameter.name in ("lang", "quiet", "verbose")]
    for option in options:
        option.expose_value = False
    waiting = list(group.commands.values())
    while waiting:
        command = waiting.pop()
        command.params += options
        _name_arguments(command)
        waiting += getattr(command, "commands", {}).values()
