"""One of something is named in the singular, in English sentences and in what translates them."""

from __future__ import annotations

import io
import re
from pathlib import Path

import polars as pl
import pytest
from rich.console import Console
from support.commands import run_icefire

import icefire
from icefire.core.formatting import counted
from icefire.core.scorecard import Scorecard
from icefire.core.scorecard.synthetic import Copies
from icefire.report.sentences import synthetic
from icefire.report.text import scorecard
from icefire.words import said, texts_of

PLURALS = "people|persons|rows|columns|classes|attacks|measures|values|members|others|customers|groups|cells|goods"
ONE_AND_PLURAL = re.compile(
    rf"(?<![\d.,–-])(?<!of )1 (?:[a-z-]+ )?(?:{PLURALS})\b|\b1 of [\d,]+ [a-z ]*?\([^)]*\) (?:are|were|have)\b"
)


def _shown(card: Scorecard) -> str:
    console = Console(width=1000, file=io.StringIO(), color_system=None)
    scorecard.show(card, console)
    return console.file.getvalue()  # type: ignore[attr-defined,no-any-return]


@pytest.mark.parametrize("text", ["1 rows", "1 released rows", "about 1 people", "1 of 3 rows (33 %) are alone"])
def test_the_test_sees_a_wrong_plural(text: str) -> None:
    assert ONE_AND_PLURAL.search(text)


@pytest.mark.parametrize("released", [2, 3], ids=["two rows", "one row of two classes alone"])
def test_an_audit_of_few_rows_has_no_plural_of_one(released: int) -> None:
    original = pl.DataFrame({"age": [34, 51, 34, 52], "region": ["n", "s", "n", "s"], "income": [10, 22, 12, 24]})
    card = icefire.audit(
        original.head(released if released == 2 else 4),
        original.head(released),
        qi=["age", "region"],
        sa=["income"],
        truth=list(range(released)),
        attacks=["id_rand"],
        measures=["k_min"],
    )
    assert ONE_AND_PLURAL.findall(_shown(card.scorecard)) == []


def test_tables_of_one_column_are_named_in_the_singular(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = tmp_path / "table.csv"
    table.write_text("age\n34\n51\n")
    assert "2 rows, 1 column\n" in run_icefire(capsys, "inspect", table, "--qi", "age", "--measures", "k_min").out


def test_one_copy_is_one_person() -> None:
    one = Copies(rows=1, people=1, share=0.1)
    assert ONE_AND_PLURAL.search(synthetic.copies("identical", one)) is None


@pytest.mark.parametrize("name", ["lost", "verdict", "numbers", "compare", "next_steps"])
def test_texts_with_a_number_have_a_singular(name: str) -> None:
    number = re.compile(rf"\{{n\}} (?:of \{{\w+\}} |different |fewer |more |released )*(?:{PLURALS})\b")
    assert [key for key, text in texts_of(name, "en").items() if isinstance(text, str) and number.search(text)] == []


@pytest.mark.parametrize("n", [1, 2])
def test_a_translation_fits_singular_and_plural(n: int) -> None:
    with icefire.use_language("ja"):
        assert said(counted(n, "person", "people")) == f"{n} 人"
        assert said(counted(n, "row")) == f"{n} 行"
        assert said(counted(n, "member") + " and 3 others asked about.").endswith("調べました。")
