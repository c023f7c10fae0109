"""Broken checks as SARIF 2.1.0, which code hosts show beside the files of a repository."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path, PurePath
from typing import Any
from urllib.parse import quote

import msgspec

from icefire._version import __version__
from icefire.io.folder import TABLES
from icefire.report.pipelines.checks import RULES, Check, Checks, rule_help, rule_text
from icefire.report.text.notes import safe

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
REGION = {"startLine": 1, "startColumn": 1, "endLine": 1, "endColumn": 2}
"""A check is about a whole file; code hosts require a place in it."""


def as_sarif(several: Sequence[Checks]) -> str:
    """Write the broken checks of one or several releases; a log without results means that all pass."""
    rules = list(RULES)
    others = sorted({check.rule for one in several for check in one.broken} - set(rules))
    run = {
        "tool": {
            "driver": {
                "name": "icefire",
                "semanticVersion": __version__,
                "version": __version__,
                "rules": [_rule(code) for code in (*rules, *others)],
            }
        },
        "columnKind": "utf16CodeUnits",
        "results": [_result(one, check, [*rules, *others]) for one in several for check in one.broken],
    }
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return msgspec.json.format(msgspec.json.encode(log), indent=2).decode() + "\n"


def _rule(code: str) -> dict[str, Any]:
    return {
        "id": code,
        "name": code.title().replace("_", ""),
        "shortDescription": {"text": rule_text(code)},
        "fullDescription": {"text": rule_text(code)},
        "help": {"text": rule_help(code)},
        "defaultConfiguration": {"level": "error"},
        "properties": {"tags": ["security", "privacy"], "security-severity": "8.0"},
    }


def _result(one: Checks, check: Check, rules: list[str]) -> dict[str, Any]:
    place = {"artifactLocation": {"uri": _uri(one.place)}, "region": REGION}
    check_key = safe(f"{one.subject}/{check.rule}/{check.key}")
    # GitHub reads the second fingerprint alone; without it, it makes one of the line, which is the same for all checks.
    prints = {"icefireCheck/v1": check_key, "primaryLocationLineHash": sha256(check_key.encode()).hexdigest()[:16]}
    return {
        "ruleId": check.rule,
        "ruleIndex": rules.index(check.rule),
        "level": "error",
        "message": {"text": safe(check.text)},
        "locations": [{"physicalLocation": place}],
        "partialFingerprints": prints,
    }


def _file(place: str) -> str:
    """Return the table of a release folder: code hosts show results at files, and none at a folder."""
    path = Path(place)
    tables = [path / name for name in TABLES if (path / name).is_file()] if path.is_dir() else []
    return str(tables[0]) if tables else place


def _uri(place: str) -> str:
    """Return a path as a relative or absolute URI reference."""
    path = PurePath(_file(place))
    return path.as_uri() if path.is_absolute() else quote(path.as_posix())
