"""What notebooks show of results: their words, in HTML that harms nobody, and a short repr."""

from __future__ import annotations

import inspect
import re
from html.parser import HTMLParser
from typing import Any

import pytest
from support import report_card

import icefire
from icefire import Dataset
from icefire.audit.fingerprint.result import Fingerprint, MethodProbability, Trace
from icefire.audit.run import Audit
from icefire.core.scorecard import Reason, Scorecard, Verdict
from icefire.recipe import load
from icefire.report.notebook import FRAGMENTS
from icefire.report.notebook.fragment import Fragment, FragmentTable, ShareBar, as_html


class Balanced(HTMLParser):
    """Collects elements, and checks that each is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)
        self.seen.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.fixture(scope="module")
def table() -> Dataset:
    data = icefire.read({"age<b>": [30, 30, 40, 41], "pay": [1.5, 2.5, 3.5, 4.5]}, qi="age<b>", sa="pay")
    assert isinstance(data, Dataset)
    return data


@pytest.fixture(scope="module")
def results(table: Dataset) -> dict[str, Any]:
    card = report_card.full_card()
    release = icefire.anonymize(table, {"step": [{"method": "swap"}]}, seed=7)
    shop = icefire.sample("shop", 5)
    trace = Trace("shuffled", "values stand in other rows", 1.0, 2.0)
    methods = [MethodProbability("swap", "values change places", [], 0.9, True, [trace])]
    return {
        "audit": Audit(card, table.frame),
        "scorecard": card,
        "verdict": card.verdict,
        "score": icefire.score([0, 1, 2], [0, 2, 2]),
        "dataset": table,
        "schema": table.schema,
        "history": shop,
        "release": release,
        "recipe": load({"step": [{"method": "noise", "scale": 0.2}]}),
        "guess": icefire.Guess(release.truth.rows),
        "inspection": icefire.inspect(table, measures=["k_min"]),
        "history_inspection": icefire.inspect(shop),
        "fingerprint": Fingerprint("x", "y", 4, 4, 4, "the truth", ["pay"], [], methods, []),
    }


def test_every_type_of_result_is_shown(results: dict[str, Any]) -> None:
    assert {type(result) for result in results.values()} == set(FRAGMENTS)


def test_fragments_are_whole_small_and_ask_for_nothing(results: dict[str, Any]) -> None:
    for result in results.values():
        text = result._repr_html_()
        parser = Balanced()
        parser.feed(text)
        assert parser.open == []
        assert not {"script", "img", "link", "iframe"} & set(parser.seen)
        assert not re.search(r"https?:|url\(|@import", text)
        assert len(text) < 40_000


def test_styles_touch_nothing_outside(results: dict[str, Any]) -> None:
    style = results["dataset"]._repr_html_().partition("<style>")[2].partition("</style>")[0]
    selectors = [
        part.strip() for rule in style.split("}") for part in rule.partition("{")[0].split(",") if part.strip()
    ]
    assert all(selector.startswith(".icefire-fragment") for selector in selectors)


def test_names_of_columns_are_escaped_and_no_value_is_shown(results: dict[str, Any]) -> None:
    text = results["dataset"]._repr_html_()
    assert "age&lt;b&gt;" in text
    assert "age<b>" not in text
    assert "3.5" not in text.partition("</style>")[2]


def test_the_scorecard_says_its_verdict_and_reasons_in_the_words_of_python() -> None:
    reason = Reason("not_assessed", "No hold-out: give it with --holdout FILE.")
    verdict = Verdict(False, "Do not release <this>", reason.text, state="not_passed", reasons=[reason])
    text = verdict._repr_html_()
    assert "does not pass</span>Do not release &lt;this&gt;" in text
    assert text.count("No hold-out: give it with holdout=….") == 1


def test_a_short_repr_tells_what_it_is(results: dict[str, Any]) -> None:
    for name, result in results.items():
        assert len(repr(result)) < 200 or name in ("schema", "score"), name
    assert repr(results["dataset"]) == "<Dataset 'table': 4 rows, 2 columns (1 qi, 1 sa)>"
    assert "by swap; truth and seed are secret" in repr(results["release"])
    assert str(results["release"].seed) not in repr(results["release"])
    assert repr(results["recipe"]) == "<Recipe: noise>"


def test_bars_stay_inside_their_frame() -> None:
    text = as_html(Fragment("t", tables=[FragmentTable("", ("a",), [(ShareBar(1.7, "much"),)])]))
    assert "width:100.0%" in text


def test_public_functions_show_real_parameters() -> None:
    for name in icefire.__all__:
        value = getattr(icefire, name)
        if inspect.isfunction(value):
            kinds = {parameter.kind for parameter in inspect.signature(value).parameters.values()}
            assert not kinds & {inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL}, name


def test_a_scorecard_that_was_not_judged_is_shown(table: Dataset) -> None:
    full = report_card.full_card()
    bare = Scorecard(provenance=full.provenance, roles=full.roles)
    assert "not judged</span>Not attacked yet" in bare._repr_html_()
