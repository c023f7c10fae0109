"""The arena on the command line for players: log in, look, hand in, download, attack, verify receipts."""

from __future__ import annotations

import json
import os
import stat
import threading
from pathlib import Path

import polars as pl
import pytest
from support.arena.fixtures import BEGIN, DAY, lines, player, release_files
from support.arena.terminal import typed
from support.commands import run_icefire

from icefire.arena.auth import passwords, tokens
from icefire.arena.client import keyring
from icefire.arena.judge import worker
from icefire.arena.storage.tables import AccountRow

PASSWORD = "correct horse battery"
pytestmark = pytest.mark.usefixtures("at_home")


@pytest.fixture
def served(arena):
    """The competition on a port of this machine."""
    import uvicorn

    from icefire.arena import server as server_module
    from icefire.arena.web.app import create_app

    listener = server_module.listen("127.0.0.1", 0)
    server = uvicorn.Server(uvicorn.Config(create_app(arena, worker=False), log_level="critical"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    yield server_module.address(listener).rstrip("/")
    server.should_exit = True
    thread.join(10)


@pytest.fixture
def ann(arena):
    """A player with a password and a team."""
    made = player(arena, "ann", "Snow")
    with arena.database.transaction() as session:
        session.get(AccountRow, made.account_id).password = str(passwords.hashed(PASSWORD))
    return made


@pytest.fixture
def bob(arena, served, monkeypatch):
    """Another one, who plays by the environment: as_bob() becomes him."""
    made = player(arena, "bob", "Embers [bold]")
    with arena.database.transaction() as session:
        token = tokens.new_token(session, session.get(AccountRow, made.account_id), "test", arena.now())

    def become():
        monkeypatch.setenv(keyring.URL, served)
        monkeypatch.setenv(keyring.TOKEN, token)

    return become


def test_a_token_is_kept_where_only_its_owner_reads_it(served, ann, capsys, monkeypatch):
    typed(monkeypatch, "wrong password\n")
    done = run_icefire(capsys, "arena", "login", served, "--name", "ann")
    assert (done.code, "name or password is wrong" in done.err) == (2, True)
    assert keyring.find() is None
    typed(monkeypatch, f"{PASSWORD}\n")
    done = run_icefire(capsys, "arena", "login", served, "--name", "ann")
    assert done.code == 0, done.err
    path = keyring.place()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert PASSWORD not in path.read_text()
    kept = keyring.find(served)
    assert kept.token not in done.out + done.err
    assert run_icefire(capsys, "arena", "logout").code == 0
    assert keyring.find() is None
    monkeypatch.setenv(keyring.URL, served)
    monkeypatch.setenv(keyring.TOKEN, kept.token)
    assert "not valid" in run_icefire(capsys, "arena", "status").err, "the token is worthless now"
    assert run_icefire(capsys, "arena", "logout").code == 2


def test_without_a_login_one_is_asked_for(capsys):
    done = run_icefire(capsys, "arena", "status")
    assert (done.code, "icefire arena login URL" in done.err) == (2, True)


def test_a_server_that_is_away_is_one_line(capsys, monkeypatch):
    monkeypatch.setenv(keyring.URL, "http://127.0.0.1:9")
    done = run_icefire(capsys, "arena", "status")
    assert (done.code, "cannot be reached" in done.err, done.err.count("\n")) == (2, True, 1)


def test_the_whole_way_of_two_teams(arena, served, ann, bob, original, capsys, monkeypatch):
    typed(monkeypatch, f"{PASSWORD}\n")
    assert run_icefire(capsys, "arena", "login", served, "--name", "ann").code == 0
    files = release_files(original, noise=0.2)
    Path("Y.csv").write_bytes(files["released.csv"])
    Path("I.csv").write_bytes(files["correspondence.csv"])

    done = run_icefire(capsys, "arena", "submit", "Y.csv", "I.csv")
    assert done.code == 0, done.err
    (saved,) = Path().glob("Y-*.receipt.json")
    receipt = json.loads(saved.read_text())
    assert receipt["label"] in done.out
    assert receipt["sha256"] in done.out
    done = run_icefire(capsys, "arena", "receipt", "verify", saved, "Y.csv", "I.csv")
    assert (done.code, "genuine" in done.out, "these files" in done.out) == (0, True, True), done.err
    done = run_icefire(capsys, "arena", "receipt", "verify", saved, "I.csv", "Y.csv")
    assert (done.code, "the hash differs" in done.err) == (2, True)
    saved.write_text(json.dumps({**receipt, "team": "Embers"}))
    assert run_icefire(capsys, "arena", "receipt", "verify", saved, "--key", receipt["key"]).code == 2

    worker.finish(arena)
    done = run_icefire(capsys, "arena", "status")
    assert done.code == 0, done.err
    for words in ("Test: round final, phase anonymise", "1 of 3 releases in play", receipt["label"], "judged"):
        assert words in done.out, words

    arena.clock.set(BEGIN + 2.5 * DAY)
    bob()
    done = run_icefire(capsys, "arena", "download", "-o", "got")
    assert done.code == 0, done.err
    released = Path("got/final") / receipt["label"] / "released.csv"
    assert done.out.split() == ["got/final/original.csv", str(released)]
    assert pl.read_csv(released).height == 30
    Path("E.csv").write_bytes(lines([-1] * 29))
    done = run_icefire(capsys, "arena", "attack", receipt["label"], "E.csv")
    assert (done.code, "30" in done.err) == (2, True), "one answer for each row"
    Path("E.csv").write_bytes(lines(range(30)))
    done = run_icefire(capsys, "arena", "attack", receipt["label"].lower(), "E.csv")
    assert (done.code, "guess for" in done.out) == (0, True), done.err
    (told,) = Path().glob("E-*.receipt.json")
    assert run_icefire(capsys, "arena", "receipt", "verify", told, "E.csv").code == 0
    assert (
        "is a folder; the receipt is for a guess" in run_icefire(capsys, "arena", "receipt", "verify", told, "got").err
    )
    assert "one for each release" in run_icefire(capsys, "arena", "attack", receipt["label"], "E.csv").err
    assert "handed in" in run_icefire(capsys, "arena", "status").out
    worker.finish(arena)
    arena.clock.set(BEGIN + 3.5 * DAY)
    done = run_icefire(capsys, "arena", "status", "--json", "-")
    assert json.loads(done.out)["team"]["guesses"][0]["found"]["targets"] == 30
    assert "of 30" in run_icefire(capsys, "arena", "status").out


def test_a_bad_row_is_named_and_nothing_is_saved(arena, served, bob, original, capsys):
    bob()
    files = release_files(original)
    rows = files["released.csv"].decode().splitlines()
    rows[3] = rows[3].rpartition(",")[0] + ",many"
    Path("Y.csv").write_text("\n".join(rows))
    Path("I.csv").write_bytes(files["correspondence.csv"])
    done = run_icefire(capsys, "arena", "submit", "Y.csv", "I.csv")
    assert (done.code, "row 2, column social" in done.err) == (2, True)
    assert all(line.startswith("icefire: error: ") for line in done.err.splitlines())
    assert list(Path().glob("*.receipt.json")) == []


def test_a_release_folder_is_handed_in_and_withdrawn(arena, served, bob, original, capsys):
    bob()
    files = release_files(original)
    Path("release").mkdir()
    Path("release.secret").mkdir()
    Path("release/released.csv").write_bytes(files["released.csv"])
    Path("release.secret/truth.csv").write_bytes(files["correspondence.csv"])
    done = run_icefire(capsys, "arena", "submit", "release")
    assert done.code == 0, done.err
    (saved,) = Path().glob("release-*.receipt.json")
    label = json.loads(saved.read_text())["label"]
    assert run_icefire(capsys, "arena", "withdraw", label).code == 0
    assert run_icefire(capsys, "arena", "withdraw", label).code == 2
    done = run_icefire(capsys, "arena", "withdraw", "NONE")
    assert (done.code, label in done.err) == (2, True)
    assert "CORRESPONDENCE is missing" in run_icefire(capsys, "arena", "submit", "release/released.csv").err
    assert run_icefire(capsys, "arena", "submit", "release", "--round", "semi").code == 2


def test_a_recipe_is_handed_in_only_if_it_is_named(arena, served, bob, original, capsys):
    bob()
    files = release_files(original)
    Path("release").mkdir()
    Path("release.secret").mkdir()
    Path("release/released.csv").write_bytes(files["released.csv"])
    Path("release.secret/truth.csv").write_bytes(files["correspondence.csv"])
    recipe = Path("release/recipe.toml")
    recipe.write_text('seed = 1\n[[step]]\nmethod = "shuffle"\n')
    assert (
        "recipe.toml: it has a seed" in run_icefire(capsys, "arena", "submit", "release", "--recipe", str(recipe)).err
    )
    assert run_icefire(capsys, "arena", "submit", "release").code == 0
    (plain,) = Path().glob("release-*.receipt.json")
    plain.rename("plain.json")
    recipe.write_text('[[step]]\nmethod = "shuffle"\n')
    assert run_icefire(capsys, "arena", "submit", "release", "--recipe", str(recipe)).code == 0
    (saved,) = Path().glob("release-*.receipt.json")
    verify = ("arena", "receipt", "verify", str(saved), "release")
    assert run_icefire(capsys, *verify, "--recipe", str(recipe)).code == 0
    assert run_icefire(capsys, *verify).code == 2
    kept = {json.loads(path.read_text())["id"]: path for path in (Path("plain.json"), saved)}
    assert [path for one, path in kept.items() if arena.store.has("handed", one, "recipe.toml")] == [saved]


def test_a_status_fits_a_narrow_terminal_and_shows_names_as_they_are(
    arena, served, ann, bob, original, capsys, monkeypatch
):
    from rich.console import Console

    from icefire.arena.client import Client
    from icefire.arena.submit import ice
    from icefire.report.text import arena_status

    made = player(arena, "eve", "[red]Eve[/red]")
    ice.submit(arena, made, "final", release_files(original))
    worker.finish(arena)
    arena.clock.set(BEGIN + 3.5 * DAY)
    bob()
    with Client(*keyring.which()) as client:
        found = client.status()
    for width in (40, 80, 160):
        console = Console(width=width, record=True, file=open(os.devnull, "w"))  # noqa: SIM115
        arena_status.show(found, console)
        text = console.export_text()
        assert all(len(line) <= width for line in text.splitlines())
        assert width < 80 or "[red]Eve[/red]" in text


@pytest.mark.parametrize("field", ["key", "signature"])
def test_a_file_without_key_or_signature_is_no_receipt(field, capsys):
    whole = {
        "kind": "release",
        "id": "0" * 32,
        "round": "final",
        "label": "Y1",
        "team": "Snow",
        "sha256": "0" * 64,
        "at": "2026-05-01T10:00:00Z",
        "key": "aGVsbG8=",
        "signature": "aGVsbG8=",
    }
    Path("r.json").write_text(json.dumps({name: value for name, value in whole.items() if name != field}))
    done = run_icefire(capsys, "arena", "receipt", "verify", "r.json", "--key", "aGVsbG8=")
    assert done.code == 2
    assert "'r.json' is no receipt: " in done.err
    assert f"missing required field `{field}`" in done.err
    Path("r.json").write_text(json.dumps(whole))
    assert "was not signed" in run_icefire(capsys, "arena", "receipt", "verify", "r.json", "--key", "aGVsbG8=").err
