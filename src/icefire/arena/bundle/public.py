"""The contents of the public bundle, read as a visitor, through facts and boards only.

Rounds that are revealed are in it so that they can be restored as a record: the same tables as a contest's own, with
one nameless account in place of people, and without answers, hashes of them, or a log. Other rounds give what a visitor
sees of them today.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

import msgspec
from sqlalchemy import select
from sqlalchemy.orm import Session

from icefire.arena.auth.actor import VISITOR
from icefire.arena.boards import exports, reading
from icefire.arena.bundle import rows, sources
from icefire.arena.bundle.record import Record
from icefire.arena.contest import definition as definitions
from icefire.arena.contest.arena import Arena
from icefire.arena.contest.definition import Definition
from icefire.arena.contest.settings import Server
from icefire.arena.storage.tables import AnnouncementRow, ReleaseRow

README = """\
{title}: the public bundle of a competition, made at {made}.

results/   what everybody may see, as CSV and JSON. In the CSV files a text that begins with = + - @ ' a tab or the
           end of a line has a ' put before it, so that no spreadsheet takes it for a formula; take one leading ' off
           to get the text back. Numbers are as they are.
data/      the originals of the rounds that are revealed.
store/     their releases, as the attackers got them.
tables/    their facts, from which the rankings can be computed again:
           icefire arena import BUNDLE FOLDER, then icefire arena serve FOLDER.

No name of a person, password, answer or correspondence is in it. The key in manifest.json checks receipts.
"""


def contents(session: Session, arena: Arena, now: datetime) -> Iterator[sources.File]:
    """Give the files of the public bundle."""
    title = " ".join(arena.definition.title.split())
    yield "README.txt", README.format(title=title, made=now.isoformat(timespec="seconds")).encode()
    yield from _results(session, arena)
    starts = {one.name: one.starts for one in arena.rounds(session) if one.revealed}
    revealed = [one for one in arena.definition.rounds if one.name in starts]
    if not revealed:
        return
    again = msgspec.structs.replace(
        arena.definition,
        registration="organiser",
        ceremony=False,
        mail=None,
        webhook=None,
        oidc=None,
        server=Server(),
        round=tuple(msgspec.structs.replace(one, **starts[one.name]) for one in revealed),
    )
    yield definitions.FILE, toml(again).encode()
    yield from sources.data_files(arena, revealed)
    yield from _record(session, arena, again, now)


def _results(session: Session, arena: Arena) -> Iterator[sources.File]:
    for number, one in enumerate(arena.definition.rounds, start=1):
        for what in exports.OF_A_ROUND:
            table = exports.table(session, arena, VISITOR, what, one.name)
            yield f"results/round-{number}-{what}.csv", exports.as_csv(table)
            yield f"results/round-{number}-{what}.json", exports.as_json(table)
    for what in exports.OF_ALL:
        table = exports.table(session, arena, VISITOR, what)
        yield f"results/{what}.csv", exports.as_csv(table)
        yield f"results/{what}.json", exports.as_json(table)


def _record(session: Session, arena: Arena, again: Definition, now: datetime) -> Iterator[sources.File]:
    record = Record(now)
    for one in again.rounds:
        seen = reading.round_facts(session, arena, one.name, VISITOR)
        record.add_round(seen)
        for release in session.scalars(select(ReleaseRow).where(ReleaseRow.round == one.name).order_by(ReleaseRow.id)):
            if seen.sight.file(release):
                yield from sources.stored_files(arena, "release", release.id)
    for announcement in session.scalars(select(AnnouncementRow).order_by(AnnouncementRow.at)):
        record.add(announcement)
    for name, table in record.tables().items():
        yield rows.name_of(name), rows.packed(table)


def toml(definition: Definition) -> str:
    """Write a definition anew, without the comments its organiser may have left in the original."""
    given = msgspec.to_builtins(definition, builtin_types=(datetime,))
    return "".join(f"{name} = {_toml(value)}\n" for name, value in given.items() if value not in (None, {}))


def _toml(value: Any) -> str:
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Mapping):
        pairs = (f"{_toml(str(name))} = {_toml(one)}" for name, one in value.items() if one is not None)
        return f"{{ {', '.join(pairs)} }}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(_toml(one) for one in value)}]"
    return repr(value)
