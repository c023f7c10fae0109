"""The documentation names files, links and modules that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support.places import DOCS, ROOT

PAGES = sorted([*DOCS.rglob("*.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"])
LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")
PLACE = re.compile(r"`((?:src|tests|docs|examples|benchmarks)/[\w./-]+)`")
IMPORT = re.compile(r"^\s*(from icefire\S* import .+|import icefire\S*)$", re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_names_only_files_that_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for target in LINK.findall(text):
        assert (page.parent / target).exists(), target
    for place in PLACE.findall(text):
        assert (ROOT / place).exists(), place


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_imports_on_a_page_work(page: Path) -> None:
    for line in IMPORT.findall(page.read_text(encoding="utf-8")):
        if "icefire.arena" in line:
            pytest.importorskip("httpx", reason="the arena's packages are not installed")
        exec(line, {})
