"""For operators: whether the process lives, whether it can answer, and its metrics."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Iterator

from fastapi import APIRouter, Request
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError
from starlette.responses import JSONResponse, Response

from icefire.arena.contest.arena import Arena
from icefire.arena.errors import Absent
from icefire.arena.operations import metrics
from icefire.arena.storage import jobs
from icefire.arena.submit import checks
from icefire.arena.web import addresses

router = APIRouter(include_in_schema=False)
LOCAL = ("127.0.0.0/8", "::1/128")
"""Who may read the metrics, unless the operator names others."""
FORWARDED = ("x-forwarded-for", "forwarded", "x-real-ip")
logger = logging.getLogger("icefire.arena")


@router.get("/health/live")
async def live() -> Response:
    """Tell that the process answers; nothing else is looked at."""
    return JSONResponse({"status": "live"})


@router.get("/health/ready")
def ready(request: Request) -> Response:
    """Tell whether requests can be answered and submissions taken: 200, or 503 with what is missing."""
    arena: Arena = request.app.state.arena
    missing = [name for name, works in (("database", _database_answers), ("disk", checks.has_room)) if not works(arena)]
    if missing:
        return JSONResponse({"status": "not ready", "missing": missing}, 503, {"Retry-After": "5"})
    return JSONResponse({"status": "ready"})


def _database_answers(arena: Arena) -> bool:
    try:
        with arena.database.engine.connect() as connection:
            connection.execute(text("SELECT 1"))
    except SQLAlchemyError:
        logger.warning("the database does not answer")
        return False
    return True


@router.get("/metrics")
def show_metrics(request: Request) -> Response:
    """Hand out the metrics, to programs that ask the server itself and not through a proxy."""
    if not _may_read(request):
        raise Absent
    asked = CollectorRegistry()
    asked.register(ServerState(request))
    body = generate_latest(metrics.REGISTRY) + generate_latest(asked)
    return Response(body, media_type=CONTENT_TYPE_LATEST)


def _may_read(request: Request) -> bool:
    address = addresses.peer(request)
    if address is None or any(name in request.headers for name in FORWARDED):
        return False
    return addresses.is_inside(address, request.app.state.metrics_from)


class ServerState(Collector):
    """Gauges of what is so at this moment: the queue, open streams and uploads, room on the disk."""

    def __init__(self, request: Request) -> None:
        self._state, self._arena = request.app.state, request.app.state.arena

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Read everything once."""
        yield from self._queue()
        watchers = self._state.live.watchers if hasattr(self._state, "live") else 0  # nobody comes before the start
        yield _gauge("icefire_event_streams", "Live pages that are connected", watchers)
        sockets = len(getattr(self._state, "connections", ()))
        yield _gauge("icefire_connections", "Connections that are open", sockets)
        yield _gauge("icefire_uploads_bytes", "Bytes of the uploads that are coming in", self._state.uploads.spooled)
        free = shutil.disk_usage(self._arena.folder).free
        yield _gauge("icefire_disk_free_bytes", "Room on the disk of the competition", free)

    def _queue(self) -> Iterator[GaugeMetricFamily]:
        now = self._arena.now()
        with self._arena.database.reading() as session:
            open_jobs = jobs.queue(session)
        counts = GaugeMetricFamily(
            "icefire_queue_jobs",
            "Jobs of the judge: waiting, running, or failed and tried again later",
            labels=["kind", "state"],
        )
        for kind in jobs.KINDS:
            states = [jobs.shown_state(job, now) for job in open_jobs if job.kind == kind]
            for state in jobs.SHOWN_STATES:
                counts.add_metric([kind, state], states.count(state))
        yield counts
        ages = [(now - job.created).total_seconds() for job in open_jobs if job.state != "running"]
        yield _gauge("icefire_queue_oldest_seconds", "How long the oldest waiting job has waited", max(ages, default=0))


def _gauge(name: str, description: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(name, description, value)
