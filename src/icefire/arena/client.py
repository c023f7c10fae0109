"""The arena from afar: what a team can do in the browser, a program can do with a token.

    from icefire.arena.client import Client

    arena = Client("https://arena.example", token="ifa_…")
    receipt = arena.submit({"released": "Y.csv", "correspondence": "I.csv"})
    for release in arena.open_releases():
        arena.download(release["id"], "targets")
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self
from urllib.parse import quote

import httpx
import msgspec

from icefire import files
from icefire.arena import receipts
from icefire.arena.errors import Refused
from icefire.arena.receipts import Receipt
from icefire.arena.store import fingerprint
from icefire.errors import IcefireError, InputError, did_you_mean

Content = bytes | str | Path
SECONDS = 120.0
"""A submission is checked before it is answered, and a crowd at the deadline waits its turn."""
_ID = re.compile(r"[0-9a-f]{32}")


class Unreachable(IcefireError):  # noqa: N818 - it is about the server, not about the program
    """No server answers there, or something that is none."""


class Denied(Refused):
    """The server said no; `status` is its code and `problems` lists what it found, with row and column."""

    def __init__(self, text: str, status: int, problems: tuple[str, ...] = ()) -> None:
        super().__init__(text)
        self.status = status  # type: ignore[misc]
        self.problems = problems


class Client:
    """A connection to one competition; `http` may be any httpx client, for tests."""

    def __init__(self, url: str, token: str | None = None, http: httpx.Client | None = None) -> None:
        self.url = _checked(url)
        self._http = http or httpx.Client(timeout=SECONDS)
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the connection."""
        self._http.close()

    # --- looking

    def contest(self) -> dict[str, Any]:
        """Return title, rules, files, rounds with their phases, and the server's time."""
        return self._get("contest")

    def board(self, round_name: str | None = None) -> dict[str, Any]:
        """Return the ranking of releases and, once revealed, of attackers."""
        return self._get("board", round_name)

    def matrix(self, round_name: str | None = None) -> dict[str, Any]:
        """Return who has attacked what."""
        return self._get("matrix", round_name)

    def releases(self, round_name: str | None = None) -> list[dict[str, Any]]:
        """Return the releases that may be seen now, one's own among them."""
        found: list[dict[str, Any]] = self._get("releases", round_name)["releases"]
        return found

    def team(self, round_name: str | None = None) -> dict[str, Any]:
        """Return one's own team: members, quota, releases, guesses."""
        return self._get("team", round_name)

    def announcements(self) -> list[dict[str, Any]]:
        """Return what the organisers have told, newest first."""
        found: list[dict[str, Any]] = self._get("announcements")["announcements"]
        return found

    def status(self, round_name: str | None = None) -> dict[str, Any]:
        """Return all a team wants to know at once: contest, round, own team (None without one), others' releases."""
        contest = self.contest()
        here = _round(contest, round_name)["name"]
        try:
            team = self.team(here)
        except Denied as refusal:
            if refusal.status not in (401, 403):
                raise
            team = None
        others = [release for release in self.releases(here) if not release["own"]]
        told = self.announcements()
        return {"contest": contest, "round": here, "team": team, "others": others, "announcements": told}

    def open_releases(self, round_name: str | None = None) -> list[dict[str, Any]]:
        """Return the releases that one's team may still attack."""
        return [release for release in self.releases(round_name) if release["attackable"]]

    def release_id(self, name: str, round_name: str | None = None) -> str:
        """Return the id for a release's label, or the id itself."""
        if _ID.fullmatch(name):
            return name
        known = self.releases(round_name)
        for release in known:
            if release["label"].casefold() == name.casefold():
                return str(release["id"])
        labels = ", ".join(release["label"] for release in known) or "none yet"
        raise InputError(f"no release is called {name!r}; you can see: {labels}")

    # --- playing

    def submit(self, given: Mapping[str, Content], round_name: str | None = None) -> Receipt:
        """Hand in a release: `released`, `correspondence` and, where the contest has them, `customers`."""
        told = {"round": round_name} if round_name else {}
        return self._receipt("releases", {name: _read(content) for name, content in given.items()}, told)

    def withdraw(self, release_id: str) -> None:
        """Withdraw one's own release."""
        self._ask("POST", f"releases/{release_id}/withdraw")

    def attack(self, release_id: str, answers: Content) -> Receipt:
        """Hand in the team's answers for a release: once, for ever."""
        return self._receipt(f"releases/{release_id}/guess", {"answers": _read(answers)}, {})

    def download(self, release_id: str, folder: str | Path) -> list[Path]:
        """Write the files of a release to a folder."""
        names = self._get(f"releases/{_id(release_id)}")["files"]
        return self._write({name: f"releases/{release_id}/files/{name}" for name in names}, Path(folder))

    def originals(self, round_name: str | None, folder: str | Path) -> list[Path]:
        """Write the original data of a round to a folder."""
        here = _round(self.contest(), round_name)
        return self._write({name: f"data/{quote(here['name'], safe='')}/{name}" for name in here["files"]}, Path(folder))

    # --- receipts

    def key(self) -> str:
        """Return the public key that receipts are signed with."""
        return str(self._get("key")["public_key"])

    def receipt(self, submission_id: str) -> Receipt:
        """Return the receipt of one's own submission once more."""
        return msgspec.convert(self._get(f"receipts/{_id(submission_id)}"), Receipt)

    def verify(self, receipt: Receipt) -> bool:
        """Tell whether this server signed the receipt as it stands."""
        return receipts.verify(receipt, self.key())

    # --- getting in

    def login(self, name: str, password: str, label: str = "command line") -> tuple[str, str]:
        """Return the id and the text of a new token; the client uses it from now on."""
        made = self._ask("POST", "tokens", json={"name": name, "password": password, "label": label}).json()
        self._headers = {"Authorization": f"Bearer {made['token']}"}
        return made["id"], made["token"]

    def logout(self, token_id: str) -> None:
        """Make a token worthless."""
        self._ask("DELETE", f"tokens/{token_id}")

    # --- inside

    def _get(self, path: str, round_name: str | None = None) -> Any:
        return self._ask("GET", path, params={"round": round_name} if round_name else {}).json()

    def _receipt(self, path: str, given: Mapping[str, bytes], told: Mapping[str, str]) -> Receipt:
        sent = {name: (f"{name}.csv", data, "text/csv") for name, data in given.items()}
        return msgspec.convert(self._ask("POST", path, files=sent, data=told).json(), Receipt)

    def _write(self, paths: Mapping[str, str], folder: Path) -> list[Path]:
        folder.mkdir(parents=True, exist_ok=True)
        written = []
        for name, path in paths.items():
            target = folder / safe_name(name)
            with files.whole_file(target) as draft:
                draft.write_bytes(self._ask("GET", path).content)
            written.append(target)
        return written

    def _ask(self, method: str, path: str, **more: Any) -> httpx.Response:
        try:
            answer = self._http.request(method, f"{self.url}/api/v1/{path}", headers=self._headers, **more)
        except httpx.TimeoutException:
            raise Unreachable(f"{self.url} did not answer in time; look at the status before you try again") from None
        except httpx.HTTPError as error:
            raise Unreachable(f"{self.url} cannot be reached ({error}); check the address and the network") from None
        if answer.is_success:
            return answer
        raise _denied(answer, self.url)


