"""icefire fingerprint: which methods made a release."""

from __future__ import annotations

from icefire._version import DEFAULT_SEED
from icefire.cli import options
from icefire.cli.commands import Command
from icefire.cli.console import out, progress
from icefire.cli.outputs import check_files, write_json
from icefire.cli.reading import Reading


def fingerprint(
    original: options.Original,
    released: options.Released,
    json: options.Json = None,
    seed: options.Seed = DEFAULT_SEED,
    force: options.Force = False,
    *,
    origin: options.Origin,
    reading: Reading,
) -> None:
    """Tell which methods made a release, each with a probability and its evidence."""
    import icefire
    from icefire.report.text import fingerprint as report

    check_files(json, force=force)
    data = reading.read_and_confirm(original, origin.key)
    with progress() as stage:
        recognised = icefire.fingerprint(
            data,
            released,
            truth=origin.truth,
            aligned=origin.aligned,
            key=origin.key,
            how=reading.how,
            seed=seed,
            progress=stage,
        )
    if json != "-":
        report.show(recognised, out)
    write_json(recognised.to_json(), json, force)


COMMANDS = [Command(fingerprint, order=65)]
