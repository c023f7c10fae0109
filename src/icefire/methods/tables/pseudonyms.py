"""Replace names and numbers of people by pseudonyms."""

from __future__ import annotations

import hmac
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import polars as pl

from icefire.core.dataset import Dataset
from icefire.core.errors import ParameterError
from icefire.core.parameters import Bounds, Columns
from icefire.core.registry import method
from icefire.core.schema import Role
from icefire.methods.common import format_preserving
from icefire.methods.common.columns import Coded, coded, picked

LEAST_SECRET = 16
LONGEST_WHOLE = 18
"""Whole numbers of so many digits still fit 64 bits, whatever the digits."""


def _check_columns(data: Dataset, parameters: Mapping[str, Any], known: Collection[str] | None) -> None:
    """Refuse columns that cannot have pseudonyms, as far as no step before changes their values."""
    if known is None:
        return
    for name in picked(data, "pseudonyms", parameters["columns"], _default(data)):
        column = _plain(data.frame[name])
        if name in known and parameters["kind"] == "format_preserving":
            _check_format(name, column.drop_nulls().unique().cast(pl.String).to_list(), column.dtype.is_integer())


@method(
    "pseudonyms",
    draws=lambda parameters: parameters["secret_file"] is None,
    drops_rows=False,
    secrets=("secret_file",),
    files=("secret_file",),
    check=_check_columns,
    defaults={"columns": "the identifiers"},
    in_partitions=lambda parameters: None if parameters["secret_file"] is None else "rows",
)
def pseudonyms(
    data: Dataset,
    *,
    rng: np.random.Generator,
    kind: Literal["random", "keyed_hash", "format_preserving"] = "random",
    secret_file: str | None = None,
    length: Annotated[int, Bounds(8, 64)] = 16,
    columns: Columns = None,
) -> Dataset:
    """Replace each distinct value of a column by a pseudonym, the same one wherever it occurs.

    Kinds:

    - random: numbers in random order (P001, P002, …); nothing links them to the value or to another release;
    - keyed_hash: the first `length` hexadecimal digits of HMAC-SHA256, of whole numbers the first 15 as a number;
    - format_preserving: digits become digits and letters letters, other characters stay; one to one.

    The last two need a secret. With one from a file the same value has the same pseudonym in every table. It appears
    nowhere in the release. Missing values stay missing.

    Args:
        data: The table.
        rng: Random generator.
        kind: Kind of pseudonyms.
        secret_file: File whose content, 16 bytes or more, is the secret. Default: a secret drawn from the seed.
        length: Digits of a keyed hash.
        columns: Columns to change. Default: the identifiers; without any, text columns without a role, or else the text
            quasi-identifiers, or else all quasi-identifiers.

    Returns:
        The table with pseudonyms; the notes name the columns.

    Raises:
        ParameterError: If a column holds fractions or a format that cannot be kept, the secret cannot be read or is too
            short, or two values get the same pseudonym.
    """
    names = picked(data, "pseudonyms", columns, _default(data))
    secret = _secret(kind, secret_file, rng)
    changed = []
    for name in names:
        known = coded(_plain(data.frame[name]))
        values = _random(known, rng) if kind == "random" else _keyed(known, kind, secret, length)
        changed.append(Coded(known.codes, values.alias(name)).column(known.codes))
    return data.with_columns(*changed).noted(pseudonyms=list(names))


def _default(data: Dataset) -> tuple[str, ...]:
    return data.schema.named(Role.ID) or _texts(data, Role.OTHER) or _texts(data, Role.QI) or data.qi


def _texts(data: Dataset, role: Role) -> tuple[str, ...]:
    kinds = (pl.String, pl.Categorical, pl.Enum)
    return tuple(name for name in data.schema.named(role) if data.frame[name].dtype in kinds)


def _plain(column: pl.Series) -> pl.Series:
    """Whole numbers as they are, everything else as text."""
    if column.dtype.is_integer():
        return column
    if column.dtype.is_numeric():
        raise ParameterError(
            f"pseudonyms: column {column.name!r} holds fractions; name columns of text or whole numbers"
        )
    return column.cast(pl.String)


def _secret(kind: str, path: str | None, rng: np.random.Generator) -> bytes:
    """Read the secret, or draw one. It leaves this module only through HMAC."""
    if path is None:
        return rng.bytes(32)
    if kind == "random":
        raise ParameterError('pseudonyms: kind "random" uses no secret_file; leave it out, or choose keyed_hash')
    try:
        secret = Path(path).read_bytes().strip()
    except OSError as error:
        raise ParameterError(
            f"pseudonyms: secret_file {path!r} cannot be read ({error.strerror}); check the path"
        ) from None
    if len(secret) < LEAST_SECRET:
        raise ParameterError(
            f"pseudonyms: secret_file {path!r} holds {len(secret)} bytes; it takes at least {LEAST_SECRET}: "
            "make one with openssl rand -hex 32"
        )
    return secret


def _random(known: Coded, rng: np.random.Generator) -> pl.Series:
    numbers = pl.Series(rng.permutation(known.size) + 1, dtype=pl.Int64)
    if known.values.dtype.is_integer():
        return numbers
    return "P" + numbers.cast(pl.String).str.zfill(len(str(known.size)))


def _keyed(known: Coded, kind: str, secret: bytes, length: int) -> pl.Series:
    whole = known.values.dtype.is_integer()
    texts = known.values.cast(pl.String).to_list()
    if kind == "keyed_hash":
        replaced = [hmac.digest(secret, text.encode(), "sha256").hex() for text in texts]
        replaced = [str(int(text[:15], 16)) if whole else text[:length] for text in replaced]
    else:
        _check_format(known.values.name, texts, whole)
        replaced = [format_preserving.mapped(text, secret, whole) for text in texts]
    if len(set(replaced)) < len(replaced):
        raise ParameterError(
            f"pseudonyms: two values of column {known.values.name!r} share their first {length} digits; "
            "choose a greater length"
        )
    return pl.Series(replaced, dtype=pl.String).cast(pl.Int64 if whole else pl.String)


def _check_format(name: str, texts: list[str], whole: bool) -> None:
    """Refuse what could not be mapped one to one inside its own alphabet."""
    for text in texts:
        if whole and len(text.lstrip("-")) > LONGEST_WHOLE:
            raise ParameterError(
                f"pseudonyms: column {name!r} holds whole numbers of over {LONGEST_WHOLE} digits; read it as text"
            )
        if format_preserving.foreign(text):
            raise ParameterError(
                f"pseudonyms: column {name!r} holds letters beyond a-z and A-Z, which format_preserving would leave "
                "as they are; choose keyed_hash or random"
            )
