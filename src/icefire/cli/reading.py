"""The options that say how data are read and what their columns mean; a command takes all by `reading: Reading`."""

from __future__ import annotations

import shlex
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from icefire.cli import options
from icefire.cli.console import detail, err, note, progress
from icefire.core.errors import ParameterError, SchemaError
from icefire.core.formatting import counted

if TYPE_CHECKING:
    from icefire.contests.common.contest import Contest
    from icefire.core.dataset import Dataset
    from icefire.core.history import History
    from icefire.core.history.date_order import DateOrder
    from icefire.io.format import Format
    from icefire.io.options import ReadOptions

ROLE_OPTIONS = ("qi", "sa", "ids")
FIELD_OPTIONS = ("subject", "item", "receipt", "date", "time", "price", "number")


def _option(name: str, text: str) -> Any:
    return typer.Option(f"--{name}", help=text, show_default=False)


@dataclass(frozen=True, slots=True)
class Reading:
    """Everything that says what the data files mean."""

    contest: Annotated[
        str | None,
        typer.Option(
            "--contest",
            help="Read and judge as this contest (or contest.toml) does; see: icefire list contests.",
            show_default=False,
        ),
    ] = None
    qi: options.Qi = None
    sa: options.Sa = None
    ids: options.Ids = None
    schema: options.SchemaOption = None
    weight: Annotated[str | None, _option("weight", "Column: how many people a row stands for.")] = None
    household: Annotated[str | None, _option("household", "Column that names the household of a person.")] = None
    yes: options.Yes = False
    subject: Annotated[str | None, _option("subject", "Column that names the person of each row.")] = None
    item: Annotated[str | None, _option("item", "Column that names what was bought.")] = None
    customers: Annotated[Path | None, _option("customers", "Table with one row per person.")] = None
    receipt: Annotated[str | None, _option("receipt", "Column of the receipt.")] = None
    date: Annotated[str | None, _option("date", "Column of the date.")] = None
    time: Annotated[str | None, _option("time", "Column of the time of day.")] = None
    price: Annotated[str | None, _option("price", "Column of the price of one piece.")] = None
    number: Annotated[str | None, _option("number", "Column of the number of pieces.")] = None
    customer_columns: Annotated[
        str | None, _option("customer-columns", "Column names of the customer table, comma-separated.")
    ] = None
    drop_unusable: Annotated[
        bool, _option("drop-unusable", "Leave out and count rows without person, item, or positive number and price.")
    ] = False
    date_order: Annotated[
        str | None,
        typer.Option(
            "--date-order",
            metavar="day|month",
            help="What comes first in dates that end with the year, where the column does not tell.",
            show_default=False,
        ),
    ] = None
    files: options.TextFiles = field(default_factory=options.TextFiles)

    @property
    def rules(self) -> Contest | None:
        """The contest named, if any."""
        from icefire import contests

        return None if self.contest is None else contests.get_or_read(self.contest)

    @property
    def reads_by_itself(self) -> bool:
        """Whether the contest named reads its files itself, by formulas of its own."""
        return self.rules is not None and self.rules.own_audit is not None

    @property
    def how(self) -> Format:
        """How to read the text files."""
        if self.rules is None:
            return self.files.format
        contest_format: Format = self.rules.reading["how"]
        return contest_format

    @property
    def customers_how(self) -> Format:
        """How to read customer tables."""
        if self.rules is None or "customers_how" not in self.rules.reading:
            return self.files.format_with(self.customer_columns)
        contest_format: Format = self.rules.reading["customers_how"]
        return contest_format

    @property
    def described(self) -> bool:
        """Tell whether any option describes a table."""
        return any(getattr(self, name) for name in (*ROLE_OPTIONS, *FIELD_OPTIONS, "schema", "customers"))

    def typed_roles(self) -> str:
        """Return the options that describe the data as they are typed, for the next command; each after a space."""
        names = {"qi": "qi", "sa": "sa", "ids": "id", "schema": "schema", "weight": "weight", "household": "household"}
        names |= {name: name for name in (*FIELD_OPTIONS, "customers")} | {"date_order": "date-order"}
        given = {option: getattr(self, name) for name, option in names.items() if getattr(self, name)}
        words = [f" --{option} {shlex.quote(str(value))}" for option, value in given.items()]
        return "".join(words) + (" --infer-roles" if self.yes else "")

    def read_options(self) -> ReadOptions:
        """Return the keywords of `icefire.read`."""
        if self.rules is not None:
            return self._contest_options(self.rules)
        if self.schema is not None and (self.qi or self.sa or self.subject):
            raise ParameterError("--schema and --qi/--sa/--subject both give roles; use one of them")
        return self._table_options() if self.subject is None and self.item is None else self._history_options()

    @property
    def _date_order(self) -> DateOrder | None:
        from icefire.core.history.date_order import check_order

        check_order(self.date_order)
        return cast("DateOrder | None", self.date_order)

    def _table_options(self) -> ReadOptions:
        given = [name for name in (*FIELD_OPTIONS, "customers") if getattr(self, name)]
        if given:
            raise ParameterError(f"--{given[0]} describes a history; name --subject and --item as well")
        return {
            "schema": self.schema,
            "how": self.how,
            "qi": options.names(self.qi),
            "sa": options.names(self.sa),
            "ids": options.names(self.ids) or (),
            "weight": self.weight,
            "household": self.household,
            "drop_unusable": self.drop_unusable or None,
            "date_order": self._date_order,
        }

    def _history_options(self) -> ReadOptions:
        if self.weight or self.household:
            raise ParameterError("--weight and --household are for a table with one row per person; leave them out")
        if self.qi or self.sa:
            raise ParameterError("--subject and --item describe a history, --qi and --sa a table; give one kind")
        return {
            "schema": self.schema,
            "how": self.how,
            "subject": self.subject,
            "item": self.item,
            "receipt": self.receipt,
            "date": self.date,
            "time": self.time,
            "price": self.price,
            "number": self.number,
            "customers": self.customers,
            "customers_how": self.customers_how,
            "drop_unusable": self.drop_unusable,
            "date_order": self._date_order,
        }

    def _contest_options(self, rules: Contest) -> ReadOptions:
        given = [name for name in (*ROLE_OPTIONS, *FIELD_OPTIONS, "schema") if getattr(self, name)]
        given += ["columns"] if self.files.columns else []
        if given:
            raise ParameterError(f"--contest {rules.name} says what the columns are; leave out --{given[0]}")
        reading = cast("ReadOptions", dict(rules.reading))
        if self.customers is not None:
            reading["customers"] = self.customers
        return reading

    def read(self, path: str | Path, key: str | None = None) -> Dataset | History:
        """Read the data at this place; what was found out about the file is said."""
        from icefire.io.read import read

        data = read(path, key=key, **self.read_options())
        _say_reading(path, data)
        return data

    def read_and_confirm(self, path: str | Path, key: str | None = None) -> Dataset | History:
        """Read the data, show what the columns are taken for, and ask about inferred roles."""
        with progress() as stage:
            stage("reading")
            data = self.read(path, key)
        confirm_roles(data, self.yes)
        return data


