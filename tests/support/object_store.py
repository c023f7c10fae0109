"""A store on this machine that speaks enough of S3 for objects to be read, whole or in ranges."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

_RANGE = re.compile(r"bytes=(\d*)-(\d*)")


def handler_of(objects: Mapping[str, bytes]) -> type[BaseHTTPRequestHandler]:
    class Store(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_HEAD(self) -> None:
            self.answer(with_body=False)

        def do_GET(self) -> None:
            self.answer(with_body=True)

        def answer(self, with_body: bool) -> None:
            path = self.path.partition("?")[0].lstrip("/")
            if path.startswith("locked/"):
                self.send(403, b"<Error><Code>AccessDenied</Code></Error>", with_body)
            elif path not in objects:
                self.send(404, b"<Error><Code>NoSuchKey</Code></Error>", with_body)
            else:
                self.send_object(objects[path], with_body)

        def send_object(self, content: bytes, with_body: bool) -> None:
            asked = _RANGE.fullmatch(self.headers.get("Range", ""))
            if asked is None:
                self.send(200, content, with_body)
                return
            first, last = asked.groups()
            low = int(first) if first else max(0, len(content) - int(last))
            high = min(int(last), len(content) - 1) if first and last else len(content) - 1
            self.send(206, content[low : high + 1], with_body, f"bytes {low}-{high}/{len(content)}")

        def send(self, code: int, content: bytes, with_body: bool, part: str = "") -> None:
            self.send_response(code)
            self.send_header("Content-Length", str(len(content)))
            self.send_header("ETag", '"1"')
            self.send_header("Last-Modified", "Wed, 01 Jan 2020 00:00:00 GMT")
            if part:
                self.send_header("Content-Range", part)
            self.end_headers()
            if with_body:
                self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    return Store


@contextmanager
def running_store(objects: Mapping[str, bytes]) -> Iterator[str]:
    """Give the address of a store that holds these objects, by `bucket/key`; the bucket `locked` refuses everybody."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler_of(objects))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
