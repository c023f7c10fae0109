"""The arena on the command line for organisers: make, serve, examine and pack a competition."""

from __future__ import annotations

import os
import re
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
import tomllib
from pathlib import Path

import polars as pl
import pytest
from support.arena.fixtures import player, release_files
from support.arena.terminal import typed
from support.commands import run_icefire

from icefire import contests
from icefire.arena.contest.definition import Definition, Round, load
from icefire.arena.judge import worker

PASSWORD = "correct horse battery"


pytestmark = pytest.mark.usefixtures("at_home")


# --- init


@pytest.mark.parametrize("rules", contests.names())
def test_a_new_competition_can_be_opened_and_its_data_follow_the_rules(capsys, rules):
    done = run_icefire(capsys, "arena", "init", "c", "--rules", rules, "-n", 200, "--zone", "Asia/Tokyo")
    assert done.code == 0, done.err
    found = load(Path("c"))
    assert [(one.name, one.weight) for one in found.rounds] == [("preliminary", 0.4), ("final", 0.6)]
    data = [Path("c", one.data).read_bytes() for one in found.rounds]
    assert data[0] != data[1], "every round has data of its own"
    customers = ["--customers", Path("c", found.rounds[0].customers)] if found.rounds[0].customers else []
    again = run_icefire(
        capsys, "arena", "init", "own", "--rules", rules, "--data", Path("c", found.rounds[0].data), *customers
    )
    assert again.code == 0, again.err
    assert Path("own/original.csv").read_bytes() == data[0]
    assert not Path("own/rows.csv").exists()


def test_every_setting_there_is_stands_in_the_new_definition(capsys):
    run_icefire(capsys, "arena", "init", "c", "-n", 200)
    text = Path("c/contest.toml").read_text()
    for name in set(Definition.__struct_fields__) - {"custom"}:
        assert re.search(rf"^(# )?\[*{name}\b", text, re.MULTILINE), name
    for name in set(Round.__struct_fields__) - {"schema", "customers"}:
        assert re.search(rf"^{name} =", text, re.MULTILINE), name
    given = tomllib.loads(text)
    for name in set(given) - {"title", "rules", "zone", "round"}:
        assert getattr(load(Path("c")), name) == defaults()[name], f"{name} is not the default"


def defaults() -> dict[str, object]:
    made = Definition(title="", rules="")
    return {name: getattr(made, name) for name in Definition.__struct_fields__}


def test_a_final_on_site_takes_minutes_and_begins_when_it_is_told_to(capsys):
    done = run_icefire(
        capsys, "arena", "init", "c", "-n", 200, "--minutes", 20, "--zone", "Asia/Tokyo", "--starts", "2026-05-01T09:00"
    )
    assert done.code == 0, done.err
    (final,) = load(Path("c")).rounds
    begin = final.anonymise
    assert begin.isoformat() == "2026-05-01T00:00:00+00:00"
    assert [(at - begin).total_seconds() / 60 for at in final.starts().values()] == [0, 20, 22, 42]


def test_a_contest_of_one_s_own_takes_its_roles_or_guesses_them(capsys):
    pl.DataFrame(
        {"age": [20, 30, 40, 50] * 5, "job": ["a", "b"] * 10, "income": [float(n) for n in range(20)]}
    ).write_csv("mine.csv")
    assert run_icefire(capsys, "arena", "init", "c", "--rules", "custom", "--data", "mine.csv").code == 0
    assert load(Path("c")).custom == {"qi": ["age", "job"], "sa": ["income"]}
    done = run_icefire(
        capsys, "arena", "init", "d", "--rules", "custom", "--data", "mine.csv", "--qi", "job", "--sa", "age,income"
    )
    assert done.code == 0, done.err
    assert load(Path("d")).custom == {"qi": ["job"], "sa": ["age", "income"]}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--rules", "pwscup2051"], "did you mean 'pwscup20"),
        (["--zone", "Atlantis"], "such as Asia/Tokyo"),
        (["--starts", "tomorrow"], "2026-05-01T09:00"),
        (["--data", "missing.csv"], "does not exist"),
        (["--data", "bad.csv"], "column region: the column is missing"),
        (["--data", "bad.csv", "--rows", "200"], "leave it out where --data"),
        (["--data", "bad.csv", "--rules", "pwscup2016"], "needs --customers"),
        (["--customers", "bad.csv"], "goes with --data"),
        (["--rules", "custom"], "--data FILE"),
        (["--qi", "age"], "--rules custom"),
        (["--title", "two\nlines"], "on one line"),
    ],
)
def test_what_cannot_be_made_is_told_and_nothing_is_left(capsys, words, said):
    Path("bad.csv").write_text("a,b\n1,2\n")
    done = run_icefire(capsys, "arena", "init", "c", *words)
    assert (done.code, said in done.err, done.err.count("\n")) == (2, True, 1), done.err
    assert sorted(path.name for path in Path().iterdir()) == ["bad.csv"]


