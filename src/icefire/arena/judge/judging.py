"""Doing one job: run it in the sandbox, and store its result in one transaction with the job's end."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import delete
from sqlalchemy.orm import Session

from icefire.arena.contest import quotas
from icefire.arena.contest.arena import Arena
from icefire.arena.errors import TooLarge
from icefire.arena.judge import sandbox
from icefire.arena.judge.confinement import TaskLimits
from icefire.arena.judge.sandbox import JudgeFailed, Stopped
from icefire.arena.storage import jobs, log
from icefire.arena.storage.tables import GuessRow, IdentifiedRow, JobRow, MeasuredRow, QuotaRow, ReleaseRow, SettingRow
from icefire.contests.common.game import ANSWERS

JobResult = dict[str, Any]
AYA = "aya"
ATTACK_SECONDS = 300
"""Joint attacks take longer than all else: 9 to 30 seconds of processor time on 8,333 rows of 25 columns."""
BEAT_SECONDS = jobs.LEASE.total_seconds() / 4
COULD_NOT = "the judge could not finish this; it costs nothing, and the organisers see why"
"""What a team is told of a failure; the judge's own words are for the queue that organisers see."""
_ANSWERS = re.compile(r"\d+(?:\D{1,4}\d+){4,}")
"""So many numbers in a row may be somebody's answers; they are shown to nobody, not even to the staff."""


def work(arena: Arena, job: JobRow, worker: str) -> None:
    """Do a job that this worker has claimed, and store what came out if it is still its own."""
    if job.tries > jobs.MOST_TRIES:
        return _store(arena, job, worker, "failed", f"{jobs.MOST_TRIES} workers ended while they were at it")
    try:
        with _heartbeat(arena, job, worker):
            result = RUN[job.kind](arena, job.about)
    except TooLarge as error:
        return _store(arena, job, worker, "done", result={"broken": [str(error)]})
    except Stopped:
        with arena.database.transaction() as session:
            jobs.give_back(session, job, worker)
        return None
    except (JudgeFailed, OSError) as error:
        again = job.tries < jobs.MOST_TRIES
        return _store(arena, job, worker, "waiting" if again else "failed", _without_answers(str(error)))
    return _store(arena, job, worker, "done", result=result)


def _without_answers(words: str) -> str:
    return _ANSWERS.sub("…", words)


@contextmanager
def _heartbeat(arena: Arena, job: JobRow, worker: str) -> Iterator[None]:
    """Renew the lease while the sandbox is busy."""
    stop = threading.Event()

    def beat() -> None:
        while not stop.wait(BEAT_SECONDS) and jobs.beat(arena.database, job.id, worker, arena.now()):
            pass

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
        **{name: arena.store.path("release", release_id, name) for name in arena.game.handed_out},
        **_judge_files(arena, release_id),
        **more,
    }
    return _run(arena, task, given, seed=arena.signer.seed(f"judge {release_id}", bits=31))


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
    limits = TaskLimits(seconds=ATTACK_SECONDS) if task in ("judge", "reference") else None
    return sandbox.run_task(task, given, limits, **arena.definition.task_options(), **more).result


def _store(
    arena: Arena, job: JobRow, worker: str, state: Any, error: str = "", result: JobResult | None = None
) -> None:
    with arena.database.transaction() as session:
        if not jobs.end(session, job, worker, state, error) or state == "waiting":
            return
        STORE[job.kind](arena, session, job.about, result, error)


def _store_judged(arena: Arena, session: Session, release_id: str, result: JobResult | None, error: str) -> None:
    release = session.get(ReleaseRow, release_id, with_for_update=True)
    if release is None:
        return
    if result is None:
        _failed(session, release)
    else:
        _revive(session, release)
        broken = result.get("broken") or []
        release.state, release.note = ("refused", "; ".join(broken)) if broken else ("judged", "")
        _replace_results(session, release_id, result)
    log.write(session, arena.now(), "judge", "judged", release=release_id, state=release.state)


def _failed(session: Session, release: ReleaseRow) -> None:
    """The judge's failure costs the team nothing: its place is free again."""
    if release.state != "failed" and release.in_play:
        release.in_play = False
        quotas.free_slot(session, release)
    release.state, release.note = "failed", COULD_NOT


def _revive(session: Session, release: ReleaseRow) -> None:
    """A release that failed and is judged after all is back in play."""
    if release.state == "failed" and release.withdrawn is None:
        release.in_play = True
        used = session.get(QuotaRow, (release.round, release.team_id), with_for_update=True)
        if used is not None:
            used.used += 1


def _replace_results(session: Session, release_id: str, result: JobResult) -> None:
    session.execute(delete(MeasuredRow).where(MeasuredRow.release_id == release_id))
    session.execute(delete(IdentifiedRow).where(IdentifiedRow.release_id == release_id, IdentifiedRow.source != "team"))
    for name, score in result.get("measures", {}).items():
        session.add(MeasuredRow(release_id=release_id, name=name, value=score["value"], note=score["note"]))
    for name, score in result.get("attacks", {}).items():
        session.add(_identified(release_id, "sample", name, score))
    if result.get("aya"):
        session.add(_identified(release_id, AYA, AYA, result["aya"]))


def _identified(release_id: str, source: str, name: str, score: JobResult) -> IdentifiedRow:
    figures = {part: score[part] for part in ("hits", "targets", "rate")}
    return IdentifiedRow(release_id=release_id, source=source, name=name, **figures)


def _store_scored(arena: Arena, session: Session, guess_id: str, result: JobResult | None, error: str) -> None:
    guess = session.get(GuessRow, guess_id)
    if guess is None:
        return
    if result is None or "hits" not in result:
        guess.state, guess.note = "failed", "; ".join((result or {}).get("broken", [])) or COULD_NOT
    else:
        guess.state, guess.note = "scored", ""
        session.merge(_identified(guess.release_id, "team", guess.team_id, result))
    log.write(session, arena.now(), "judge", "scored", guess=guess_id, state=guess.state)


def _store_reference(arena: Arena, session: Session, about: str, result: JobResult | None, error: str) -> None:
    if result is not None and "measures" in result:
        session.merge(SettingRow(name=f"reference:{_round_of(arena, about)}", value=result))


def _store_fingerprint(arena: Arena, session: Session, release_id: str, result: JobResult | None, error: str) -> None:
    if result is not None and "methods" in result and session.get(ReleaseRow, release_id) is not None:
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
STORE: dict[str, Callable[[Arena, Session, str, JobResult | None, str], None]] = {
    "judge": _store_judged,
    "guess": _store_scored,
    "reference": _store_reference,
    "fingerprint": _store_fingerprint,
}
