"""The client of the API: with a token a program can do what a team can do in the browser.

from icefire.arena.client import Client

arena = Client("https://arena.example", token="ifa_…")
receipt = arena.submit({"released": "Y.csv", "correspondence": "I.csv"})
for release in arena.open_releases():
    arena.download(release["id"], "targets")
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self
from urllib.parse import quote

import httpx
import msgspec

from icefire.arena.client.connection import Connection, Denied, Unreachable, safe_name
from icefire.arena.contest import signing
from icefire.arena.contest.signing import Receipt
from icefire.arena.storage.store import fingerprint
from icefire.core.errors import InputError, did_you_mean
from icefire.io import files
from icefire.io.writing import whole_file

__all__ = ["Client", "Denied", "Unreachable", "safe_name", "sent_as"]

Content = bytes | str | Path
_ID = re.compile(r"[0-9a-f]{32}")


class Client:
    """A connection to one competition; `http` may be any httpx client, for tests."""

    def __init__(self, url: str, token: str | None = None, http: httpx.Client | None = None) -> None:
        self._connection = Connection(url, token, http)

    @property
    def url(self) -> str:
        """The server's address."""
        return self._connection.url

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the connection."""
        self._connection.close()

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
        releases: list[dict[str, Any]] = self._get("releases", round_name)["releases"]
        return releases

    def team(self, round_name: str | None = None) -> dict[str, Any]:
        """Return one's own team: members, quota, releases, guesses."""
        return self._get("team", round_name)

    def announcements(self) -> list[dict[str, Any]]:
        """Return what the organisers have told, newest first."""
        announcements: list[dict[str, Any]] = self._get("announcements")["announcements"]
        return announcements

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
        announcements = self.announcements()
        return {"contest": contest, "round": here, "team": team, "others": others, "announcements": announcements}

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
        """Hand in a release: `released`, `correspondence` and, where the contest has them, `customers`.

        `recipe`, the steps without the seed, may be given for the judge's attack by somebody who knows them.
        """
        fields = {"round": round_name} if round_name else {}
        return self._receipt("releases", {name: _read(content) for name, content in given.items()}, fields)

    def withdraw(self, release_id: str) -> None:
        """Withdraw one's own release."""
        self._connection.ask("POST", f"releases/{_id(release_id)}/withdraw")

    def attack(self, release_id: str, answers: Content) -> Receipt:
        """Hand in the team's answers for a release: once, for ever."""
        return self._receipt(f"releases/{_id(release_id)}/guess", {"answers": _read(answers)}, {})

    def download(self, release_id: str, folder: str | Path, force: bool = False) -> list[Path]:
        """Write the files of a release to a folder; a file that differs from one already there needs `force`."""
        release = self._get(f"releases/{_id(release_id)}")
        names = release["files"]
        if not names:
            raise InputError(f"release {release['label']} is not handed out now; see: icefire arena status")
        return self._write({name: f"releases/{release_id}/files/{name}" for name in names}, Path(folder), force)

    def originals(self, round_name: str | None, folder: str | Path, force: bool = False) -> list[Path]:
        """Write the original data of a round to a folder; a file that differs from one there needs `force`."""
        here = _round(self.contest(), round_name)
        return self._write(
            {name: f"data/{quote(here['name'], safe='')}/{name}" for name in here["files"]}, Path(folder), force
        )

    def description(self, folder: str | Path, force: bool = False) -> list[Path]:
        """Write contest.json, what a contest of an organiser's own is, for `icefire check`; nothing for the others."""
        here = self.contest()
        if here.get("custom") is None:
            return []
        path = Path(folder) / "contest.json"
        said = {name: here[name] for name in ("rules", "formulas", "custom")}
        text = json.dumps(said, indent=2, ensure_ascii=False) + "\n"
        path.parent.mkdir(parents=True, exist_ok=True)
        with whole_file(path, force=force or (path.exists() and path.read_text(encoding="utf-8") == text)) as draft:
            draft.write_text(text, encoding="utf-8")
        return [path]

    def accept_terms(self) -> dict[str, str]:
        """Accept the terms of the data as they are now, and return them by language."""
        contest = self.contest()
        if contest["terms"]:
            self._connection.ask("POST", "terms", json={"sha256": contest["terms_sha256"]})
        terms: dict[str, str] = contest["terms"]
        return terms

    # --- receipts

    def key(self) -> str:
        """Return the public key that receipts are signed with."""
        return str(self._get("key")["public_key"])

    def receipt(self, submission_id: str) -> Receipt:
        """Return the receipt of one's own submission once more."""
        return msgspec.convert(self._get(f"receipts/{_id(submission_id)}"), Receipt)

    def verify(self, receipt: Receipt) -> bool:
        """Tell whether this server signed the receipt as it stands."""
        return signing.verify(receipt, self.key())

    # --- getting in

    def login(self, name: str, password: str, label: str = "command line") -> tuple[str, str]:
        """Return the id and the text of a new token; the client uses it from now on."""
        token = self._connection.send_for_json(
            "POST", "tokens", json={"name": name, "password": password, "label": label}
        )
        self._connection.token = token["token"]
        return token["id"], token["token"]

    def logout(self, token_id: str) -> None:
        """Make a token worthless."""
        self._connection.ask("DELETE", f"tokens/{_id(token_id)}")

    # --- inside

    def _get(self, path: str, round_name: str | None = None) -> dict[str, Any]:
        return self._connection.send_for_json("GET", path, params={"round": round_name} if round_name else {})

    def _receipt(self, path: str, given: Mapping[str, bytes], fields: Mapping[str, str]) -> Receipt:
        sent = {name: (_file_name(name), data, _media_type(name)) for name, data in given.items()}
        return msgspec.convert(self._connection.send_for_json("POST", path, files=sent, data=fields), Receipt)

    def _write(self, paths: Mapping[str, str], folder: Path, force: bool) -> list[Path]:
        folder.mkdir(parents=True, exist_ok=True)
        written = []
        for name, path in paths.items():
            target = folder / safe_name(name)
            content = self._connection.ask("GET", path).content
            if not (target.is_file() and target.read_bytes() == content):
                with whole_file(target, force) as draft:
                    draft.write_bytes(content)
            written.append(target)
        return written


def sent_as(kind: str, given: Mapping[str, bytes]) -> str:
    """Return the SHA-256 a receipt has for these files: of a release by the names they are sent under."""
    names = {"answers": "guess"} if kind == "guess" else {}
    return fingerprint({_file_name(names.get(name, name)): data for name, data in given.items()})


def _file_name(name: str) -> str:
    return f"{name}.toml" if name == "recipe" else f"{name}.csv"


def _media_type(name: str) -> str:
    return "application/toml" if name == "recipe" else "text/csv"


def _round(contest: Mapping[str, Any], name: str | None) -> dict[str, Any]:
    """Return the round of this name, or the present one."""
    every = {one["name"]: one for one in contest["rounds"]}
    if (name or contest["current"]) not in every:
        raise InputError(f"there is no round {name!r}; {did_you_mean(str(name), every)}")
    chosen: dict[str, Any] = every[name or contest["current"]]
    return chosen


def _id(text: str) -> str:
    if not _ID.fullmatch(text):
        raise InputError(f"{text!r} is no id; it has 32 letters and digits")
    return text


def _read(content: Content) -> bytes:
    if isinstance(content, bytes):
        return content
    files.check_readable(Path(content))
    return Path(content).read_bytes()