def test_nothing_is_written_over_what_is_there(capsys):
    Path("c").mkdir()
    assert run_icefire(capsys, "arena", "init", "c", "-n", 200).code == 0, "an empty folder may be filled"
    before = Path("c/contest.toml").read_bytes()
    done = run_icefire(capsys, "arena", "init", "c", "-n", 300)
    assert (done.code, "holds something already" in done.err) == (2, True)
    assert Path("c/contest.toml").read_bytes() == before


# --- people


def test_accounts_from_a_file_and_a_link_for_one_of_them(capsys):
    run_icefire(capsys, "arena", "init", "c", "-n", 200)
    Path("people.csv").write_text("name,team\nAnn,Snow\nBob,Snow\n")
    asked = run_icefire(capsys, "arena", "accounts", "c", "people.csv", "-o", "links.csv")
    assert (asked.code, Path("links.csv").exists()) == (2, False)
    assert "--address is ''; it takes the server's address" in asked.err
    done = run_icefire(
        capsys, "arena", "accounts", "c", "people.csv", "-o", "links.csv", "--address", "https://c.test/"
    )
    assert done.code == 0, done.err
    assert "links.csv: 2 accounts and their links" in done.out
    assert Path("links.csv").stat().st_mode & 0o777 == 0o600
    table = pl.read_csv("links.csv")
    assert table["name"].to_list() == ["Ann", "Bob"]
    assert table["link"].str.starts_with("https://c.test/password?code=").all()
    again = run_icefire(capsys, "arena", "accounts", "c", "people.csv", "-o", "more.csv", "--address", "https://c.test")
    assert (again.code, Path("more.csv").exists()) == (2, False)
    assert "line 2: this name is taken; choose another one (1 more like this); nothing was made" in again.err
    link = run_icefire(capsys, "arena", "link", "c", "ann", "--address", "https://c.test")
    assert re.fullmatch(r"https://c.test/password\?code=[\w-]{43}\n", link.out)
    assert run_icefire(capsys, "arena", "link", "c", "Zoe", "--address", "https://c.test").code == 2


# --- the host's other commands


def test_the_first_admin_is_made_by_hand(capsys, monkeypatch):
    run_icefire(capsys, "arena", "init", "c", "-n", 200)
    typed(monkeypatch, f"{PASSWORD}\n")
    done = run_icefire(capsys, "arena", "admin", "c", "boss")
    assert (done.code, done.out) == (0, "boss is admin of 'Anonymisation contest'\n"), done.err
    for text, said in ((f"{PASSWORD}\n", "taken"), ("short\n", "10 to 200 characters")):
        typed(monkeypatch, text)
        again = run_icefire(capsys, "arena", "admin", "c", "boss" if said == "taken" else "other")
        assert (again.code, said in again.err) == (2, True)


@pytest.mark.parametrize("command", ["serve", "worker", "doctor"])
def test_a_folder_that_is_none_is_one_line(capsys, command):
    done = run_icefire(capsys, "arena", command, "nowhere")
    assert (done.code, "no folder 'nowhere'" in done.err, done.err.count("\n")) == (2, True, 1)
    Path("empty").mkdir()
    done = run_icefire(capsys, "arena", command, "empty")
    assert (done.code, "icefire arena init" in done.err) == (2, True)


