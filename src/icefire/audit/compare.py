"""The verb `compare`: several releases of one original side by side."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Unpack

from icefire._version import DEFAULT_SEED
from icefire.audit import audit
from icefire.audit.findings.worst_attack import worst_attack
from icefire.audit.limits import MEMBERSHIP_TPR, REID
from icefire.audit.run import Audit
from icefire.core import scorecard
from icefire.core.errors import ParameterError
from icefire.core.release import Release
from icefire.core.scorecard import Scorecard
from icefire.core.scorecard.compared import ComparedRelease, ComparedReleases
from icefire.core.types import Progress, no_progress
from icefire.io import folder
from icefire.io.options import ReadOptions, takes_read_options

AT_FPR = "0.01"
CORRESPONDENCE = "correspondence"
"""Code of the reason that the claimed correspondence cannot be right: rates that rest on it mean nothing."""
MEANINGS = ("item", "date", "number", "price")


@takes_read_options
def compare(
    original: Any,
    releases: Sequence[Any] | None = None,
    *,
    names: Sequence[str] | None = None,
    truth: Any = None,
    aligned: bool = False,
    key: str | None = None,
    synthetic: bool = False,
    holdout: Any = None,
    background: Any = None,
    policy: str | Path | None = None,
    max_reid: float | None = None,
    attacks: Sequence[str] | None = None,
    measures: Sequence[str] | None = None,
    seed: int = DEFAULT_SEED,
    progress: Progress = no_progress,
    **reading: Unpack[ReadOptions],
) -> ComparedReleases:
    """Set several releases of one original side by side: verdict, worst attack, class size, what was lost.

    Releases are audited with the same options; an audit made before is taken as it is. Where only audits are given,
    the original is not needed: `compare([first, second])`.

    Args:
        original: The original data, or a list of audits.
        releases: Releases (files, folders, tables, a `Release`) or audits (an `Audit`, a `Scorecard`, a JSON file that
            `audit --json` wrote).
        names: What to call the releases. Default: the names of their files or folders.
        truth: For each released row the original row it comes from, of all releases that do not bring it.
        aligned: All files are in the same order, but for release folders that bring their truth along.
        key: Column that names the person in all files.
        synthetic: The rows of the releases come from nobody in particular.
        holdout: People who are not in the data, as a control.
        background: Synthetic releases: further people, whom the attacker knows.
        policy: Policy whose limits apply.
        max_reid: Largest share of people that any attack may identify.
        attacks: Names or codes of the attacks to run. Default: all that apply.
        measures: Names or codes of the measures to compute. Default: all that apply.
        seed: Seed of every random step.
        progress: Called with the name of each stage.

    Returns:
        The releases in the order given, and which one passes and lost least.

    Raises:
        InputError: If a file cannot be read.
        ParameterError: If fewer than two releases are given, or names do not fit.
    """
    sources = list(original) if releases is None and isinstance(original, list | tuple) else list(releases or ())
    if len(sources) < 2:
        raise ParameterError(
            f"{len(sources)} release{' is' if len(sources) == 1 else 's are'} given; name at least two, after the "
            "original, or at least two audits"
        )
    if original is None or releases is None:
        _check_audits(sources)
    if names is not None and len(names) != len(sources):
        raise ParameterError(f"{len(names)} names are given for {len(sources)} releases; give one for each")
    called = list(names) if names is not None else different_names(sources)
    options: dict[str, Any] = {"truth": truth, "aligned": aligned, "key": key, "synthetic": synthetic, "seed": seed}
    options |= {"holdout": holdout, "background": background, "policy": policy, "max_reid": max_reid}
    options |= {"attacks": attacks, "measures": measures, **reading}
    cards = []
    for place, (name, source) in enumerate(zip(called, sources, strict=True), 1):
        progress(f"audit: {name}, {place} of {len(called)}")
        given = options | {"aligned": False} if aligned and _brings_truth(source) else options
        cards.append(_card(source) if is_audit(source) else audit(original, source, **given).scorecard)
    return compared(called, cards)


def is_audit(source: Any) -> bool:
    """Tell whether something is an audit: an `Audit`, a `Scorecard`, or a JSON file."""
    if isinstance(source, str | os.PathLike):
        return Path(source).suffix == ".json" and Path(source).is_file()
    return isinstance(source, Audit | Scorecard)


def _check_audits(sources: Sequence[Any]) -> None:
    """Refuse a release where no original is given."""
    name = next((name for name, one in zip(different_names(sources), sources, strict=True) if not is_audit(one)), None)
    if name is not None:
        raise ParameterError(
            f"{name!r} is a release and no audit; give its original first, then releases and audits in any order"
        )


def _brings_truth(source: Any) -> bool:
    """Tell whether a release knows its own correspondence, which holds whatever the order of the others is."""
    if isinstance(source, str | os.PathLike):
        return folder.truth_of(Path(source)) is not None
    return isinstance(source, Release)


def _card(source: Any) -> Scorecard:
    if isinstance(source, Audit):
        return source.scorecard
    return source if isinstance(source, Scorecard) else scorecard.load(source)


def different_names(sources: Sequence[Any]) -> list[str]:
    """Name the releases after their files: as little of the path as tells them apart; others are numbered."""
    paths = [Path(source) if isinstance(source, str | os.PathLike) else None for source in sources]
    parts = [() if path is None else path.with_suffix("").parts for path in paths]
    for length in range(1, max(1, *map(len, parts)) + 1):
        names = ["/".join(part[-length:]) for part in parts]
        if len({name for name in names if name}) == sum(map(bool, names)):
            break
    return [name or f"release {place}" for place, name in enumerate(names, 1)]


def compared(names: Sequence[str], cards: Sequence[Scorecard]) -> ComparedReleases:
    """Put the figures of several scorecards side by side."""
    rows = [_release(name, card) for name, card in zip(names, cards, strict=True)]
    digests = {(card.provenance.original.sha256, card.provenance.original.rows) for card in cards}
    best, nearest = ("", "") if len(digests) > 1 else _first_choice(rows)
    return ComparedReleases(
        original=cards[0].provenance.original.name,
        releases=rows,
        best=best,
        nearest=nearest,
        different_originals=len(digests) > 1,
        different_policies=_different_limits(cards),
    )


def _first_choice(rows: Sequence[ComparedRelease]) -> tuple[str, str]:
    """Return the release that passes and lost least; where none passes, the one that identifies fewest."""
    if passing := [row for row in rows if row.passed]:
        return min(passing, key=lambda row: 1.0 if row.loss is None else row.loss).name, ""
    attacked = [row for row in rows if row.risk is not None]
    return "", min(attacked, key=lambda row: row.risk or 0.0).name if attacked else ""


def _different_limits(cards: Sequence[Scorecard]) -> bool:
    """Tell whether policies differ, or limits of one name; a limit may apply to some of the releases only."""
    bounds: dict[tuple[str, str], set[float]] = {}
    for gate in (gate for card in cards for gate in card.limits):
        bounds.setdefault((gate.name, gate.kind), set()).add(gate.limit)
    return len({card.verdict.policy for card in cards}) > 1 or any(len(limits) > 1 for limits in bounds.values())


def _release(name: str, card: Scorecard) -> ComparedRelease:
    risk, attack, limited = _risk(card)
    smallest = card.measures.get("k_min")
    limit = next((gate.limit for gate in card.limits if gate.name == limited and gate.kind == "max"), None)
    return ComparedRelease(
        name=name,
        passed=card.verdict.passed,
        headline=card.verdict.headline,
        reasons=[reason.text for reason in card.verdict.reasons],
        rows=card.provenance.released.rows,
        risk=risk,
        worst_attack=attack,
        limit=limit,
        k=None if smallest is None or smallest.value is None else int(smallest.value),
        loss=loss_of(card),
        lost=card.verdict.lost,
        policy=card.verdict.policy,
    )


def _risk(card: Scorecard) -> tuple[float | None, str, str]:
    """Return the share of people found, by which attack, and the name of the limit on it."""
    if any(reason.code == CORRESPONDENCE for reason in card.verdict.reasons):
        return None, "", REID
    if card.synthetic is None:
        worst = worst_attack(card)
        return (None, "", REID) if worst is None else (worst.result.rate, worst.attack, REID)
    results = card.membership.attacks if card.membership else {}
    if not results:
        return card.synthetic.near_identical.share, "", MEMBERSHIP_TPR
    best = max(results, key=lambda name: results[name].tpr_at_fpr[AT_FPR])
    return results[best].tpr_at_fpr[AT_FPR], best, MEMBERSHIP_TPR


def loss_of(card: Scorecard) -> float | None:
    """Return what a release lost, from 0 to 1; None where that was not computed.

    Tables: the mean change of the cells as a share of the range of their column, a row that was left out counting 1.
    Synthetic tables: the mean distance of the distributions of the columns, a column that is missing counting 1.
    Histories: the mean distance (total variation) of the distributions of goods, dates, numbers and prices, people who
    were left out counting 1.
    """
    useful = card.usefulness
    if useful is None:
        return None
    if useful.columns:
        losses = [column.loss for column in useful.columns]
    elif card.history is not None:
        losses = [sum(abs(one.original - one.released) for one in c.bins) / 2 for c in useful.distributions]
        losses += [1.0] * (sum(meaning in card.history.fields for meaning in MEANINGS) - len(losses))
    elif useful.distances is not None:
        return useful.distances.mean
    else:
        return None
    mean = sum(losses) / len(losses) if losses else 0.0
    return min(1.0, useful.rows_left_out + (1 - useful.rows_left_out) * mean)
