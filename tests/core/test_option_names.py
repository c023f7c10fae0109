"""Options in messages: the words of the command line there, the keywords of Python in Python."""

from __future__ import annotations

import ast
import inspect
import re
from dataclasses import fields
from pathlib import Path

import pytest

import icefire
from icefire import Format, InputError, ParameterError
from icefire.core.option_names import OF_FORMAT, RENAMED, command_line_words, in_python

ROOT = Path(icefire.__file__).parent
COMMAND_LINE_ALONE = {"arena", "cli", "studies"}
VERBS = ("anonymize", "attack", "audit", "fingerprint", "inspect", "read", "sample", "score")


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("pass --truth FILE, --aligned or --key COLUMN", "pass truth=…, aligned=True or key=…"),
        ("name it with --qi, from: age", "name it with qi=[…], from: age"),
        ("--aligned: 3 rows", "aligned: 3 rows"),
        ("--key=customer if unchanged", 'key="customer" if unchanged'),
        ("add --ask membership", 'add ask=["membership"]'),
        ("Add --knows maximum for it", 'Add knowledge="maximum" for it'),
        ("--max membership_tpr=V", 'limits={"membership_tpr": V}'),
        ("--min k_min=5", 'limits=[icefire.Gate("k_min", 5, "min")]'),
        ("with --missing", "with how=icefire.Format(missing=[…])"),
        (
            "with --encoding, such as --encoding cp932",
            'with how=icefire.Format(encoding=…), such as how=icefire.Format(encoding="cp932")',
        ),
        ('such as --keys "age,sex;age"', 'such as keys="age,sex;age"'),
        ("use icefire audit --synthetic, which", "use icefire.audit(…, synthetic=True), which"),
        ("pass --rows 100 or more", "pass rows=100 or more"),
        ("file '--qi.csv' is empty", "file '--qi.csv' is empty"),
        ("pass --header if these", "pass how=icefire.Format(header=True) if these"),
        ("pass --separator '^', or", 'pass how=icefire.Format(delimiter="^"), or'),
        ("pass --missing 'null,k. A.'; if", 'pass how=icefire.Format(missing=["null", "k. A."]); if'),
        (
            "pass --decimal ',' or --decimal '.' --thousands ','",
            'pass how=icefire.Format(decimal=",") or how=icefire.Format(decimal=".", thousands=",")',
        ),
        ("run: icefire arena init X --force", "run: icefire arena init X --force"),
    ],
)
def test_options_become_keywords(message: str, shown: str) -> None:
    assert in_python(message) == shown


def test_an_error_speaks_the_words_of_the_surface() -> None:
    error = InputError("not known; pass --truth FILE")
    assert str(error) == "not known; pass truth=…"
    with command_line_words():
        assert str(error) == "not known; pass --truth FILE"
    assert error.message == "not known; pass --truth FILE"


def test_every_option_in_a_message_is_a_keyword_in_python() -> None:
    keywords = {name for verb in VERBS for name in inspect.signature(getattr(icefire, verb)).parameters}
    keywords |= {field.name for field in fields(Format)} | {"max", "min", "no-header", "customer-columns"}
    paths = [p for p in ROOT.rglob("*.py") if p.relative_to(ROOT).parts[0] not in COMMAND_LINE_ALONE]
    named = {(path.name, option) for path in paths for option in _options_in_errors(path.read_text("utf-8"))}
    assert {(name, option) for name, option in named if _keyword(option) not in keywords} == set()


def _keyword(option: str) -> str:
    plain = option if option in ("no-header", "customer-columns") else option.replace("-", "_")
    return RENAMED.get(option, plain)


def _options_in_errors(source: str) -> set[str]:
    raised = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Raise)]
    texts = [part.value for node in raised for part in ast.walk(node) if isinstance(part, ast.Constant)]
    return {
        option
        for text in texts
        if isinstance(text, str) and "icefire audit --json" not in text
        for option in re.findall(r"(?<![\w'-])--([a-z][a-z-]*[a-z])", text)
    }


def test_fields_of_the_format_are_its_fields() -> None:
    assert {field.name for field in fields(Format)} >= OF_FORMAT


def test_one_name_means_one_column() -> None:
    table = {"AGE": [30, 40, 30], "INCOME": [1.5, 2.5, 3.5]}
    data = icefire.read(table, qi="AGE", sa="INCOME")
    assert (data.qi, data.sa) == (("AGE",), ("INCOME",))
    assert icefire.read(data, qi=["AGE", "INCOME"], sa=()).qi == ("AGE", "INCOME")


def test_a_keyword_that_does_not_exist_is_refused_with_the_nearest_one() -> None:
    with pytest.raises(ParameterError, match="audit has no keyword 'truht'; did you mean 'truth'"):
        icefire.audit({"a": [1, 2]}, {"a": [1, 2]}, truht="x.csv")  # type: ignore[call-arg]


def test_an_error_of_a_verb_names_its_keywords() -> None:
    table = {"age": [30, 40, 30], "income": [1.5, 2.5, 3.5]}
    with pytest.raises(ParameterError, match=r"pass truth=…, aligned=True or key=…"):
        icefire.audit(table, table, qi="age", sa="income")