def test_a_database_that_is_away_is_one_line(capsys):
    run_icefire(capsys, "arena", "init", "c", "-n", 200)
    done = run_icefire(capsys, "arena", "doctor", "c", "--database", "postgresql://127.0.0.1:9/none")
    assert (done.code, "the database cannot be opened" in done.err, done.err.count("\n")) == (2, True, 1)


@pytest.mark.parametrize("command", ["serve", "worker"])
def test_nothing_is_served_as_root_unless_told(capsys, monkeypatch, command):
    monkeypatch.delenv("ICEFIRE_ARENA_AS_ROOT")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    done = run_icefire(capsys, "arena", command, "nowhere")
    assert (done.code, "--as-root" in done.err, done.err.count("\n")) == (2, True, 1)
    done = run_icefire(capsys, "arena", command, "nowhere", "--as-root")
    assert (done.code, "no folder 'nowhere'" in done.err) == (2, True)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    done = run_icefire(capsys, "arena", command, "nowhere")
    assert (done.code, "no folder 'nowhere'" in done.err) == (2, True)


def test_a_proxy_that_is_no_address_is_one_line(capsys):
    done = run_icefire(capsys, "arena", "serve", "c", "--behind-proxy", "127.0.0.1,yes")
    assert (done.code, "has 'yes'" in done.err, done.err.count("\n")) == (2, True, 1)


def test_what_is_made_is_for_its_owner_alone(capsys):
    run_icefire(capsys, "arena", "init", "c", "-n", 200)
    made = [Path("c"), *Path("c").rglob("*")]
    assert {stat.S_IMODE(path.stat().st_mode) for path in made} == {0o700, 0o600}


