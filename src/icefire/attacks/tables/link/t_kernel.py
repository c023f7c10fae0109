"""The attack `t_kernel`: nearest rows over all columns, standardised, one person per row."""

from __future__ import annotations

import numpy as np

from icefire.attacks.tables.link.channels import Channel
from icefire.attacks.tables.link.distance import log_weights, squared_distances
from icefire.attacks.tables.link.matching import Scorer, posterior, scorer
from icefire.attacks.tables.link.ordering import finest, ordered_tables
from icefire.core.registry import attack
from icefire.core.release import NO_ANSWER, Case, Guess
from icefire.kernels.linkage.best_candidates import CandidateLists
from icefire.kernels.types import Float32

DRAWN = 1000
"""Rows of independent columns that released rows are compared with."""
ERRORS = 2.0
"""A difference of fewer standard errors may be chance."""


@attack("t_kernel", knows="everybody's values in all released columns, and that each has one row")
def t_kernel(case: Case, *, rng: np.random.Generator) -> Guess:
    """Take the nearest original rows over all columns, and match rows one to one.

    The attacker knows all columns of the original that are released, whatever their role, identifiers excepted.
    Numbers are divided by their standard deviation; different categories are one apart, a label and what it covers
    are equal. A pair at distance D has the weight (D² + δ)^(-p/2) for p columns: Student's kernel, which fits noise
    of any size. Success is naming the right person.

    Args:
        case: What the attacker holds: the original table and the released one.
        rng: The generator of rows whose columns are drawn independently, which released rows are compared with.

    Returns:
        One original row per released row with its posterior weight as probability; that of a random guess where
        released rows are no nearer to original ones than rows of independent columns. No answer where no column is in
        both tables with two values or more.
    """
    tables = ordered_tables(case)
    width = len(tables.x.columns)
    columns = tables.columns(finest(width)) if width else []
    if not columns:
        return Guess(np.full(case.targets, NO_ANSWER), probability=np.zeros(case.targets))
    distances = [np.exp(-squared_distances(column)) for column in columns]
    tool = scorer(columns, [Channel("same")] * len(columns), None, distances)
    listed = tool.candidates(tool.y_rows)
    near = _log_weights(listed, len(columns))
    matched = posterior(listed._replace(scores=near, rest=np.full_like(listed.rest, -np.inf)), case.choices)
    answers = matched.assigned(case.choices)
    probability = matched.probability(answers) if _nearer_than_chance(tool, near, rng) else np.zeros(case.targets)
    return tables.placed(Guess(answers, probability=np.maximum(probability, 1.0 / case.choices)))


def _log_weights(listed: CandidateLists, columns: int) -> Float32:
    near = np.where(listed.rows >= 0, log_weights(-listed.scores.astype(float), columns), -np.inf)
    return near.astype(np.float32)


def _nearer_than_chance(tool: Scorer, near: Float32, rng: np.random.Generator) -> bool:
    """Tell whether released rows are nearer to original rows than rows whose columns are drawn independently.

    Args:
        tool: The tables of distances.
        near: Log weights of the candidates of the released rows.
        rng: Source of the rows drawn.
    """
    sources = [column.source for column in tool.columns]
    if len(set(sources)) == 1:
        # One column alone cannot show whether it was shuffled: it is taken as it stands.
        return True
    # Values and which of them are blank stay together.
    drawn = {source: rng.integers(0, len(tool.y_rows), DRAWN) for source in sources}
    rows = np.stack([tool.y_rows[drawn[source], place] for place, source in enumerate(sources)], axis=1)
    chance = _log_weights(tool.candidates(rows, 1), len(sources)).max(axis=1).astype(float)
    best = near.max(axis=1).astype(float)
    error = np.sqrt(best.var() / len(best) + chance.var() / len(chance))
    return bool(best.mean() - chance.mean() > ERRORS * error)
