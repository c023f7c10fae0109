"""How a verb is told to read its data: the same options everywhere, written down once.

A command that takes data has a parameter `reading: Reading`; `@reads` replaces it on the command line by all of the
options below.
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from icefire.cli import options
from icefire.cli.console import err
from icefire.core.errors import ParameterError

if TYPE_CHECKING:
    from icefire.contests.common.contest import Contest
    from icefire.core.dataset import Dataset
    from icefire.core.history import History
    from icefire.io.files import Format

HISTORY = "Histories: many rows per person"
FILES = "How to read text files"

ROLE_OPTIONS = ("qi", "sa", "ids")
FIELD_OPTIONS = ("subject", "item", "receipt", "date", "time", "price", "number")


def _field(name: str, text: str) -> Any:
    return typer.Option(f"--{name}", help=text, show_default=False, rich_help_panel=HISTORY)


@dataclass(frozen=True, slots=True)
class Reading:
    """Everything that says what the data files mean."""

    contest: Annotated[
        str | None,
        typer.Option(
            "--contest", help="Read and judge as this contest does; see: icefire list contests.", show_default=False
        ),
    ] = None
    qi: options.Qi = None
    sa: options.Sa = None
    ids: options.Ids = None
    schema: options.SchemaFile = None
    yes: options.Yes = False
    subject: Annotated[str | None, _field("subject", "Column that names the person of each row.")] = None
    item: Annotated[str | None, _field("item", "Column that names what was bought.")] = None
    customers: Annotated[Path | None, _field("customers", "Table with one row per person.")] = None
    receipt: Annotated[str | None, _field("receipt", "Column of the receipt.")] = None
    date: Annotated[str | None, _field("date", "Column of the date, year first.")] = None
    time: Annotated[str | None, _field("time", "Column of the time of day.")] = None
    price: Annotated[str | None, _field("price", "Column of the price of one piece.")] = None
    number: Annotated[str | None, _field("number", "Column of the number of pieces.")] = None
    customer_columns: Annotated[
        str | None, _field("customer-columns", "Column names of the customer table, comma-separated.")
    ] = None
    drop_unusable: Annotated[
        bool, _field("drop-unusable", "Leave out and count rows without person, item, or positive number and price.")
    ] = False
    no_header: options.NoHeader = False
    columns: options.Columns = None
    delimiter: options.Delimiter = None
    missing: options.Missing = None

    @property
    def rules(self) -> Contest | None:
        """The contest named, if any."""
        from icefire import contests

        return None if self.contest is None else contests.get(self.contest)

    @property
    def how(self) -> Format:
        """How to read the text files."""
        if self.rules is not None:
            told: Format = self.rules.reading["how"]
            return told
        return options.text_format(self.no_header, self.columns, self.delimiter, self.missing)

    @property
    def customers_how(self) -> Format:
        """How to read customer tables."""
        if self.rules is not None and "customers_how" in self.rules.reading:
            told: Format = self.rules.reading["customers_how"]
            return told
        return options.text_format(self.no_header, self.customer_columns, self.delimiter, self.missing)

    @property
    def described(self) -> bool:
        """Tell whether any option describes a table."""
        return any(getattr(self, name) for name in (*ROLE_OPTIONS, *FIELD_OPTIONS, "schema", "customers"))

    def keywords(self) -> dict[str, Any]:
        """Return the options as keywords of `icefire.read`."""
        if self.rules is not None:
            return self._as_in_contest(self.rules)
        if self.schema is not None and (self.qi or self.sa or self.subject):
            raise ParameterError("--schema and --qi/--sa/--subject both give roles; use one of them")
        told: dict[str, Any] = {"schema": self.schema, "how": self.how}
        if self.subject is None and self.item is None:
            self._refuse_history_options()
            roles = {"qi": options.names(self.qi), "sa": options.names(self.sa), "ids": options.names(self.ids) or ()}
            return told | roles | ({"drop_unusable": True} if self.drop_unusable else {})
        if self.qi or self.sa:
            raise ParameterError("--subject and --item describe a history, --qi and --sa a table; give one kind")
        named = {name: getattr(self, name) for name in FIELD_OPTIONS}
        more = {"customers": self.customers, "customers_how": self.customers_how, "drop_unusable": self.drop_unusable}
        return told | named | more

    def _as_in_contest(self, rules: Contest) -> dict[str, Any]:
        given = [name for name in (*ROLE_OPTIONS, *FIELD_OPTIONS, "schema", "columns") if getattr(self, name)]
        if given:
            raise ParameterError(f"--contest {rules.name} says what the columns are; leave out --{given[0]}")
        return {**rules.reading, **({} if self.customers is None else {"customers": self.customers})}

    def _refuse_history_options(self) -> None:
        lone = [name for name in (*FIELD_OPTIONS, "customers") if getattr(self, name)]
        if lone:
            raise ParameterError(f"--{lone[0]} describes a history; name --subject and --item as well")

    def read(self, path: Path, key: str | None = None) -> Dataset | History:
        """Read the data at this place."""
        import icefire

        return icefire.read(path, key=key, **self.keywords())


def reads(command: Callable[..., None]) -> Callable[..., None]:
    """Put the options of `Reading` in the place of a command's parameter `reading`."""
    own = [p for p in inspect.signature(command).parameters.values() if p.name != "reading"]
    hints = get_type_hints(command, include_extras=True)
    shared = get_type_hints(Reading, include_extras=True)
    added = [
        inspect.Parameter(f.name, inspect.Parameter.KEYWORD_ONLY, default=f.default, annotation=shared[f.name])
        for f in fields(Reading)
    ]

    @functools.wraps(command)
    def run(**given: Any) -> None:
        told = {parameter.name: given.pop(parameter.name) for parameter in added}
        command(**given, reading=Reading(**told))

    typed = [p.replace(annotation=hints[p.name], kind=inspect.Parameter.KEYWORD_ONLY) for p in own]
    run.__signature__ = inspect.Signature([*typed, *added])  # type: ignore[attr-defined]
    run.__annotations__ = {p.name: p.annotation for p in (*typed, *added)}
    del run.__wrapped__
    return run


def confirm(data: Dataset | History, yes: bool) -> None:
    """Show what the columns are taken for; ask about inferred roles if somebody is there to answer."""
    from icefire.audit.provenance import describe_roles
    from icefire.core.history import History
    from icefire.report import text

    if isinstance(data, History):
        text.show_fields(data, err)
        return
    roles = describe_roles(data)
    text.show_roles(roles, err)
    asked = roles.source == "inferred" and not yes and sys.stdin.isatty() and err.is_terminal
    if asked and not typer.confirm("Use these roles?", default=True, err=True):
        from icefire.core.errors import SchemaError

        raise SchemaError("roles not confirmed; give them with --qi and --sa, or --schema FILE")
