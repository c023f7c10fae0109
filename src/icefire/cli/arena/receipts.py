"""icefire arena receipt verify: receipts are saved beside what they are for, and compared with it later."""

from __future__ import annotations

from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from icefire.cli.arena.opening import connect
from icefire.cli.arena.options import CORRESPONDENCE, Correspondence, Customers, HandedRecipe, Url, release_files
from icefire.cli.commands import Command, CommandGroup
from icefire.cli.console import as_json, out
from icefire.cli.outputs import write_json
from icefire.core.errors import InputError

if TYPE_CHECKING:
    from icefire.arena.contest.signing import Receipt


def verify_receipt(
    receipt: Annotated[Path, typer.Argument(metavar="RECEIPT", help="The receipt's file.", show_default=False)],
    release: Annotated[
        Path | None,
        typer.Argument(metavar="[FILE]", help="What it is for: release (folder) or guess.", show_default=False),
    ] = None,
    correspondence: Correspondence = None,
    customers: Customers = None,
    recipe: HandedRecipe = None,
    key: Annotated[
        str | None, typer.Option("--key", help="The competition's public key.", show_default="the server's")
    ] = None,
    url: Url = None,
) -> None:
    """Check that a receipt was signed by the competition and, with the files, that it is theirs; exit 2 if not."""
    from icefire.arena.contest import signing

    signed = _read_receipt(receipt)
    if key is None:
        with connect(url) as client:
            key = client.key()
    if not signing.verify(signed, key):
        raise InputError(f"{str(receipt)!r} was not signed with the key {key}, or was changed since")
    if release is not None:
        _compare(signed, release, correspondence, customers, recipe)
    files = " and is for these files" if release else ""
    out.print(f"genuine: {described(signed)}{files}", markup=False, soft_wrap=True)


def _compare(
    receipt: Receipt, release: Path, correspondence: Path | None, customers: Path | None, recipe: Path | None
) -> None:
    from icefire.arena.client import sent_as
    from icefire.io import folder

    if receipt.kind == "guess":
        if release.is_dir():
            raise InputError(f"{str(release)!r} is a folder; the receipt is for a guess: name its file of answers")
        given: dict[str, Path] = {"answers": release}
    else:
        in_order = correspondence is None and folder.truth_of(release) is None
        given = release_files(release, correspondence, customers, recipe, () if in_order else (CORRESPONDENCE,))
    if sent_as(receipt.kind, {name: path.read_bytes() for name, path in given.items()}) != receipt.sha256:
        raise InputError(f"the receipt is genuine, but not for {', '.join(map(str, given.values()))}: the hash differs")


def _read_receipt(path: Path) -> Receipt:
    import msgspec

    from icefire.arena.contest.signing import Receipt
    from icefire.io import files

    files.check_readable(path)
    try:
        return msgspec.json.decode(path.read_bytes(), type=Receipt)
    except msgspec.DecodeError as error:
        raise InputError(f"{str(path)!r} is no receipt: {error}") from None


def save(receipt: Receipt, beside: Path) -> None:
    """Print a receipt and keep it beside the file it is for."""
    from icefire.arena.client import safe_name

    name = f"{beside.resolve().name.removesuffix('.csv')}-{safe_name(receipt.label)}"
    write_json(as_json(receipt), str(_free_place(beside.resolve().parent, name)), force=False)
    out.print(f"received: {described(receipt)}", markup=False, soft_wrap=True)


def _free_place(folder: Path, name: str) -> Path:
    """Return a name that no file has: an earlier receipt is kept."""
    names = (f"{name}{'' if number == 1 else f'-{number}'}.receipt.json" for number in count(1))
    return next(folder / one for one in names if not (folder / one).exists())


def described(receipt: Receipt) -> str:
    """Say in one line what a receipt is about."""
    what = "release" if receipt.kind == "release" else "guess for"
    return f"{what} {receipt.label} of {receipt.team} in {receipt.round}, {receipt.at}, SHA-256 {receipt.sha256}"


COMMANDS = [
    CommandGroup("receipt", "Receipts of what was handed in.", [Command(verify_receipt, name="verify")], order=170)
]
