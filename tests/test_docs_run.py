"""README and every page of docs: all commands and all Python are run, in their order, in an empty folder.

Samples are made small, and files that a page calls by a reader's own names are small ones (support/doc_files). What
cannot be run carries a mark with the reason; what takes long is run by `make test-heavy`.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from support.doc_blocks import PAGES, Block, blocks, page_name
from support.doc_run import Reader

BLOCKS = {page_name(page): [block for block in blocks(page) if block.kind != "other"] for page in PAGES}
RUN = {page: found for page, found in BLOCKS.items() if found}
WITH_HEAVY = [page for page, found in RUN.items() if any(block.mark == "heavy" for block in found)]
FULL_SIZE = ("docs/tutorial.md", *(page for page in RUN if page.startswith("docs/howto/") and "contest" not in page))
"""Pages that a reader follows from the first command to the last."""
NOT_RUN = 39
"""Blocks that cannot be run here: servers, addresses, installations. Each has its reason on its page."""


def read_page(page: str, reader: Reader, heavy: bool) -> int:
    """Run the blocks of a page; returns how many were run."""
    wanted = [block for block in RUN[page] if not block.reason_not_run and (heavy or block.mark != "heavy")]
    for block in wanted:
        try:
            reader.run(block)
        except Exception as problem:
            raise AssertionError(f"{page}, line {block.line}: {problem}") from problem
    return len(wanted)


@pytest.fixture
def reader(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Reader:
    folder = tmp_path / "reader"
    folder.mkdir()
    return Reader(folder, capsys, monkeypatch)


@pytest.mark.parametrize("page", RUN)
def test_what_a_page_shows_runs(page: str, reader: Reader) -> None:
    wanted = [block for block in RUN[page] if not block.reason_not_run and block.mark != "heavy"]
    assert read_page(page, reader, heavy=False) == len(wanted)


@pytest.mark.heavy
@pytest.mark.parametrize("page", WITH_HEAVY)
def test_what_takes_long_runs(page: str, reader: Reader) -> None:
    reader.small = False
    assert read_page(page, reader, heavy=True) > 0


@pytest.mark.heavy
@pytest.mark.parametrize("page", FULL_SIZE)
def test_pages_to_follow_run_on_samples_of_full_size(page: str, reader: Reader) -> None:
    reader.small = False
    assert read_page(page, reader, heavy=True) > 0


def test_blocks_that_are_not_run_are_counted() -> None:
    marked: list[Block] = [block for found in BLOCKS.values() for block in found if block.reason_not_run]
    assert len(marked) == NOT_RUN, [f"{page_name(block.page)}:{block.line}" for block in marked]
