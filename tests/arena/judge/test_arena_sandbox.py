"""The judge works in a child process that has nothing but the files of its task, and gives up nothing but a result."""

from __future__ import annotations

import gzip
import io
import json
import os
import signal
import subprocess
import sys
import threading
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import icefire
from icefire.arena.errors import TooLarge
from icefire.arena.judge import fork_server, sandbox
from icefire.arena.judge.confinement import TaskLimits
from icefire.arena.judge.fork_client import Ended, NoForkServer
from icefire.arena.judge.sandbox import JudgeFailed

RULES = {"rules": "pwscup2015"}
linux = pytest.mark.skipif(sys.platform != "linux", reason="processes are forked and walled in on Linux only")


def csv(frame) -> bytes:
    return frame.write_csv().encode()


def lines(numbers) -> bytes:
    return "".join(f"{number}\n" for number in numbers).encode()


@pytest.fixture(scope="module")
def handed_in():
    original = icefire.sample("households", 60).frame
    order = np.random.default_rng(4).permutation(60)[:50]
    return {
        "original.csv": csv(original),
        "released.csv": csv(original[order]),
        "correspondence.csv": lines(order),
    }


@pytest.fixture(scope="module")
def taken_in(handed_in):
    return sandbox.run_task("receive", handed_in, **RULES, seed=5)


# --- the three tasks


def test_a_right_release_is_shuffled_and_its_truth_moves_with_it(handed_in, taken_in):
    assert taken_in.result["problems"] == []
    assert taken_in.result["rows"] == 50
    assert sorted(taken_in.files) == ["released.csv", "truth.csv"]
    assert taken_in.files["released.csv"] != handed_in["released.csv"]
    assert taken_in.files["truth.csv"] != handed_in["correspondence.csv"]
    original = handed_in["original.csv"].decode().splitlines()[1:]
    shown = taken_in.files["released.csv"].decode().splitlines()[1:]
    truth = [int(row) for row in taken_in.files["truth.csv"].split()]
    assert shown == [original[row] for row in truth]


def test_a_wrong_release_is_told_row_and_column(handed_in):
    broken = handed_in | {"correspondence.csv": lines([0, 0, *range(2, 50)])}
    found = sandbox.run_task("receive", broken, **RULES, seed=5)
    assert found.result["problems"] == [
        "correspondence.csv: row 1, column original: '0' is not allowed; each row of the original once"
    ]
    assert found.files == {}


def test_a_release_is_judged_and_a_guess_scored(handed_in, taken_in):
    given = {"original.csv": handed_in["original.csv"], **taken_in.files}
    judged = sandbox.run_task("judge", given, **RULES, seed=1).result
    assert judged["attacks"]["EUC1"]["rate"] == 1.0
    assert judged["measures"]["U6"]["value"] == 10
    truth = [int(row) for row in taken_in.files["truth.csv"].split()]
    scored = sandbox.run_task("guess", given | {"guess.csv": lines([-1, *truth[1:]])}, **RULES, targets=50).result
    assert (scored["hits"], scored["targets"]) == (49, 50)


def test_files_may_be_given_as_paths(handed_in, tmp_path):
    (tmp_path / "x").write_bytes(handed_in["original.csv"])
    found = sandbox.run_task("receive", handed_in | {"original.csv": tmp_path / "x"}, **RULES, seed=5)
    assert found.result["problems"] == []


# --- limits


def test_what_takes_too_long_is_the_submissions_fault(handed_in):
    with pytest.raises(TooLarge, match=r"longer than 0\.001 seconds"):
        sandbox.run_task("receive", handed_in, TaskLimits(seconds=0.001), **RULES, seed=5)


def test_what_needs_too_much_memory_is_the_submissions_fault(handed_in):
    with pytest.raises(TooLarge, match="more memory or time"):
        sandbox.run_task(
            "receive", handed_in | {"released.csv": b"1" * 50_000_000}, TaskLimits(memory=1 << 20), **RULES, seed=5
        )


