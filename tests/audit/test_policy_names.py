"""Policies whose limits stand at the top of the file, each under one name."""

from __future__ import annotations

from pathlib import Path

import pytest

import icefire
from icefire.audit import policy
from icefire.core.errors import InputError

FLAT = """
max_reid = 0.5
max_membership_tpr = 0.2
max_attribute_advantage = 0.3
max_attribute_certain = 0.1
max_singling_out = 0.4
max_linkability = 0.6
max_linking_recall = 0.7
min_k = 3
"""
IN_SECTIONS = """
[origin]
max_identified = 0.5
[membership]
max_tpr = 0.2
[attribute]
max_advantage = 0.3
max_certain = 0.1
[singling_out]
max_share = 0.4
[linkability]
max_advantage = 0.6
[linking]
max_recall = 0.7
[classes]
min_k = 3
"""


def limits(folder: Path, text: str) -> policy.PolicyFile:
    file = folder / "ours.toml"
    file.write_text(text, encoding="utf-8")
    return policy.load(file).limits


def test_one_name_for_each_limit_says_the_same_as_sections(tmp_path: Path) -> None:
    assert limits(tmp_path, FLAT) == limits(tmp_path, IN_SECTIONS)


def test_a_limit_at_the_top_is_kept_to(tmp_path: Path) -> None:
    limits(tmp_path, "max_identified = 1.0\nmax_attribute_certain = 0.5\n")
    rows = {"age": [20, 21, 40, 41], "illness": ["a", "a", "b", "b"]}
    classes = {**rows, "age": ["20-29", "20-29", "40-49", "40-49"]}
    card = icefire.audit(
        rows, classes, aligned=True, qi=["age"], sa=["illness"], policy=tmp_path / "ours.toml"
    ).scorecard
    assert {limit.name for limit in card.limits if not limit.passed} == {"attribute_certain"}


@pytest.mark.parametrize(
    "text",
    [
        "max_reid = 0.1\nmax_identified = 0.2\n",
        "max_reid = 0.1\n[origin]\nmax_identified = 0.2\n",
        "max_reid=1\norigin=3",
    ],
)
def test_a_limit_is_given_once(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError, match=r"which are the same; give one of them"):
        limits(tmp_path, text)


def test_unknown_names_and_values_out_of_range_stay_errors(tmp_path: Path) -> None:
    for text in ("max_reid = 0.1\nmax_attribute = 0.2\n", "max_reid = 1.5\n", "max_membership_tpr = 0.1\n"):
        with pytest.raises(InputError, match="cannot be used"):
            limits(tmp_path, text)
