"""The thirteen quasi-identifiers of the sample `households`.

Everything is drawn as codes 0, 1, ..., in an order in which later columns depend on earlier ones: the head,
the family, the home, the job. `label` turns codes into the values people see. The figures mimic, roughly,
Japanese working families around 2004, most of them a couple with two children as in the contest's data; they
are tuned by hand to its number of distinct households. Weights need not add up to one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl

from icefire.kernels.types import Int8
from icefire.samples.draw import Draws

Profiles = dict[str, Int8]

# What each code stands for, in the order of the columns. The first six make the contest's cross table.
LABELS: dict[str, Sequence[int] | Sequence[str]] = {
    "region": ("metro", "other"),
    "members": range(7),  # 2 to 6
    "workers": range(5),  # 1 to 4; 4 means four or more
    "dwelling": ("detached", "terrace", "apartment"),
    "tenure": ("owner", "renter"),
    "head_sex": (1, 2),  # male, female
    "head_age": range(20, 80, 5),  # first year of the band; 20 means 24 or younger, 75 means 75 or older
    "employment": ("private", "public", "self"),
    "industry": range(1, 7),  # construction, manufacturing, transport, trade, services, government
    "firm_size": range(1, 5),  # under 30 people, under 500, larger, public office
    "spouse_work": range(3),  # no spouse, at home, earning
    "children": range(4),  # under 18
    "seniors": range(3),  # 65 and older
}

METRO = 0.42  # share in the three large metropolitan areas

# Lines of twelve are by head_age.
HEAD_AGE = (0.5, 3, 9, 17, 22, 18, 13, 9, 5, 2, 1, 0.5)
FEMALE_HEAD = 0.05
SPOUSE = np.array([0.96, 0.12])  # by sex of the head
PARENT_AT_HOME = np.array([0.05, 0.13])  # by region; for heads of 30 to 64
# Sons and daughters at home, 0 to 3: they come in the head's thirties and leave in the fifties.
KIDS = (
    (60, 35, 5, 0),
    (50, 38, 12, 0),
    (22, 40, 34, 4),
    (7, 21, 65, 7),
    (4, 15, 72, 9),
    (5, 17, 70, 8),
    (14, 30, 51, 5),
    (34, 42, 22, 2),
    (55, 36, 9, 0),
    (68, 28, 4, 0),
    (75, 23, 2, 0),
    (78, 21, 1, 0),
)
AGE_AT_FIRST_CHILD = (29.5, 3.0)  # of the head: mean, standard deviation
YEARS_BETWEEN_KIDS = 3.0
SPOUSE_WORK = ((48, 52), (66, 34), (80, 20))  # at home or earning; no children, children, head of 60 or older

DWELLING = ((60, 2, 38), (91, 1, 8))  # by region
# Share of owners by dwelling: houses are inherited or bought before 40, the young rent flats.
OWNER = np.array(
    [
        (0.55, 0.62, 0.76, 0.87, 0.92, 0.94, 0.95, 0.96, 0.97, 0.97, 0.98, 0.98),
        (0.05, 0.08, 0.12, 0.18, 0.24, 0.30, 0.35, 0.40, 0.42, 0.45, 0.45, 0.45),
        (0.02, 0.07, 0.22, 0.42, 0.54, 0.60, 0.64, 0.68, 0.70, 0.70, 0.70, 0.70),
    ]
)

EMPLOYMENT = ((83, 13, 4), (46, 3, 51))  # head under 60, 60 or older
INDUSTRY = ((6, 50, 7, 17, 20, 0), (0, 0, 0, 0, 18, 82), (24, 8, 3, 38, 27, 0))  # by employment
FIRM_SIZE = ((74, 20, 6), (12, 22, 66), (20, 24, 56), (56, 22, 22), (64, 22, 14), (1, 1, 1))  # by industry

AGE_30, AGE_40, AGE_60, AGE_65, AGE_70 = 2, 4, 8, 9, 10  # codes of head_age


def draw(draws: Draws) -> Profiles:
    """Draw the codes of every column of LABELS, and `grown`, the sons and daughters of 18 and older."""
    region = (~draws.chance(METRO)).astype(np.int8)
    age = draws.category(HEAD_AGE)
    profiles: Profiles = {"region": region, "head_age": age}
    profiles |= _family(draws, region, age)
    profiles |= _home(draws, region, age)
    profiles |= _job(draws, age)
    return profiles


def label(profiles: Profiles) -> Iterator[pl.Series]:
    """Turn codes into the columns people see."""
    for name, values in LABELS.items():
        dtype = pl.String if isinstance(values[0], str) else pl.Int8
        yield pl.Series(name, values, dtype=dtype).gather(profiles[name])


def _family(draws: Draws, region: Int8, age: Int8) -> Profiles:
    sex = draws.chance(FEMALE_HEAD).astype(np.int8)
    spouse = draws.chance(SPOUSE[sex]).astype(np.int8)
    parent = (draws.chance(PARENT_AT_HOME[region]) & (age >= AGE_30) & (age < AGE_65)).astype(np.int8)
    # Nobody here lives alone: a head without spouse and parent has at least one child at home.
    kids = np.maximum(draws.category(KIDS, age), 1 - (spouse | parent)).astype(np.int8)
    grown = _grown_kids(draws, age, kids)
    children = kids - grown
    spouse_work = _spouse_work(draws, spouse, children, age)
    earning_kids = np.floor(draws.uniform() * (grown + 1)).astype(np.int8)
    # Spouses are a few years younger, parents nearly thirty years older.
    seniors = (age >= AGE_65) + spouse * (age >= AGE_70) + parent * (age >= AGE_40)
    return {
        "head_sex": sex,
        "members": 1 + spouse + parent + kids,
        "workers": np.minimum(1 + (spouse_work == 2) + earning_kids, 4).astype(np.int8),
        "spouse_work": spouse_work,
        "children": children,
        "seniors": seniors.astype(np.int8),
        "grown": grown,
    }


def _grown_kids(draws: Draws, age: Int8, kids: Int8) -> Int8:
    mean, spread = AGE_AT_FIRST_CHILD
    years = 20 + 5 * (age + draws.uniform())
    eldest = years - (mean + spread * draws.normal())
    # If there were any number of kids, this many would be 18 or older.
    born_early = np.floor((eldest - 18) / YEARS_BETWEEN_KIDS) + 1
    grown: Int8 = np.clip(born_early, 0, kids).astype(np.int8)
    return grown


def _spouse_work(draws: Draws, spouse: Int8, children: Int8, age: Int8) -> Int8:
    situation = np.where(age >= AGE_60, 2, children > 0)
    return (spouse * (1 + draws.category(SPOUSE_WORK, situation))).astype(np.int8)


def _home(draws: Draws, region: Int8, age: Int8) -> Profiles:
    dwelling = draws.category(DWELLING, region)
    renter = ~draws.chance(OWNER[dwelling, age])
    return {"dwelling": dwelling, "tenure": renter.astype(np.int8)}


def _job(draws: Draws, age: Int8) -> Profiles:
    employment = draws.category(EMPLOYMENT, (age >= AGE_60).astype(np.int8))
    industry = draws.category(INDUSTRY, employment)
    private_size = draws.category(FIRM_SIZE, industry)
    # Private firms come in three sizes, a public office has its own code, the self-employed work small.
    size = np.choose(employment, [private_size, np.int8(3), np.int8(0)])
    return {"employment": employment, "industry": industry, "firm_size": size}
