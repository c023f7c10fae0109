"""The server: pages, API and judging in one process, until it is stopped."""

from __future__ import annotations

import errno
import logging
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

import uvicorn

from icefire.arena.contest.arena import Arena
from icefire.arena.judge import sandbox, worker
from icefire.arena.web.app import create_app
from icefire.core.errors import InputError

SWITCH_SECONDS = 0.0005
"""How long a thread keeps the interpreter while others wait. A page asks the database a dozen short questions, and
after each it would queue behind whoever draws a large one for the usual 5 ms."""
GRACE_SECONDS = 1
"""How long open requests and a judge's task may go on after the stop; a task that is cut off is done again later."""


def serve(
    arena: Arena,
    listener: socket.socket,
    *,
    judges: int = 1,
    behind_proxy: bool = False,
    ready: Callable[[], None] = lambda: None,
) -> None:
    """Serve a competition until Ctrl-C; `judges` threads of this process judge what comes in."""
    sys.setswitchinterval(SWITCH_SECONDS)
    app = create_app(arena, worker=False, secure_cookies=behind_proxy, behind_proxy=behind_proxy)
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,  # the application reads them itself, and only if it is told to
        timeout_graceful_shutdown=GRACE_SECONDS,
    )
    logging.getLogger("uvicorn.error").addFilter(_worth_telling)
    with judging(arena, judges):
        ready()
        try:
            uvicorn.Server(config).run(sockets=[listener])
        except KeyboardInterrupt:
            return  # uvicorn has closed everything and says only now why


def _worth_telling(record: logging.LogRecord) -> bool:
    """Tell what to print: not that a live page was cut off by the stop, for that is what a stop does."""
    return "without completing response" not in record.getMessage()


def listen(host: str, port: int) -> socket.socket:
    """Take a port, or say why it cannot be had; 0 takes any that is free."""
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except OSError as error:
        raise InputError(f"--host {host!r} is no address of this machine ({error.strerror}); try 127.0.0.1") from None
    listener = socket.socket(family, kind)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(address)
        listener.listen(2048)
    except OSError as error:
        listener.close()
        raise InputError(_why(error, host, port)) from None
    return listener


def _why(error: OSError, host: str, port: int) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"port {port} is in use; stop what runs there, or choose another one with --port"
    if error.errno == errno.EACCES:
        return f"port {port} is not for this user; choose one above 1023 with --port"
    return f"cannot listen at {host}, port {port} ({error.strerror}); choose others with --host and --port"


def address(listener: socket.socket) -> str:
    """Return what to type into a browser on this machine."""
    host, port = listener.getsockname()[:2]
    shown = {"0.0.0.0": "127.0.0.1", "::": "127.0.0.1"}.get(host, host)
    return f"http://{f'[{shown}]' if ':' in shown else shown}:{port}/"


@contextmanager
def judging(arena: Arena, judges: int) -> Iterator[None]:
    """Judge in so many threads as long as the block lasts."""
    stop = threading.Event()
    threads = [threading.Thread(target=worker.run_jobs, args=(arena, stop), daemon=True) for _ in range(judges)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stop.set()
        ends = time.monotonic() + GRACE_SECONDS
        for patience in (GRACE_SECONDS / 2, 0.0):
            for thread in threads:
                thread.join(max(0.0, ends - patience - time.monotonic()))
            if any(thread.is_alive() for thread in threads):
                sandbox.interrupt()


def judge_only(arena: Arena, judges: int) -> None:
    """Judge what comes in, for a server elsewhere, until Ctrl-C or the end of the process is asked for."""
    logging.basicConfig(format="%(levelname)s %(message)s")
    ended = threading.Event()

    def end(_signal: int, _frame: FrameType | None) -> None:
        ended.set()

    before = {number: signal.signal(number, end) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        with judging(arena, judges):
            ended.wait()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