def sent_as(kind: str, given: Mapping[str, bytes]) -> str:
    """Return the SHA-256 a receipt has for these files: of a release by the names they are sent under."""
    names = {"answers": "guess"} if kind == "guess" else {}
    return fingerprint({f"{names.get(name, name)}.csv": data for name, data in given.items()})


def safe_name(name: str) -> str:
    """Return a name from the server as one that leads nowhere else."""
    return re.sub(r"[^\w.-]", "_", name).lstrip(".") or "_"


def _checked(url: str) -> str:
    parsed = httpx.URL(url) if "://" in url else httpx.URL(f"http://{url}")
    if parsed.scheme not in ("http", "https") or not parsed.host:
        raise InputError(f"{url!r} is no address of a server; give one such as https://arena.example")
    return str(parsed).rstrip("/")


def _round(contest: Mapping[str, Any], name: str | None) -> dict[str, Any]:
    """Return the round of this name, or the present one."""
    every = {one["name"]: one for one in contest["rounds"]}
    if (name or contest["current"]) not in every:
        raise InputError(f"there is no round {name!r}; {did_you_mean(str(name), every)}")
    found: dict[str, Any] = every[name or contest["current"]]
    return found


def _id(text: str) -> str:
    if not _ID.fullmatch(text):
        raise InputError(f"{text!r} is no id; it has 32 letters and digits")
    return text


def _read(content: Content) -> bytes:
    if isinstance(content, bytes):
        return content
    files.check_readable(Path(content))
    return Path(content).read_bytes()


def _denied(answer: httpx.Response, url: str) -> IcefireError:
    try:
        said = answer.json()
        text, problems = str(said["error"]), tuple(map(str, said.get("problems") or ()))
    except (ValueError, KeyError, TypeError, AttributeError):
        return Unreachable(f"{url} answered {answer.status_code} and is no arena; check the address")
    return Denied(text, answer.status_code, problems)
