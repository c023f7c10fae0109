"""Taking part: hand in, look, download, attack; every answer of the server is kept as a receipt."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from icefire.cli import options
from icefire.cli.console import note, out, write_json
from icefire.errors import InputError, ParameterError

if TYPE_CHECKING:
    from icefire.arena.client import Client
    from icefire.arena.receipts import Receipt

Url = Annotated[
    str | None,
    typer.Option("--url", help="Address of the server.", show_default="ICEFIRE_ARENA_URL, or of the last login"),
]
RoundName = Annotated[str | None, typer.Option("--round", help="Which round.", show_default="the present one")]
Named = Annotated[
    str, typer.Argument(metavar="RELEASE", help="Label or id; see: icefire arena status.", show_default=False)
]
Place = Annotated[
    Path, typer.Argument(metavar="RELEASE", help="The released table, or a release folder.", show_default=False)
]
Correspondence = Annotated[
    Path | None,
    typer.Argument(
        metavar="CORRESPONDENCE", help="Where each row comes from.", show_default="the release folder's truth"
    ),
]
Customers = Annotated[
    Path | None, typer.Option("--customers", help="Histories: customer table of the release.", show_default=False)
]


def login(
    url: Annotated[str, typer.Argument(help="Address of the server.", show_default=False)],
    name: Annotated[str, typer.Option("--name", prompt="Name", help="Your name there.", show_default=False)],
) -> None:
    """Log in: a token is made and kept in a file that only you can read. The password is not kept."""
    from icefire.arena import keyring
    from icefire.arena.client import Client
    from icefire.cli.arena_host import password

    with Client(url) as client:
        if client.url.startswith("http://") and not _is_local(client.url):
            note("this connection is not encrypted: anybody on the way can read the password; prefer https://")
        token_id, token = client.login(name, password(f"Password of {name}"))
        path = keyring.keep(keyring.Login(client.url, name, token, token_id))
    out.print(f"logged in at {client.url} as {name}; the token is in {path}", markup=False, soft_wrap=True)


def _is_local(url: str) -> bool:
    from urllib.parse import urlsplit

    return urlsplit(url).hostname in ("localhost", "127.0.0.1", "::1")


def logout(url: Url = None) -> None:
    """Make the token worthless and forget it."""
    from icefire.arena import keyring
    from icefire.arena.client import Client, Denied

    login = keyring.find(url.rstrip("/") if url else None)
    if login is None:
        raise InputError("no login is kept" + (f" for {url}" if url else "") + "; there is nothing to forget")
    try:
        with Client(login.url, login.token) as client:
            client.logout(login.id)
    except Denied:
        pass  # it is worthless already
    keyring.forget(login.url)
    out.print(f"logged out at {login.url}", markup=False, soft_wrap=True)


def connected(url: str | None) -> Client:
    """Return a connection to the server that is meant."""
    from icefire.arena import keyring
    from icefire.arena.client import Client

    return Client(*keyring.which(url))


def status(round_name: RoundName = None, json: options.Json = None, url: Url = None) -> None:
    """Show the phase, your team's quota and releases, and what can be attacked."""
    import msgspec

    from icefire.cli import arena_status

    with connected(url) as client:
        found = client.status(round_name)
    if json != "-":
        arena_status.show(found, out)
    write_json(msgspec.json.format(msgspec.json.encode(found), indent=2).decode() + "\n", json)


def submit(
    release: Place,
    correspondence: Correspondence = None,
    customers: Customers = None,
    round_name: RoundName = None,
    url: Url = None,
) -> None:
    """Hand in a release; the signed receipt is saved beside it."""
    given = release_files(release, correspondence, customers)
    with connected(url) as client:
        receipt = _told(lambda: client.submit(given, round_name))
    _save(receipt, release)


def release_files(release: Path, correspondence: Path | None, customers: Path | None) -> dict[str, Path]:
    """Return the files of a submission by what they are; a release folder has all of them."""
    from icefire import folder

    table = folder.table(release)
    people = customers or folder.customers(release)
    truth = correspondence or (release / folder.TRUTH if release.is_dir() else None)
    if truth is None:
        raise ParameterError("CORRESPONDENCE is missing; name the file after the release, or give a release folder")
    found = {"released": table, **({"customers": people} if people else {}), "correspondence": truth}
    for path in found.values():
        if path.suffix.lower() in (".parquet", ".pq", ".arrow"):
            raise InputError(f"{str(path)!r} is no CSV; the arena takes CSV: write it with --format csv")
    return found


def withdraw(release: Named, round_name: RoundName = None, url: Url = None) -> None:
    """Withdraw a release of your team."""
    with connected(url) as client:
        client.withdraw(client.release_id(release, round_name))
    out.print(f"{release} is withdrawn", markup=False)


