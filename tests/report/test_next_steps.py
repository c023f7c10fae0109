"""What to do next: the commands run as they are printed, and fewer people are identified in what they make."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import msgspec
import pytest
from support.commands import run_icefire
from support.gate_tables import STAFF, staff

import icefire
from icefire.core.dataset import Dataset
from icefire.core.history import History
from icefire.core.scorecard import Scorecard
from icefire.report.sentences.next_steps import commands, next_steps

SOME_ATTACKS = ("--attacks", "link,euc2", "--measures", "k_min", "--json", "audit.json")


def suggested(card: Scorecard) -> list[list[str]]:
    """The commands of the suggestions, as words without the first one."""
    return [shlex.split(command)[1:] for command in commands(card)]


def identified(path: Path) -> float:
    return max(attack["rate"] for attack in json.loads(path.read_text())["attacks"].values())


def sample(name: str) -> Dataset | History:
    return icefire.read(staff(7, 80), **STAFF) if name == "staff" else icefire.sample(name, 80, seed=4)


@pytest.mark.parametrize("name", ["households", "hospital", "staff"])
def test_the_suggestion_can_be_followed_and_fewer_people_are_identified(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    data = sample(name)
    assert isinstance(data, Dataset)
    data.frame.write_csv("original.csv")
    data.frame.write_csv("released.csv")
    roles = ["--qi", ",".join(data.qi), "--sa", ",".join(data.sa)]
    first = run_icefire(capsys, "audit", "original.csv", "released.csv", "--aligned", *roles, *SOME_ATTACKS)
    assert first.code == 1, first.err
    assert identified(tmp_path / "audit.json") > 0.9
    init, anonymize, audit = suggested(msgspec.json.decode(Path("audit.json").read_bytes(), type=Scorecard))
    assert run_icefire(capsys, *init).code == 0
    assert run_icefire(capsys, *anonymize, "--seed", "3").code == 0
    again = run_icefire(capsys, *audit, *SOME_ATTACKS, "--force")
    assert again.code in (0, 1), again.err
    assert identified(tmp_path / "audit.json") < 0.15


def test_a_release_with_classes_already_is_told_to_make_larger_ones(tmp_path: Path) -> None:
    table = staff(7, 80)
    recipe = tmp_path / "recipe.toml"
    recipe.write_text('[[step]]\nmethod = "k_anonymize"\nk = 3\n')
    data = icefire.read(table, **STAFF)
    released = icefire.anonymize(data, recipe, seed=1)
    card = icefire.audit(data, released, attacks=["sa_nearest"], measures=["k_min"], max_reid=0.5).scorecard
    assert "k = 6" in " ".join(next_steps(card))
    assert commands(card)[0].startswith("icefire recipe init ORIGINAL --qi age,sex,job,town")


@pytest.mark.heavy
def test_the_suggestion_for_a_history_can_be_followed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    data = sample("shop")
    assert isinstance(data, History)
    data.frame.write_csv("original.csv")
    fields = [word for field, column in data.fields.present.items() for word in (f"--{field}", column)]
    some = ("--attacks", "link,jaccard", "--measures", "smallest_cluster", "--json", "audit.json")
    first = run_icefire(capsys, "audit", "original.csv", "original.csv", "--aligned", *fields, *some)
    assert first.code == 1, first.err
    init, anonymize, audit = suggested(msgspec.json.decode(Path("audit.json").read_bytes(), type=Scorecard))
    assert [run_icefire(capsys, *words).code for words in (init, anonymize)] == [0, 0]
    assert run_icefire(capsys, *audit, *some, "--force").code in (0, 1)
    assert identified(tmp_path / "audit.json") < 0.2