def test_a_library_that_dies_for_want_of_memory_is_the_submissions_fault():
    table = csv(icefire.sample("households", 500).frame)
    given = {"original.csv": table, "released.csv": table, "truth.csv": lines(range(500))}
    with pytest.raises(TooLarge, match="more memory or time"):
        sandbox.run_task("judge", given, TaskLimits(memory=1 << 20), **RULES, seed=5)


@pytest.mark.parametrize("said", ["MemoryError", "could not spawn threads: ThreadPoolBuildError { kind: IOError(Os …"])
def test_whatever_a_library_says_at_the_limit_of_memory_it_is_the_submissions_fault(tmp_path, said):
    (tmp_path / "said.txt").write_text(f"Traceback …\n{said}", encoding="utf-8")
    with pytest.raises(TooLarge, match="more memory or time"):
        sandbox._check(Ended(1), tmp_path / "said.txt", TaskLimits())


def test_what_writes_too_much_is_the_submissions_fault(handed_in):
    with pytest.raises(TooLarge, match="more memory or time"):
        sandbox.run_task("receive", handed_in, TaskLimits(file_size=4000), **RULES, seed=5)


def test_a_broken_task_is_the_judges_fault(handed_in):
    with pytest.raises(JudgeFailed, match="no such task"):
        sandbox.run_task("no such task", handed_in, **RULES)


# --- bombs: whatever is sent, there is a sentence about it, and the next task runs


def packed() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("released.csv", b"0" * 10_000_000)
    return out.getvalue()


BOMBS = {
    "one huge line": (b"1" * 20_000_000, "line 1 has 20,000,000 bytes"),
    "a million columns": (b"a," * 1_000_000 + b"a\n", "line 1 has 2,000,001 bytes"),
    "ten thousand columns": (b",".join(b"%d" % n for n in range(10_000)) + b"\n", "the first line has 10,000 columns"),
    "a million rows": (b"1\n" * 1_000_000, "1,000,000 lines; at most 61 are taken"),
    "a zero byte": (b"a,b\n1,\x002\n", "byte 6 is zero"),
    "no UTF-8": (b"a,b\n\xff\xfe,2\n", "byte 4 is not UTF-8"),
    "gzip": (gzip.compress(b"0" * 10_000_000), "this is gzip"),
    "zip": (packed(), "this is zip or a spreadsheet"),
    "Parquet": (b"PAR1" + b"\x15\x04" * 100 + b"PAR1", "this is Parquet"),
    "nothing": (b"", "the file is empty"),
    "only spaces": (b" \n\n\n", "the file is empty"),
    "an open quotation mark": (b'"' + b"x,\n" * 50, "released.csv"),
    "nested beyond reason": (b"[" * 90_000 + b"\n", "the column is missing"),
    "only a header": (None, "the release has 0"),
}


@pytest.mark.parametrize("what", BOMBS)
def test_bombs_are_refused_with_a_reason(handed_in, what):
    content, said = BOMBS[what]
    header = handed_in["original.csv"].partition(b"\n")[0] + b"\n"
    given = handed_in | {"released.csv": header if content is None else content}
    found = sandbox.run_task("receive", given, TaskLimits(seconds=20), **RULES, seed=5).result
    assert found["problems"], what
    assert any(said in problem for problem in found["problems"])
    assert all(len(problem) < 500 and problem.isprintable() for problem in found["problems"])


@pytest.mark.parametrize("name", ["correspondence.csv", "guess.csv"])
@pytest.mark.parametrize("what", ["one huge line", "a million rows", "a zero byte", "no UTF-8", "gzip", "nothing"])
def test_bombs_in_short_files_are_refused_too(handed_in, name, what):
    task, more = ("guess", {"targets": 50}) if name == "guess.csv" else ("receive", {"seed": 5})
    found = sandbox.run_task(task, handed_in | {name: BOMBS[what][0]}, **RULES, **more).result
    assert len(found["problems"]) == 1
    assert found["problems"][0].startswith(f"{name}: ")


