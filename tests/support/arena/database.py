"""An empty database of a contest, on SQLite."""

from __future__ import annotations

import pytest

from icefire.arena.storage.database import Database
from icefire.arena.storage.tables import Base


@pytest.fixture
def database(tmp_path):
    opened = Database(f"sqlite:///{tmp_path / 'arena.db'}", b"key of the log")
    Base.metadata.create_all(opened.engine)
    yield opened
    opened.close()
