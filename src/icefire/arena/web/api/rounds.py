"""The round and the division in an address of the API."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query

RoundQuery = Annotated[
    str | None, Query(alias="round", max_length=40, description="Which round; the present one if not given.")
]
DivisionQuery = Annotated[
    str | None, Query(max_length=40, description="Only the teams of this division, ranked among themselves.")
]
