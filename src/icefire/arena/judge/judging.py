"""Doing one job: run it in the sandbox, and store its result in one transaction with the job's end."""

from __future__ import annotations

import logging
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import delete
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from icefire.arena.contest import quotas
from icefire.arena.contest.arena import Arena
from icefire.arena.errors import TooLarge
from icefire.arena.judge import sandbox, security_limit
from icefire.arena.judge.confinement import TaskLimits
from icefire.arena.judge.sandbox import JudgeFailed, Stopped
from icefire.arena.operations import metrics
from icefire.arena.storage import jobs, log, outages, results
from icefire.arena.storage.tables import GuessRow, IdentifiedRow, JobRow, MeasuredRow, ReleaseRow, SettingRow
from icefire.contests.common import formulas
from icefire.contests.common.game import ANSWERS

JobResult = dict[str, Any]
AYA = "aya"
"""Joint attacks take longer than all else: 9 to 30 seconds of processor time on 8,333 rows of 25 columns."""
BEAT_SECONDS = jobs.LEASE.total_seconds() / 4
COULD_NOT = "the judge could not finish this; it costs nothing, and the organisers see why"
"""What a team is told of a guess that cannot be scored."""
WAITS = "waiting for the judge: it could not finish this yet and tries again; it stays in play and costs nothing"
"""What a team is told of a failure; the judge's own words are for the queue that organisers see."""
_logger = logging.getLogger(__name__)
_ANSWERS = re.compile(r"\d+(?:\D{1,4}\d+){4,}")
"""So many numbers in a row may be somebody's answers; they are shown to nobody, not even to the staff."""


def work(arena: Arena, job: JobRow, worker: str) -> None:
    """Do a job that this worker has claimed, and store what came out if it is still its own."""
    try:
        with metrics.judged(job.kind), _heartbeat(arena, job, worker):
            result = RUN[job.kind](arena, job.about)
    except TooLarge as error:
        return _store(arena, job, worker, {"broken": [str(error)]})
    except Stopped:
        with arena.database.transaction() as session:
            jobs.give_back(session, job, worker)
        return None
    except SQLAlchemyError:
        raise
    except Exception as error:  # whatever it is, it is not the submission's fault
        metrics.JUDGE_FAILURES.labels(job.kind).inc()
        _logger.warning("the judge failed at a %s job, %s; it will be tried again", job.kind, type(error).__name__)
        return _postpone(arena, job, worker, _without_answers(str(error) or type(error).__name__))
    return _store(arena, job, worker, result)


def _postpone(arena: Arena, job: JobRow, worker: str, reason: str) -> None:
    """Keep a submission in play while the judge cannot judge it."""
    with arena.database.transaction() as session:
        if jobs.postpone(session, job, worker, reason, arena.now()):
            _tell_team(session, job, WAITS)


def _tell_team(session: Session, job: JobRow, words: str) -> None:
    submission: ReleaseRow | GuessRow | None = None
    if job.kind == "judge":
        submission = session.get(ReleaseRow, job.about)
    elif job.kind == "guess":
        submission = session.get(GuessRow, job.about)
    if submission is not None and submission.state == "waiting":
        submission.note = words


def _without_answers(words: str) -> str:
    return _ANSWERS.sub("…", words)


@contextmanager
def _heartbeat(arena: Arena, job: JobRow, worker: str) -> Iterator[None]:
    """Renew the lease while the sandbox is busy."""
    stop = threading.Event()

    def beat() -> None:
        while not stop.wait(BEAT_SECONDS):
            try:
                if not jobs.beat(arena.database, job.id, worker, arena.now()):
                    return
            except SQLAlchemyError as error:  # the database may be back before the lease ends
                outages.tell(error)

    beating = threading.Thread(target=beat, daemon=True)
    beating.start()
    try:
        yield
    finally:
        stop.set()
        beating.join()


def _judge(arena: Arena, release_id: str) -> JobResult:
    optional = [name for name in arena.game.optional if arena.store.has("handed", release_id, name)]
    return _run_on_release(
        arena, "judge", release_id, {name: arena.store.path("handed", release_id, name) for name in optional}
    )


def _fingerprint(arena: Arena, release_id: str) -> JobResult:
    return _run_on_release(arena, "fingerprint", release_id, {})


def _run_on_release(arena: Arena, task: str, release_id: str, more: Mapping[str, Path]) -> JobResult:
    """Run a task on a release and its truth, and on more files if the task needs them."""
    with arena.database.reading() as session:
        release = session.get(ReleaseRow, release_id)
    if release is None:
        raise JudgeFailed("the release is not in the database")
    given: dict[str, bytes | Path] = {
        **arena.originals(release.round),
        **{name: _released(arena, release_id, name) for name in arena.game.handed_out},
        **_judge_files(arena, release_id),
        **more,
    }
    return _run(arena, task, given, seed=arena.signer.seed(f"judge {release_id}", bits=31))


def _released(arena: Arena, release_id: str, name: str) -> bytes | Path:
    """A file of a release as its cells are, not as they are handed out."""
    if arena.definition.formulas == "refuse":
        return arena.store.path("release", release_id, name)
    return formulas.plain(arena.store.get("release", release_id, name))


def _judge_files(arena: Arena, release_id: str) -> dict[str, Path]:
    return {name: arena.store.path("truth", release_id, name) for name in arena.game.judge_files}


