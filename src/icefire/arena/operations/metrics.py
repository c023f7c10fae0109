"""Metrics of this process for Prometheus: requests, submissions, judging. Nothing in them tells of a score.

What stands in the database (the queue) and in the web server (open streams) is added where it is known, when somebody
asks for the metrics.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import ParamSpec, TypeVar

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Histogram,
    Info,
    PlatformCollector,
    ProcessCollector,
    start_http_server,
)

from icefire import __version__
from icefire.arena.errors import Refused
from icefire.core.errors import InputError

REGISTRY = CollectorRegistry()
ProcessCollector(registry=REGISTRY)
PlatformCollector(registry=REGISTRY)
Info("icefire", "The version that runs", registry=REGISTRY).info({"version": __version__})
PAGE_SECONDS = Histogram(
    "icefire_page_seconds",
    "Time from the beginning of a request to the end of its answer, event streams left out",
    ("route", "method", "status"),
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 1, 2.5, 5, 10, 30),
    registry=REGISTRY,
)
SUBMISSIONS = Counter(
    "icefire_submissions",
    "Releases and guesses handed in: taken, refused (wrong, late, over the quota), or failed on the server's side",
    ("kind", "outcome"),
    registry=REGISTRY,
)
JUDGE_SECONDS = Histogram(
    "icefire_judge_seconds",
    "Time the judge took for a job, failed tries included",
    ("kind",),
    buckets=(0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300),
    registry=REGISTRY,
)
JUDGE_FAILURES = Counter(
    "icefire_judge_failures", "Tries of the judge that failed through its own fault", ("kind",), registry=REGISTRY
)
Given = ParamSpec("Given")
Result = TypeVar("Result")


def counting_submissions(kind: str) -> Callable[[Callable[Given, Result]], Callable[Given, Result]]:
    """Return a decorator that counts how the submissions taken in by a function end."""

    def decorate(function: Callable[Given, Result]) -> Callable[Given, Result]:
        @functools.wraps(function)
        def counted(*args: Given.args, **kwargs: Given.kwargs) -> Result:
            outcome = "failed"
            try:
                result = function(*args, **kwargs)
                outcome = "taken"
                return result
            except Refused as refusal:
                outcome = "refused" if refusal.status < 500 else "failed"
                raise
            finally:
                SUBMISSIONS.labels(kind, outcome).inc()

        return counted

    return decorate


@contextmanager
def judged(kind: str) -> Iterator[None]:
    """Take the time of one try of the judge."""
    began = time.perf_counter()
    try:
        yield
    finally:
        JUDGE_SECONDS.labels(kind).observe(time.perf_counter() - began)


def serve(address: str, port: int) -> None:
    """Answer with the metrics of this process at a port of its own, as a worker does that has no pages."""
    try:
        start_http_server(port, address, registry=REGISTRY)
    except OSError as error:
        reason = f"cannot serve metrics at {address}, port {port} ({error.strerror})"
        raise InputError(f"{reason}; choose others with --metrics-host and --metrics-port") from None
