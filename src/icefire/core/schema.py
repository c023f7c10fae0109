"""Schema: the role and the kind of each column, and the file that gives them."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from icefire.core.display import ShownInNotebooks
from icefire.core.errors import SchemaError, UndefinedError, did_you_mean, listing


class Role(StrEnum):
    """What an attacker may do with a column."""

    QI = "qi"
    """Quasi-identifier: known about people from elsewhere (age, region, job)."""
    SA = "sa"
    """Sensitive attribute: what the release is about (income, expenditure, diagnosis)."""
    ID = "id"
    """Direct identifier or key: never attacked with, never released as it is."""
    OTHER = "other"
    """Carried along; neither attacked with nor measured."""


class Kind(StrEnum):
    """How values are compared."""

    NUMBER = "number"
    CATEGORY = "category"


BY_ROLE = "@"
"""Begins the name of a role where columns are asked for."""
ROLE_WORDS = {"qi": Role.QI, "sa": Role.SA, "id": Role.ID, "other": Role.OTHER}
KIND_WORDS = {"numbers": Kind.NUMBER, "categories": Kind.CATEGORY}
SURVEY = ("weight", "household")
"""Entries of a schema file that name one column each."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its name, its role and the kind of its values."""

    name: str
    role: Role
    kind: Kind
    reason: str = field(default="", compare=False)
    """Why an inferred role was chosen."""


@dataclass(frozen=True, slots=True)
class Schema(ShownInNotebooks):
    """The columns of a table in order. Immutable; the same schema serves the original and the release."""

    columns: tuple[Column, ...]
    origin: str = "given"
    """Where the roles come from: given, inferred, or the name of a file. Shown beside them."""
    weight: str | None = None
    """Column that says how many people of the population a row stands for."""
    household: str | None = None
    """Column that names the household of a person."""
    not_released: tuple[Column, ...] = ()
    """Beside a release: the columns that it does not have, with the role they had; identifiers are not among them."""

    def __post_init__(self) -> None:
        """Refuse a name that stands for two columns."""
        seen: set[str] = set()
        for name in self.names:
            if name in seen:
                raise SchemaError(f"column {name!r} is listed twice; each column has one role: name it once")
            seen.add(name)

    @property
    def names(self) -> tuple[str, ...]:
        """All column names in order."""
        return tuple(column.name for column in self.columns)

    @property
    def qi(self) -> tuple[str, ...]:
        """Names of the quasi-identifiers."""
        return self.named(Role.QI)

    @property
    def sa(self) -> tuple[str, ...]:
        """Names of the sensitive attributes."""
        return self.named(Role.SA)

    @property
    def observed(self) -> tuple[Column, ...]:
        """The columns that say something about people: neither identifiers nor weights nor numbers of households."""
        named = (self.weight, self.household)
        return tuple(column for column in self.columns if column.role is not Role.ID and column.name not in named)

    def named(self, role: Role, kind: Kind | None = None) -> tuple[str, ...]:
        """Names of the columns with this role (and kind)."""
        return tuple(c.name for c in self.columns if c.role is role and kind in (None, c.kind))

    def before_release(self, *roles: Role, kind: Kind | None = None) -> tuple[str, ...]:
        """Names of the columns with one of these roles (and the kind) in the original, released or not, in order."""
        lost = {column.name: column for column in self.not_released}
        columns = (lost.get(column.name, column) for column in self.columns)
        return tuple(c.name for c in columns if c.role in roles and kind in (None, c.kind))

    def kind(self, name: str) -> Kind:
        """Return the kind of a column."""
        return self[name].kind

    def __getitem__(self, name: str) -> Column:
        for column in self.columns:
            if column.name == name:
                return column
        raise SchemaError(f"no column {name!r}; {did_you_mean(name, self.names)}")

    def expanded(self, asked: Sequence[str], what: str) -> list[str]:
        """Return the names of the columns asked for by name or by role, in the order asked; `what` names the parameter.

        Raises:
            SchemaError: If a column does not exist, or a role is none.
        """
        names: list[str] = []
        for one in asked:
            if one in self.names:
                names.append(one)
            elif one.startswith(BY_ROLE):
                names += self.by_role(one, what)
            else:
                raise SchemaError(f"{what}: no column {one!r}; {did_you_mean(one, self.names)}")
        return names

    def by_role(self, asked: str, what: str) -> list[str]:
        """Return the columns of a role, of a kind or of both: @qi, @numbers, @sa categories; @all but identifiers.

        Raises:
            SchemaError: If there is no such role or kind.
        """
        words = asked.removeprefix(BY_ROLE).split()
        if not words or not set(words) <= {"all", *ROLE_WORDS, *KIND_WORDS}:
            allowed = listing(["all", *ROLE_WORDS, *KIND_WORDS])
            raise SchemaError(f"{what}: {asked!r} is no role; write {BY_ROLE} and one or two of: {allowed}")
        roles = [ROLE_WORDS[word] for word in words if word in ROLE_WORDS] or [
            role for role in Role if role is not Role.ID
        ]
        kinds = [KIND_WORDS[word] for word in words if word in KIND_WORDS] or list(Kind)
        return [column.name for column in self.columns if column.role in roles and column.kind in kinds]

    def pick(
        self, asked: Sequence[str] | None, default: Sequence[str], what: str, *, lost_too: bool = False
    ) -> tuple[str, ...]:
        """Return the columns asked for, checked, or the default; `what` names the parameter in errors.

        Columns are asked for by name or by role: `@qi`, `@sa numbers`; see `by_role`. Columns that were not released
        have no values to compare, unless they are counted as lost (`lost_too`).
        """
        names = tuple(default if asked is None else self.expanded(asked, what))
        lost = [column.name for column in self.not_released if column.name in names]
        if lost and not lost_too:
            raise UndefinedError(f"not released: {listing(lost)}; name columns of the release with {what}")
        return names


