"""Many accounts from a file, and one-time links."""

from __future__ import annotations

import csv
import io
import re
from datetime import timedelta

import pytest
from sqlalchemy import select
from support.arena.fixtures import player
from support.arena.web import CSRF, PASSWORD, _quick_passwords, account, another, csrf, log_in, web  # noqa: F401

from icefire.arena import admin
from icefire.arena.admin import people_file, people_links
from icefire.arena.admin.people_file import ListedPerson
from icefire.arena.auth import links, login, passwords, tokens
from icefire.arena.errors import Absent, NotLoggedIn, Refused, WrongInput
from icefire.arena.storage.tables import (
    AccountRow,
    BrowserSessionRow,
    EventRow,
    MembershipRow,
    OneTimeLinkRow,
    TeamRow,
    TokenRow,
)

PEOPLE = "name,team,mail\nAnn,Snow,ann@example.org\n Bob ,Snow,\n=Cid,,\n"
STRONG = passwords.Hashed  # a stored password, as the link's owner chose it


def rows(arena, table):
    with arena.database.reading() as session:
        return session.scalars(select(table)).all()


def test_a_file_makes_accounts_teams_and_links(make_arena, database_url):
    arena = make_arena(database_url, "members_per_team = 2")
    boss = player(arena, "Boss", role="organiser")
    made = admin.make_accounts(arena, boss, people_file.read(PEOPLE.encode("utf-8-sig")))
    assert [one.name for one in made] == ["Ann", "Bob", "=Cid"]
    assert {one.name for one in rows(arena, TeamRow)} == {"Snow"}
    assert [one.captain for one in rows(arena, MembershipRow)].count(True) == 1
    with arena.database.transaction() as session:
        captain = session.scalars(select(MembershipRow).where(MembershipRow.captain)).one()
        assert session.get_one(AccountRow, captain.account_id).name == "Ann"
        assert session.get_one(AccountRow, captain.account_id).mail == "ann@example.org"
        assert session.scalars(select(EventRow.actor).where(EventRow.kind == "link")).all() == [boss.account_id] * 3
        stored = session.scalars(select(OneTimeLinkRow.code)).all()
        assert not set(stored) & {one.code for one in made}, "a code lies in the database"
    table = list(csv.reader(io.StringIO(people_links.as_csv(made, "https://cup.example").decode())))
    assert table[0] == ["name", "team", "mail", "link", "expires"]
    assert table[3][0] == "'=Cid"
    assert table[1][3] == f"https://cup.example/password?code={made[0].code}"


def test_nobody_logs_in_before_the_link_was_used(arena):
    boss = player(arena, "Boss", role="organiser")
    (made,) = admin.make_accounts(arena, boss, [ListedPerson("Ann")])
    for password in ("", "!", PASSWORD):
        with pytest.raises(NotLoggedIn):
            login.login(arena.database, "Ann", password, "1.2.3.4", arena.now())
    with arena.database.transaction() as session:
        links.set_password(session, made.code, passwords.hashed(PASSWORD), arena.now())
    assert login.login(arena.database, "Ann", PASSWORD, "1.2.3.4", arena.now()).name == "Ann"
    with pytest.raises(Refused, match="not valid"), arena.database.transaction() as session:
        links.set_password(session, made.code, passwords.hashed(PASSWORD * 2), arena.now())


def test_a_link_ends_with_its_time_with_another_one_and_with_the_account(arena):
    boss, ann = player(arena, "Boss", role="admin"), player(arena, "Ann")
    first, second = (admin.new_link(arena, boss, ann.account_id).code for _ in range(2))
    with arena.database.transaction() as session:
        with pytest.raises(Refused):
            links.owner(session, first, arena.now())
        assert links.owner(session, second, arena.now() + links.LIFE - timedelta(seconds=1)).name == "Ann"
        with pytest.raises(Refused):
            links.owner(session, second, arena.now() + links.LIFE)
    admin.set_disabled(arena, boss, ann.account_id)
    admin.set_disabled(arena, boss, ann.account_id, disabled=False)
    with arena.database.transaction() as session, pytest.raises(Refused):
        links.owner(session, second, arena.now())
    third = admin.new_link(arena, boss, ann.account_id).code
    admin.set_role(arena, boss, ann.account_id, "judge")
    with arena.database.transaction() as session, pytest.raises(Refused):
        links.owner(session, third, arena.now())


def test_a_used_link_ends_browsers_and_tokens(arena):
    boss, ann = player(arena, "Boss", role="admin"), player(arena, "Ann")
    with arena.database.transaction() as session:
        tokens.new_token(session, session.get_one(AccountRow, ann.account_id), "t", arena.now())
        session.add(BrowserSessionRow(id="x", account_id=ann.account_id, csrf="", expires=arena.now()))
    made = admin.new_link(arena, boss, ann.account_id)
    assert rows(arena, TokenRow)
    with arena.database.transaction() as session:
        links.set_password(session, made.code, passwords.hashed(PASSWORD), arena.now())
    assert not rows(arena, TokenRow)
    assert not rows(arena, BrowserSessionRow)
    assert not rows(arena, OneTimeLinkRow)


