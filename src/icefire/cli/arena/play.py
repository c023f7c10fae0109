"""icefire arena status, submit, withdraw, download, attack: take part in a competition."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from icefire.cli import options
from icefire.cli.arena.opening import connect
from icefire.cli.arena.options import (
    Correspondence,
    Customers,
    HandedRecipe,
    ReleaseLabel,
    ReleasePath,
    RoundOption,
    Url,
    release_files,
)
from icefire.cli.arena.receipts import save
from icefire.cli.commands import Command
from icefire.cli.console import as_json, note, out
from icefire.cli.outputs import check_files, write_json

if TYPE_CHECKING:
    from icefire.arena.contest.signing import Receipt


def status(
    round_name: RoundOption = None, json: options.Json = None, force: options.Force = False, url: Url = None
) -> None:
    """Show the phase, your team's quota and releases, and what can be attacked."""
    from icefire.report.text import arena_status

    check_files(json, force=force)
    with connect(url) as client:
        state = client.status(round_name)
    if json != "-":
        arena_status.show(state, out)
    write_json(as_json(state), json, force)


def submit(
    release: ReleasePath,
    correspondence: Correspondence = None,
    customers: Customers = None,
    recipe: HandedRecipe = None,
    round_name: RoundOption = None,
    url: Url = None,
) -> None:
    """Hand in a release; the signed receipt is saved beside it."""
    with connect(url) as client:
        given = release_files(release, correspondence, customers, recipe, client.contest()["handed_in"])
        receipt = _handed_in(lambda: client.submit(given, round_name))
    save(receipt, release)


def withdraw(release: ReleaseLabel, round_name: RoundOption = None, url: Url = None) -> None:
    """Withdraw a release of your team."""
    with connect(url) as client:
        client.withdraw(client.release_id(release, round_name))
    out.print(f"{release} is withdrawn", markup=False)


def attack(
    release: ReleaseLabel,
    answers: Annotated[
        Path, typer.Argument(metavar="GUESS", help="One answer per released row, no header.", show_default=False)
    ],
    round_name: RoundOption = None,
    url: Url = None,
) -> None:
    """Hand in your team's answers for a release: once, for ever; the signed receipt is saved beside them."""
    with connect(url) as client:
        target = client.release_id(release, round_name)
        receipt = _handed_in(lambda: client.attack(target, answers))
    save(receipt, answers)


def download(
    releases: Annotated[
        list[str] | None,
        typer.Argument(metavar="[RELEASE]...", help="Labels or ids.", show_default="all that may be attacked"),
    ] = None,
    output: Annotated[Path, typer.Option("-o", "--output", help="Folder to write to.")] = Path("arena"),
    original: Annotated[bool, typer.Option("--original/--no-original", help="Also the original data.")] = True,
    round_name: RoundOption = None,
    accept_terms: Annotated[
        bool, typer.Option("--accept-terms", help="Accept the terms of the data, which are printed.")
    ] = False,
    force: options.Force = False,
    url: Url = None,
) -> None:
    """Download the original data and releases: DIR/ROUND/original.csv, DIR/ROUND/LABEL/released.csv."""
    from icefire.arena.client import safe_name

    with connect(url) as client:
        for text in client.accept_terms().values() if accept_terms else ():
            note(text)
        here = round_name or client.contest()["current"]
        place = output / safe_name(here)
        written = client.originals(here, place, force) if original else []
        written += client.description(place, force) if original else []
        known = {one["id"]: one for one in client.releases(here)}
        wanted = [client.release_id(name, here) for name in releases or ()]
        for release in wanted or [one["id"] for one in known.values() if one["files"] and not one["own"]]:
            label = known[release]["label"] if release in known else release
            written += client.download(release, place / safe_name(label), force)
    for path in written:
        out.print(str(path), markup=False, soft_wrap=True)


def _handed_in(send: Callable[[], Receipt]) -> Receipt:
    """Hand something in; what the server finds wrong with it is listed line by line, exit 2."""
    from icefire.arena.client import Denied

    try:
        return send()
    except Denied as refusal:
        for problem in refusal.problems:
            if problem != str(refusal):
                print(f"icefire: error: {' '.join(problem.split())}", file=sys.stderr)
        raise


COMMANDS = [
    Command(status, order=100),
    Command(submit, order=110),
    Command(withdraw, order=120),
    Command(download, order=130),
    Command(attack, order=140),
]
