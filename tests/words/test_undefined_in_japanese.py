"""Why a measure has no value is said in Japanese, too: every such sentence of the code has its translation."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.places import ROOT

from icefire import use_language
from icefire.words import said

PARTS = ("measures", "models", "regression", "contests")
FILLED_WITH = ("7", "age")
"""What stands in the blanks: some take a number, others a name."""
COMPOSED = {"words", "NOBODY", "did_you_mean(column, known)"}
"""Blanks that hold sentences of their own."""


def sentences() -> Iterator[ast.expr]:
    """The first argument of every UndefinedError in the packages whose errors are shown in reports."""
    files = [path for part in PARTS for path in (ROOT / "src/icefire" / part).rglob("*.py")]
    for path in files:
        for node in ast.walk(ast.parse(Path(path).read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "UndefinedError":
                yield node.args[0]


def filled(sentence: ast.expr, blank: str) -> str:
    """Write the sentence with the same word in each of its blanks."""
    if isinstance(sentence, ast.JoinedStr):
        return "".join(part.value if isinstance(part, ast.Constant) else blank for part in sentence.values)
    return str(sentence.value) if isinstance(sentence, ast.Constant) else ""


def is_composed(sentence: ast.expr) -> bool:
    blanks = sentence.values if isinstance(sentence, ast.JoinedStr) else []
    return any(isinstance(one, ast.FormattedValue) and ast.unparse(one.value) in COMPOSED for one in blanks)


def is_known(text: str) -> bool:
    return said(text) != text


def test_every_reason_of_a_missing_value_is_known_in_japanese() -> None:
    asked = [one for one in sentences() if filled(one, "x") and not is_composed(one)]
    assert len(asked) > 40
    with use_language("ja"):
        unknown = [filled(one, "…") for one in asked if not any(is_known(filled(one, word)) for word in FILLED_WITH)]
    assert unknown == []


@pytest.mark.parametrize(
    ("english", "japanese"),
    [
        ("a category is gone: the release has no sex=f, so the odds ratios cannot be compared", "sex=f"),
        ("a category is new: the original has no sex=x, so the odds ratios cannot be compared", "sex=x"),
        ("report: out/first.html", "レポート：out/first.html"),
        ("2,000 of 2,000 rows released", "2,000 行のうち 2,000 行を公開"),
        ("9 of 10 customers (30 pseudonyms), 80 rows released", "顧客 10 人のうち 9 人（仮名 30 個）、80 行を公開"),
    ],
)
def test_sentences_with_blanks(english: str, japanese: str) -> None:
    with use_language("ja"):
        assert said(english) != english
        assert japanese in said(english)