def test_numbers_too_large_to_add_up_are_no_failure_of_the_judge(handed_in):
    rows = handed_in["original.csv"].decode().splitlines()
    huge = [rows[0], *(",".join([*row.split(",")[:-1], "1e308"]) for row in rows[1:])]
    given = handed_in | {"released.csv": "\n".join(huge).encode(), "truth.csv": lines(range(60))}
    taken = sandbox.run_task("receive", given | {"correspondence.csv": lines(range(60))}, **RULES, seed=5)
    assert taken.result["problems"] == []
    judged = sandbox.run_task("judge", given, **RULES, seed=5).result
    assert judged["measures"]["U1"]["value"] is None or np.isfinite(judged["measures"]["U1"]["value"])
    assert any(sentence.startswith("U") for sentence in judged["broken"])


# --- the process


@linux
def test_tasks_are_forked_and_many_at_once_are_kept_apart(handed_in, monkeypatch):
    monkeypatch.setattr(sandbox, "_afresh", lambda *_: pytest.fail("started afresh"))

    def one(seed):
        return sandbox.run_task("receive", handed_in, **RULES, seed=seed).files["truth.csv"]

    with ThreadPoolExecutor(6) as pool:
        made = list(pool.map(one, [1, 2, 3, 1, 2, 3]))
    assert made[:3] == made[3:]
    assert len(set(made)) == 3


def test_where_nothing_can_be_forked_a_process_is_started_afresh(handed_in, taken_in, monkeypatch):
    def refuses(*_):
        raise NoForkServer("not here")

    monkeypatch.setattr(sandbox._fork_server, "run_task", refuses)
    monkeypatch.setattr(sandbox, "_compile_first", lambda _: None)
    found = sandbox.run_task("receive", handed_in, **RULES, seed=5)
    assert found.files == taken_in.files
    assert found.result == taken_in.result  # with the same walls
    with pytest.raises(TooLarge, match=r"longer than 0\.05 seconds"):
        sandbox.run_task("receive", handed_in, TaskLimits(seconds=0.05), **RULES, seed=5)


@linux
def test_a_fork_server_that_died_is_replaced(handed_in, taken_in):
    first = sandbox._fork_server._process
    os.kill(first.pid, signal.SIGKILL)
    assert sandbox.run_task("receive", handed_in, **RULES, seed=5).files == taken_in.files
    assert sandbox._fork_server._process.pid != first.pid


