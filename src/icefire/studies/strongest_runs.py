"""One release of the study `strongest`, made and attacked; results are kept in a file until the study is done."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from icefire import recipe as recipes
from icefire.audit import selection
from icefire.audit.adapter import ReleaseFiles
from icefire.audit.kinds import adapter_of
from icefire.audit.plan import AuditPlan
from icefire.audit.steps import attack_case
from icefire.core import blocks, seeds
from icefire.core.dataset import Dataset
from icefire.core.errors import IcefireError
from icefire.core.history import History, groups
from icefire.core.registry import Entry
from icefire.recipe.replay import replayed_copies
from icefire.studies import survey
from icefire.studies.strongest_releases import SURVEY_LIMIT, LimitKind, ReleasesOfData, StudyRelease

RunResult = dict[str, Any]
JOINT = ("link", "link_rest", "link_members", "exchanged_rows", "scattered_rows")
"""Attacks on all columns and all people at once."""
REPLAY = "replay"


@dataclass(frozen=True, slots=True)
class KeptResults:
    """Results of single runs, written down one by one, so that a study that was interrupted goes on where it was."""

    file: Path | None

    def get_or_compute(self, key: str, compute: Callable[[], RunResult]) -> RunResult:
        """Return the result of a run, from the file if it is there."""
        kept = self._read()
        if key not in kept:
            kept[key] = compute()
            if self.file is not None:
                with self.file.open("a", encoding="utf-8") as lines:
                    # On a line of its own, whatever the last one looks like.
                    lines.write("\n" + json.dumps({"key": key, "result": kept[key]}) + "\n")
        return kept[key]

    def _read(self) -> dict[str, RunResult]:
        if self.file is None or not self.file.exists():
            return {}
        entries = (_complete_line(line) for line in self.file.read_text(encoding="utf-8").splitlines())
        return {entry["key"]: entry["result"] for entry in entries if entry}


def _complete_line(line: str) -> dict[str, Any]:
    """Read a line; one that was cut off when the study was stopped counts for nothing."""
    try:
        entry: dict[str, Any] = json.loads(line)
    except json.JSONDecodeError:
        return {}
    return entry


def attacked(data: ReleasesOfData, release: StudyRelease, seed: int) -> RunResult:
    """Make a release with a seed and attack it with everything there is.

    Args:
        data: The original and the question.
        release: How it is published.
        seed: Seed of the recipe and of the attacks.

    Returns:
        The rate of every attack, the mean probability that link gives its answers, the limit, and CPU seconds.
    """
    rates = _membership(data, release, seed) if data.question == "membership" else _origin(data, release, seed)
    best = max((name for name in rates["rates"] if name not in (*JOINT, REPLAY)), key=lambda name: rates["rates"][name])
    joint = {name: rates["rates"][name] for name in JOINT if name in rates["rates"]}
    return {
        "data": data.title,
        "release": release.name,
        "seed": seed,
        "best": best,
        "other": rates["rates"][best],
        "link": max(joint.values(), default=None),
        "replay": rates["rates"].get(REPLAY),
        "said": rates.get("said"),
        "limit": rates.get("limit"),
        "seconds": rates["seconds"],
    }


def _origin(data: ReleasesOfData, release: StudyRelease, seed: int) -> dict[str, Any]:
    recipe = recipes.load({"steps": [dict(step) for step in release.steps]}, seed)
    published: Any = recipes.run_recipe(data.original, recipe)
    adapter = adapter_of(data.original)
    loaded = adapter.load(ReleaseFiles(published), data.original)
    shuffled, order = adapter.shuffle(loaded.released, seeds.generator(seed, "study", "shuffle"))
    truth = published.truth.rows[order]
    copies = replayed_copies(data.original, recipe)
    case = replace(adapter.case(loaded.original, shuffled), replayed=copies)
    entries, _ = selection.select("attack", None, loaded.original)
    unavailable = adapter.unavailable(shuffled)
    rates: dict[str, float] = {}
    said, started = None, time.process_time()
    for entry in entries:
        if entry.name in unavailable or (entry.name == REPLAY and not copies):
            continue
        guess = _guess(case, entry, seed)
        if guess is not None:
            rates[entry.name] = float((guess.first == truth).mean())
            if entry.name == "link" and guess.probability is not None:
                said = float(guess.probability.mean())
    limit = None if release.limit is None else LIMITS[release.limit](loaded.original, shuffled)
    return {"rates": rates, "said": said, "limit": limit, "seconds": time.process_time() - started}


def _guess(case: Any, entry: Entry, seed: int) -> Any | None:
    """Let an attack answer; None where it refuses this release."""
    try:
        return attack_case(case, entry, AuditPlan(seed=seed).bind(entry), seed)[0]
    except IcefireError:
        return None


def _membership(data: ReleasesOfData, release: StudyRelease, seed: int) -> dict[str, Any]:
    """Return the mean danger of every attack over the draws of members and others."""
    published = survey.make_release(data.original, release.steps, seed)
    started = time.process_time()
    results = survey.attack_draws(data.original, published, SURVEY_LIMIT, seed)
    means = results.group_by("attack", maintain_order=True).agg(pl.col("danger").mean())
    return {"rates": dict(means.iter_rows()), "seconds": time.process_time() - started}


def _classes(original: Dataset, released: Dataset) -> float:
    """One person of each class of equal quasi-identifiers."""
    return len(blocks.class_sizes(released.frame, list(original.qi))) / released.height


def _records(_: Dataset, released: Dataset) -> float:
    """One person of each set of equal records."""
    return len(blocks.class_sizes(released.frame, released.frame.columns)) / released.height


def _baskets(_: History, released: History) -> float:
    """One customer of each set of goods."""
    return len(groups.sizes(groups.labels(released.baskets))) / released.subjects


def _chance(original: Dataset, _: Dataset) -> float:
    return 1 / original.height


LIMITS: Mapping[LimitKind, Callable[[Any, Any], float]] = {
    "classes": _classes,
    "records": _records,
    "baskets": _baskets,
    "chance": _chance,
}
