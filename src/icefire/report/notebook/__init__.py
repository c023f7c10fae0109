"""What notebooks show of results: small HTML fragments, one for each type."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from icefire.audit.fingerprint.result import Fingerprint
from icefire.audit.inspection.histories import HistoryInspection
from icefire.audit.inspection.tables import Inspection
from icefire.audit.run import Audit
from icefire.core.dataset import Dataset
from icefire.core.history import History
from icefire.core.release import Guess, Release
from icefire.core.schema import Schema
from icefire.core.scorecard import Scorecard, Verdict
from icefire.core.scorecard.scores import Score
from icefire.recipe.steps import Recipe
from icefire.report.notebook import data, scorecards
from icefire.report.notebook.fingerprints import fingerprint_fragment
from icefire.report.notebook.fragment import Fragment, as_html

FRAGMENTS: dict[type, Callable[[Any], Fragment]] = {
    Audit: scorecards.audit_fragment,
    Dataset: data.dataset_fragment,
    Fingerprint: fingerprint_fragment,
    Guess: data.guess_fragment,
    History: data.history_fragment,
    HistoryInspection: data.history_inspection_fragment,
    Inspection: data.inspection_fragment,
    Recipe: data.recipe_fragment,
    Release: data.release_fragment,
    Schema: data.schema_fragment,
    Score: scorecards.score_fragment,
    Scorecard: scorecards.scorecard_fragment,
    Verdict: scorecards.verdict_fragment,
}


def html_of(result: Any) -> str:
    """Draw a result as a notebook shows it."""
    return as_html(FRAGMENTS[type(result)](result))
