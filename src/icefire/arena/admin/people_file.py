"""The file with which organisers make many accounts: CSV with the columns name, team, division and mail."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass

from icefire.arena.errors import WrongInput

COLUMNS = ("name", "team", "division", "mail")
MOST_PEOPLE = 2000
_MAIL = re.compile(r"[^\s@,;<>\"()]+@[^\s@,;<>\"()]+")


@dataclass(frozen=True, slots=True)
class ListedPerson:
    """Somebody who is to get an account."""

    name: str
    team: str = ""
    division: str = ""
    mail: str = ""
    line: int = 0
    """Where it stands in the file, as an editor counts lines; 0 if it comes from no file."""

    @property
    def place(self) -> str:
        """How an error names it."""
        return f"line {self.line}" if self.line else f"{self.name!r}"


def read(data: bytes) -> list[ListedPerson]:
    """Read the file; the first line names the columns, of which only name is needed."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise WrongInput("the file of people is not UTF-8; save it as CSV UTF-8") from None
    if "\0" in text:
        raise WrongInput("a field holds a character that no text has; write it without")
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        header = [cell.strip().casefold() for cell in next(reader, [])]
        _check_header(header)
        return [_person(header, cells, reader.line_num) for cells in reader if any(cell.strip() for cell in cells)]
    except csv.Error as error:
        raise WrongInput(f"line {reader.line_num} of the file of people cannot be read as CSV ({error})") from None


def _check_header(header: Sequence[str]) -> None:
    if "name" not in header or len(set(header)) != len(header) or not set(header) <= set(COLUMNS):
        raise WrongInput(
            f"the first line of the file of people is {', '.join(header)[:200]!r}; "
            f"it takes name and, as you like, team, division, mail"
        )


def _person(header: Sequence[str], cells: Sequence[str], line: int) -> ListedPerson:
    if len(cells) != len(header):
        raise WrongInput(f"line {line} of the file of people has {len(cells)} cells; the first line has {len(header)}")
    return ListedPerson(**dict(zip(header, (cell.strip() for cell in cells), strict=True)), line=line)


def problems(people: Sequence[ListedPerson], divisions: Sequence[str]) -> list[str]:
    """Return what is wrong with people, apart from names that are taken."""
    wrong = []
    teams: dict[str, str] = {}
    for one in people:
        if one.mail and (len(one.mail) > 254 or not _MAIL.fullmatch(one.mail)):
            wrong.append(f"{one.place}: {one.mail!r} is no address for mail")
        if one.division and one.division not in divisions:
            wrong.append(f"{one.place}: division is {one.division!r}; it takes one of {', '.join(divisions) or 'none'}")
        if one.division and not one.team:
            wrong.append(f"{one.place}: a division is a team's; name the team too")
        if one.team and teams.setdefault(one.team.casefold(), one.division) != one.division:
            wrong.append(f"{one.place}: team {one.team!r} has another division in an earlier line")
    return wrong