def with_survey_columns(schema: Schema, weight: str | None, household: str | None) -> Schema:
    """Name the columns of weights and of households. A weight is neither quasi-identifier nor sensitive.

    Raises:
        SchemaError: If a column does not exist, or a weight was given another role.
    """
    for option, name in (("weight", weight), ("household", household)):
        if name is not None and name not in schema.names:
            raise SchemaError(f"--{option}: no column {name!r} in the table; {did_you_mean(name, schema.names)}")
    columns = schema.columns
    if weight is not None:
        role = schema[weight].role
        if role in (Role.QI, Role.SA) and schema.origin != "inferred":
            raise SchemaError(
                f"column {weight!r} is both {role} and weight; a weight says how many people a row stands for: "
                f"take it out of --{role}"
            )
        columns = tuple(replace(one, role=Role.OTHER) if one.name == weight else one for one in columns)
    return replace(schema, columns=columns, weight=weight, household=household)


def assign(
    kinds: dict[str, Kind],
    qi: Iterable[str] = (),
    sa: Iterable[str] = (),
    ids: Iterable[str] = (),
    origin: str = "given",
) -> Schema:
    """Give roles by name; a column not named is carried along as `other`."""
    wanted: dict[str, Role] = {}
    for role, names in ((Role.QI, qi), (Role.SA, sa), (Role.ID, ids)):
        for name in names:
            if name not in kinds:
                raise SchemaError(f"{role}: no column {name!r} in the table; {did_you_mean(name, kinds)}")
            if wanted.get(name, role) is not role:
                raise SchemaError(f"column {name!r} is both {wanted[name]} and {role}; give each column one role")
            wanted[name] = role
    return Schema(tuple(Column(n, wanted.get(n, Role.OTHER), k) for n, k in kinds.items()), origin)


@dataclass(frozen=True, slots=True)
class SchemaFile:
    """A TOML file that gives columns their roles, or those of a history their meanings."""

    path: Path
    entries: dict[str, Any]

    @property
    def describes_history(self) -> bool:
        """Tell whether it names what only a history has."""
        return bool({"subject", "item"} & set(self.entries))


def as_toml(schema: Schema) -> str:
    """Write the roles as the content of a schema file, each column with the reason where the role was inferred."""
    lines = ["# Roles of the columns, written by icefire: move a name to another list if it does not belong there."]
    titles = {
        Role.QI: "what somebody may know about a person",
        Role.SA: "what nobody shall learn about a person",
        Role.ID: "what names a person; not released",
    }
    for role, title in titles.items():
        lines += ["", f"# {title}", f"{role.value} = ["]
        lines += [_entry(column) for column in schema.columns if column.role is role]
        lines += ["]"]
    others = [column for column in schema.columns if column.role is Role.OTHER and column.name != schema.weight]
    lines += [f"# in no list, carried along: {json.dumps(column.name, ensure_ascii=False)}" for column in others]
    for key, name in zip(SURVEY, (schema.weight, schema.household), strict=True):
        lines += [] if name is None else ["", f"{key} = {json.dumps(name, ensure_ascii=False)}"]
    return "\n".join(lines) + "\n"


def _entry(column: Column) -> str:
    # A string of JSON is a string of TOML, but for the character DEL.
    name = json.dumps(column.name, ensure_ascii=False).replace("\x7f", "\\u007f")
    return f"  {name},{f'  # {column.reason}' if column.reason else ''}"


def load_schema_file(path: str | Path) -> SchemaFile:
    """Read a schema file; its entries are not checked yet."""
    file = Path(path)
    try:
        return SchemaFile(file, tomllib.loads(file.read_text(encoding="utf-8")))
    except OSError as error:
        raise SchemaError(f"schema file {str(file)!r} cannot be read ({error.strerror}); check the path") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SchemaError(f"schema file {str(file)!r} is not TOML: {error}; see docs/formats.md") from None


def from_file(file: SchemaFile, kinds: dict[str, Kind]) -> Schema:
    """Take roles from the lists `qi`, `sa`, `id` and, to override, `category` and `number`."""
    allowed = ("qi", "sa", "id", "category", "number", *SURVEY)
    given, name = {key: value for key, value in file.entries.items() if key not in SURVEY}, file.path.name
    for key, names in given.items():
        if key not in allowed:
            raise SchemaError(f"schema file {name!r}: unknown entry {key!r}; {did_you_mean(key, allowed)}")
        if not isinstance(names, list) or not all(isinstance(column, str) for column in names):
            raise SchemaError(f"schema file {name!r}: {key} must be a list of column names, got {names!r}")
    for kind in (Kind.CATEGORY, Kind.NUMBER):
        unknown = [name for name in given.get(kind.value, []) if name not in kinds]
        if unknown:
            raise SchemaError(f"{kind}: no column {unknown[0]!r} in the table; {did_you_mean(unknown[0], kinds)}")
        kinds = kinds | dict.fromkeys(given.get(kind.value, []), kind)
    survey = [file.entries.get(key) for key in SURVEY]
    for key, column in zip(SURVEY, survey, strict=True):
        if column is not None and not isinstance(column, str):
            raise SchemaError(f"schema file {name!r}: {key} must be the name of a column, got {column!r}")
    schema = assign(kinds, given.get("qi", []), given.get("sa", []), given.get("id", []), origin=name)
    return with_survey_columns(schema, survey[0], survey[1])
