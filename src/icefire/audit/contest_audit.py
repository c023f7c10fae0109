"""Audit of a release by a contest that has measures and sample attacks of its own."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import msgspec
import polars as pl

from icefire._version import __version__
from icefire.audit.contest import AuditedContest, ContestFiles, ContestFindings
from icefire.audit.provenance import PACKAGES
from icefire.audit.run import Audit
from icefire.core.errors import InputError, ParameterError
from icefire.core.scorecard import Provenance, Roles, Scorecard, Standing, Table, Verdict
from icefire.io import files


def audit_contest(contest: AuditedContest, given: ContestFiles) -> Audit:
    """Measure and attack the files as the contest does.

    The result has no verdict: the contest's attacks are weak on purpose, and a release that withstands them may be open
    to others.

    Args:
        contest: A contest with measures and attacks of its own.
        given: The files, and what goes with them.

    Returns:
        The scorecard, with no records of single rows.

    Raises:
        InputError: If a file cannot be read.
        ParameterError: If a parameter is not one of the contest's.
    """
    assert contest.own_audit is not None
    results = contest.own_audit(given)
    card = Scorecard(
        provenance=_provenance(given, results),
        roles=Roles([], [], [], list(results.columns), f"the contest {contest.name}"),
        measures=dict(results.measures),
        attacks=dict(results.attacks),
        left_out=dict(results.left_out),
        verdict=Verdict(None, "Not judged", _words(contest, results)),
    )
    standing = Standing(contest.name, contest.title, contest.standing(card))
    return Audit(msgspec.structs.replace(card, contest=standing), pl.DataFrame())


def check_options(contest: str, given: Mapping[str, Any]) -> None:
    """Refuse an option that a contest with formulas of its own does not have.

    Args:
        contest: Its name.
        given: Options by name, with whether each was given.

    Raises:
        ParameterError: If one was given.
    """
    wrong = next((name for name, is_given in given.items() if is_given), None)
    if wrong is not None:
        raise ParameterError(
            f"--contest {contest} measures and attacks by its own formulas and gives no verdict; leave out {wrong}, "
            "or audit without --contest"
        )


def checked_path(source: Any, what: str) -> Path:
    """Return the path of a file; contests with formulas of their own read text, cell by cell."""
    if not isinstance(source, str | os.PathLike):
        raise InputError(f"the {what} is not a file; this contest reads its text files cell by cell: name a path")
    path = Path(source)
    files.check_readable(path)
    return path


def _words(contest: AuditedContest, results: ContestFindings) -> str:
    if not results.attacks:
        return f"{contest.title}: measured by the contest's own formulas; no sample attack could run."
    worst = max(results.attacks, key=lambda name: results.attacks[name].rate)
    rate = results.attacks[worst].rate
    return (
        f"{contest.title}: the strongest sample attack, {worst}, reaches {rate:.1%}. Sample attacks are simple; for a "
        "verdict audit without --contest."
    )


def _provenance(given: ContestFiles, results: ContestFindings) -> Provenance:
    return Provenance(
        version=__version__,
        seed=given.seed,
        original=Table(given.original.name, results.original_rows, files.digest(given.original)),
        released=Table(given.released.name, results.released_rows, files.digest(given.released)),
        correspondence="as the contest's files say",
        created=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        software={"python": platform.python_version()} | {name: version(name) for name in PACKAGES},
    )