def _say_reading(path: str | Path, data: Dataset | History) -> None:
    """Say what was found out about a file, such as its encoding, and on --verbose what each column was read as."""
    from icefire.io.addresses import Place
    from icefire.words import said

    reading, place = data.reading, Place(str(path)).shown
    if reading is None:
        return
    for remark in reading.remarks:
        note(f"{place}: {said(remark)}")
    detail(f"{place}: {counted(data.height, 'row')}, read as {reading.source}")
    for name, type_of_values, remark in reading.rows():
        detail(f"  {name}: {type_of_values}{f' ({remark})' if remark else ''}")


def show_inferred_roles(data: Dataset | History) -> None:
    """Show the roles of the columns of a table if nobody gave them."""
    from icefire.report.text.roles import show_inferred

    if data.kind == "table" and data.schema.origin == "inferred":
        show_inferred(data.schema, err)


def confirm_roles(data: Dataset | History, yes: bool, given_by: str = "--qi COLUMNS and --sa COLUMNS") -> None:
    """Show what the columns are taken for. Inferred roles are used only if somebody agrees to them.

    Args:
        data: What was read.
        yes: Whether inferred roles were agreed to on the command line.
        given_by: Options of the command that name columns.

    Raises:
        SchemaError: If nobody agreed to inferred roles.
    """
    from icefire.audit.kinds import describe_roles
    from icefire.report.text.roles import show_fields, show_roles

    if data.kind == "history":
        show_fields(data, err)
        return
    roles = describe_roles(data)
    if roles.source != "inferred":
        show_roles(roles, err)
        return
    show_inferred_roles(data)
    if yes:
        return
    if not (sys.stdin.isatty() and err.is_terminal):
        raise SchemaError(
            f"no roles were given, and inferred ones are not used unasked; name them with {given_by}, give --schema "
            "FILE (icefire inspect DATA --write-schema FILE writes a first one), or pass --infer-roles"
        )
    if not typer.confirm("Use these roles?", default=True, err=True):
        raise SchemaError(f"roles not confirmed; give them with {given_by}, or --schema FILE")
