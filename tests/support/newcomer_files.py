"""The files of a new user: one table of 40 people in every form, recipes, roles, notes of their own."""

from __future__ import annotations

import gzip
import sqlite3
from pathlib import Path

import polars as pl

PEOPLE = pl.DataFrame(
    {
        "name": [f"p{i}" for i in range(40)],
        "age": [20 + i % 7 for i in range(40)],
        "sex": ["fm"[i % 2] for i in range(40)],
        "zip": [f"{i % 9:05d}" for i in range(40)],
        "pay": [1000 + 37 * i for i in range(40)],
    }
)
SWAP = '[[step]]\nmethod = "swap"\n'
GATE = '[[release]]\noriginal = "people.csv"\nreleased = "people.csv"\naligned = true\nschema = "schema.toml"\n'
BANDS = '[[step]]\nmethod = "generalize"\ncolumns = "age"\ncuts = [22, 25]\n'
SCHEMA = 'qi = ["age", "sex"]\nsa = ["pay"]\nid = ["name"]\n'
GATE += 'attacks = ["id_rand"]\nmeasures = ["k_min"]\n'


def write_files() -> None:
    """Write them to the current folder."""
    PEOPLE.write_csv("people.csv")
    PEOPLE.drop("sex").write_csv("fewer.csv")
    PEOPLE.write_csv("semicolon.csv", separator=";")
    PEOPLE.write_csv("bare.csv", include_header=False)
    PEOPLE.write_parquet("people.parquet")
    PEOPLE.write_ipc("people.arrow")
    PEOPLE.write_ndjson("people.jsonl")
    PEOPLE.write_excel("people.xlsx")
    Path("parts").mkdir()
    PEOPLE[:25].write_parquet("parts/a.parquet")
    PEOPLE[25:].write_parquet("parts/b.parquet")
    text = PEOPLE.write_csv()
    Path("people.csv.gz").write_bytes(gzip.compress(text.encode()))
    Path("cut.csv.gz").write_bytes(gzip.compress(text.encode())[:-9])
    Path("sjis.csv").write_bytes(text.replace("name", "名前").replace(",f,", ",女,").encode("cp932"))
    Path("utf16.csv").write_bytes(text.encode("utf-16"))
    Path("comma.csv").write_text(
        "age;pay\n" + "".join(f"{age};{pay / 100:.2f}\n".replace(".", ",") for age, pay in PEOPLE["age", "pay"].rows())
    )
    Path("escapes.csv").write_bytes(text.replace("name", "名前").encode("iso2022_jp"))
    PEOPLE.write_ipc_stream("people.arrows")
    numbered = [f"{row - 1 if row else ''},{line}" for row, line in enumerate(text.splitlines())]
    for name, content in {
        "titled.csv": "All people\n\n" + text,
        "caret.csv": text.replace(",", "^"),
        "trailing.csv": text.replace("\n", ",\n"),
        "numbered.csv": "\n".join(numbered),
        "empty.csv": "",
        "half.parquet": "PAR1",
        "half.arrow": "ARROW1",
        "half.jsonl": '{"a": 1}\n{"a"',
        "notes.txt": "my notes",
        "swap.toml": SWAP,
        "wrong.toml": SWAP.replace("swap", "swop"),
        "schema.toml": SCHEMA,
        "gate.toml": GATE,
        "typed.toml": GATE + "policy = {max_reid = 0.5}\n",
        "bands.toml": BANDS,
        "bad_bands.toml": BANDS.replace("25", '"old"'),
        "salaries.csv": "4100\n900\n" * 20,
    }.items():
        Path(name).write_text(content)
    Path("mine").mkdir()
    Path("mine/notes.txt").write_text("mine")
    with sqlite3.connect("people.sqlite") as base:
        base.execute("CREATE TABLE people (name, age, sex, zip, pay)")
        base.executemany("INSERT INTO people VALUES (?, ?, ?, ?, ?)", PEOPLE.rows())
    base.close()
    Path("truth.csv").write_text("".join(f"{i}\n" for i in range(40)))
    Path("half.csv").write_text("".join(f"{i if i < 20 else (i + 1) % 20}\n" for i in range(40)))
    buys = "".join(f"c{i % 8},item{i % 5}\n" for i in range(60))
    Path("buys.csv").write_text("who,what\n" + buys)
