"""PWS Cup 2017: purchases with one pseudonym per customer and month.

No file has a header, and every cell is text. M has customer, sex, birth decade and country, T the purchases of one
year. A team hands in A(T), row by row T changed, or DEL for a deleted row. The judge shuffles the kept rows and keeps
the map of customers and months to pseudonyms. Attackers know 25, 50, 75 and 100 % of T and answer four such maps; a
customer counts where all twelve months are right. The score is the mean of the worst measure and the best attack.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

import polars as pl

from icefire.audit.contest import ContestFiles, ContestFindings
from icefire.contests.common import cells, results
from icefire.contests.common.cells import Cells
from icefire.contests.common.contest import Contest
from icefire.contests.common.problem import Problem
from icefire.contests.common.sample_files import SampleFiles
from icefire.contests.formulas import item_losses, mean_of_worst, pseudonym_maps
from icefire.contests.formulas.item_losses import DELETED
from icefire.contests.games.month_pseudonyms import MonthPseudonymsGame
from icefire.core import formatting
from icefire.core.errors import InputError, UndefinedError
from icefire.core.scorecard import MeasureResult
from icefire.core.scorecard.attacks import AttackResult
from icefire.io import files
from icefire.io.format import Format

M = ("customer", "sex", "birthday", "country")
T = ("customer", "receipt", "date", "time", "goods", "price", "number")
MAP = ("customer", *(f"month {month}" for month in range(pseudonym_maps.MONTHS)))
TOP = 100
"""So many of the most bought goods are compared."""
MEASURES = {
    "e1_itemcf_s": "Change of the similarity of goods by dozens bought, as a share of it.",
    "e2_itemcf_r": "Change of the similarity of goods bought in less than a dozen pieces, as a share of it.",
    "e3_topk_items": "Share of the 100 most bought goods that are no longer among them.",
    "e3_topk_similarity": "Change of the similarity of the 100 most bought goods, as a share of it.",
    "e4_date": "Mean number of days a purchase was moved, in months of 31 days.",
    "e5_price": "Mean relative change of a price.",
    "e6_rows": "Share of the rows that were deleted.",
}
ATTACKS = {
    key: f"Takes the last published row with the same {', '.join(columns)} as a known row for its own."
    for key, columns in pseudonym_maps.KEYS.items()
}
NAME = r"^[A-Za-z0-9_-]+$"
DATE = r"^[1-9][0-9]{0,3}/([1-9]|1[0-2])/([1-9]|[12][0-9]|3[01])$"
TIME = r"^([01]?[0-9]|2[0-3]):[0-5]?[0-9]$"
PRICE = r"^[0-9]{1,5}(\.[0-9]{1,2})?$"
NUMBER = r"^[0-9]{1,6}$"
MONTH = r"^([0-9]+/[0-9]+)/"
MAP_FILE = re.compile(r"Fh(?:25|50|75|100)_(.+)_[^_]+")


def find_problems(paths: Sequence[Path]) -> list[Problem]:
    """Check M, T, A(T) and, if they are given, the four maps of an attack."""
    people, first = cells.read(paths[0], M, strip=False)
    known, second = cells.read(paths[1], T, strip=False)
    shown, third = cells.read(paths[2], T, strip=False)
    problems = [*first, *second, *third]
    if people is None or known is None or shown is None:
        return problems
    problems += [*cells.repeated(people, "customer", "customer"), *_wrong_original(known, people)]
    if not problems:
        problems = _wrong_release(known, shown)
    return problems + _wrong_maps(paths[3:], people)


def _wrong_original(known: Cells, people: Cells) -> list[Problem]:
    customers = people.frame["customer"].to_list()
    return [
        *known.wrong("customer", ~known.frame["customer"].is_in(customers), f"a customer of {people.file}"),
        *_wrong_cells(known, pl.repeat(True, known.height, eager=True)),
    ]


def _wrong_cells(table: Cells, kept: pl.Series) -> list[Problem]:
    """Name cells of kept rows that are not written as they must be."""
    rules = (
        ("receipt", NAME, "only letters A-Z, digits, _ and -"),
        ("date", DATE, "a day y/m/d without leading zeros"),
        ("time", TIME, "a time of day h:m"),
        ("price", PRICE, "1 to 5 digits and optionally a point with 1 or 2 more"),
        ("number", NUMBER, "1 to 6 digits"),
    )
    problems = []
    for column, shape, allowed in rules:
        right = _is_day(table.frame[column]) if column == "date" else _has_shape(table.frame[column], shape)
        problems += table.wrong(column, kept & ~right, allowed)
    return problems


def _has_shape(column: pl.Series, shape: str) -> pl.Series:
    return column.fill_null("").str.contains(shape)


def _is_day(column: pl.Series) -> pl.Series:
    return _has_shape(column, DATE) & item_losses.as_dates(column.fill_null("")).is_not_null()


def _wrong_release(known: Cells, shown: Cells) -> list[Problem]:
    if shown.height != known.height:
        text = f"{shown.height:,} rows; {known.file} has {known.height:,}: a deleted row is {DELETED},,,,,,"
        return [Problem(shown.file, text)]
    frame = shown.frame.with_columns(pl.all().fill_null(""))
    deleted = frame["customer"] == DELETED
    kept = ~deleted
    problems = []
    if kept.sum() < known.height // 2:
        text = f"{formatting.counted(int(kept.sum()), 'row')} kept; at least {known.height // 2:,} of the "
        problems.append(Problem(shown.file, f"{text}{known.height:,} rows of {known.file} must be kept"))
    for column in T[1:]:
        problems += shown.wrong(column, deleted & (frame[column] != ""), "a deleted row holds nothing else")
    problems += _wrong_cells(shown, kept)
    goods = known.frame["goods"].unique().to_list()
    problems += shown.wrong("goods", kept & ~frame["goods"].is_in(goods), f"a good of {known.file}")
    moved = frame["date"].str.extract(MONTH) != known.frame["date"].str.extract(MONTH)
    problems += shown.wrong("date", kept & _is_day(frame["date"]) & moved, f"the month of the row in {known.file}")
    return problems + _wrong_pseudonyms(known, shown, frame["customer"], kept)


def _wrong_pseudonyms(known: Cells, shown: Cells, names: pl.Series, kept: pl.Series) -> list[Problem]:
    right = _has_shape(names, NAME)
    problems = shown.wrong("customer", kept & ~right, "only letters A-Z, digits, _ and -")
    customers = known.frame["customer"].unique().to_list()
    problems += shown.wrong("customer", kept & names.is_in(customers), f"no customer of {known.file}")
    who, month = known.frame["customer"].alias("who"), known.frame["date"].str.extract(MONTH).alias("month")
    groups = pl.DataFrame([who, month, names.alias("customer"), (kept & right).alias("named")])
    own = pl.col("customer").filter("named").first().over("who", "month")
    other = groups.select(pl.col("named") & (pl.col("customer") != own))[:, 0].fill_null(False)
    return problems + shown.wrong("customer", other, "one pseudonym per customer and month")


def _wrong_maps(paths: Sequence[Path], people: Cells) -> list[Problem]:
    problems = []
    if len(paths) not in (0, len(pseudonym_maps.LEVELS)):
        levels = ", ".join(map(str, pseudonym_maps.LEVELS))
        text = f"an attack has four maps, of the levels {levels}; {formatting.counted(len(paths), 'map')} given"
        problems.append(Problem(paths[-1].name, text))
    targets = [match[1] for path in paths if (match := MAP_FILE.fullmatch(path.stem))]
    if len(set(targets)) > 1:
        listed = ", ".join(sorted(set(targets)))
        problems.append(Problem(paths[-1].name, f"the maps are about {listed}; all must be about one target"))
    wanted = pseudonym_maps.sorted_customers(people.frame["customer"])
    for path in paths:
        table, wrong = read_map(path)
        problems += wrong if table is None else wrong_customers(table, wanted)
    return problems


def read_map(path: Path, names: Sequence[str] = MAP) -> tuple[Cells | None, list[Problem]]:
    """Read a map; a first line that holds only the number of rows is skipped."""
    files.check_readable(path)
    with path.open(encoding="utf-8-sig", errors="replace") as file:
        counted = file.readline().strip().isdigit()
    return cells.read(path, names, skip=int(counted), strip=False)


def wrong_customers(table: Cells, wanted: Sequence[str]) -> list[Problem]:
    """Say that a map has not one row for each customer, ascending, if so."""
    if table.height != len(wanted):
        return [Problem(table.file, f"{table.height:,} rows; {len(wanted):,} are needed: one for each customer")]
    other = table.frame["customer"].fill_null("") != pl.Series(wanted)
    return table.wrong("customer", other, "one row per customer, ascending as numbers")[:1]


def measure(known: pl.DataFrame, shown: pl.DataFrame, top: int = TOP) -> dict[str, MeasureResult]:
    """Measure A(T) against T, both as text."""
    chosen = item_losses.most_bought(known, top)
    losses: dict[str, Callable[[], float]] = {
        "e1_itemcf_s": lambda: item_losses.similarity_loss(known, shown, item_losses.dozens),
        "e2_itemcf_r": lambda: item_losses.similarity_loss(known, shown, item_losses.retail),
        "e3_topk_items": lambda: item_losses.top_goods_loss(known, shown, top),
        "e3_topk_similarity": lambda: item_losses.similarity_loss(known, shown, item_losses.any_row, chosen),
        "e4_date": lambda: item_losses.date_loss(known, shown),
        "e5_price": lambda: item_losses.price_loss(known, shown),
        "e6_rows": lambda: item_losses.deleted_share(shown),
    }
    return {name: results.measured(compute) for name, compute in losses.items()}


def attack(
    truth: pseudonym_maps.PseudonymMap,
    published: pl.DataFrame,
    parts: Mapping[str, pl.DataFrame],
    customers: Sequence[str],
) -> dict[str, AttackResult]:
    """Run the six sample attacks at every level of knowledge."""
    attacks: dict[str, AttackResult] = {}
    for key in pseudonym_maps.KEYS:
        maps = {level: pseudonym_maps.guessed_map(published, part, key, customers) for level, part in parts.items()}
        hits = {level: pseudonym_maps.count_right(truth, guess) for level, guess in maps.items()}
        rates = {level: count / len(customers) for level, count in hits.items()}
        total = len(customers) * len(parts)
        attacks[key] = results.attacked(sum(hits.values()), total, knows="parts of T", levels=rates)
    return attacks


def own_audit(given: ContestFiles) -> ContestFindings:
    """Measure A(T) against T and attack it; rows are taken in the order of the file."""
    results.check_parameters(given.parameters, {})
    known, shown = read(given.original), read(given.released)
    people = known["customer"] if given.customers is None else read(given.customers, M)["customer"]
    customers = pseudonym_maps.sorted_customers(people)
    try:
        truth = pseudonym_maps.true_map(known, shown, customers)
        attacks = attack(truth, item_losses.kept_rows(shown), _parts(known, given), customers)
        left_out: dict[str, str] = {}
    except UndefinedError as error:
        attacks, left_out = {}, dict.fromkeys(ATTACKS, error.message)
    return ContestFindings(measure(known, shown), attacks, known.height, shown.height, T, left_out)


def _parts(known: pl.DataFrame, given: ContestFiles) -> dict[str, pl.DataFrame]:
    if not given.known:
        return {str(level): pseudonym_maps.known_part(known, level, given.seed) for level in pseudonym_maps.LEVELS}
    parts = {}
    for path in given.known:
        part = read(path)
        share = 100 * float((part["customer"] != DELETED).mean() or 0.0)  # type: ignore[arg-type]
        named = [number for number in re.findall(r"\d+", path.stem) if int(number) in pseudonym_maps.LEVELS]
        level = named[-1] if named else f"{share:.0f}"
        if level in parts:
            raise InputError(f"{path.name} is a second file of level {level}; name files by their level, as T25.csv")
        parts[level] = part
    return parts


def read(path: Path, names: Sequence[str] = T) -> pl.DataFrame:
    """Read a table as text.

    Raises:
        InputError: If a row has another number of columns.
    """
    table, problems = cells.read(path, names, strip=False)
    if table is None:
        raise InputError(str(problems[0]))
    return table.frame.with_columns(pl.all().fill_null(""))


def _as_purchases(piece: pl.DataFrame) -> pl.DataFrame:
    """Lay the year of the sample over December 2010 to November 2011, sorted by time."""
    month, day = (pl.col("date").str.slice(start, 2).cast(pl.Int64) for start in (5, 8))
    last = pl.when(month == 2).then(28).otherwise(31)
    moved = pl.format("{}/{}/{}", pl.when(month == 12).then(2010).otherwise(2011), month, pl.min_horizontal(day, last))
    hour = pl.col("time").str.replace(r"^0", "")
    ordered = piece.sort(pl.when(month == 12).then(0).otherwise(month), day, "time", maintain_order=True)
    return ordered.with_columns(receipt=pl.lit(0), date=moved, time=hour)


def _as_customers(piece: pl.DataFrame) -> pl.DataFrame:
    decade = pl.col("birthday").str.slice(0, 3) + "0/1/1"
    known = pl.col("country").is_in(["United Kingdom", "Germany", "France"])
    return piece.with_columns(birthday=decade, country=pl.when(known).then("country").otherwise(pl.lit("Others")))


CONTEST = Contest(
    name="pwscup2017",
    title="PWS Cup 2017: purchases with a pseudonym per month",
    files=("M.csv", "T.csv", "AT.csv", "Fh25.csv", "Fh50.csv", "Fh75.csv", "Fh100.csv"),
    optional=4,
    find_problems=find_problems,
    reading={
        "subject": "customer",
        "item": "goods",
        "how": Format(header=False, decimal=".", columns=T),
        "customers_how": Format(header=False, decimal=".", columns=M),
    },
    game=partial(MonthPseudonymsGame, read=read, read_people=partial(read, names=M), measure=measure, attack=attack),
    sample=SampleFiles("shop", small=30, cut=_as_purchases, cut_customers=_as_customers),
    measures=tuple(MEASURES),
    attacks=tuple(ATTACKS),
    summaries={**MEASURES, **ATTACKS},
    utilities=tuple(MEASURES),
    score_parts=mean_of_worst.score_parts,
    own_audit=own_audit,
    figures=partial(mean_of_worst.figures, tuple(MEASURES)),
)
