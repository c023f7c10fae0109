"""The wheel alone, without any extra, in an environment of its own: the README's commands run, extras are named."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from support.places import ROOT

pytestmark = pytest.mark.heavy

TABLES = """
import polars as pl
rows = range(60)
table = {
    "age": [20 + i % 40 for i in rows],
    "region": ["nsew"[i % 4] for i in rows],
    "job": ["abc"[i % 3] for i in rows],
    "income": [1000 + 37 * i for i in rows],
    "rent": [300 + 11 * i for i in rows],
}
pl.DataFrame(table).write_csv("original.csv")
pl.DataFrame(table | {"income": [1000 + 40 * i for i in rows]}).write_csv("released.csv")
"""
NEED_EXTRAS = {
    "book.xlsx": "excel",
    "study.sav": "statistics",
    "study.sas7bdat": "statistics",
    "data.duckdb": "duckdb",
    "postgresql://nobody@localhost/none": "postgres",
}


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the programs of an environment that holds the wheel and what it depends on."""
    place = tmp_path_factory.mktemp("bare")
    subprocess.run([sys.executable, "-m", "venv", place / "venv"], check=True)
    programs = place / "venv" / ("Scripts" if os.name == "nt" else "bin")
    pip = [programs / "python", "-m", "pip", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "wheel", "--no-deps", "--wheel-dir", place, ROOT], check=True)
    subprocess.run([*pip, "install", *place.glob("icefire-*.whl")], check=True)
    return programs


@pytest.fixture
def here(tmp_path: Path, bare: Path) -> Path:
    subprocess.run([bare / "python", "-c", TABLES], cwd=tmp_path, check=True)
    return tmp_path


def run(bare: Path, where: Path, *words: object) -> subprocess.CompletedProcess[str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    clean["PATH"] = os.pathsep.join([str(bare), clean.get("PATH", "")])
    command = [str(word) for word in words]
    return subprocess.run(command, cwd=where, env=clean, capture_output=True, text=True, check=False)


def readme_blocks() -> list[str]:
    """Return the indented blocks of the README."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    return [textwrap.dedent(block) for block in re.findall(r"(?:^(?:    .*|\s*)\n)+", text, re.MULTILINE)]


def test_the_commands_of_the_readme_run_without_extras(bare: Path, here: Path) -> None:
    (here / "examples").symlink_to(ROOT / "examples")
    shell = [block for block in readme_blocks() if re.match(r"\s*(icefire |cat )", block)]
    lines = "\n".join(shell).splitlines()
    script = "\n".join(
        re.sub(r"(icefire sample \w+)", r"\1 -n 300", line) + (" || test $? = 1" if line.startswith("icefire ") else "")
        for line in lines
        if "arena" not in line
    )
    assert script.count("icefire ") >= 9
    done = run(bare, here, "bash", "-ec", script)
    assert done.returncode == 0, done.stderr[-2000:]
    assert "Traceback" not in done.stderr
    assert {path.name for path in here.iterdir()} >= {"data", "release", "release.secret", "report.html", "shop.html"}


def test_the_python_of_the_readme_runs_without_extras(bare: Path, here: Path) -> None:
    program = next(block for block in readme_blocks() if block.lstrip().startswith("import icefire"))
    small = program.replace('sample("households")', 'sample("households", 300)')
    done = run(bare, here, bare / "python", "-c", small)
    assert "UnsafeReleaseError" in done.stderr, done.stderr
    assert (here / "swapped.html").stat().st_size > 10_000


@pytest.mark.parametrize(("source", "extra"), NEED_EXTRAS.items(), ids=NEED_EXTRAS.values())
def test_what_needs_an_extra_names_it(source: str, extra: str, bare: Path, here: Path) -> None:
    if "://" not in source:
        (here / source).write_bytes(b"PK\3\4" if extra == "excel" else b"\0" * 64)
    query = ("--query", "select 1") if extra in ("duckdb", "postgres") else ()
    done = run(bare, here, "icefire", "inspect", source, "--infer-roles", *query)
    assert done.returncode == 2, done.stderr
    assert f"icefire[{extra}]" in done.stderr, done.stderr
    assert "Traceback" not in done.stderr


def test_the_arena_names_its_extra(bare: Path, here: Path) -> None:
    done = run(bare, here, "icefire", "arena", "demo")
    assert done.returncode == 2
    assert "icefire[arena]" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_core_stays_small(bare: Path) -> None:
    """Without pip, which is no part of it, and without caches of compiled Python."""
    packages = next(bare.parent.rglob("site-packages"))
    others = re.compile(r"(pip|setuptools|pkg_resources|_distutils_hack)\b|.*__pycache__")
    files = [path for path in packages.rglob("*") if not others.match(str(path.relative_to(packages)))]
    assert sum(path.stat().st_size for path in files if path.is_file()) / 1e6 < 450
