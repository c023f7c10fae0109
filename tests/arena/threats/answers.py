"""What must never be seen, in every form it could be written in, and how it is found in anything that was said."""

from __future__ import annotations

import base64
import hashlib
import io
import re
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from threats.story import MARKS
from threats.world import World

RUN = 5
"""So many answers in a row are no coincidence among numbers up to 40."""
_NUMBER = re.compile(rb"\d+")
_TAG = re.compile(rb"<[^<>]*>")
_SECONDS = re.compile(rb"(?m) \d+\.\d*[1-9]\d*(e[-+]\d+)?$| \d\.\d+e[-+]\d+$")
"""In metrics, values with decimals: seconds, whose many digits may be any."""


class Secrets:
    """The correspondences, the answers and the key of a competition.

    The hash of a correspondence would let anybody try out candidates; that of a guess is on its team's receipt.
    """

    def __init__(self, vault: Path) -> None:
        names = ("truth.csv", "correspondence.csv", "guess.csv", "key")
        self.files = {path: path.read_bytes() for path in sorted(vault.rglob("*")) if path.name in names}
        self._runs: dict[tuple[bytes, ...], str] = {}
        for path, data in self.files.items():
            if path.suffix == ".csv":
                numbers = data.split()
                for at in range(len(numbers) - RUN + 1):
                    self._runs[tuple(numbers[at : at + RUN])] = f"{path.parent.parent.name}/{path.name}"
        self._whole = {form: path.name for path, data in self.files.items() for form in _forms(data)}
        hashed = {data: path.name for path, data in self.files.items() if path.parent.parent.name != "guess"}
        self._whole |= {hashlib.sha256(data).hexdigest().encode(): name for data, name in hashed.items()}

    def seen_in(self, said: bytes) -> str | None:
        """Return what of it stands in something that was said, in whatever way its numbers are set apart."""
        for form, name in self._whole.items():
            if form in said:
                return f"{name} as {form[:30]!r}"
        for text in (said, _TAG.sub(b" ", said)):
            numbers = _NUMBER.findall(text)
            for at in range(len(numbers) - RUN + 1):
                found = self._runs.get(tuple(numbers[at : at + RUN]))
                if found:
                    return f"{found} at {b' '.join(numbers[at : at + RUN])!r}"
        return None

    def check(self, said: bytes, where: object) -> None:
        """Refuse what holds a secret."""
        found = self.seen_in(said)
        assert found is None, f"{where} holds {found}"


def _forms(data: bytes) -> Iterable[bytes]:
    yield data
    yield base64.b64encode(data)
    yield base64.urlsafe_b64encode(data).rstrip(b"=")
    yield data.hex().encode()


def of(world: World) -> Secrets:
    """Return the secrets of a world as it is now; the search is tried out first."""
    found = Secrets(world.arena.store.vault)
    truth = world.arena.store.get("truth", world.releases["author"], "truth.csv").split()
    for written in (b"\n", b",", b", ", b" ", b'", "', b"</td><td class='n1'>", b";"):
        assert found.seen_in(b"x" + written.join(truth[3:9]) + b"y"), f"the search is blind to {written!r}"
    assert found.seen_in(b"plain words 1 2 3 4 5 6") is None
    return found


def scores_in(said: bytes, *sources: str) -> list[str]:
    """Return the marked scores that stand in something: as counts, as a rate, or in per cent."""
    found = []
    for source in sources:
        hits, targets, rate = MARKS[source]
        rounded = f"{100 * rate:.1f}"
        written = (f"{hits}", f"{hits:,}", f"{targets}", f"{targets:,}", f"{rate}"[:6])
        written += (f"{rounded} %", f"{rounded}\N{NO-BREAK SPACE}%")
        found += [f"{source} {one}" for one in written if one.encode() in said]
    return found


def parts(answer: Any) -> Iterable[tuple[str, bytes]]:
    """Give what an answer holds: its headers, its body and, if that is an archive, everything in it."""
    yield "headers", "\n".join(f"{name}: {value}" for name, value in headers_of(answer)).encode()
    is_metrics = answer.content.startswith(b"# HELP")
    yield "body", _SECONDS.sub(b"", answer.content) if is_metrics else answer.content
    if answer.content.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
            for name in archive.namelist():
                yield name, name.encode() + b"\n" + archive.read(name)


def headers_of(answer: Any) -> list[tuple[str, str]]:
    """Return the headers of an answer; of the request's id, which is drawn anew for each, only its length."""
    return sorted(
        (name, str(len(value)) if name == "x-request-id" else value) for name, value in answer.headers.items()
    )
