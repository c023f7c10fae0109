"""The judge recognises the methods of releases, in the sandbox, when judges or organisers ask for it."""

from __future__ import annotations

import polars as pl
import pytest
from support.arena.fixtures import player, release_files

from icefire.arena import admin
from icefire.arena.errors import Absent, Refused
from icefire.arena.judge import worker
from icefire.arena.submit import ice
from icefire.contests import get_or_build


@pytest.fixture
def released(arena, original):
    """A release of the original with one column made constant, judged."""
    files = release_files(original.with_columns(region=pl.lit(original["region"][0])))
    receipt = ice.submit(arena, player(arena, "a", "Ice"), "final", files)
    worker.finish(arena)
    return receipt.id


def test_methods_are_recognised_when_a_judge_asks(arena, released):
    judge = player(arena, "judge", role="judge")
    (line,) = admin.fingerprints(arena, judge, "final")
    assert (line.job, line.methods) == (None, None)
    assert admin.recognise_methods(arena, judge, "final") == 1
    worker.finish(arena)
    (line,) = admin.fingerprints(arena, judge, "final")
    assert (line.job, [job.error for job in admin.queue(arena, judge)]) == ("done", [])
    assert "unify" in line.recognised
    assert all(method["probability"] >= 0.2 for method in line.methods)


def test_only_staff_may_ask_and_look(arena, released):
    other = player(arena, "b", "Fire")
    for action in (admin.fingerprints, admin.recognise_methods):
        with pytest.raises(Refused, match="only judges and organisers"):
            action(arena, other, "final")


def test_an_unknown_round_is_refused(arena):
    with pytest.raises(Absent):
        admin.fingerprints(arena, player(arena, "judge", role="judge"), "nowhere")


def test_a_contest_on_histories_has_no_methods_to_show(tmp_path):
    result = get_or_build("pwscup2016", None).play(None).fingerprint(tmp_path, 1)
    assert result == {"methods": [], "note": "methods are recognised on tables only"}
