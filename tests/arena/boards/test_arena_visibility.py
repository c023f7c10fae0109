"""Who sees what, and when: a table written by hand, against what is really read from the database."""

from __future__ import annotations

import msgspec
import pytest
from sqlalchemy import event
from support.arena.rows import BEGIN, DAY, JUDGE, ORGANISER, Rows, player

from icefire.arena.auth.actor import VISITOR, Actor
from icefire.arena.boards import ceremony as ceremony_module
from icefire.arena.boards import freezing, matrix, rankings, reading
from icefire.arena.contest.phases import ceremony
from icefire.arena.storage.tables import ReleaseRow, SettingRow, TeamRow

ACTORS = {
    "visitor": VISITOR,
    "author": player("Snow"),
    "rival": player("Fire"),
    "left": player("Fire", "Snow"),
    "teamless": player(None),
    "judge": JUDGE,
    "organiser": ORGANISER,
    "admin": Actor(account_id="admin", name="admin", role="admin"),
}
PHASES = ("before", "anonymise", "freeze", "attack", "ceremony", "revealed")

# What is seen of one release of team Snow: Listed, its File, its Author, Measures, Sample attacks and AYA, Players'
# results, the id of the receipt of Fire's Guess.
STAFF = " ".join(["LFAMSPG"] * 6)
TABLES = {
    "as usual": """
                before   anonymise  freeze   attack   ceremony  revealed
    visitor     -        LM         LM       LFM      LFM       LFAMSP
    author      LFAM     LFAM       LFAM     LFAM     LFAM      LFAMSP
    rival       -        LMG        LMG      LFMG     LFMG      LFAMSPG
    left        -        LMG        LMG      LFMG     LFMG      LFAMSPG
    teamless    -        LM         LM       LFM      LFM       LFAMSP
    """,
    "names shown": """
                before   anonymise  freeze   attack   ceremony  revealed
    visitor     -        LAM        LAM      LFAM     LFAM      LFAMSP
    author      LFAM     LFAM       LFAM     LFAM     LFAM      LFAMSP
    rival       -        LAMG       LAMG     LFAMG    LFAMG     LFAMSPG
    left        -        LAMG       LAMG     LFAMG    LFAMG     LFAMSPG
    teamless    -        LAM        LAM      LFAM     LFAM      LFAMSP
    """,
    "utility hidden": """
                before   anonymise  freeze   attack   ceremony  revealed
    visitor     -        -          L        LF       LF        LFAMSP
    author      LFA      LFA        LFA      LFA      LFA       LFAMSP
    rival       -        -          LG       LFG      LFG       LFAMSPG
    left        -        -          LG       LFG      LFG       LFAMSPG
    teamless    -        -          L        LF       LF        LFAMSP
    """,
    "samples shown": """
                before   anonymise  freeze   attack   ceremony  revealed
    visitor     -        LMS        LMS      LFMS     LFMS      LFAMSP
    author      LFAMS    LFAMS      LFAMS    LFAMS    LFAMS     LFAMSP
    rival       -        LMSG       LMSG     LFMSG    LFMSG     LFAMSPG
    left        -        LMSG       LMSG     LFMSG    LFMSG     LFAMSPG
    teamless    -        LMS        LMS      LFMS     LFMS      LFAMSP
    """,
    "only samples, names shown": """
                before   anonymise  freeze   attack   ceremony  revealed
    visitor     -        LAS        LAS      LFAS     LFAS      LFAMSP
    author      LFAS     LFAS       LFAS     LFAS     LFAS      LFAMSP
    rival       -        LASG       LASG     LFASG    LFASG     LFAMSPG
    left        -        LASG       LASG     LFASG    LFASG     LFAMSPG
    teamless    -        LAS        LAS      LFAS     LFAS      LFAMSP
    """,
}
OPTIONS = {
    "as usual": {},
    "names shown": {"team_names": "shown"},
    "utility hidden": {"show_utility": False},
    "samples shown": {"show_sample_attacks": True},
    "only samples, names shown": {"team_names": "shown", "show_utility": False, "show_sample_attacks": True},
}
WITHDRAWN_EARLY = """
                before   anonymise  freeze   attack   ceremony  revealed
    visitor     -        -          -        -        -         -
    author      LFAM     LFAM       LFAM     LFAM     LFAM      LFAMS
    rival       -        -          -        -        -         -
    left        -        -          -        -        -         -
    judge       LFAMS    LFAMS      LFAMS    LFAMS    LFAMS     LFAMS
    """