def test_nobody_makes_a_link_for_a_higher_rank(arena):
    boss, chief, ann = (
        player(arena, name, role=role) for name, role in (("Boss", "organiser"), ("Chief", "admin"), ("Ann", "player"))
    )
    for by, about in ((boss, chief), (boss, boss), (ann, boss), (ann, ann)):
        with pytest.raises(Refused):
            admin.new_link(arena, by, about.account_id)
    with pytest.raises(Absent):
        admin.new_link(arena, boss, "0" * 32)
    assert not rows(arena, OneTimeLinkRow)
    with pytest.raises(Refused):
        admin.make_accounts(arena, ann, [ListedPerson("Bob")])


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("name\nAnn\nANN\n", "line 3: this name is taken"),
        ("name\nTaken\n", "line 2: this name is taken"),
        ("name,mail\nAnn,ann@\n", "line 2: 'ann@' is no address"),
        ('name,mail\nAnn,"a@b.c, d@e.f"\n', "no address for mail"),
        ("name,team,division\nA,T,others\nB,T,\nC,T,\n", "line 4: the team has 2 members; at most 2"),
        ("name,team,division\nA,T,old\n", "line 2: division is 'old'; it takes one of students, others"),
        ("name,team,division\nA,,others\n", "name the team too"),
        ("name,team,division\nA,T,others\nB,t,students\n", "line 3: team 't' has another division"),
        ("name,team,division\nA,Old,others\n", "line 2: the team 'Old' is in another division"),
        ("nom\nA\n", "the first line of the file of people is 'nom'"),
        ("name,role\nA,admin\n", "the first line of the file of people"),
        ("name,team\nA\n", "line 2 of the file of people has 1 cells"),
        ('name\n"A\n', "cannot be read as CSV"),
        ("name\n", "the list has 0 people"),
        ("", "the first line"),
    ],
)
def test_one_mistake_and_nothing_is_made(make_arena, text, told):
    arena = make_arena(more='members_per_team = 2\ndivisions = ["students", "others"]')
    boss = player(arena, "Boss", role="organiser")
    player(arena, "Taken", "Old")
    before = len(rows(arena, AccountRow)), len(rows(arena, EventRow)), len(rows(arena, TeamRow))
    with pytest.raises(WrongInput) as refusal:
        admin.make_accounts(arena, boss, people_file.read(text.encode()))
    assert any(told in one for one in refusal.value.problems), refusal.value.problems
    assert before == (len(rows(arena, AccountRow)), len(rows(arena, EventRow)), len(rows(arena, TeamRow)))


def test_a_file_that_is_no_text_is_refused():
    for data in (b"\xff\xfe", b"name\nA\0\n"):
        with pytest.raises(WrongInput):
            people_file.read(data)


def test_from_the_desk_to_the_first_login(arena, web, another):
    account(arena, "Boss", "organiser")
    log_in(web, "Boss")
    token = csrf(web, "/desk/accounts")
    wrong = web.post(
        "/desk/accounts/people?lang=ja", data={"csrf": token}, files={"people": ("p.csv", b"name\nBoss\n")}
    )
    assert wrong.status_code == 422
    assert "2 行目：この名前はすでに使われています" in wrong.text
    page = web.post("/desk/accounts/people?lang=en", data={"csrf": token}, files={"people": ("p.csv", PEOPLE.encode())})
    found = re.findall(r"http://testserver/password\?code=[\w-]+", page.text)
    assert len(found) == 3
    ann = another()
    path = found[0].removeprefix("http://testserver")
    for _ in range(2):  # looking does not use it up
        shown = ann.get(path)
        assert "Your name here is Ann" in shown.text
    token = CSRF.search(shown.text).group(1)
    code = path.partition("=")[2]
    short = ann.post("/password", data={"csrf": token, "code": code, "new": "short"})
    assert short.status_code == 422
    done = ann.post("/password", data={"csrf": token, "code": code, "new": PASSWORD})
    assert done.headers["location"] == "/account?said=password_set"
    assert "Ann" in ann.get("/account").text
    again = another()
    assert again.get(path).status_code == 403
    token = csrf(again)
    assert again.post("/password", data={"csrf": token, "code": code, "new": PASSWORD}).status_code == 403
    assert log_in(again, "Ann").status_code == 303


def test_a_link_through_the_desk_and_the_api(arena, web):
    account(arena, "Boss", "organiser")
    ann = account(arena, "Ann")
    log_in(web, "Boss")
    token = csrf(web, "/desk/accounts")
    page = web.post(f"/desk/accounts/{ann}/link", data={"csrf": token})
    first = re.search(r"/password\?code=[\w-]+", page.text).group()
    assert web.get(first).status_code == 200
    head = {"x-csrf-token": token}
    answer = web.post(f"/api/v1/accounts/{ann}/link", headers=head).json()
    assert answer["name"] == "Ann"
    assert web.get(first).status_code == 403
    made = web.post("/api/v1/accounts", headers=head, json={"people": [{"name": "Bob"}, {"name": "bob"}]})
    assert made.status_code == 422
    assert "'bob': this name is taken" in str(made.json()["problems"])
    made = web.post("/api/v1/accounts", headers=head, json={"people": [{"name": "Bob", "team": "Rain"}]})
    assert made.status_code == 201
    assert made.json()["accounts"][0]["link"].startswith("http://testserver/password?code=")
