"""What the tests of attacks on histories share: the answers of an attack."""

from __future__ import annotations

from icefire.audit import judge
from icefire.core import registry, seeds
from icefire.core.history import History, HistoryCase, HistoryComparison
from icefire.core.release import Guess
from support.history_tables import history

OURS = {
    "jaccard", "containment", "tfidf", "quantity", "dates", "receipts", "profile",
    "assignment", "random_in_cluster", "dummy_aware", "purchases", "link",
}  # fmt: skip


def attacked(name: str, case: HistoryCase, **parameters: object) -> Guess:
    entry = registry.get("attack", name, "history")
    guess: Guess = entry.function(case, rng=seeds.generator(0, name), **entry.bind(parameters))
    return guess.checked(case.targets, case.choices)


def answers(name: str, x: History, y: History, **parameters: object) -> list[int]:
    return attacked(name, HistoryCase(x, y), **parameters).first.tolist()


def candidates(guess: Guess) -> list[list[int]]:
    drawn = guess.candidates
    assert drawn is not None
    return [drawn.rows[a:b].tolist() for a, b in zip(drawn.start, drawn.stop, strict=True)]


def bought(*rows: tuple[str, str, str, int]) -> History:
    """Rows of (user, date, goods, number); a receipt for every user and day, every good at one price."""
    return history([(u, u + date, date, "9:00", good, float(ord(good)), number) for u, date, good, number in rows])


def rate(name: str, comparison: HistoryComparison, **parameters: object) -> judge.Score:
    return judge.score(comparison.truth, attacked(name, comparison.case, **parameters), comparison.case.choices)
