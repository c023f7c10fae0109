"""The connection to an arena's API: requests, and the errors they end with."""

from __future__ import annotations

import re
from typing import Any

import httpx

from icefire.arena.errors import Refused
from icefire.core.errors import IcefireError, InputError

SECONDS = 120.0
"""Long, because a submission is checked before it is answered, and many come just before a deadline."""


class Unreachable(IcefireError):  # noqa: N818 - it is about the server, not about the program
    """No server answers there, or something that is none."""


class Denied(Refused):
    """The server said no; `status` is its code and `problems` lists what it found, with row and column."""

    def __init__(self, text: str, status: int, problems: tuple[str, ...] = ()) -> None:
        super().__init__(text)
        self.status = status
        self.problems = problems


class Connection:
    """Sends requests to one server, with a token if there is one."""

    def __init__(self, url: str, token: str | None, http: httpx.Client | None) -> None:
        self.url = _checked(url)
        self._http = http or httpx.Client(timeout=SECONDS)
        self.token = token

    def close(self) -> None:
        """Let go of it."""
        self._http.close()

    def send_for_json(self, method: str, path: str, **more: Any) -> dict[str, Any]:
        """Return the answer to a request that is answered in JSON."""
        try:
            said = self.ask(method, path, **more).json()
        except ValueError:
            said = None
        if not isinstance(said, dict):
            raise Unreachable(f"{self.url} answers, but is no arena; check the address")
        return said

    def ask(self, method: str, path: str, **more: Any) -> httpx.Response:
        """Return the answer to a request; a refusal is raised, and so is whatever is no answer of an arena."""
        headers = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        try:
            answer = self._http.request(method, f"{self.url}/api/v1/{path}", headers=headers, **more)
        except httpx.TimeoutException:
            raise Unreachable(f"{self.url} did not answer in time; look at the status before you try again") from None
        except (httpx.HTTPError, UnicodeError) as error:
            raise Unreachable(f"{self.url} cannot be reached ({error}); check the address and the network") from None
        if answer.is_success:
            return answer
        raise _denied(answer, self.url)


def safe_name(name: str) -> str:
    """Return a name from the server as one that leads nowhere else."""
    return re.sub(r"[^\w.-]", "_", name).lstrip(".") or "_"


def _checked(url: str) -> str:
    try:
        parsed = httpx.URL(url if "://" in url else f"http://{url}")
    except httpx.InvalidURL:
        parsed = httpx.URL("")
    if parsed.scheme not in ("http", "https") or not parsed.host or parsed.userinfo:
        raise InputError(f"{url!r} is no address of a server; give one such as https://arena.example")
    return str(parsed).rstrip("/")


def _denied(answer: httpx.Response, url: str) -> IcefireError:
    if answer.is_redirect:
        return Unreachable(f"{url} sends on to {answer.headers['location']!r}; give that server's address")
    try:
        said = answer.json()
        text, problems = str(said["error"]), tuple(map(str, said.get("problems") or ()))
    except (ValueError, KeyError, TypeError, AttributeError):
        return Unreachable(f"{url} answered {answer.status_code} and is no arena; check the address")
    return Denied(text, answer.status_code, problems)
