"""The commands that make a safer release of the data of a scorecard, with the same file and the same columns."""

from __future__ import annotations

import shlex

from icefire.core.scorecard import Scorecard
from icefire.report.sentences import roles

UNNAMED = "ORIGINAL"


def commands(card: Scorecard, k: int) -> list[str]:
    """Return the commands that write a recipe of classes of at least k people, apply it and audit the result."""
    data, described = described_data(card)
    return [
        f"icefire recipe init {data} {described} --k {k} -o recipe.toml",
        f"icefire anonymize {data} {described} --recipe recipe.toml -o safer",
        f"icefire audit {data} safer {described}",
    ]


def described_data(card: Scorecard) -> tuple[str, str]:
    """Return the original as it is typed, and the options that describe its columns."""
    name = card.provenance.original.name
    data = shlex.quote(name) if "." in name else UNNAMED
    if card.history is not None:
        return data, _options({meaning: [column] for meaning, column in card.history.fields.items()})
    given = card.roles
    if roles.inferred(given.source):
        return data, "--infer-roles"
    if given.source != "given":
        return data, f"--schema {shlex.quote(given.source)}"
    return data, _options({"qi": given.qi, "sa": given.sa, "id": given.id})


def _options(columns: dict[str, list[str]]) -> str:
    return " ".join(f"--{name} {shlex.quote(','.join(some))}" for name, some in columns.items() if some)
