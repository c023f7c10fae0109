"""Forms of commands, such as `icefire list [methods|all]`, written out as commands that can be run.

A form is run without its optional parts, and with all of them: once for each of the alternatives.
"""

from __future__ import annotations

import re

PIECE = re.compile(r"\[|\]…?(?:\.\.\.)?|\(|\)|\s\|\s|[^\s\[\]()]+")
NAMES = {
    "DATA": "original.csv",
    "TABLE": "original.csv",
    "ORIGINAL": "original.csv",
    "RELEASED": "released.csv",
    "RELEASE1": "released.csv",
    "RELEASE2": "swapped.csv",
    "RECIPE": "recipe.toml",
    "TRUTH": "truth.csv",
    "GUESS": "guess.csv",
    "MEMBERS": "members.csv",
    "SCORES": "scores.csv",
    "--rules CONTEST": "pwscup2015",
    "--starts TIME": "2030-01-01T09:00",
    "DIR": "made",
    "N": "3",
    "ROWS": "100",
    "--key COLUMN": "person",
    "--truth FILE": "truth.csv",
    "--schema FILE": "schema.toml",
    "--policy FILE": "policy.toml",
    "--policy NAME": "trusted",
    "--json FILE": "made.json",
    "--junit FILE": "made.xml",
    "--sarif FILE": "made.sarif",
    "--summary FILE": "made.md",
    "--qi …": "age,region",
    "--sa …": "income",
    "--title …": "Cup",
    "--data FILE": "X.csv",
    "init DIR": "cup",
    "show DIR": "levels",
    "show FILE": "levels/age.csv",
    "check DIR": "levels",
    "check FILE": "levels/age.csv",
    "CHANGED FILES": "released.csv",
}
"""What stands in the place of a name in capitals: by the word before it and itself, or by itself."""


def is_form(command: str) -> bool:
    """Return whether a command has parts that are to be chosen or filled in."""
    return bool(re.search(r"[\[…]|\w\|\w", command)) or any(word in NAMES for word in command.split())


def commands_of(form: str) -> list[str]:
    """Return the commands a form stands for; a command is itself."""
    if not is_form(form):
        return [form]
    pieces = PIECE.findall(form)
    most = max((len(parts) for parts in _alternatives(pieces)), default=1)
    choices = [(False, 0), *((True, choice) for choice in range(most))]
    return list(dict.fromkeys(_fill(_chosen(pieces, optional, choice)) for optional, choice in choices))


def _alternatives(pieces: list[str]) -> list[list[str]]:
    groups = re.findall(r"[\[(]([^\[\]()]*)[\])]", " ".join(pieces))
    return [group.split(" | ") for group in groups] + [piece.split("|") for piece in pieces if piece.strip() != "|"]


def _chosen(pieces: list[str], optional: bool, choice: int) -> str:
    """Write the form with one of its alternatives; the innermost parts first."""
    text = " ".join("|" if piece.isspace() or piece.strip() == "|" else piece for piece in pieces)
    inner = re.compile(r"([\[(])([^\[\]()]*)[\])](…|\.\.\.)?")
    while found := inner.search(text):
        kept = _pick(found[2].split(" | "), choice) if optional or found[1] == "(" else ""
        text = text[: found.start()] + kept + text[found.end() :]
    words = [_pick(word.split("|"), choice) if word != "|" else word for word in text.split()]
    return " ".join(words)


def _pick(parts: list[str], choice: int) -> str:
    return parts[min(choice, len(parts) - 1)].strip()


def _fill(command: str) -> str:
    words = command.replace("CHANGED FILES", NAMES["CHANGED FILES"]).split()
    filled = [
        NAMES.get(f"{before} {word}", NAMES.get(word, word)) for before, word in zip(["", *words], words, strict=False)
    ]
    return " ".join(word for word in filled if word != "…")
