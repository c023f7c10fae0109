"""Run the judge's tasks on small files, for tests of games."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from icefire.arena.judge import tasks


def table(frame, header=True) -> bytes:
    return frame.write_csv(include_header=header).encode()


def lines(rows) -> bytes:
    return "".join(f"{','.join(str(cell) for cell in np.atleast_1d(row))}\n" for row in rows).encode()


def numbers(content: bytes) -> np.ndarray:
    return np.array([[int(cell) for cell in line.split(",")] for line in content.decode().splitlines()])


def rows(content: bytes) -> list[str]:
    return content.decode().splitlines()


def originals(files, *names):
    return {name: files[name] for name in ("original.csv", *names)}


@pytest.fixture
def run(tmp_path):
    """Run a task on files by name; gives its result and the files it wrote."""
    numbered = iter(range(1000))

    def run_task(task, files, **options):
        place = tmp_path / str(next(numbered))
        given, out = place / "in", place / "out"
        given.mkdir(parents=True)
        out.mkdir()
        for name, content in files.items():
            (given / name).write_bytes(content)
        result = tasks.do_task(task, given, out, **options)
        return result, {path.name: path.read_bytes() for path in out.iterdir()}

    return run_task


def sixty_people() -> pl.DataFrame:
    """The original of a contest of an organiser's own."""
    rng = np.random.default_rng(7)
    return pl.DataFrame(
        {
            "age": rng.integers(20, 30, 60),
            "job": rng.choice(["cook", "smith"], 60),
            "income": rng.integers(1000, 9000, 60),
            "note": ["x"] * 60,
        }
    )
