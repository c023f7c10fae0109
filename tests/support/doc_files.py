"""Small files under the names that README and docs use for a reader's own files, and the files of contests."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import polars as pl

import icefire
from icefire.contests import pwscup2016, pwscup2021
from icefire.samples import households, patients
from support import smallshop

PEOPLE = 60
SCHEMA = 'qi = ["age", "sex", "region", "job", "postcode"]\nsa = ["income", "rent", "disease"]\nid = ["person"]\n'
POLICY = 'title = "ours"\n\n[origin]\nmax_identified = 0.1\n'
RECIPE = '[[step]]\nmethod = "k_anonymize"\nk = 3\n\n[[step]]\nmethod = "swap"\n'
SWAP = '[[step]]\nmethod = "swap"\n'
CONTEST = 'rules = "custom"\n\n[custom]\nqi = ["age", "sex"]\nsa = ["income", "rent"]\n'
GATE = '[[release]]\noriginal = "original.csv"\nreleased = "released.csv"\naligned = true\nschema = "schema.toml"\n'


def people(first: int, count: int = PEOPLE) -> pl.DataFrame:
    """Return people of many columns; every name that a page uses is among them."""
    rows = range(first, first + count)
    places = [row * 7 % 5 for row in rows]
    return pl.DataFrame(
        {
            "person": [f"p{row:04d}" for row in rows],
            "age": [20 + row * 11 % 40 for row in rows],
            "sex": ["fm"[row % 2] for row in rows],
            "region": ["nsew"[place % 4] for place in places],
            "town": ["ABCDE"[place] for place in places],
            "postcode": [f"0{place}{row % 3}00" for place, row in zip(places, rows, strict=True)],
            "zip": [f"0{place}{row % 3}" for place, row in zip(places, rows, strict=True)],
            "job": [("cook", "clerk", "nurse")[row * 5 % 7 % 3] for row in rows],
            "income": [1000 + 37 * (row * 13 % 101) for row in rows],
            "rent": [300 + 11 * (row * 29 % 97) for row in rows],
            "disease": [("none", "asthma", "flu")[row * 3 % 11 % 3] for row in rows],
            "diagnosis": [("A", "B", "C", "D")[row * 3 % 13 % 4] for row in rows],
        }
    )


def write_files(folder: Path) -> None:
    """Write a reader's files to a folder."""
    known = people(0)
    known.write_csv(folder / "original.csv")
    noisy = known.with_columns(income=pl.col("income") + 40, rent=pl.col("rent") * 2).drop("person")
    noisy.with_columns(known["person"]).write_csv(folder / "released.csv")
    known.with_columns(income=pl.col("income").reverse()).write_csv(folder / "swapped.csv")
    people(500).write_csv(folder / "others.csv")
    known.write_csv(folder / "yours.csv")
    texts = {
        "truth.csv": _numbers(range(PEOPLE)),
        "members.csv": _numbers(range(20)) + "-1\n" * 20,
        "scores.csv": _numbers(range(40)),
        "schema.toml": SCHEMA,
        "policy.toml": POLICY,
        "recipe.toml": RECIPE,
        "icefire.toml": GATE,
    }
    for name, text in texts.items():
        (folder / name).write_text(text)
    known.select("person", "age", "sex", "postcode")[:20].write_csv(folder / "roll.csv")
    (folder / "who.csv").write_text(_numbers(range(20)))
    _write_synthetic(folder)
    _write_histories(folder)
    _write_hierarchies(folder)


def _numbers(numbers: range) -> str:
    return "".join(f"{number}\n" for number in numbers)


def _write_synthetic(folder: Path) -> None:
    people(0, 90).write_csv(folder / "used.csv")
    people(1000, 90).write_csv(folder / "synthetic.csv")
    people(700, 90).write_csv(folder / "kept_back.csv")


def _write_histories(folder: Path) -> None:
    shop = icefire.sample("shop", 20)
    shop.frame.write_csv(folder / "purchases.csv")
    assert shop.customers is not None
    shop.customers.write_csv(folder / "customers.csv")
    rows = shop.frame.select(CustomerID="customer", StockCode="goods")
    rows.write_csv(folder / "sales.csv")
    shop.customers.rename({"customer": "CustomerID"}).write_csv(folder / "people.csv")
    shop.frame.select(
        phone="customer",
        region=pl.col("goods").str.slice(0, 2),
        seen_at=pl.format("2020-01-{} {}:15", pl.col("number") % 20 + 10, pl.col("number") % 12 + 10),
    ).write_csv(folder / "trace.csv")


def _write_hierarchies(folder: Path) -> None:
    known = people(0)
    place = folder / "levels"
    place.mkdir()
    for column in ("age", "region"):
        icefire.hierarchy.infer(known[column]).write(place / f"{column}.csv")


