"""The files of the repository that other programs read: action, hook, workflows, citation, changelog, metadata."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import icefire
from icefire.audit import release_list

yaml = pytest.importorskip("yaml", reason="pyyaml reads the files")
ROOT = Path(__file__).parents[1]


def loaded(name: str) -> dict:
    return yaml.safe_load((ROOT / name).read_text("utf-8"))


def test_the_version_is_the_same_everywhere() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
    newest = re.search(r"^## (\S+) \((\d{4}-\d{2}-\d{2})\)$", changelog, re.MULTILINE)
    assert newest is not None
    citation = loaded("CITATION.cff")
    assert newest[1] == icefire.__version__ == citation["version"]
    assert newest[2] == str(citation["date-released"])


def test_the_metadata_fit_the_workflow() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    versions = {line.rpartition(" ")[2] for line in project["classifiers"] if "Python :: 3." in line}
    matrix = loaded(".github/workflows/test.yml")["jobs"]["tests"]["strategy"]["matrix"]
    assert set(matrix["python"]) == versions
    assert len(matrix["os"]) == 3
    assert project["entry-points"]["pytest11"]["icefire"] == "icefire.pytest_plugin"


def test_every_input_of_the_action_is_used() -> None:
    text = (ROOT / "action.yml").read_text("utf-8")
    action = loaded("action.yml")
    assert set(re.findall(r"inputs\.([a-z-]+)", text)) == set(action["inputs"])
    ids = {step.get("id") for step in action["runs"]["steps"]}
    assert set(re.findall(r"steps\.([a-z-]+)\.", text)) <= ids
    assert all("shell" in step for step in action["runs"]["steps"] if "run" in step)


def test_the_action_takes_no_guessed_roles_unasked() -> None:
    assert loaded("action.yml")["inputs"]["arguments"]["default"] == ""


def test_the_hook_runs_a_command_that_exists() -> None:
    [hook] = loaded(".pre-commit-hooks.yaml")
    assert hook["entry"] == "icefire gate"
    done = subprocess.run([sys.executable, "-m", "icefire", "gate", "--help"], capture_output=True, check=False)
    assert done.returncode == 0


def test_the_example_lists_a_release() -> None:
    [release] = release_list.load(ROOT / "examples/gate/icefire.toml")
    assert Path(release.original).is_file()
    assert Path(release.released).is_file()


@pytest.mark.skipif(shutil.which("bash") is None or os.name == "nt", reason="the action needs bash; sh stands in")
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("", []),
        ("--aligned --sa 'annual income,ill'", ["--aligned", "--sa", "annual income,ill"]),
        ('--qi "*" --schema a\\b.toml $(id)', ["--qi", "*", "--schema", "a\\b.toml", "$(id)"]),
        ("--sa ''\n--yes", ["--sa", "", "--yes"]),
        ("--sa 'income", None),
    ],
)
def test_words_in_quotes_are_one_argument_of_the_action(
    tmp_path: Path, arguments: str, words: list[str] | None
) -> None:
    [step] = [step for step in loaded("action.yml")["runs"]["steps"] if step.get("id") == "audit"]
    (tmp_path / "icefire").write_text('#!/bin/sh\nprintf "%s\\n" "$@" > given\n', encoding="utf-8")
    (tmp_path / "python").write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n', encoding="utf-8")
    for tool in ("icefire", "python"):
        (tmp_path / tool).chmod(0o755)
    given = {"CONFIG": "", "ORIGINAL": "a.csv", "RELEASED": "b.csv", "ARGUMENTS": arguments, "REPORTS": "reports"}
    given |= {"GITHUB_OUTPUT": "output", "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    script = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
    subprocess.run(script, cwd=tmp_path, env={**os.environ, **given}, check=True, capture_output=True)
    output = (tmp_path / "output").read_text("utf-8")
    if words is None:
        assert "exit-code=2" in output
        assert not (tmp_path / "given").exists()
        return
    assert "exit-code=0" in output
    lines = (tmp_path / "given").read_text("utf-8").splitlines()
    assert lines[: 3 + len(words)] == ["audit", "a.csv", "b.csv", *words]
    assert lines[3 + len(words)] == "--junit"


@pytest.mark.heavy
@pytest.mark.skipif(shutil.which("bash") is None, reason="the action needs bash")
def test_the_action_refuses_the_example(tmp_path: Path) -> None:
    [step] = [step for step in loaded("action.yml")["runs"]["steps"] if step.get("id") == "audit"]
    tool = tmp_path / "icefire"
    tool.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m icefire "$@"\n', encoding="utf-8")
    tool.chmod(0o755)
    given = {"CONFIG": str(ROOT / "examples/gate/icefire.toml"), "ORIGINAL": "", "RELEASED": "", "ARGUMENTS": ""}
    given |= {"REPORTS": "reports", "GITHUB_OUTPUT": "output", "GITHUB_STEP_SUMMARY": "summary"}
    given |= {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    script = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
    subprocess.run(script, cwd=tmp_path, env={**os.environ, **given}, check=True)
    assert "exit-code=1" in (tmp_path / "output").read_text("utf-8")
    assert "❌" in (tmp_path / "summary").read_text("utf-8")
    names = {path.name for path in (tmp_path / "reports").iterdir()}
    assert names == {"icefire.xml", "icefire.sarif", "1-released.html"}
