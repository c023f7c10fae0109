"""The kinds of sources: which there are, and which of them a place is."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import polars as pl

from icefire.core.errors import InputError, ParameterError, did_you_mean, listing
from icefire.core.reading import Expected
from icefire.io import sources as folder_of_sources
from icefire.io.addresses import Place
from icefire.io.columns import RawTable
from icefire.io.format import Format

DEFAULT = "csv"
STORES = ("s3", "s3a", "gs", "gcs", "az", "azure", "adl", "abfs", "abfss", "http", "https", "hf")
"""Beginnings of addresses that polars reads."""


def _never(head: bytes) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Source:
    """One kind of source."""

    name: str
    """What `--input-format` takes."""
    title: str
    read: Callable[[Place, Format, Expected], RawTable]
    endings: tuple[str, ...] = ()
    schemes: tuple[str, ...] = ()
    """Beginnings of addresses, such as postgresql."""
    recognises: Callable[[bytes], bool] = _never
    """Tells by the first bytes of a file."""
    takes_addresses: bool = False
    """Reads object stores too."""
    is_database: bool = False
    write: Callable[[pl.DataFrame, Place], None] | None = None


@cache
def sources() -> dict[str, Source]:
    """Return every kind of source by name."""
    by_name = {}
    for module in pkgutil.iter_modules(folder_of_sources.__path__):
        content = importlib.import_module(f"{folder_of_sources.__name__}.{module.name}")
        by_name.update({source.name: source for source in getattr(content, "SOURCES", ())})
    return by_name


def source_of(place: Place, kind: str | None = None) -> Source:
    """Tell what kind of source a place is: as named, by its address, its first bytes or its ending."""
    every = sources()
    if kind is not None:
        if kind not in every:
            raise ParameterError(f"--input-format got {kind!r}; {did_you_mean(kind, every)}")
        return every[kind]
    if place.scheme is not None:
        return _of_address(place, every)
    head = place.head()
    by_content = next((source for source in every.values() if source.recognises(head)), None)
    by_ending = next((source for source in every.values() if place.ending in source.endings), None)
    return by_content or by_ending or every[DEFAULT]


def _of_address(place: Place, every: dict[str, Source]) -> Source:
    by_scheme = next((source for source in every.values() if place.scheme in source.schemes), None)
    if by_scheme is not None:
        return by_scheme
    if place.scheme not in STORES:
        raise InputError(
            f"{place.shown!r}: addresses that begin with {place.scheme}:// are not read; allowed: "
            "postgresql, s3, gs, az, https; export the table to a file, such as Parquet or CSV"
        )
    readable = [source for source in every.values() if source.takes_addresses]
    by_ending = next((source for source in readable if place.ending in source.endings), None)
    if by_ending is not None:
        return by_ending
    if place.ending and not place.is_pattern:
        endings = listing(ending for source in readable for ending in source.endings)
        raise InputError(f"{place.shown!r} cannot be read from there; what can ends in: {endings}")
    return every["parquet"]


def writer_of(ending: str) -> Source:
    """Return the kind of file with this ending that can be written; other endings are text."""
    every = sources().values()
    return next((one for one in every if one.write is not None and ending in one.endings), sources()[DEFAULT])
