"""Taking part: hand in, look, download, attack; every answer of the server is kept as a receipt."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from icefire.cli import options
from icefire.cli.arena_files import Correspondence, Customers, Place, release_files
from icefire.cli.arena_login import Url, connected
from icefire.cli.arena_receipts import save
from icefire.cli.console import out, write_json

if TYPE_CHECKING:
    from icefire.arena.contest.signing import Receipt

RoundName = Annotated[str | None, typer.Option("--round", help="Which round.", show_default="the present one")]
Named = Annotated[
    str, typer.Argument(metavar="RELEASE", help="Label or id; see: icefire arena status.", show_default=False)
]


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
    save(receipt, release)


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
    save(receipt, answers)


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


def _told(ask: Any) -> Receipt:
    """Hand something in; what the server finds wrong with it is listed line by line, exit 2."""
    from icefire.arena.client import Denied

    try:
        receipt: Receipt = ask()
    except Denied as refusal:
        for problem in refusal.problems:
            if problem != str(refusal):
                print(f"icefire: error: {' '.join(problem.split())}", file=sys.stderr)
        raise
    return receipt