def children_of(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def wait_until(true) -> None:
    end = time.monotonic() + 20
    while not true():
        assert time.monotonic() < end, "it never came true"
        time.sleep(0.02)


@linux
def test_a_server_killed_without_warning_leaves_no_process_behind(tmp_path):
    server = subprocess.Popen([sys.executable, "-c", SERVER], stdout=subprocess.PIPE, text=True, cwd=tmp_path)
    born = int(server.stdout.readline())
    handles = os.listdir(f"/proc/{born}/fd")
    server.kill()
    server.wait()
    wait_until(lambda: not Path(f"/proc/{born}").exists())
    assert len(handles) <= 8  # the three standard ones, its socket and what it waits with


SERVER = """
import contextlib, socket, time
from icefire.arena.judge import sandbox
doors = [socket.create_server(("127.0.0.1", 0)) for _ in range(20)]
with contextlib.suppress(sandbox.JudgeFailed):
    sandbox.run_task("no such task", {})
print(sandbox._fork_server._process.pid, flush=True)
time.sleep(60)
"""


@pytest.fixture
def endless(handed_in, taken_in, tmp_path):
    """A folder whose original never comes to an end: a pipe nobody writes to."""
    (tmp_path / "in").mkdir()
    (tmp_path / "out").mkdir()
    for name, content in handed_in.items():
        (tmp_path / "in" / name).write_bytes(content)
    (tmp_path / "in" / "original.csv").unlink()
    os.mkfifo(tmp_path / "in" / "original.csv")
    (tmp_path / "options.json").write_text(json.dumps({**RULES, "seed": 1}))
    return tmp_path


def gone(pid: int) -> bool:
    stat = Path(f"/proc/{pid}/stat")
    return not stat.exists() or stat.read_text().rpartition(") ")[2][0] == "Z"


@linux
def test_a_child_ends_when_its_time_is_up(endless):
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(sandbox._fork_server.run_task, "receive", endless, TaskLimits(seconds=3), None)
        born = sandbox._fork_server._process.pid
        wait_until(lambda: children_of(born))
        (child,) = children_of(born)
        wait_until(lambda: os.getsid(child) == child)
        assert waiting.result() == Ended(-signal.SIGKILL, late=True)
    assert gone(child)
    assert not gone(born)


@linux
def test_a_child_ends_with_the_fork_server(endless):
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(sandbox._fork_server.run_task, "receive", endless, TaskLimits(seconds=3), None)
        born = sandbox._fork_server._process.pid
        wait_until(lambda: children_of(born))
        (child,) = children_of(born)
        wait_until(lambda: os.getsid(child) == child)
        os.kill(born, signal.SIGKILL)
        wait_until(lambda: gone(child))
        assert waiting.result().late  # another fork server had its try


def test_a_thread_nobody_knows_is_seen_before_a_fork():
    stop = threading.Event()
    stranger = threading.Thread(target=stop.wait, name="stranger")
    stranger.start()
    try:
        assert fork_server.threads_awake()
    finally:
        stop.set()
        stranger.join()


PROBES = """
import json, os, socket, subprocess, sys
from pathlib import Path
from icefire.arena.judge.confinement import TaskLimits, confine
place, secret = Path(sys.argv[1]), Path(sys.argv[2])
def works(function):
    try:
        function()
    except (OSError, MemoryError) as error:
        return False
    return True
cut_off = confine(place, TaskLimits())
print(json.dumps({
    "cut_off": cut_off,
    "own file": works(lambda: (place / "mine").write_text("x") and (place / "mine").read_text()),
    "secret": works(secret.read_text),
    "listing": works(lambda: os.listdir(secret.parent)),
    "elsewhere": works(lambda: (secret.parent / "new").write_text("x")),
    "socket": works(lambda: socket.create_connection(("127.0.0.1", int(sys.argv[3])), 1)),
    "program": works(lambda: subprocess.run(["true"])),
    "signal": works(lambda: os.kill(os.getppid(), 0)),
    "memory": works(lambda: bytearray(5 << 30)),
    "environment": works(lambda: Path(f"/proc/{os.getppid()}/environ").read_bytes()),
    "niceness": os.getpriority(os.PRIO_PROCESS, 0),
}))
"""


@linux
def test_a_confined_process_can_do_nothing_but_its_sums(tmp_path):
    place, vault = tmp_path / "place", tmp_path / "vault"
    place.mkdir()
    vault.mkdir()
    (vault / "truth.csv").write_text("0\n")
    with __import__("socket").create_server(("127.0.0.1", 0)) as door:
        port = str(door.getsockname()[1])
        command = [sys.executable, "-c", PROBES, str(place), str(vault / "truth.csv"), port]
        told = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    assert told["own file"]
    assert not told["memory"]
    assert told["niceness"] == 10
    if {"network", "programs"} & set(told["cut_off"]):
        assert not told["socket"]
    if "programs" in told["cut_off"]:
        assert not told["program"]
    if "files" in told["cut_off"]:
        assert not any(told[what] for what in ("secret", "listing", "elsewhere", "environment"))


@linux
def test_the_walls_stand_here(handed_in, taken_in):
    """Told, so that a system without them shows it."""
    missing = {"network", "files", "programs"} - set(taken_in.result["cut_off"])
    if missing:
        pytest.skip(f"this system cannot cut a process off from: {', '.join(sorted(missing))}")


@linux
def test_the_judge_gets_nothing_of_the_servers_environment(monkeypatch):
    from icefire.arena.judge import fork_client

    monkeypatch.setenv("ICEFIRE_ARENA_DATABASE", "postgresql://secret")
    assert "secret" not in " ".join(fork_client.environment().values())