def test_a_port_in_use_is_one_line(capsys):
    run_icefire(capsys, "arena", "init", "c", "-n", 200)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = run_icefire(capsys, "arena", "serve", "c", "--port", port)
    assert (done.code, f"port {port} is in use" in done.err) == (2, True)
    done = run_icefire(capsys, "arena", "serve", "c", "--host", "203.0.113.7", "--port", 0)
    assert (done.code, "cannot listen" in done.err) == (2, True)


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_a_server_answers_and_stops_when_it_is_told_to(capsys, how):
    """A process of its own, with a live page open, as in real life."""
    import httpx

    run_icefire(capsys, "arena", "init", "c", "-n", 200)
    command = [sys.executable, "-m", "icefire", "arena", "serve", "c", "--port", "0", "--no-worker"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
        try:
            line = server.stdout.readline()
            address = re.search(r"http://\S+/", line).group()
            told = httpx.Client(timeout=60)
            with told.stream("GET", f"{address}events") as live:
                assert next(live.iter_lines()).startswith("event:")
                server.send_signal(how)
                _, errors = server.communicate(timeout=120)
        finally:
            server.kill()
    if how == signal.SIGINT:
        assert server.returncode == 0
        assert "stopped" in errors
    assert "first account with: icefire arena admin c NAME" in errors
    assert "the judge's child is confined: " in errors
    assert "Traceback" not in errors


def test_a_worker_judges_and_stops(arena, original):
    from icefire.arena.submit import ice

    receipt = ice.submit(arena, player(arena, "ann", "Snow"), "final", release_files(original))
    command = [sys.executable, "-m", "icefire", "arena", "worker", str(arena.folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as judge:
        try:
            assert in_the_end(lambda: state_of(arena, receipt.id) == "judged")
            judge.send_signal(signal.SIGINT)
            _, errors = judge.communicate(timeout=120)
        finally:
            judge.kill()
    assert judge.returncode == 0, errors


def state_of(arena, release_id) -> str:
    from icefire.arena.storage.tables import ReleaseRow

    with arena.database.reading() as session:
        return session.get(ReleaseRow, release_id).state


def test_a_task_that_is_cut_off_by_the_stop_waits_again(arena, monkeypatch):
    """The judge is at a task that never ends; the stop does not wait for it, and nobody has failed."""
    from icefire.arena import server as server_module
    from icefire.arena.judge import fork_client, sandbox

    busy, cut = threading.Event(), threading.Event()

    def endless(self, request, patience):
        busy.set()
        cut.wait(60)
        return {}

    client = fork_client.ForkServerClient()
    monkeypatch.setattr(sandbox, "_fork_server", client)
    monkeypatch.setattr(fork_client.ForkServerClient, "_ask", endless)
    monkeypatch.setattr(fork_client.ForkServerClient, "warm", lambda self, rules: None)
    monkeypatch.setattr(client, "close", cut.set)
    with server_module.judging(arena, 1):
        assert busy.wait(60)
        assert states(arena) == ["running"]
    assert in_the_end(lambda: states(arena) == ["waiting"])


def in_the_end(holds) -> bool:
    """Tell whether something comes true before patience runs out."""
    for _ in range(1800):
        if holds():
            return True
        time.sleep(0.1)
    return False


def states(arena) -> list[str]:
    from sqlalchemy import select

    from icefire.arena.storage.tables import JobRow

    with arena.database.reading() as session:
        return list(session.scalars(select(JobRow.state)))


def test_a_changed_line_of_the_log_is_found(arena, capsys):
    from sqlalchemy import text

    player(arena, "ann", "Snow")
    done = run_icefire(capsys, "arena", "audit", "verify", arena.folder)
    assert (done.code, "fine: 2 lines in one chain" in done.out) == (0, True), done.err
    with arena.database.transaction() as session:
        session.execute(text("UPDATE event SET actor = 'nobody' WHERE number = 1"))
    done = run_icefire(capsys, "arena", "audit", "verify", arena.folder)
    assert (done.code, "line 1 was changed" in done.err) == (2, True)


def test_the_doctor_finds_what_is_missing(arena, original, capsys):
    from icefire.arena.submit import ice

    boss = player(arena, "boss", role="admin")
    assert boss.organises
    receipt = ice.submit(arena, player(arena, "ann", "Snow"), "final", release_files(original))
    worker.finish(arena)
    healthy = run_icefire(capsys, "arena", "doctor", arena.folder)
    assert (healthy.code, healthy.out) == (0, "fine: nothing is wrong\n")
    arena.store.path("truth", receipt.id, "truth.csv").unlink()
    sick = run_icefire(capsys, "arena", "doctor", arena.folder)
    assert (sick.code, "error:" in sick.out, receipt.id in sick.out) == (1, True, True), sick.out


def test_a_bundle_goes_to_another_folder(arena, original, capsys):
    from icefire.arena.submit import ice

    ice.submit(arena, player(arena, "ann", "Snow"), "final", release_files(original))
    worker.finish(arena)
    done = run_icefire(capsys, "arena", "export", arena.folder, "-o", "all.zip")
    assert (done.code, done.out, "every secret" in done.err) == (0, "all.zip\n", True), done.err
    done = run_icefire(capsys, "arena", "import", "all.zip", "copy")
    assert done.code == 0, done.err
    assert load(Path("copy")).title == "Test"
    done = run_icefire(capsys, "arena", "import", "all.zip", "copy")
    assert done.code == 2


# --- without the extra


def test_the_help_does_not_load_the_web(capsys):
    script = "import sys; sys.argv = ['icefire', 'arena', 'init', '--help']\n"
    script += "from icefire.cli import main\ntry:\n    main()\nexcept SystemExit:\n    pass\nprint(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    heavy = {"fastapi", "sqlalchemy", "uvicorn", "httpx", "starlette", "msgspec", "polars", "cryptography"}
    assert "Usage: icefire arena init" in run.stdout
    assert not heavy & set(run.stdout.split())


@pytest.mark.parametrize("words", [["serve", "c"], ["login", "http://x", "--name", "a"], ["init", "c"]])
def test_without_the_extra_every_command_says_how_to_get_it(capsys, monkeypatch, words):
    from icefire.cli.arena import packages

    monkeypatch.setattr(packages, "find_spec", lambda name: None if name == "sqlalchemy" else object())
    done = run_icefire(capsys, "arena", *words)
    assert (done.code, done.err) == (
        2,
        "icefire: error: the arena needs sqlalchemy; install with: pip install 'icefire[arena]'\n",
    )
    assert run_icefire(capsys, "arena", words[0], "--help").code == 0
