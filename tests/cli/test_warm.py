"""icefire warm: says what it compiled; afterwards an audit compiles nothing."""

import os
import re
import subprocess
import sys

import pytest
from support.commands import run_icefire

import icefire
from icefire.audit.compiling import compile_ahead, second_process
from icefire.kernels.common.compilation import counted_compilations
from icefire.kernels.common.interpreted import always_compiled
from icefire.kernels.linkage import ascent, balancing, best_candidates, channels

LINE = r"([\d,]+) functions? compiled for ([\d,]+) types of arguments: ([\d.]+) CPU s of ([\d.]+) s in all\."


@pytest.mark.heavy
def test_afterwards_an_audit_compiles_nothing(capsys):
    done = run_icefire(capsys, "warm")
    assert done.code == 0, done.err
    figures = re.search(LINE, done.out)
    assert figures, done.out
    assert "cache" in done.err
    assert int(figures[1]) <= int(figures[2])
    survey = icefire.sample("households", 60)
    with counted_compilations() as compilations:
        icefire.audit(survey, icefire.anonymize(survey, {"steps": [{"method": "noise", "scale": 0.1}]}, seed=1))
    assert compilations.specialisations == 0, compilations.functions


@pytest.fixture
def started(monkeypatch):
    """Commands of second processes; none is really started."""
    commands = []

    class Process:
        def __init__(self, command, **_):
            commands.append(command)

        def __enter__(self):
            return self

        def __exit__(self, *_):
            commands.append("left")

        def terminate(self):
            commands.append("ended")

    monkeypatch.setattr(second_process.subprocess, "Popen", Process)
    return commands


@pytest.mark.parametrize(
    ("cores", "rows", "steps"), [(2, 500, ["ended", "left"]), (1, 500, None), (None, 500, None), (2, 100, None)]
)
def test_a_second_process_runs_for_larger_tables_where_there_are_two_cores(monkeypatch, started, cores, rows, steps):
    monkeypatch.setattr(second_process.os, "cpu_count", lambda: cores)
    with second_process.compiling_ahead(rows):
        assert started == ([[sys.executable, "-c", second_process.CODE]] if steps else [])
    assert started[1:] == (steps or [])


@pytest.mark.parametrize(("threads", "cached", "count"), [(2, False, 1), (1, False, 0), (2, True, 0)])
def test_the_second_process_compiles_what_is_needed_next(monkeypatch, threads, cached, count):
    calls = []
    monkeypatch.setattr(compile_ahead.threads, "thread_count", lambda: threads)
    monkeypatch.setattr(compile_ahead, "is_cached", lambda function: cached)
    monkeypatch.setattr(compile_ahead, "compile_for_link", lambda: calls.append("compiled"))
    exec(second_process.CODE, {})
    assert len(calls) == count


def test_link_calls_its_functions_with_the_types_they_were_compiled_for():
    """A function that is compiled for other types in the second process would be compiled once more in the first."""
    with always_compiled():
        compile_ahead.compile_for_link()
    modules = (ascent, balancing, best_candidates, channels)
    functions = [value for module in modules for value in vars(module).values() if hasattr(value, "signatures")]
    # Tests in the same process may have compiled for types of their own.
    before = {function: set(function.signatures) for function in functions}
    survey = icefire.sample("households", 60)
    steps = [{"method": "k_anonymize", "k": 5}, {"method": "swap"}]
    released = icefire.anonymize(survey, {"steps": steps}, seed=1).released.frame
    with always_compiled():
        icefire.attack("link", survey, released, seed=1)
    assert {f.__name__: set(f.signatures) - before[f] for f in functions if set(f.signatures) != before[f]} == {}


def test_link_compiles_nothing_for_tables_that_need_no_second_process(tmp_path):
    """In a process and a cache of its own: functions that are compiled already are used on small tables, too."""
    code = (
        "import icefire\n"
        "from icefire.audit.compiling.second_process import SMALL\n"
        "from icefire.kernels.common.compilation import counted_compilations\n"
        "survey = icefire.sample('households', SMALL)\n"
        "steps = [{'method': 'k_anonymize', 'k': 5}, {'method': 'noise', 'scale': 0.3}]\n"
        "with counted_compilations() as compiled:\n"
        "    released = icefire.anonymize(survey, {'steps': steps}, seed=1).released.frame\n"
        "    icefire.attack('link', survey, released, seed=1)\n"
        "print(sorted(name for name in compiled.functions if '.linkage.' in name))\n"
    )
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path), "ICEFIRE_THREADS": "1"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
