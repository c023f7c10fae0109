"""The server: pages, API and judging in one process, until it is stopped."""

from __future__ import annotations

import errno
import gc
import logging
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType

import uvicorn

from icefire.arena.contest.arena import Arena
from icefire.arena.judge import sandbox, task_folders, worker
from icefire.arena.notify.sender import delivering
from icefire.arena.web import socket_limits
from icefire.arena.web.addresses import trusted_networks
from icefire.arena.web.app import create_app
from icefire.arena.web.connections import Connections, limited_protocol
from icefire.arena.web.health import LOCAL
from icefire.core.errors import InputError

SWITCH_SECONDS = 0.0005
"""How long a thread keeps the interpreter while others wait. A page asks the database a dozen short questions, and
after each it would queue behind whoever draws a large one for the usual 5 ms."""
GRACE_SECONDS = 1
"""How long a judge's task may go on after the stop; a task that is cut off is done again later."""
REQUEST_GRACE_SECONDS = 30
"""How long open requests may go on after the stop: a submission that is being checked is taken and gets its receipt.
Live pages are ended at once, and no new connection is taken."""
COLLECT_AFTER = (50_000, 20, 50)
"""How many new objects Python looks for garbage after: a large board alone is made of tens of thousands."""


def serve(
    arena: Arena,
    listener: socket.socket,
    *,
    judges: int = 1,
    behind_proxy: Sequence[str] = (),
    metrics_from: Sequence[str] = LOCAL,
    ready: Callable[[], None] = lambda: None,
) -> None:
    """Serve a competition until Ctrl-C; `judges` threads of this process judge what comes in."""
    sys.setswitchinterval(SWITCH_SECONDS)
    socket_limits.ask_for_more_files()
    limits = socket_limits.of_this_process()
    connections = Connections(limits, trusted_networks(behind_proxy))
    app = create_app(
        arena,
        worker=False,
        secure_cookies=bool(behind_proxy),
        behind_proxy=behind_proxy,
        metrics_from=metrics_from,
        draws_first=True,
    )
    app.state.connections = connections
    gc.freeze()
    gc.set_threshold(*COLLECT_AFTER)
    config = uvicorn.Config(
        app,
        http=limited_protocol(connections),
        backlog=limits.backlog,
        log_config=None,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,  # the application reads them itself, and only if it is told to
        timeout_graceful_shutdown=REQUEST_GRACE_SECONDS,
    )
    logging.getLogger("uvicorn.error").addFilter(_worth_telling)
    sandbox.warm(arena.definition.rules)  # submissions are checked here, also where others judge them
    with judging(arena, judges), delivering(arena):
        ready()
        try:
            uvicorn.Server(config).run(sockets=[listener])
        except KeyboardInterrupt:
            return  # uvicorn has closed everything and says only now why


NOTHING_TO_TELL = ("without completing response", "Invalid HTTP request", "Unsupported upgrade", "WebSocket library")
"""That a live page was cut off, as a stop does, and what any stranger can send as often as they like."""


def _worth_telling(record: logging.LogRecord) -> bool:
    """Tell what to print."""
    said = record.getMessage()
    return not any(one in said for one in NOTHING_TO_TELL)


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
    """Judge in so many threads as long as the block lasts; what a killed server has left of its tasks goes first."""
    task_folders.remove_left_behind(arena.store.vault)
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
