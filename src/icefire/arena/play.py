"""How each contest is played: which files a team hands in, what is handed out, and how both are scored."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

from icefire import api, contests, files, folder, seeds
from icefire import judge as judges
from icefire.contests import cells
from icefire.history import History
from icefire.history.publishing import shuffled
from icefire.release import Guess

ORIGINAL, RELEASED, CUSTOMERS, ORIGINAL_CUSTOMERS = "original.csv", "released.csv", "customers.csv", "people.csv"
CORRESPONDENCE, TRUTH, ANSWERS = "correspondence.csv", "truth.csv", "guess.csv"


class Play(Protocol):
    """One kind of game."""

    @property
    def handed_in(self) -> tuple[str, ...]:
        """Files of a submission; the last one is the secret."""
        ...

    @property
    def handed_out(self) -> tuple[str, ...]:
        """Files of a release that attackers get."""
        ...

    def problems(self, given: Path) -> list[str]:
        """List what is wrong with a submission, with row and column."""
        ...

    def publish(self, given: Path, out: Path, seed: int) -> int:
        """Write the shuffled release and its truth; returns the number of targets."""
        ...

    def judge(self, given: Path, seed: int) -> dict[str, Any]:
        """Measure and attack a published release."""
        ...

    def guess_problems(self, given: Path) -> list[str]:
        """List what is wrong with a team's answers."""
        ...

    def score(self, given: Path) -> dict[str, Any]:
        """Score a team's answers."""
        ...


class _Linkage:
    """What games that ask "which original is this?" have in common."""

    rules: contests.Rules

    def judge(self, given: Path, seed: int) -> dict[str, Any]:
        card = self._audit(given, seed).scorecard
        return {
            "measures": {name: {"value": m.value, "note": m.note} for name, m in card.measures.items()},
            "attacks": {
                name: {"hits": a.hits, "targets": a.targets, "rate": a.rate} for name, a in card.attacks.items()
            },
            "aya": None
            if card.aya is None
            else {"hits": card.aya.hits, "targets": card.provenance.released.rows, "rate": card.aya.rate},
        }

    def _audit(self, given: Path, seed: int) -> Any:
        raise NotImplementedError

    def guess_problems(self, given: Path) -> list[str]:
        targets, originals = len(folder.read_truth(given / TRUTH)), self._originals(given)
        answers, problems = cells.read(given / ANSWERS, ("answer",))
        if answers is None:
            return [str(problem) for problem in problems]
        if answers.height != targets:
            return [f"{answers.file}: {answers.height:,} rows; the release has {targets:,}: one answer for each"]
        return [str(problem) for problem in cells.whole_numbers(answers, "answer", -1, originals - 1)]

    def _originals(self, given: Path) -> int:
        raise NotImplementedError

    def score(self, given: Path) -> dict[str, Any]:
        truth = folder.read_truth(given / TRUTH)
        found = judges.score(truth, Guess(folder.read_guess(given / ANSWERS)))
        return {"hits": found.hits, "targets": found.targets, "rate": found.rate}


class TablePlay(_Linkage):
    """One row per person: PWSCUP 2015 and its like."""

    handed_in = (RELEASED, CORRESPONDENCE)
    handed_out = (RELEASED,)

    def __init__(self, rules: contests.Rules) -> None:
        self.rules = rules

    def problems(self, given: Path) -> list[str]:
        """Check columns, cells and the correspondence."""
        found = self.rules.checked([given / ORIGINAL, given / RELEASED, given / CORRESPONDENCE])
        return [str(problem) for problem in found.problems]

    def publish(self, given: Path, out: Path, seed: int) -> int:
        """Shuffle the rows."""
        frame = files.read_frame(given / RELEASED, self.rules.reading["how"])
        truth = folder.read_truth(given / CORRESPONDENCE).rows
        order = seeds.generator(seed, "arena").permutation(frame.height)
        files.write_frame(frame[order], out / RELEASED)
        files.write_integers(truth[order], out / TRUTH)
        return frame.height

    def _audit(self, given: Path, seed: int) -> Any:
        return api.audit(
            given / ORIGINAL, given / RELEASED, truth=given / TRUTH, contest=self.rules.name, seed=seed, people=0
        )

    def _originals(self, given: Path) -> int:
        return files.read_frame(given / ORIGINAL, self.rules.reading["how"]).height


class HistoryPlay(_Linkage):
    """Many rows per customer: PWS Cup 2016."""

    handed_in = (CUSTOMERS, RELEASED, CORRESPONDENCE)
    handed_out = (CUSTOMERS, RELEASED)

    def __init__(self, rules: contests.Rules) -> None:
        self.rules = rules

    def problems(self, given: Path) -> list[str]:
        """Check both tables and the correspondence."""
        names = (ORIGINAL_CUSTOMERS, ORIGINAL, CUSTOMERS, RELEASED, CORRESPONDENCE)
        return [str(problem) for problem in self.rules.checked([given / name for name in names]).problems]

    def publish(self, given: Path, out: Path, seed: int) -> int:
        """Rename the customers and shuffle all rows."""
        made = api.read(given / RELEASED, **self.rules.reading, customers=given / CUSTOMERS)
        assert isinstance(made, History)
        renamed, order = shuffled(made, seeds.generator(seed, "arena"))
        assert renamed.customers is not None
        truth = folder.read_truth(given / CORRESPONDENCE).rows
        renamed.frame.write_csv(out / RELEASED, include_header=False)
        renamed.customers.write_csv(out / CUSTOMERS, include_header=False)
        files.write_integers(truth[order], out / TRUTH)
        return len(order)

    def _audit(self, given: Path, seed: int) -> Any:
        return api.audit(
            given / ORIGINAL,
            given / RELEASED,
            truth=given / TRUTH,
            contest=self.rules.name,
            customers=given / ORIGINAL_CUSTOMERS,
            released_customers=given / CUSTOMERS,
            seed=seed,
            people=0,
        )

    def _originals(self, given: Path) -> int:
        return files.read_frame(given / ORIGINAL_CUSTOMERS, self.rules.reading["customers_how"]).height


def of(rules: str) -> Play:
    """Return how a contest is played."""
    found = contests.get(rules)
    return HistoryPlay(found) if "subject" in found.reading else TablePlay(found)
