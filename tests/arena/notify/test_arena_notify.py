"""Messages outside on phase changes: mail through a real SMTP server, webhooks to a real HTTP server."""

from __future__ import annotations

import hashlib
import hmac
import json
import socket
import sqlite3
import threading
from datetime import timedelta
from email import message_from_bytes
from email.policy import default
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from aiosmtpd.controller import Controller
from sqlalchemy import select
from sqlalchemy.exc import OperationalError
from support.arena.fixtures import BEGIN, DAY, player

from icefire.arena import admin
from icefire.arena.boards import freezing
from icefire.arena.contest import settings
from icefire.arena.errors import Refused
from icefire.arena.notify import outbox, sender, sending
from icefire.arena.storage.tables import AccountRow, DeliveryRow
from icefire.core.errors import InputError

SECRET = "a secret for the webhook"


class Hook(BaseHTTPRequestHandler):
    """Keeps what it gets and answers with the next status of its server."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        self.server.got.append((dict(self.headers), body))
        self.send_response(self.server.answers.pop(0) if self.server.answers else 204)
        self.end_headers()

    def log_message(self, *_):
        pass


@pytest.fixture
def hook():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Hook)
    server.got, server.answers = [], []
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def smtp():
    class Box:
        def __init__(self):
            self.letters, self.refuse = [], False

        async def handle_DATA(self, server, session, envelope):  # noqa: N802 - so aiosmtpd calls it
            if self.refuse:
                return "451 later"
            self.letters.append((envelope.rcpt_tos, message_from_bytes(envelope.content, policy=default)))
            return "250 OK"

    box = Box()
    with socket.create_server(("127.0.0.1", 0)) as free:
        box.port = free.getsockname()[1]
    controller = Controller(box, hostname="127.0.0.1", port=box.port)
    controller.start()
    yield box
    controller.stop()


@pytest.fixture
def hooked(make_arena, hook, monkeypatch):
    """A competition with a webhook that has caught up with its log."""
    monkeypatch.setenv(settings.WEBHOOK_SECRET, SECRET)
    arena = make_arena(more=f'[webhook]\nurl = "http://127.0.0.1:{hook.server_address[1]}/hook"')
    freezing.keep_up(arena)
    sender.step(arena)
    return arena


def messages(arena):
    with arena.database.reading() as session:
        return session.scalars(select(DeliveryRow).order_by(DeliveryRow.created, DeliveryRow.id)).all()


def test_what_was_before_is_not_told(hooked, hook):
    assert hook.got == []
    assert messages(hooked) == []


def test_a_phase_that_begins_is_told_once_and_signed(hooked, hook):
    hooked.clock.set(BEGIN + DAY)
    freezing.keep_up(hooked)
    for _ in range(3):
        sender.step(hooked)
    ((headers, body),) = hook.got
    told = json.loads(body)
    assert (told["event"], told["round"], told["phase"], told["title"]) == ("begun", "final", "freeze", "Test")
    at, _, made = headers[sending.SIGNATURE].removeprefix("t=").partition(",v1=")
    assert hmac.new(SECRET.encode(), f"{at}.".encode() + body, hashlib.sha256).hexdigest() == made
    assert headers[sending.MESSAGE] == told["id"]
    assert int(at) == int(hooked.now().timestamp())
    (row,) = messages(hooked)
    assert (row.state, row.body, row.tries) == ("sent", {}, 1)


def test_moving_pausing_and_going_on_are_told(hooked, hook):
    boss = player(hooked, "Boss", role="organiser")
    admin.extend(hooked, boss, "final", "freeze", 10)
    admin.pause(hooked, boss)
    admin.resume(hooked, boss)
    admin.announce(hooked, boss, "not a phase")
    sender.step(hooked)
    told = [json.loads(body) for _, body in hook.got]
    assert sorted(one["event"] for one in told) == ["moved", "paused", "resumed"]
    moved = next(one for one in told if one["event"] == "moved")
    assert set(moved["starts"]) == {"freeze", "attack", "reveal"}


def test_a_failure_is_tried_again_later_and_later_and_then_given_up(hooked, hook):
    hooked.clock.set(BEGIN + DAY)
    freezing.keep_up(hooked)
    hook.answers[:] = [500] * 99
    sender.step(hooked)
    assert len(hook.got) == 1
    sender.step(hooked)
    assert len(hook.got) == 1, "it did not wait"
    for count, delay in enumerate(outbox.DELAYS, start=1):
        (row,) = messages(hooked)
        assert (row.tries, row.state, row.error) == (count, "waiting", "the server answered 500")
        hooked.clock.move(timedelta(seconds=delay - 1))
        sender.step(hooked)
        assert len(hook.got) == count
        hooked.clock.move(timedelta(seconds=1))
        sender.step(hooked)
        assert len(hook.got) == count + 1
    (row,) = messages(hooked)
    assert row.state == "given_up"
    hooked.clock.move(DAY)
    sender.step(hooked)
    assert len(hook.got) == len(outbox.DELAYS) + 1


def test_a_server_that_is_away_or_sends_on_elsewhere_has_not_got_it(hooked, hook):
    hooked.clock.set(BEGIN + DAY)
    freezing.keep_up(hooked)
    hook.answers[:] = [302]
    sender.step(hooked)
    assert messages(hooked)[0].error == "the server answered 302"
    hook.shutdown()
    hook.server_close()
    hooked.clock.move(timedelta(seconds=outbox.DELAYS[0]))
    sender.step(hooked)
    assert "ConnectError" in messages(hooked)[0].error


def test_two_servers_send_a_message_once(hooked, hook):
    hooked.clock.set(BEGIN + DAY)
    freezing.keep_up(hooked)
    outbox.follow(hooked)
    assert len(outbox.take_due(hooked)) == 1
    assert outbox.take_due(hooked) == []
    hooked.clock.move(outbox.LEASE)
    assert len(outbox.take_due(hooked)) == 1, "a dead server's message is lost"


def test_the_thread_of_the_server_sends_by_itself(hooked, hook):
    hooked.clock.set(BEGIN + DAY)
    with sender.delivering(hooked):
        freezing.keep_up(hooked)
        waiting = threading.Event()
        for _ in range(200):
            if hook.got:
                break
            waiting.wait(0.05)
    assert len(hook.got) == 1


def test_a_database_that_is_away_is_one_line_of_the_log(hooked, monkeypatch, caplog):
    asked = threading.Event()

    def away(arena):
        asked.set()
        raise OperationalError("select", {}, sqlite3.OperationalError("unable to open database file"))

    monkeypatch.setattr(sender, "step", away)
    with sender.delivering(hooked):
        assert asked.wait(10)
    sender_said = [one for one in caplog.records if one.exc_info]
    assert sender_said == [], "a traceback for what is no fault"


def test_mail_goes_to_everybody_with_an_address_in_both_languages(make_arena, smtp):
    arena = make_arena(
        more='address = "https://cup.example"\n[mail]\nhost = "127.0.0.1"\nsender = "cup@example.org"\n'
        f'security = "none"\nport = {smtp.port}'
    )
    people = [player(arena, name) for name in ("Ann", "Bob", "Cid")]
    with arena.database.transaction() as session:
        for one in people[:2]:
            session.get_one(AccountRow, one.account_id).mail = f"{one.name.lower()}@example.org"
        session.get_one(AccountRow, people[1].account_id).disabled = True
    freezing.keep_up(arena)
    sender.step(arena)
    arena.clock.set(BEGIN + 2 * DAY)
    freezing.keep_up(arena)
    smtp.refuse = True
    sender.step(arena)
    assert smtp.letters == []
    assert "451" in messages(arena)[0].error
    smtp.refuse = False
    arena.clock.move(timedelta(seconds=outbox.DELAYS[0]))
    sender.step(arena)
    assert [to for to, _ in smtp.letters] == [["ann@example.org"]] * 2
    letters = {letter["subject"]: letter for _, letter in smtp.letters}
    attack = letters["Test: attack has begun / 攻撃フェーズ開始"]
    assert attack["from"] == "cup@example.org"
    said = attack.get_content()
    assert 'In the round "final" the phase "attack" has begun.' in said
    assert "ラウンド「決勝」の「攻撃」フェーズが始まりました。" in said
    assert said.count("https://cup.example") == 2


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ('[webhook]\nurl = "http://example.org/hook"', "webhook.url"),
        ('[webhook]\nurl = "https://user:pass@example.org/"', "webhook.url"),
        ('[webhook]\nurl = "file:///etc/passwd"', "webhook.url"),
        ('[mail]\nhost = "h"\nsender = "nobody"', "mail.sender"),
        ('[mail]\nhost = "mail.example.org"\nsender = "a@b.c"\nsecurity = "none"', "use starttls"),
        ('[mail]\nhost = "127.0.0.1"\nsender = "a@b.c"\nsecurity = "none"\nuser = "u"', "use starttls"),
        ("[server]\ncheck_seconds = 0", "server.check_seconds"),
        ("[server]\nfailures = { nothing = 3 }", "server.failures"),
        ("[server]\nfailures = { address = 0 }", "server.failures"),
    ],
)
def test_settings_that_cannot_be_used_are_refused(make_arena, more, told):
    with pytest.raises(InputError, match=told):
        make_arena(more=more)


def test_without_its_secret_the_server_does_not_begin(hooked, monkeypatch):
    monkeypatch.setenv(settings.WEBHOOK_SECRET, "short")
    with pytest.raises(InputError, match=settings.WEBHOOK_SECRET), sender.delivering(hooked):
        pass


def test_links_of_new_accounts_come_by_mail_and_are_not_kept(make_arena, smtp):
    arena = make_arena(more=f'[mail]\nhost = "127.0.0.1"\nsender = "c@d.e"\nsecurity = "none"\nport = {smtp.port}')
    boss = player(arena, "Boss", role="organiser")
    people = [admin.ListedPerson("Ann", mail="ann@example.org"), admin.ListedPerson("Bob")]
    made = admin.make_accounts(arena, boss, people, "https://cup.example")
    sender.step(arena)
    ((to, letter),) = smtp.letters
    assert to == ["ann@example.org"]
    assert f"https://cup.example/password?code={made[0].code}" in letter.get_content()
    assert made[0].code not in str([one.body for one in messages(arena)])
    plain = make_arena()
    boss = player(plain, "Boss", role="organiser")
    with pytest.raises(Refused, match="sends no mail"):
        admin.make_accounts(plain, boss, people, "https://cup.example")


def test_organisers_see_messages_and_try_again(hooked, hook):
    boss, ann = player(hooked, "Boss", role="organiser"), player(hooked, "Ann")
    hooked.clock.set(BEGIN + DAY)
    freezing.keep_up(hooked)
    outbox.follow(hooked)
    with hooked.database.transaction() as session:
        session.scalars(select(DeliveryRow)).one().state = "given_up"
    sender.step(hooked)
    assert hook.got == []
    assert [one.state for one in admin.deliveries(hooked, boss)] == ["given_up"]
    with pytest.raises(Refused):
        admin.deliveries(hooked, ann)
    assert admin.send_again(hooked, boss) == 1
    sender.step(hooked)
    assert len(hook.got) == 1