def _guess(arena: Arena, guess_id: str) -> JobResult:
    with arena.database.reading() as session:
        guess = session.get(GuessRow, guess_id)
        release = session.get(ReleaseRow, guess.release_id) if guess else None
    if guess is None or release is None:
        raise JudgeFailed("the guess is not in the database")
    given: dict[str, bytes | Path] = {
        **arena.originals(release.round),
        ANSWERS: arena.store.path("guess", guess_id, ANSWERS),
        **_judge_files(arena, release.id),
    }
    return _run(arena, "guess", given, targets=release.rows)


def _reference(arena: Arena, about: str) -> JobResult:
    round_name = _round_of(arena, about)
    seed = arena.signer.seed(f"reference {round_name}", bits=31)
    return _run(arena, "reference", dict(arena.originals(round_name)), seed=seed)


def _round_of(arena: Arena, about: str) -> str:
    for one in arena.definition.rounds:
        if jobs.reference_of(one.name) == about:
            return one.name
    raise JudgeFailed("the round is not in the definition any more")


def _run(arena: Arena, task: str, given: dict[str, bytes | Path], **more: Any) -> JobResult:
    server = arena.definition.server
    limits = TaskLimits(seconds=server.judge_seconds if task in ("judge", "reference") else server.check_seconds)
    return sandbox.run_task(task, given, limits, arena.store.vault, **arena.definition.task_options(), **more).result


def _store(arena: Arena, job: JobRow, worker: str, result: JobResult) -> None:
    with arena.database.transaction() as session:
        if jobs.end(session, job, worker):
            STORE[job.kind](arena, session, job.about, result)


def _store_judged(arena: Arena, session: Session, release_id: str, result: JobResult) -> None:
    release = session.get(ReleaseRow, release_id, with_for_update=True)
    if release is None:
        return
    note = _revive(session, arena, release)
    broken = [*(result.get("broken") or []), *security_limit.broken(arena, result)]
    release.state, release.note = ("refused", "; ".join(broken)) if broken else ("judged", note)
    _replace_results(session, release_id, result)
    session.flush()
    details = {"state": release.state, "note": release.note, "results": results.release_results(session, release_id)}
    log.write(session, arena.now(), "judge", "judged", release=release_id, **details)


def _revive(session: Session, arena: Arena, release: ReleaseRow) -> str:
    """Put a release back in play that an older version took out when the judge failed, if a place is free."""
    if release.state != "failed" or release.withdrawn is not None or release.in_play:
        return ""
    release.in_play = quotas.take_back_slot(session, arena, release)
    return "" if release.in_play else results.PLACE_TAKEN


def _replace_results(session: Session, release_id: str, result: JobResult) -> None:
    session.execute(delete(MeasuredRow).where(MeasuredRow.release_id == release_id))
    by_judge = IdentifiedRow.source.in_(results.JUDGE)
    session.execute(delete(IdentifiedRow).where(IdentifiedRow.release_id == release_id, by_judge))
    for name, score in result.get("measures", {}).items():
        session.add(MeasuredRow(release_id=release_id, name=name, value=score["value"], note=score["note"]))
    for name, score in result.get("attacks", {}).items():
        session.add(_identified(release_id, "sample", name, score))
    if result.get("aya"):
        session.add(_identified(release_id, AYA, AYA, result["aya"]))


def _identified(release_id: str, source: str, name: str, score: JobResult) -> IdentifiedRow:
    figures = {part: score[part] for part in ("hits", "targets", "rate")}
    return IdentifiedRow(release_id=release_id, source=source, name=name, **figures)


def _store_scored(arena: Arena, session: Session, guess_id: str, result: JobResult) -> None:
    guess = session.get(GuessRow, guess_id)
    if guess is None:
        return
    if "hits" not in result:
        guess.state, guess.note = "failed", "; ".join(result.get("broken", [])) or COULD_NOT
    else:
        guess.state, guess.note = "scored", ""
        session.merge(_identified(guess.release_id, results.TEAM, guess.team_id, result))
        for level, score in result.get("levels", {}).items():
            name = results.level_name(level, guess.team_id)
            session.merge(_identified(guess.release_id, results.LEVEL, name, score))
    session.flush()
    details = {"state": guess.state, "note": guess.note, "results": results.guess_results(session, guess)}
    log.write(session, arena.now(), "judge", "scored", guess=guess_id, **details)


def _store_reference(arena: Arena, session: Session, about: str, result: JobResult) -> None:
    if "measures" in result:
        session.merge(SettingRow(name=f"reference:{_round_of(arena, about)}", value=result))


def _store_fingerprint(arena: Arena, session: Session, release_id: str, result: JobResult) -> None:
    if "methods" in result and session.get(ReleaseRow, release_id) is not None:
        session.merge(SettingRow(name=fingerprint_setting(release_id), value=result))


def fingerprint_setting(release_id: str) -> str:
    """Return the name under which the methods recognised in a release are kept."""
    return f"fingerprint:{release_id}"


RUN: dict[str, Callable[[Arena, str], JobResult]] = {
    "judge": _judge,
    "guess": _guess,
    "reference": _reference,
    "fingerprint": _fingerprint,
}
STORE: dict[str, Callable[[Arena, Session, str, JobResult], None]] = {
    "judge": _store_judged,
    "guess": _store_scored,
    "reference": _store_reference,
    "fingerprint": _store_fingerprint,
}
