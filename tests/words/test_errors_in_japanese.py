"""Every error of the main verbs has a Japanese wording."""

import ast
from itertools import product
from pathlib import Path

import pytest

import icefire
from icefire.words import FOLDER, patterns

SOURCE = Path(icefire.__file__).parent
FOLDERS = (
    *("audit", "cli", "core", "engines", "hierarchy", "io", "measures", "methods", "models", "recipe", "risk"),
    *("samples", "studies"),
)
LEFT_OUT = ("cli/arena", "core/attribute", "core/registry", "core/release")
"""Errors of plug-ins; the arena has words of its own."""
FILES = sorted(
    file
    for name in FOLDERS
    for file in SOURCE.glob(f"{name}/**/*.py")
    if not file.relative_to(SOURCE).as_posix().startswith(LEFT_OUT)
)
ERRORS = ("InputError", "ParameterError", "OutputError", "MissingPackageError", "SchemaError")
DRAWN_UP_ELSEWHERE = ("which no one convention reads", "column 'x': {}", "{} release{} given")
"""Sentences put together of parts that this test cannot see; they are translated all the same."""


def sentence(node):
    """Return the words of an error; {} where values stand, 'x' where they are quoted."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.BinOp):
        return sentence(node.left) + sentence(node.right)
    if not isinstance(node, ast.JoinedStr):
        return "{}"
    parts = (part.value if isinstance(part, ast.Constant) else None for part in node.values)
    quoted = (getattr(part, "conversion", -1) == ord("r") for part in node.values)
    return "".join(("'x'" if q else "{}") if text is None else text for text, q in zip(parts, quoted, strict=True))


def errors_of(file):
    calls = [node for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))) if isinstance(node, ast.Call)]
    names = [(getattr(call.func, "id", ""), call.args) for call in calls]
    return [sentence(arguments[0]) for name, arguments in names if name in ERRORS and arguments]


def is_translated(words):
    for number, text in product(("12", "zz"), ("zz", "12", "a, b")):
        first = words.replace("{}", text, 1) if text != number else words
        said = first.replace("{}", number)
        if patterns.translate(said, "ja", (FOLDER,)) != said:
            return True
    return False


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.relative_to(SOURCE).as_posix())
def test_errors_are_translated(file):
    said = [words for words in errors_of(file) if words.strip("{}") and not any(x in words for x in DRAWN_UP_ELSEWHERE)]
    assert [words for words in said if not is_translated(words)] == []
