"""A plug-in is found through its entry point, works everywhere, and a broken one is named."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from support.places import EXAMPLES

EXAMPLE = EXAMPLES / "icefire-mahalanobis"


def install(place: Path, name: str, target: str) -> None:
    """Put an entry point where Python finds it, as an installer would."""
    info = place / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[icefire.plugins]\n{name} = {target}\n")


def run(place: Path, *words: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(place), str(EXAMPLE / "src")])
    environment = os.environ | {"PYTHONPATH": path, "COLUMNS": "100"}
    return subprocess.run([sys.executable, *words], capture_output=True, text=True, env=environment, check=False)


def test_the_example_is_listed_and_passes_its_own_tests(tmp_path):
    install(tmp_path, "mahalanobis", "icefire_mahalanobis")
    listed = run(tmp_path, "-m", "icefire", "list", "attacks")
    assert "mahalanobis" in listed.stdout
    tested = run(
        tmp_path, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(EXAMPLE / "tests"), "--rootdir", str(EXAMPLE)
    )
    assert tested.returncode == 0, tested.stdout
    assert tested.stdout.startswith("..")


def test_a_plug_in_that_does_not_load_is_named_in_one_line(tmp_path):
    (tmp_path / "broken_plugin.py").write_text("raise RuntimeError('kaputt')\n")
    install(tmp_path, "broken", "broken_plugin")
    done = run(tmp_path, "-m", "icefire", "list", "attacks")
    assert done.returncode == 2
    assert "plug-in 'broken' (broken_plugin) failed to load: kaputt" in done.stderr
    assert "Traceback" not in done.stderr
