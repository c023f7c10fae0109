"""As little of a browser as a load test needs: pages over a connection that is kept open, and the event stream."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator

TROUBLES = (OSError, asyncio.IncompleteReadError)


class Browser:
    """As little of a browser as will do: two hundred of a real client would take a core for themselves."""

    def __init__(self, port: int, identity: str) -> None:
        self._port, self._identity = port, identity
        self._open: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self._turn = asyncio.Lock()

    async def get(self, path: str) -> int:
        """Fetch a page over the connection that is kept open; returns its status."""
        async with self._turn:
            if self._open is not None:
                with contextlib.suppress(*TROUBLES):  # the server closes what is not used; a browser opens it again
                    return await self._fetch(*self._open, path)
            self._open = await asyncio.open_connection("127.0.0.1", self._port)
            return await self._fetch(*self._open, path)

    async def _fetch(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, path: str) -> int:
        head = await self._ask(reader, writer, path)
        length = re.search(rb"\r\ncontent-length: (\d+)", head, re.IGNORECASE)
        await reader.readexactly(int(length[1]) if length else 0)
        return int(head.split(b" ", 2)[1])

    async def events(self) -> AsyncIterator[bytes]:
        """Give the lines of the event stream, over a connection of its own."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
        await self._ask(reader, writer, "/events")
        while line := await reader.readline():
            yield line

    async def _ask(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, path: str) -> bytes:
        head = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{self._port}\r\nAccept: text/html\r\n"
        writer.write(f"{head}{self._identity}\r\n\r\n".encode())
        await writer.drain()
        return await reader.readuntil(b"\r\n\r\n")