def cells(table: str) -> list[tuple[str, str, set[str]]]:
    lines = [line.split() for line in table.splitlines() if line.strip()]
    assert tuple(lines[0]) == PHASES
    return [
        (actor, phase, set(cell) - {"-"}) for actor, *row in lines[1:] for phase, cell in zip(PHASES, row, strict=True)
    ]


CASES = [
    (options, *cell)
    for options, table in TABLES.items()
    for cell in cells(table + "".join(f"\n    {staff} {STAFF}" for staff in ("judge", "organiser", "admin")))
]


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    made = Rows(tmp_path_factory.mktemp("sight"), ceremony=True)
    made.teams("Snow", "Fire")
    made.release("Snow", "Y1", note="a word to the team")
    made.release("Snow", "Y2", in_play=False, withdrawn=BEGIN)
    for label in ("Y1", "Y2"):
        made.judged(label, {"S1": 1.0, "U1": 0.25, "U2": 3.0}, {"E1": 11, "E2": 12}, aya=13)
    made.guess("Fire", "Y1", 77)
    yield made
    made.database.close()


def stand_at(rows: Rows, phase: str) -> None:
    rows.go({"ceremony": "reveal", "revealed": "reveal"}.get(phase, phase))
    rows.add(SettingRow(name=ceremony("final"), value={"board": "ice", "shown": 0, "done": phase == "revealed"}))


def seen(known, label: str) -> set[str]:
    """What an actor is really told about a release, as letters."""
    found = next((one for one in known.releases if one.id == label), None)
    if found is None:
        return {"G" for guess in known.guesses if guess.release_id == label}
    sources = {one.source for one in found.found or ()}
    guesses = [guess for guess in known.guesses if guess.release_id == label]
    told = {
        "L": True,
        "A": found.team_id is not None or found.team is not None or found.number is not None,
        "M": found.measures is not None,
        "S": bool(sources & {"sample", "aya"}),
        "P": "team" in sources or any(g.found is not None or g.state != "submitted" for g in guesses),
        "G": any(guess.id is not None for guess in guesses),
    }
    return {letter for letter, there in told.items() if there}


@pytest.mark.parametrize(("options", "who", "phase", "expected"), CASES)
def test_what_is_told_is_what_the_table_says(rows, options, who, phase, expected):
    stand_at(rows, phase)
    arena = rows.with_options(rows.arena.definition, **OPTIONS[options])
    with rows.database.reading() as session:
        known = reading.round_facts(session, arena, "final", ACTORS[who])
        file = {"F"} if known.sight.file(stored(session, "Y1")) else set()
    assert seen(known, "Y1") | file == expected
    assert (rankings.fire(known, "total") is not None) == (
        who in ("judge", "organiser", "admin") or phase == "revealed"
    )


@pytest.mark.parametrize(("who", "phase", "expected"), cells(WITHDRAWN_EARLY))
def test_a_release_withdrawn_while_releases_were_taken_is_its_teams_and_the_judges_alone(rows, who, phase, expected):
    stand_at(rows, phase)
    with rows.database.reading() as session:
        known = reading.round_facts(session, rows.arena, "final", ACTORS[who])
        file = {"F"} if known.sight.file(stored(session, "Y2")) else set()
    assert seen(known, "Y2") | file == expected


def stored(session, label: str) -> ReleaseRow:
    return session.get(ReleaseRow, label)


def test_the_judges_words_are_for_the_team_and_staff(rows):
    stand_at(rows, "attack")
    with rows.database.reading() as session:
        notes = {
            who: reading.round_facts(session, rows.arena, "final", actor).releases[0].note
            for who, actor in ACTORS.items()
        }
    assert {who for who, note in notes.items() if note} == {"author", "judge", "organiser", "admin"}


def test_own_is_only_what_the_present_team_made(rows):
    stand_at(rows, "attack")
    with rows.database.reading() as session:
        own = {
            who
            for who, actor in ACTORS.items()
            if reading.round_facts(session, rows.arena, "final", actor).releases[0].own
        }
    assert own == {"author"}


