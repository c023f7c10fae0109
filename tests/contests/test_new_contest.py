"""A contest is one file: put beside the others, it is listed, checked and audited, and nothing else is edited."""

from __future__ import annotations

import json

import numpy as np
import pytest
from support.commands import run_icefire
from support.new_contest import new_contest_file

from icefire import contests


@pytest.fixture
def tinycup(tmp_path, monkeypatch):
    with new_contest_file(tmp_path / "more", monkeypatch) as name:
        yield name


@pytest.fixture
def submission(tinycup, tmp_path):
    """An original of 80 rows, its first 70 rows backwards, and where they come from."""
    paths = [tmp_path / name for name in ("X.csv", "Y.csv", "P.csv")]
    contests.get(tinycup).write_sample(paths[0], tmp_path / "nobody.csv", rows=80, seed=1)
    header, *rows = paths[0].read_text().splitlines(keepends=True)
    order = np.arange(70)[::-1]
    paths[1].write_text(header + "".join(rows[row] for row in order))
    paths[2].write_text("".join(f"{row}\n" for row in order))
    return paths


def test_a_new_contest_is_listed(tinycup, capsys):
    assert tinycup in contests.names()
    assert "Tiny Cup: three columns" in run_icefire(capsys, "list", "contests").out


def test_a_new_contest_is_checked(tinycup, submission, capsys):
    assert run_icefire(capsys, "check", tinycup, *submission).code == 0
    submission[2].write_text("80\n" * 70)
    done = run_icefire(capsys, "check", tinycup, *submission)
    assert (done.code, done.err.count("\n")) == (2, 70)
    assert "P.csv: row 0, column original: '80' is not allowed; a whole number from 0 to 79" in done.err


def test_a_new_contest_is_audited(tinycup, submission, capsys):
    original, released, truth = submission
    done = run_icefire(
        capsys, "audit", original, released, "--contest", tinycup, "--truth", truth, "--json", "-", "--yes"
    )
    assert done.code == 0, done.err
    card = json.loads(done.out)
    assert card["roles"]["qi"] == ["gen", "age"]
    assert list(card["measures"]) == ["k_min", "mean_error"]
    assert list(card["attacks"]) == ["id_rand", "euc2"]
    rates = [attack["rate"] for attack in card["attacks"].values()]
    score = card["measures"]["mean_error"]["value"] + max(*rates, card["aya"]["rate"])
    assert card["contest"] == {
        "contest": tinycup,
        "title": "Tiny Cup: three columns",
        "figures": {"score": pytest.approx(score)},
    }
