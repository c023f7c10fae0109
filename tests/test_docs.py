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


def test_the_list_of_pages_has_every_page() -> None:
    listed = LINK.findall((DOCS / "README.md").read_text(encoding="utf-8"))
    missing = sorted({page.name for page in DOCS.glob("*.md")} - {"README.md", *listed})
    assert not missing, f"name these pages in docs/README.md, with the question they answer: {missing}"


MAP = DOCS / "architecture.md"
PACKAGE = ROOT / "src" / "icefire"
KINDS_OF_DATA = {"tables", "histories", "surveys", "membership"}
SHORT_PLACE = re.compile(r"`([a-z_0-9]+(?:/[a-z_0-9]+)+)(/|\.[A-Z]\w+)?`")


def test_the_map_has_every_folder_of_the_package() -> None:
    packages = {path.parent.relative_to(PACKAGE) for path in PACKAGE.rglob("__init__.py")} - {Path()}
    folders = {path.as_posix() for path in packages if path.name not in KINDS_OF_DATA}
    named = set(re.findall(r"`([\w/]+)/`", MAP.read_text(encoding="utf-8")))
    assert {folder for folder in folders if folder not in named and folder.removeprefix("arena/") not in named} == set()


def test_the_map_names_only_modules_and_folders_that_exist() -> None:
    """A place is given from the package or, where the map is about the arena, from the arena."""
    for place, _ in SHORT_PLACE.findall(MAP.read_text(encoding="utf-8")):
        paths = [root / place for root in (PACKAGE, PACKAGE / "arena", ROOT, PACKAGE.parent)]
        assert any(path.exists() or path.with_suffix(".py").exists() for path in paths), place
