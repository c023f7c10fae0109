"""How to read a source, as far as that cannot be found by itself."""

from __future__ import annotations

from dataclasses import dataclass

from icefire.core.errors import ParameterError

DELIMITERS = ",;\t|"
RARE_DELIMITERS = "^~: "
"""Signs that are named where they seem to separate cells, but never taken unasked."""
DECIMAL_SIGNS = (".", ",")
THOUSANDS_SIGNS = (",", ".", " ", "'", "_", "")


@dataclass(frozen=True, slots=True)
class Format:
    """How to read a source; what is None is found.

    Attributes:
        header: Whether the first row holds the names of the columns. None expects them, and refuses a first row that
            looks like data.
        columns: Names of the columns, instead of those of the header.
        names_by_place: Names of the columns, used instead of those of a header that has none of them but as many.
        delimiter: Character between two cells.
        missing: Texts that stand for a missing value.
        decimal: Decimal sign, `.` or `,`.
        thousands: Sign between groups of three digits: `,`, `.`, a space (of any width), `'` or `_`; "" for none.
        encoding: Name of the encoding, such as `cp932`.
        comment: Lines that begin with this text are left out.
        skip: So many lines or rows above the header are left out, of an original.
        kind: Name of the reader, such as `csv`, where neither the ending nor the content tells.
        sheet: Sheet of a workbook.
        query: SQL query, of a database.
    """

    header: bool | None = None
    columns: tuple[str, ...] | None = None
    delimiter: str | None = None
    missing: tuple[str, ...] = ()
    decimal: str | None = None
    thousands: str | None = None
    encoding: str | None = None
    comment: str | None = None
    kind: str | None = None
    sheet: str | None = None
    query: str | None = None
    names_by_place: tuple[str, ...] | None = None
    skip: int = 0

    def __post_init__(self) -> None:
        """Refuse signs that could not be told apart."""
        if self.skip < 0:
            raise ParameterError(f"--skip got {self.skip}; it takes a number of lines, 0 or more")
        if self.delimiter is not None and len(self.delimiter.encode()) != 1:
            raise ParameterError(f"--separator got {self.delimiter!r}; it takes one character, or tab")
        if self.decimal is not None and self.decimal not in DECIMAL_SIGNS:
            raise ParameterError(f"--decimal got {self.decimal!r}; it takes . or ,")
        if self.thousands is not None and self.thousands not in THOUSANDS_SIGNS:
            raise ParameterError(f"--thousands got {self.thousands!r}; it takes one of , . ' _ or a space")
        if self.thousands and self.thousands == (self.decimal or ""):
            raise ParameterError(f"--decimal and --thousands are both {self.decimal!r}; they must differ")

    @property
    def has_header(self) -> bool:
        """Tell whether the first row holds the names of the columns."""
        return self.header is not False
