"""What a notebook shows of a fingerprint."""

from __future__ import annotations

from icefire.audit.fingerprint.result import Fingerprint, MethodProbability
from icefire.core.formatting import counted
from icefire.report.notebook.fragment import Fragment, FragmentTable, ShareBar

DOUBTFUL = 0.1
"""Methods below this probability are folded away."""


def fingerprint_fragment(fingerprint: Fingerprint) -> Fragment:
    """Show the methods recognised or doubtful with their evidence; the others folded."""
    names = fingerprint.recognised
    likely = [one for one in fingerprint.methods if one.probability >= DOUBTFUL]
    others = [one for one in fingerprint.methods if one.probability < DOUBTFUL]
    return Fragment(
        f"{fingerprint.released}: {', '.join(names) or 'no method is recognised'}",
        lines=[
            f"{counted(fingerprint.compared_rows, 'row')} compared with their originals ({fingerprint.compared_by}).",
            *fingerprint.notes,
        ],
        tables=[
            FragmentTable("", ("method", "probability", "evidence"), [_row(one) for one in likely]),
            FragmentTable(
                f"{counted(len(others), 'method')} that {'is' if len(others) == 1 else 'are'} unlikely",
                ("method", "probability", "evidence"),
                [_row(one) for one in others],
                folded=True,
            ),
        ],
    )


def _row(one: MethodProbability) -> tuple[str, ShareBar, str]:
    evidence = "; ".join(trace.text for trace in one.evidence[:2]) or one.traces
    return one.method, ShareBar(one.probability, f"{100 * one.probability:.0f} %"), evidence
