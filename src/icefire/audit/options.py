"""The keywords of `audit`, for functions that hand them on; `tests/audit/test_assert_safe.py` holds them to `audit`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from icefire.io.options import ReadOptions

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import ArrayLike

    from icefire.audit.knowledge.attacker_files import KnowledgeSource
    from icefire.audit.knowledge.register import RegisterOf
    from icefire.audit.limits import Gate
    from icefire.audit.plan import RateOf
    from icefire.core.registry import EngineChoice, Question
    from icefire.core.release import Truth, ValueScale
    from icefire.core.types import Progress
    from icefire.io.options import DataSource
    from icefire.recipe.load import RecipeSource


class AuditOptions(ReadOptions, total=False):
    """Everything that `audit` takes besides the two tables."""

    truth: str | Path | ArrayLike | Truth | None
    aligned: bool
    key: str | None
    attacks: str | Sequence[str] | None
    measures: str | Sequence[str] | None
    parameters: Mapping[str, Mapping[str, Any]] | None
    policy: str | Path | None
    max_reid: float | None
    limits: Mapping[str, float] | Sequence[Gate]
    recipe: RecipeSource | None
    method_known: bool
    knowledge: KnowledgeSource | Sequence[KnowledgeSource]
    register: DataSource | None
    register_truth: str | Path | ArrayLike | None
    register_key: str | None
    register_of: RegisterOf
    rate_of: RateOf
    aya_scale: ValueScale
    aya_columns: str | Sequence[str] | None
    seed: int
    show_data: bool
    people: int
    risk_threshold: float
    population: int | None
    keys: str | Sequence[str | Sequence[str]]
    target: str | None
    ask: str | Sequence[Question]
    members: int | None
    outsiders: int | None
    synthetic: bool
    holdout: DataSource | None
    background: DataSource | None
    tolerance: float
    period: str | None
    contest: str | None
    known: Sequence[str | Path]
    pool: str | Path | None
    released_customers: DataSource | None
    engine: EngineChoice
    memory_limit: str | int | None
    scratch: str | Path | None
    progress: Progress | None
