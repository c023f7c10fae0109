"""Uploaded files are plain text of a bounded size."""

from __future__ import annotations

import pytest

from icefire.contests.games import plain_text


@pytest.mark.parametrize("content", ["a,b\n1,2\n3,4\n", "a,b\r\n1,2\r\n3,4", "\ufeffa,b\n1,2\n3,4\n", "ä,b\n1,2\n"])
def test_a_plain_table_passes(tmp_path, content):
    path = tmp_path / "released.csv"
    path.write_bytes(content.encode())
    assert plain_text.problems(path, 3, 2) == []


def test_sizes_are_counted_without_reading(tmp_path):
    path = tmp_path / "x.csv"
    for content, size in (("a,b\n1,2\n", (2, 2)), ("a\n1", (2, 1))):
        path.write_text(content)
        assert plain_text.size(path) == size