def attack(
    release: Named,
    answers: Annotated[
        Path, typer.Argument(metavar="GUESS", help="One answer per released row, no header.", show_default=False)
    ],
    round_name: RoundName = None,
    url: Url = None,
) -> None:
    """Hand in your team's answers for a release: once, for ever; the signed receipt is saved beside them."""
    with connected(url) as client:
        target = client.release_id(release, round_name)
        receipt = _told(lambda: client.attack(target, answers))
    _save(receipt, answers)


def download(
    releases: Annotated[
        list[str] | None,
        typer.Argument(metavar="[RELEASE]...", help="Labels or ids.", show_default="all that may be attacked"),
    ] = None,
    output: Annotated[Path, typer.Option("-o", "--output", help="Folder to write to.")] = Path("arena"),
    original: Annotated[bool, typer.Option("--original/--no-original", help="Also the original data.")] = True,
    round_name: RoundName = None,
    url: Url = None,
) -> None:
    """Download the original data and releases: DIR/ROUND/original.csv, DIR/ROUND/LABEL/released.csv."""
    from icefire.arena.client import safe_name

    with connected(url) as client:
        here = round_name or client.contest()["current"]
        place = output / safe_name(here)
        written = client.originals(here, place) if original else []
        known = {one["id"]: one for one in client.releases(here)}
        wanted = [client.release_id(name, here) for name in releases or ()]
        for release in wanted or [one["id"] for one in known.values() if one["files"] and not one["own"]]:
            label = known[release]["label"] if release in known else release
            written += client.download(release, place / safe_name(label))
    for path in written:
        out.print(str(path), markup=False, soft_wrap=True)


def verify_receipt(
    receipt: Annotated[Path, typer.Argument(metavar="RECEIPT", help="The receipt's file.", show_default=False)],
    release: Annotated[
        Path | None,
        typer.Argument(metavar="[FILE]", help="What it is for: release (folder) or guess.", show_default=False),
    ] = None,
    correspondence: Correspondence = None,
    customers: Customers = None,
    key: Annotated[
        str | None, typer.Option("--key", help="The competition's public key.", show_default="the server's")
    ] = None,
    url: Url = None,
) -> None:
    """Check that a receipt was signed by the competition and, with the files, that it is theirs; exit 2 if not."""
    from icefire.arena import receipts

    found = _read_receipt(receipt)
    if key is None:
        with connected(url) as client:
            key = client.key()
    if not receipts.verify(found, key):
        raise InputError(f"{str(receipt)!r} was not signed with the key {key}, or was changed since")
    if release is not None:
        _compare(found, release, correspondence, customers)
    files = " and is for these files" if release else ""
    out.print(f"genuine: {described(found)}{files}", markup=False, soft_wrap=True)


def _compare(receipt: Receipt, release: Path, correspondence: Path | None, customers: Path | None) -> None:
    from icefire.arena.client import sent_as

    if receipt.kind == "guess":
        given: dict[str, Path] = {"answers": release}
    else:
        given = release_files(release, correspondence, customers)
    if sent_as(receipt.kind, {name: path.read_bytes() for name, path in given.items()}) != receipt.sha256:
        raise InputError(f"the receipt is genuine, but not for {', '.join(map(str, given.values()))}: the hash differs")


def _read_receipt(path: Path) -> Receipt:
    import msgspec

    from icefire import files
    from icefire.arena.receipts import Receipt

    files.check_readable(path)
    try:
        return msgspec.json.decode(path.read_bytes(), type=Receipt)
    except msgspec.DecodeError as error:
        raise InputError(f"{str(path)!r} is no receipt: {error}") from None


def _told(ask: Any) -> Receipt:
    """Hand something in; what the server finds wrong with it is listed line by line, exit 2."""
    from icefire.arena.client import Denied

    try:
        receipt: Receipt = ask()
    except Denied as refusal:
        for problem in refusal.problems[1:] if len(refusal.problems) == 1 else refusal.problems:
            print(f"icefire: error: {' '.join(problem.split())}", file=sys.stderr)
        raise
    return receipt


def _save(receipt: Receipt, beside: Path) -> None:
    import msgspec

    from icefire.arena.client import safe_name

    name = f"{beside.resolve().name.removesuffix('.csv')}-{safe_name(receipt.label)}.receipt.json"
    path = beside.resolve().parent / name
    write_json(msgspec.json.format(msgspec.json.encode(receipt), indent=2).decode() + "\n", str(path))
    out.print(f"received: {described(receipt)}", markup=False, soft_wrap=True)


def described(receipt: Receipt) -> str:
    """Say in one line what a receipt is about."""
    what = "release" if receipt.kind == "release" else "guess for"
    return f"{what} {receipt.label} of {receipt.team} in {receipt.round}, {receipt.at}, SHA-256 {receipt.sha256}"
