"""Options that several verbs share, each defined once."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from icefire.core.errors import ParameterError

if TYPE_CHECKING:
    from icefire.io.files import Format

ROLES = "Roles of the columns"
FILES = "How to read text files"

Original = Annotated[
    Path, typer.Argument(help="The original table: CSV, CSV.gz, Parquet or Arrow.", show_default=False)
]
Released = Annotated[Path, typer.Argument(help="The released table, or a release folder.", show_default=False)]
Qi = Annotated[str | None, typer.Option("--qi", help="Quasi-identifiers, comma-separated.", rich_help_panel=ROLES)]
Sa = Annotated[str | None, typer.Option("--sa", help="Sensitive attributes, comma-separated.", rich_help_panel=ROLES)]
Ids = Annotated[str | None, typer.Option("--id", help="Direct identifiers, comma-separated.", rich_help_panel=ROLES)]
SchemaFile = Annotated[
    Path | None, typer.Option("--schema", help="TOML file with the lists qi, sa, id.", rich_help_panel=ROLES)
]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Take inferred roles without asking.", rich_help_panel=ROLES)]
NoHeader = Annotated[bool, typer.Option("--no-header", help="The files have no header line.", rich_help_panel=FILES)]
Columns = Annotated[str | None, typer.Option("--columns", help="Column names, comma-separated.", rich_help_panel=FILES)]
Delimiter = Annotated[
    str | None,
    typer.Option("--delimiter", help="One character; found by itself if not given.", rich_help_panel=FILES),
]
Missing = Annotated[
    list[str] | None,
    typer.Option("--missing", help="Text that stands for a missing value.", rich_help_panel=FILES),
]
ReleasedCustomers = Annotated[
    Path | None,
    typer.Option("--released-customers", help="Histories: customer table of the release.", show_default=False),
]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Seed of every random step.")]
Json = Annotated[str | None, typer.Option("--json", metavar="FILE|-", help="Write JSON here; - is standard output.")]
Force = Annotated[bool, typer.Option("--force", help="Replace an existing output folder.")]


def names(text: str | None) -> list[str] | None:
    """Split a comma-separated list."""
    return None if text is None else [part.strip() for part in text.split(",") if part.strip()]


def text_format(no_header: bool, columns: str | None, delimiter: str | None, missing: list[str] | None) -> Format:
    """Collect the options for text files."""
    from icefire.io.files import Format

    delimiter = "\t" if delimiter in ("tab", "\\t") else delimiter
    if delimiter is not None and len(delimiter.encode()) != 1:
        raise ParameterError(f"--delimiter got {delimiter!r}; it takes one character, or tab")
    listed = names(columns)
    return Format(not no_header, tuple(listed) if listed else None, delimiter, tuple(missing or ()))


def settings(pairs: list[str] | None, option: str = "--param") -> dict[str, str]:
    """Read KEY=VALUE pairs."""
    read = {}
    for pair in pairs or []:
        key, sign, value = pair.partition("=")
        if not sign or not key:
            raise ParameterError(f"{option} got {pair!r}; it takes NAME=VALUE")
        read[key.strip()] = value.strip()
    return read


def settings_by_owner(pairs: list[str] | None) -> dict[str, dict[str, str]]:
    """Read ATTACK.KEY=VALUE pairs."""
    read: dict[str, dict[str, str]] = {}
    for key, value in settings(pairs).items():
        owner, dot, name = key.partition(".")
        if not dot or not name:
            raise ParameterError(f"--param got {key!r}; it takes ATTACK.NAME=VALUE, for example euc1.scale=standard")
        read.setdefault(owner, {})[name] = value
    return read
