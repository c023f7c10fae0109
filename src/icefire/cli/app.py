"""The application: the commands that the modules of this package declare, under one name."""

from __future__ import annotations

from typing import Annotated

import typer

from icefire import __version__
from icefire.cli.commands import add_commands, declared_in
from icefire.cli.console import guarded
from icefire.core.option_names import command_line_words

SUMMARY = "Anonymise personal data, attack the result, measure what was lost: know before you release."


def main() -> None:
    """Run the command line."""
    with command_line_words():
        guarded(application())


def application() -> typer.Typer:
    """Return the command line with all its commands."""
    app = typer.Typer(
        name="icefire",
        help=SUMMARY,
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_options)
    add_commands(app, declared_in("icefire.cli"))
    return app


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"icefire {__version__}")
        raise typer.Exit


def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    pass
