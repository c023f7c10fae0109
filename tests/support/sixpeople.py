"""Six people and recipes for them, small enough to check by hand."""

from __future__ import annotations

import polars as pl

import icefire
from icefire import recipe
from icefire.core.dataset import Dataset
from icefire.recipe import rehearsal

TABLE = "age,job,income,rent\n20,a,100,10\n20,a,200,20\n30,b,300,30\n30,b,400,40\n30,b,500,50\n40,c,600,60\n"
ROLES = ("--qi", "age,job", "--sa", "income,rent")


def people() -> Dataset:
    """Two of 20 (a), three of 30 (b), one of 40 (c)."""
    return icefire.read(pl.read_csv(TABLE.encode()), qi=["age", "job"], sa=["income", "rent"])


def steps(*given):
    """A recipe of these steps, each by its name or in full."""
    return {"seed": 5, "step": [{"method": step} if isinstance(step, str) else step for step in given]}


def effects(data, *given):
    """What each step does."""
    return list(rehearsal.effects(data, recipe.load(steps(*given))))
