"""Checks of a contest's tables, log, files, queue and times, with what can be done about each finding."""

from __future__ import annotations

from icefire.arena.contest import public_record
from icefire.arena.contest.arena import Arena
from icefire.arena.doctor import contest, leftovers, server, submissions
from icefire.arena.doctor.finding import DoctorCheck, Finding
from icefire.arena.storage import log

__all__ = ["Finding", "examine"]

OPERATOR = "operator"
ALWAYS: tuple[DoctorCheck, ...] = (
    server.tables,
    server.the_log,
    server.the_clock,
    server.open_files,
    server.disk,
    leftovers.of_tasks,
    leftovers.in_the_vault,
)
IN_PLAY: tuple[DoctorCheck, ...] = (
    contest.timetable,
    contest.snapshots,
    contest.staff,
    contest.quotas,
    contest.jobs_stuck,
    contest.jobs_missing,
    submissions.missing,
    submissions.orphans,
    submissions.changed,
)


def examine(arena: Arena, fix: bool = False) -> list[Finding]:
    """Return what is wrong, worst first; with `fix`, cure what can be cured and tell what is left and what is cured."""
    findings = _look(arena)
    if not fix:
        return findings
    cured = [one for one in findings if one.fix is not None]
    for one in cured:
        assert one.fix is not None
        one.fix()
    if cured:
        with arena.database.transaction() as session:
            log.write(session, arena.now(), OPERATOR, "doctor", fixed=[one.text for one in cured])
    left = _look(arena)
    still = {one.text for one in left}
    return left + [Finding("fixed", one.text) for one in cured if one.text not in still]


def _look(arena: Arena) -> list[Finding]:
    with arena.database.reading() as session:
        played = not public_record.is_record(session)
    findings = [one for check in ALWAYS + (IN_PLAY if played else ()) for one in check(arena)]
    return sorted(findings, key=lambda one: one.level)
