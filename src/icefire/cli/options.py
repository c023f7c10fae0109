"""Options and groups of options that several commands share, each defined once.

A command takes a group by a parameter of its type; see `icefire.cli.commands.expand_options`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from icefire.core.errors import ParameterError

if TYPE_CHECKING:
    from icefire.io.format import Format

Original = Annotated[
    str,
    typer.Argument(
        metavar="ORIGINAL", help="The original table: a file of any kind, an address, or -.", show_default=False
    ),
]
Released = Annotated[str, typer.Argument(help="The released table, or a release folder.", show_default=False)]
Qi = Annotated[str | None, typer.Option("--qi", help="Quasi-identifiers, comma-separated.")]
Sa = Annotated[str | None, typer.Option("--sa", help="Sensitive attributes, comma-separated.")]
Ids = Annotated[str | None, typer.Option("--id", help="Direct identifiers, comma-separated.")]
SchemaOption = Annotated[Path | None, typer.Option("--schema", help="TOML file with the lists qi, sa, id.")]
Yes = Annotated[bool, typer.Option("--infer-roles", "--yes", "-y", help="Take inferred roles without asking.")]
ReleasedCustomers = Annotated[
    Path | None,
    typer.Option("--released-customers", help="Histories: customer table of the release.", show_default=False),
]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Seed of every random step.")]
Json = Annotated[str | None, typer.Option("--json", metavar="FILE|-", help="Write JSON here; - is standard output.")]
Force = Annotated[bool, typer.Option("--force", help="Replace existing output; of a folder only what icefire wrote.")]
OutputFolder = Annotated[Path, typer.Option("-o", "--output", help="Folder to write.", show_default=False)]
KeyOption = Annotated[
    list[str] | None,
    typer.Option("--keys", metavar="COLUMNS", help='Count classes of these combinations: "age,sex;age,postcode".'),
]
Measures = Annotated[str | None, typer.Option("--measures", help="Only these, comma-separated.")]


@dataclass(frozen=True, slots=True)
class TextFiles:
    """Options that say how text files are read."""

    header: Annotated[
        bool | None,
        typer.Option(
            "--header/--no-header", help="The first row holds the names of the columns, or is data.", show_default=False
        ),
    ] = None
    columns: Annotated[str | None, typer.Option("--columns", help="Column names, comma-separated.")] = None
    delimiter: Annotated[
        str | None,
        typer.Option("--separator", "--delimiter", help="One character, or tab; found by itself if not given."),
    ] = None
    missing: Annotated[
        list[str] | None,
        typer.Option("--missing", metavar="TEXTS", help="Texts that stand for a missing value, comma-separated."),
    ] = None
    decimal: Annotated[str | None, typer.Option("--decimal", help="Decimal sign: . or ,", show_default="found")] = None
    thousands: Annotated[
        str | None,
        typer.Option("--thousands", help="Sign between thousands: , . ' _ or a space.", show_default="found"),
    ] = None
    encoding: Annotated[
        str | None, typer.Option("--encoding", help="Such as utf-8, cp932, cp1252.", show_default="found")
    ] = None
    comment: Annotated[
        str | None, typer.Option("--comment", help="Leave out lines that begin with this.", show_default=False)
    ] = None
    skip: Annotated[
        int, typer.Option("--skip", min=0, metavar="N", help="Leave out N lines above the header, of the original.")
    ] = 0
    input_format: Annotated[
        str | None,
        typer.Option("--input-format", help="csv, json, parquet, excel, sqlite and others.", show_default="found"),
    ] = None
    sheet: Annotated[str | None, typer.Option("--sheet", help="Sheet of a workbook.", show_default=False)] = None
    query: Annotated[
        str | None, typer.Option("--query", help="SQL query, of an original in a database.", show_default=False)
    ] = None

    @property
    def format(self) -> Format:
        """How to read the files."""
        return self.format_with(self.columns)

    def format_with(self, columns: str | None) -> Format:
        """Return how to read a file with other column names."""
        from icefire.io.format import Format

        delimiter = "\t" if self.delimiter in ("tab", "\\t") else self.delimiter
        listed = names(columns)
        return Format(
            header=self.header,
            columns=tuple(listed) if listed else None,
            delimiter=delimiter,
            missing=tuple(text for given in self.missing or () for text in names(given) or ()),
            decimal=self.decimal,
            thousands=self.thousands,
            encoding=self.encoding,
            comment=self.comment,
            skip=self.skip,
            kind=self.input_format,
            sheet=self.sheet,
            query=self.query,
        )


@dataclass(frozen=True, slots=True)
class Origin:
    """Options that say which original row each released row comes from."""

    truth: Annotated[
        Path | None, typer.Option("--truth", help="File: the original row of each released row, or pairs of names.")
    ] = None
    aligned: Annotated[bool, typer.Option("--aligned", help="Both files are in the same order.")] = False
    key: Annotated[str | None, typer.Option("--key", help="Column that names the person in both files.")] = None


@dataclass(frozen=True, slots=True)
class KnownMethod:
    """Options that say what the attacker knows of how the release was made."""

    recipe: Annotated[
        str | None,
        typer.Option(
            "--recipe",
            metavar="FILE|NAME",
            help="The attacker knows this recipe, not its seed: a TOML file, or a name of the gallery.",
            show_default="that of the release folder",
        ),
    ] = None
    method_known: Annotated[
        bool, typer.Option("--method-known", help="The attacker knows the method: try likely recipes if none is named.")
    ] = False


@dataclass(frozen=True, slots=True)
class Synthetic:
    """Options of releases whose rows come from nobody in particular."""

    synthetic: Annotated[
        bool,
        typer.Option("--synthetic", help="Rows come from nobody in particular: look for copies, and for members."),
    ] = False
    holdout: Annotated[
        Path | None,
        typer.Option("--holdout", help="People who are not in the data, as a control.", show_default=False),
    ] = None
    background: Annotated[
        Path | None,
        typer.Option("--background", help="Synthetic: further people, whom the attacker knows.", show_default=False),
    ] = None


@dataclass(frozen=True, slots=True)
class KnownPeople:
    """Options that say what the attacker knows about people."""

    knows: Annotated[
        list[str] | None,
        typer.Option(
            "--knows",
            metavar="WHAT",
            help="An attacker knows this: neighbour, journalist, insider, maximum, all (of these), a TOML file, or "
            "columns: age~2,sex,postcode!0.1,income/1000;share=0.5 (within, exact, wrong with a chance, rounded).",
            show_default="maximum",
        ),
    ] = None
    register: Annotated[
        Path | None, typer.Option("--register", help="A table of people that an attacker holds.", show_default=False)
    ] = None
    register_truth: Annotated[
        Path | None,
        typer.Option(
            "--register-truth",
            help="File: for each row of the register the row it is, -1 for a stranger.",
            show_default=False,
        ),
    ] = None
    register_key: Annotated[
        str | None,
        typer.Option("--register-key", help="Column that names people in register and original.", show_default=False),
    ] = None
    register_of: Annotated[
        Literal["original", "released"],
        typer.Option("--register-of", help="The rows that --register-truth holds are of this table."),
    ] = "original"


def names(text: str | None) -> list[str] | None:
    """Split a comma-separated list."""
    return None if text is None else [part.strip() for part in text.split(",") if part.strip()]


def settings(pairs: list[str] | None) -> dict[str, str]:
    """Read the KEY=VALUE pairs of --param."""
    values = {}
    for pair in pairs or []:
        key, sign, value = pair.partition("=")
        if not sign or not key:
            raise ParameterError(f"--param got {pair!r}; it takes NAME=VALUE")
        values[key.strip()] = value.strip()
    return values


def settings_by_owner(pairs: list[str] | None) -> dict[str, dict[str, str]]:
    """Read the NAME.KEY=VALUE pairs of --param by name."""
    values: dict[str, dict[str, str]] = {}
    for key, value in settings(pairs).items():
        owner, dot, name = key.partition(".")
        if not dot or not name:
            raise ParameterError(f"--param got {key!r}; it takes ATTACK.NAME=VALUE, for example euc1.scale=standard")
        values.setdefault(owner, {})[name] = value
    return values
