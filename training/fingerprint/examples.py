"""Examples to train on and to test with: figures of random releases.

Matching rows takes nearly all the time and does not depend on the figures, so matchings are kept in a file beside them.
"""

from __future__ import annotations

import pickle
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from icefire.audit.fingerprint import matching
from icefire.audit.fingerprint.matching import RowMatching
from icefire.audit.fingerprint.methods import NAMES
from icefire.audit.fingerprint.pairs import pair_tables
from icefire.audit.fingerprint.signs import SIGN_NAMES, signs_of_release
from icefire.core.dataset import Dataset
from icefire.studies.fingerprint_releases import MadeRelease
from icefire.studies.fingerprint_tables import TableSource

ReleaseInTurn = Callable[[TableSource, int, int], tuple[Dataset, MadeRelease | None]]
"""Draws a table and a release of it, by a seed and the number of the turn."""
SAVED = 25


@dataclass(frozen=True)
class Examples:
    """Releases with their methods and figures."""

    labels: np.ndarray
    """Releases × methods, 0 or 1."""
    figures: np.ndarray
    """Releases × figures."""
    by_truth: np.ndarray
    """Whether rows were matched by the truth."""


def join_examples(parts: Sequence[Examples]) -> Examples:
    """Return the examples of all parts."""
    return Examples(
        np.concatenate([part.labels for part in parts]),
        np.concatenate([part.figures for part in parts]),
        np.concatenate([part.by_truth for part in parts]),
    )


def collect_matchings(path: Path, draw: ReleaseInTurn, tables: TableSource, seed: int, count: int) -> None:
    """Match the rows of releases and keep the result; continues a file that exists."""
    kept: dict[int, RowMatching | None] = pickle.loads(path.read_bytes()) if path.exists() else {}
    spent = time.process_time()
    for turn in range(len(kept), count):
        original, some = draw(tables, seed, turn)
        kept[turn] = None if some is None else _match(original, some, turn)
        if turn % SAVED == SAVED - 1 or turn == count - 1:
            path.write_bytes(pickle.dumps(kept))
            print(f"{path.name}: {turn + 1} releases, {time.process_time() - spent:.0f} s of CPU", flush=True)


def _match(original: Dataset, some: MadeRelease, seed: int) -> RowMatching:
    frame = some.release.released.frame
    pair = pair_tables(original, frame)
    rows = matching.rows_to_compare(frame, [c.name for c in pair.qi], seed)
    return matching.learned(original, frame, [c.name for c in pair.columns], rows, seed).rows


def matched_examples(path: Path, draw: ReleaseInTurn, tables: TableSource, seed: int, count: int) -> Examples:
    """Compute the figures of releases whose matching is kept, and again by the truth."""
    kept: dict[int, RowMatching | None] = pickle.loads(path.read_bytes())
    return _examples(draw, tables, seed, {turn: kept[turn] for turn in range(count)})


def true_examples(draw: ReleaseInTurn, tables: TableSource, seed: int, count: int) -> Examples:
    """Compute the figures of releases by the truth alone, which costs little."""
    return _examples(draw, tables, seed, dict.fromkeys(range(count)))


def _examples(
    draw: ReleaseInTurn, tables: TableSource, seed: int, matchings: dict[int, RowMatching | None]
) -> Examples:
    labels, figures, by_truth = [], [], []
    for turn, learned in matchings.items():
        original, some = draw(tables, seed, turn)
        if some is None:
            continue
        frame = some.release.released.frame
        pair = pair_tables(original, frame)
        rows = matching.rows_to_compare(frame, [c.name for c in pair.qi], turn)
        for pairs in (learned, matching.by_truth(some.release.truth.rows, rows)):
            if pairs is not None:
                signs = signs_of_release(pair, pairs)
                labels.append([name in some.methods for name in NAMES])
                figures.append([signs[name].value for name in SIGN_NAMES])
                by_truth.append(pairs is not learned)
    return Examples(np.array(labels, float), np.array(figures), np.array(by_truth))
