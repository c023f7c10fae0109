"""Tables and queries of a real PostgreSQL server, on a Unix socket."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

import pytest
from support.arena import postgres
from support.commands import run_icefire

import icefire
from icefire.core.errors import InputError

psycopg = pytest.importorskip("psycopg", reason="needs the extra postgres")

PEOPLE = """
CREATE TABLE people (name text, zip text, age int, long bigint, pay numeric(10, 2), born date, ok boolean, who uuid);
INSERT INTO people SELECT 'p' || i, lpad(i::text, 5, '0'), 20 + i, 1152921504606846976 + i, i + 0.5,
  date '2020-01-01' + i, i % 2 = 0, md5(i::text)::uuid FROM generate_series(0, 9) i;
UPDATE people SET pay = NULL WHERE age = 29;
CREATE TABLE nobody (age int, pay int);
"""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    if reason := postgres.missing():
        pytest.skip(reason)
    with postgres.server() as server:
        place = server.format("postgres")
        with psycopg.connect(place, autocommit=True) as base:
            base.execute(PEOPLE)
        yield place


def query(address: str, text: str) -> icefire.Dataset:
    return icefire.read(address, how=icefire.Format(query=text))


def test_values_stay_what_they_are(address: str) -> None:
    frame = query(address, "SELECT * FROM people ORDER BY age").frame
    assert frame.row(7)[:7] == ("p7", "00007", 27, "1152921504606846983", 7.5, date(2020, 1, 8), False)
    assert frame["pay"].to_list()[9] is None
    assert frame["who"][0] == "cfcd2084-95d5-65ef-66e7-dff9f98764da"
    assert icefire.read(f"{address}#people").frame.height == 10


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("SELECT * FROM nowhere", 'relation "nowhere" does not exist'),
        ("SELEC", "syntax error"),
        ("DELETE FROM people RETURNING *", "read-only transaction"),
        ("SELECT age, age FROM people", "two columns named 'age'; give each its own name with AS"),
        ("SELECT * FROM nobody", "has no rows"),
        ("SELECT ARRAY[1, 2] AS many, age FROM people", "column 'many' holds values of type List"),
    ],
)
def test_a_query_that_gives_no_table_is_refused(text: str, words: str, address: str) -> None:
    with pytest.raises(InputError, match=words):
        query(address, text)
    assert query(address, "SELECT age FROM people").frame.height == 10


def test_a_database_of_several_tables_asks_which(address: str) -> None:
    with pytest.raises(InputError, match=r"has several tables \(nobody, people\)"):
        icefire.read(address)


def test_the_command_line_inspects_a_query(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = (
        "inspect",
        address,
        "--query",
        "SELECT age, ok, pay FROM people WHERE pay IS NOT NULL",
        "--measures",
        "k_min",
    )
    done = run_icefire(capsys, *words, "--qi", "ok", "--sa", "pay", "--json", "-")
    assert done.code == 0, done.err
    assert '"k_min"' in done.out
    assert '"rows": 9' in done.out