def _rows(path: Path, table: pl.DataFrame | list[tuple[object, ...]]) -> None:
    rows = table.rows() if isinstance(table, pl.DataFrame) else table
    path.write_text("".join(",".join(map(str, row)) + "\n" for row in rows))


def _pwscup2015(folder: Path) -> None:
    frame = households.frame(60)
    for name in ("X.csv", "Y.csv"):
        frame.write_csv(folder / name)
    (folder / "correspondence.csv").write_text(_numbers(range(60)))


def _pwscup2016(folder: Path) -> None:
    customers = [(*row[:2], "1980/1/2", row[2]) for row in smallshop.customers().rows()]
    bought = smallshop.frame().select(pwscup2016.T).rows()
    number = {name: str(place + 1) for place, (name, *_) in enumerate(customers)}
    _rows(folder / "M.csv", customers)
    _rows(folder / "T.csv", bought)
    _rows(folder / "M'.csv", [(number[row[0]], *row[1:]) for row in customers])
    _rows(folder / "T'.csv", [(number[row[0]], *row[1:]) for row in bought])
    (folder / "correspondence.csv").write_text(_numbers(range(len(customers))))


def _pwscup2017(folder: Path) -> None:
    names = ["10001", "10002", "10003"]
    _rows(folder / "M.csv", [(name, "f", "1970/1/1", "Germany") for name in names])
    bought = [(name, 0, f"2010/12/{day}", "9:00", f"2{day}A", "2.00", 12) for name in names for day in (1, 2, 3)]
    pseudonym = dict(zip(names, "pqr", strict=True))
    _rows(folder / "T.csv", bought)
    _rows(folder / "AT.csv", [(pseudonym[row[0]], *row[1:]) for row in bought])
    for level in (25, 50, 75, 100):
        _rows(folder / f"Fh{level}.txt", [(name, *["DEL"] * 12) for name in names])
        _rows(folder / f"T{level}.csv", bought[: level // 10])


def _pwscup2021(folder: Path) -> None:
    frame = icefire.sample("survey", 300).frame.select(pwscup2021.COLUMNS).with_row_index("row")
    gone = frame.filter(pl.col("row") % 5 == 0)
    kept = frame.filter(pl.col("row") % 5 != 0)
    _rows(folder / "B.csv", frame.drop("row"))
    _rows(folder / "D.csv", kept.drop("row"))
    _rows(folder / "X.csv", gone.select("row"))
    _rows(folder / "CT.csv", pl.concat([kept[:50], gone[:50]]).drop("row"))
    (folder / "EA.csv").write_text(_numbers(range(50)) + "-1\n" * 50)
    (folder / "E.csv").write_text("-1,-1,-1\n" * 100)


def _ipwscup2023(folder: Path) -> None:
    frame = icefire.sample("survey", 60).frame.select(pwscup2021.COLUMNS)
    for name in ("B.csv", "C.csv"):
        _rows(folder / name, frame)
    (folder / "E.csv").write_text(_numbers(range(60)))


def _pwscup2025(folder: Path) -> None:
    pool = patients.frame(60)
    pool.write_csv(folder / "A.csv")
    for name in ("B.csv", "C.csv"):
        pool[:30].with_columns(AGE=pl.lit(50), mean_bmi=pl.lit(25.25)).write_csv(folder / name)
    (folder / "F.csv").write_text("1\n0\n" * 30)
    rules = {
        name: {"type": "category", "values": pool[name].unique().to_list()}
        if pool.schema[name] == pl.String
        else {"type": "number"}
        for name in pool.columns
    }
    (folder / "ranges.json").write_text(json.dumps({"columns": rules}))


def _custom_contest(folder: Path) -> None:
    for name in ("X.csv", "Y.csv"):
        people(0).drop("person").write_csv(folder / name)
    (folder / "correspondence.csv").write_text(_numbers(range(PEOPLE)))
    (folder / "contest.toml").write_text(CONTEST)


def _scorecards(folder: Path) -> None:
    known = people(0).select("age", "sex", "income")
    audit = icefire.audit(
        known, known, aligned=True, qi=["age", "sex"], sa="income", attacks=["id_rand"], measures=["k_min"]
    )
    for name in "ABC":
        (folder / f"{name}.json").write_text(audit.scorecard.to_json())


WRITTEN_FOR: dict[str, Callable[[Path], None]] = {
    "pwscup2015": _pwscup2015,
    "pwscup2016": _pwscup2016,
    "pwscup2017": _pwscup2017,
    "pwscup2021": _pwscup2021,
    "ipwscup2023": _ipwscup2023,
    "pwscup2025": _pwscup2025,
    "contest.toml": _custom_contest,
    "A.json": _scorecards,
}
"""What writes further files, by a word of the command that needs them: a contest, or a file."""