# --- nothing hidden is even read


def statements(rows: Rows, act) -> list[str]:
    heard: list[str] = []

    def listen(connection, cursor, statement, *_):
        heard.append(statement.lower())

    event.listen(rows.database.engine, "before_cursor_execute", listen)
    try:
        act()
    finally:
        event.remove(rows.database.engine, "before_cursor_execute", listen)
    return heard


def read(rows: Rows, arena, actor):
    with rows.database.reading() as session:
        return reading.round_facts(session, arena, "final", actor)


def test_what_is_hidden_is_not_asked_for(rows):
    stand_at(rows, "attack")
    arena = rows.with_options(rows.arena.definition, show_utility=False)
    asked = " ".join(statements(rows, lambda: read(rows, arena, player("Fire"))))
    assert "from measured" not in asked
    assert "from identified" not in asked
    assert "from identified" in " ".join(statements(rows, lambda: read(rows, arena, JUDGE)))


def test_the_number_of_queries_does_not_grow(tmp_path):
    made = Rows(tmp_path)
    made.teams("A", "B")
    made.release("A", "Y1")
    made.go("reveal")
    freezing.keep_up(made.arena)
    few = len(statements(made, lambda: read(made, made.arena, player("A"))))
    for number in range(20):
        made.release("B", f"Z{number}")
        made.judged(f"Z{number}", {"U1": 1.0}, {"E1": 1})
        made.guess("A", f"Z{number}", 5)
    many = statements(made, lambda: read(made, made.arena, player("A")))
    assert len(many) == few
    assert few <= 9


def test_nothing_that_an_outsider_gets_before_the_reveal_holds_a_score_or_an_author(tmp_path):
    made = Rows(tmp_path, ceremony=True, show_utility=False)
    made.teams("Snow", "Fire", "Rain")
    made.add(TeamRow(id="secret-author", name="Frost", name_key="frost", created=BEGIN))
    made.release("secret-author", "Y1")
    made.judged("Y1", {"S1": 0.123456, "U1": 0.123456, "U2": 0.123456}, {"E1": 98765}, aya=98765)
    made.guess("Fire", "Y1", 98765)
    for phase in ("freeze", "attack", "reveal"):
        made.go(phase)
        freezing.keep_up(made.arena)
        for actor in (VISITOR, player("Fire"), player("Rain", "secret-author")):
            with made.database.reading() as session:
                known = reading.round_facts(session, made.arena, "final", actor)
                board = freezing.board(made.arena, session, actor, "final")
                stage = ceremony_module.stage(made.arena, session, "final")
            got = msgspec.json.encode(
                [known.releases, known.guesses, matrix.round_matrix(known).cells, board, stage]
            ).decode()
            assert "Y1" in got
            for secret in ("0.123456", "98765", "987.65", "secret-author", "Frost"):
                assert secret not in got


def test_judges_are_told_who_handed_in_the_same_table(tmp_path):
    made = Rows(tmp_path)
    made.teams("A", "B", "C")
    made.release("A", "Y1", content="same")
    made.release("B", "Y2", content="same")
    made.release("C", "Y3", content="twice")
    made.release("C", "Y4", content="twice")
    made.go("attack")
    assert [one.twin for one in read(made, made.arena, JUDGE).releases] == [True, True, False, False]
    assert not any(one.twin for one in read(made, made.arena, player("A")).releases)


def test_answers_for_ones_own_release_are_nothing(tmp_path):
    made = Rows(tmp_path)
    made.teams("A", "B")
    made.release("A", "Y1")
    made.guess("A", "Y1", 100)
    made.guess("B", "Y1", 10)
    made.clock.set(BEGIN + 9 * DAY)
    known = read(made, made.arena, VISITOR)
    assert [guess.team for guess in known.guesses] == ["B"]
    assert [one.name for one in known.releases[0].found] == ["B"]


def test_values_that_are_no_numbers_are_none(tmp_path):
    made = Rows(tmp_path)
    made.teams("A")
    made.release("A", "Y1")
    made.judged("Y1", {"S1": None, "U1": float("inf"), "U2": 1.0}, {})
    assert read(made, made.arena, JUDGE).releases[0].measures == {"S1": None, "U1": None, "U2": 1.0}
