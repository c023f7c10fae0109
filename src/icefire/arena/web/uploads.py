"""Files that teams send: who may send is decided first, then they are read at a least speed into bounded space.

They lie beside the data while they come, in files without a name, so that nothing is left of them whatever happens.
Reading them and waiting for the judge's check occupies no thread of the pages.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

import anyio
from fastapi import Request
from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartException, MultiPartParser

from icefire.arena.errors import TooLarge, TooMany, TooSlow, Unavailable, WrongInput
from icefire.arena.web import csrf
from icefire.arena.web.requester import Requester

SPOOL = "spool"
GRACE_SECONDS = 10.0
LEAST_SPEED = 8 * 1024
"""Bytes a second, on the average after the time of grace."""
MOST_SECONDS = 900.0
MOST_BY_ACCOUNT, MOST_BY_ADDRESS, MOST_ALTOGETHER = 2, 16, 64
"""Uploads at one time; a hall comes from one address."""
MOST_SPOOLED = 1 << 30
"""Bytes of all uploads at one time; one account has at most two submissions of those."""
IN_MEMORY = 256 * 1024
SMALL_PARTS = 64 * 1024
RETRY_SECONDS = 10
THREADS = (os.cpu_count() or 1) + 3
"""As many as check submissions at one time; the judge's processes are fewer still."""
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Upload:
    """What was sent, and when its last byte came."""

    form: FormData
    arrived: datetime
    most: int
    """How many bytes a file may have."""

    def file(self, name: str, sent_as: str | None = None) -> bytes:
        """Return a file that must have been sent."""
        value = self.form.get(sent_as or name)
        if not isinstance(value, UploadFile) or not value.filename:
            raise WrongInput(f"the file {name} is missing; choose it and send again")
        if value.size is not None and value.size > self.most:
            has, most = value.size / (1 << 20), self.most / (1 << 20)
            raise TooLarge(f"the file {name} has {has:,.1f} MB; at most {round(most, 1):g} MB are taken")
        return value.file.read()

    def optional_file(self, name: str, sent_as: str | None = None) -> dict[str, bytes]:
        """Return a file by its name, if it was sent."""
        value = self.form.get(sent_as or name)
        sent = isinstance(value, UploadFile) and bool(value.filename)
        return {name: self.file(name, sent_as)} if sent else {}


class UploadSpace:
    """Counts the uploads of this process, by account and address, and their bytes."""

    def __init__(self) -> None:
        self._active: Counter[str] = Counter()
        self._threads: anyio.CapacityLimiter | None = None
        self.spooled = 0

    @contextmanager
    def place(self, requester: Requester) -> Any:
        """Take a place for one upload, or ask to come back."""
        limits = {
            f"account {requester.actor.account_id}": MOST_BY_ACCOUNT,
            f"address {requester.address}": MOST_BY_ADDRESS,
            "all": MOST_ALTOGETHER,
        }
        if any(self._active[key] >= most for key, most in limits.items()):
            raise TooMany(RETRY_SECONDS)
        self._active.update(limits.keys())
        try:
            yield
        finally:
            self._active.subtract(limits.keys())
            self._active += Counter()  # forgets those that are zero

    async def run_in_thread(self, work: Callable[[], Result]) -> Result:
        """Run the check of a submission when it is its turn."""
        if self._threads is None:
            self._threads = anyio.CapacityLimiter(THREADS)
        return await anyio.to_thread.run_sync(work, limiter=self._threads)


@asynccontextmanager
async def received(
    request: Request, requester: Requester, gate: Callable[[], int], *, with_form_token: bool = False
) -> AsyncIterator[Upload]:
    """Let somebody send files: `gate` refuses what need not be read, and says how large a file may be.

    `with_form_token` is for forms of pages, whose proof that they are ours is a field.
    """
    csrf.check_site(request)
    space: UploadSpace = request.app.state.uploads
    most = await space.run_in_thread(gate)
    async with AsyncExitStack() as stack:
        stack.enter_context(space.place(requester))
        reading = _Reading(request, space, most)
        stack.callback(reading.forget)
        form = await reading.form()
        stack.push_async_callback(form.close)
        if with_form_token:
            csrf.check_form(request, requester, form)
        yield Upload(form, reading.arrived or requester.arena.now(), most)


async def run_in_upload_thread(request: Request, work: Callable[[], Result]) -> Result:
    """Run work that waits for the judge's check."""
    space: UploadSpace = request.app.state.uploads
    return await space.run_in_thread(work)


class _Reading:
    """Reads one body: not too slowly, not too much."""

    def __init__(self, request: Request, space: UploadSpace, most: int) -> None:
        self._request, self._space = request, space
        self._arena = request.app.state.arena
        files = len(self._arena.game.handed_in) + len(self._arena.game.optional)
        self._most = files * most + SMALL_PARTS
        self._read = 0
        self.arrived: datetime | None = None

    def forget(self) -> None:
        """Give back the space."""
        self._space.spooled -= self._read
        self._read = 0

    async def form(self) -> FormData:
        """Read and take apart what is sent."""
        if not self._request.headers.get("content-type", "").startswith("multipart/form-data"):
            raise WrongInput("files are sent as multipart/form-data; the request has none")
        folder = self._arena.folder / SPOOL
        folder.mkdir(mode=0o700, exist_ok=True)
        try:
            parser = _SpoolingParser(folder, self._request, self._timed())
            return await parser.parse()
        except MultiPartException as error:
            raise HTTPException(400, error.message) from None

    async def _timed(self) -> AsyncGenerator[bytes, None]:
        began, stream = time.monotonic(), self._request.stream()
        while True:
            allowed = min(MOST_SECONDS, GRACE_SECONDS + self._read / LEAST_SPEED)
            try:
                with anyio.fail_after(max(0.0, began + allowed - time.monotonic())):
                    piece = await anext(stream)
            except StopAsyncIteration:
                self.arrived = self.arrived or self._arena.now()
                return
            except TimeoutError:
                raise TooSlow(
                    f"this came too slowly; at least {LEAST_SPEED // 1024} kB a second are expected"
                ) from None
            self._count(len(piece))
            if not piece:  # the last byte is here
                self.arrived = self._arena.now()
            yield piece

    def _count(self, size: int) -> None:
        self._read += size
        self._space.spooled += size
        if self._read > self._most:
            raise TooLarge(f"this is too large; {self._most // 1024:,} kB are taken")
        if self._space.spooled > MOST_SPOOLED:
            raise Unavailable("too much is being sent at this moment; nothing was taken, try again in a minute")


class _SpoolingParser(MultiPartParser):
    """Keeps large parts in nameless files beside the data, never in the system's temporary folder."""

    def __init__(self, folder: Path, request: Request, stream: AsyncGenerator[bytes, None]) -> None:
        limits = {"max_files": csrf.MOST_FILES, "max_fields": csrf.MOST_FIELDS, "max_part_size": SMALL_PARTS}
        super().__init__(request.headers, stream, **limits)
        self._folder = str(folder)

    def on_headers_finished(self) -> None:
        """Give a part that is a file its place."""
        super().on_headers_finished()
        file = self._current_part.file
        if file is not None:
            place = tempfile.SpooledTemporaryFile(max_size=IN_MEMORY, dir=self._folder)  # noqa: SIM115
            self._files_to_close_on_error.append(place)
            file.file = place  # type: ignore[assignment]
