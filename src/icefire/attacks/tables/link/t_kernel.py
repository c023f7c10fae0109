"""The attack `t_kernel`: nearest rows over all columns, standardised, one person per row."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from icefire.attacks.tables.link.channels import Channel
from icefire.attacks.tables.link.distance import log_weights, squared_distances
from icefire.attacks.tables.link.matching import posterior, scorer
from icefire.attacks.tables.link.ordering import finest, ordered_tables
from icefire.core.registry import attack
from icefire.core.release import NO_ANSWER, Case, Guess


@attack("t_kernel", knows="everybody's values in all released columns, and that each has one row")
def t_kernel(case: Case, *, rng: np.random.Generator) -> Guess:
    """Take the nearest original rows over all columns, and match rows one to one.

    The attacker knows all columns of the original that are released, whatever their role, identifiers excepted.
    Numbers are divided by their standard deviation; different categories are one apart, a label and what it covers
    are equal. A pair at distance D has the weight (D² + δ)^(-p/2) for p columns: Student's kernel, which fits noise
    of any size. Success is naming the right person.

    Args:
        case: What the attacker holds: the original table and the released one.
        rng: Unused; part of every attack's signature.

    Returns:
        One original row per released row with its posterior weight as probability. No answer where no column is in
        both tables with two values or more.
    """
    tables = ordered_tables(case)
    width = len(tables.x.columns)
    columns = tables.columns(finest(width)) if width else []
    if not columns:
        return Guess(np.full(case.targets, NO_ANSWER), probability=np.zeros(case.targets))
    tool = scorer(columns, [Channel("same")] * len(columns), None)
    tool = replace(tool, ratios=[np.exp(-squared_distances(column)) for column in columns])
    listed = tool.candidates(tool.y_rows)
    near = np.where(listed.rows >= 0, log_weights(-listed.scores.astype(float), len(columns)), -np.inf).astype(
        np.float32
    )
    matched = posterior(listed._replace(scores=near, rest=np.full_like(listed.rest, -np.inf)), case.choices)
    answers = matched.assigned(case.choices)
    return tables.placed(Guess(answers, probability=matched.probability(answers)))
