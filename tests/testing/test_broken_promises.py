"""Every check of the contract fails for a function that breaks its promise."""

from __future__ import annotations

import itertools

import numpy as np
import polars as pl
import pytest

from icefire import testing
from icefire.core import registry
from icefire.core.dataset import ORIGIN
from icefire.core.errors import ParameterError
from icefire.core.parameters import Columns
from icefire.core.registry import attack, measure, method
from icefire.core.release import Guess
from icefire.testing import chance

NAME = "deliberately_wrong"
COUNTER = itertools.count()


@pytest.fixture(autouse=True)
def registered(monkeypatch):
    registry.load()
    monkeypatch.setattr(registry, "_entries", dict(registry._entries))


def broken(sort, function, **declarations):
    """The promise that a function breaks, in words; "" if it keeps the contract."""
    if sort == "method":
        declarations = {"draws": False, "drops_rows": False} | declarations
    if sort == "attack":
        declarations = {"knows": "everything"} | declarations
        function.__doc__ = function.__doc__ or "Guess. The attacker knows everything. Success is a hit."
    function.__doc__ = function.__doc__ or "Do something wrong."
    for key in [key for key in registry._entries if NAME in key]:
        del registry._entries[key]
    {"method": method, "measure": measure, "attack": attack}[sort](NAME, **declarations)(function)
    try:
        testing.check(sort, NAME)
    except AssertionError as error:
        return str(error)
    return ""


def unchanged(data, *, rng):
    return data


def drops_first(data, *, rng):
    return data.take(np.arange(1, data.height))


def draws_noise(data, *, rng):
    return data.with_frame(data.frame.with_columns(pl.Series(data.frame.columns[-2], rng.random(data.height))))


def unseeded(data, *, rng):
    return data.with_frame(data.frame.with_columns(pl.lit(next(COUNTER)).alias(data.frame.columns[-2])))


def draws_secretly(data, *, rng):
    other = np.random.default_rng(rng.bit_generator.seed_seq)
    return draws_noise(data, rng=other)


def without_origin(data, *, rng):
    return data.with_frame(data.frame.drop(ORIGIN))


def other_origin(data, *, rng):
    return data.with_frame(data.frame.with_columns(pl.col(ORIGIN) + 1000))


def doubled(data, *, rng):
    return data.with_frame(pl.concat([data.frame, data.frame]))


def nobody(data, *, rng):
    return data.take(np.arange(0))


def a_frame(data, *, rng):
    return data.frame


def changes_its_argument(data, *, rng):
    data.frame.replace_column(0, data.frame.to_series(0).reverse())
    return data


def without_default(data, *, rng, share: float):
    return data


METHODS = {
    "keeps": (unchanged, {}, ""),
    "no declaration of draws": (unchanged, {"draws": None}, "whether it draws at random"),
    "no declaration of rows": (unchanged, {"drops_rows": None}, "whether rows can go"),
    "says it draws, but does not": (unchanged, {"draws": True}, "it declares that it draws, but never does"),
    "says it draws nothing, but does": (draws_noise, {}, "it declares that it draws nothing, but uses its generator"),
    "draws by another generator": (draws_secretly, {}, "it declares that it draws nothing; seeds change it"),
    "draws as it says": (draws_noise, {"draws": True}, ""),
    "says it keeps rows, but drops": (drops_first, {}, "it declares that it keeps every row, but drops some"),
    "drops as it says": (drops_first, {"drops_rows": True}, ""),
    "never the same": (unseeded, {"draws": True}, "the same data and the same seed give the same result"),
    "no origin": (without_origin, {}, "keeps the columns, origin included"),
    "wrong origin": (other_origin, {}, "every row has an origin"),
    "nothing left": (nobody, {"drops_rows": True}, "some rows remain"),
    "no dataset": (a_frame, {}, "a method returns a"),
    "writes into its argument": (changes_its_argument, {}, "the data handed in are not changed"),
    "no default": (without_default, {}, "share has a default"),
    "declares an unknown parameter": (unchanged, {"defaults": {"columns": "all"}}, "'columns' in the decorator"),
    "classes of unknown size": (unchanged, {"makes_classes": True}, "least_rows says how large"),
}


@pytest.mark.parametrize("case", METHODS)
@pytest.mark.parametrize("data", ["table", "history"])
def test_a_method_that_breaks_a_promise_is_told_which(case, data):
    function, declarations, promise = METHODS[case]
    told = broken("method", function, data=data, **declarations)
    assert promise in told
    assert bool(told) == bool(promise), told


def test_rows_may_be_added_to_a_history_but_not_to_a_table():
    assert "no row is added" in broken("method", doubled)
    assert broken("method", doubled, data="history") == ""


def test_rows_of_one_customer_may_not_come_from_two():
    def mixed(data, *, rng):
        return data.with_frame(data.frame.with_columns(pl.int_range(pl.len()).mod(data.people).alias(ORIGIN)))

    assert "the rows of a subject have one origin" in broken("method", mixed, data="history", drops_rows=True)


def test_a_declaration_that_holds_for_the_defaults_only_is_noticed():
    def sometimes(data, *, rng, again: bool = False):
        return draws_noise(data, rng=rng) if again else data

    assert "uses its generator" in broken("method", sometimes)
    assert broken("method", sometimes, draws=lambda parameters: parameters["again"]) == ""


def test_classes_and_constant_columns_are_looked_at():
    def k_unchanged(data, *, rng, k: int = 30):
        return data

    def still_many(data, *, rng, columns: Columns = None):
        return data

    assert "it declares classes of 30" in broken("method", k_unchanged, least_rows="k", makes_classes=True)
    assert "it declares one value, but leaves several" in broken("method", still_many, makes_constant=True)


def test_a_method_that_needs_all_rows_may_not_say_that_it_follows_rows():
    def centred(data, *, rng):
        name = next(name for name in data.schema.names if data.frame[name].dtype.is_numeric())
        return data.with_columns(data.frame[name].cast(pl.Float64) - data.frame[name].mean())

    assert "it declares to work by rows, but gives other rows" in broken("method", centred, in_partitions="rows")
    assert broken("method", centred, in_partitions="partitions") == ""
    assert broken("method", unchanged, in_partitions="rows") == ""


def test_a_check_may_not_refuse_what_the_method_does_nor_in_other_words():
    def refuses(data, parameters, known):
        raise ParameterError("no")

    def refused(data, *, rng, columns: Columns = None):
        if columns:
            raise ParameterError("never")
        return data

    assert "its check says 'no', the method itself None" in broken("method", unchanged, check=refuses)

    def words(data, parameters, known):
        if parameters["columns"]:
            raise ParameterError("no")

    assert "its check says 'no', the method itself 'never'" in broken("method", refused, check=words)


def test_a_method_that_fails_on_an_empty_table_without_words_is_noticed():
    def first_row(data, *, rng):
        return data.with_frame(data.frame.with_columns(pl.lit(data.frame.row(0)[0]).alias(data.frame.columns[0])))

    method(NAME, draws=False, drops_rows=False)(first_row)
    first_row.__doc__ = "Take the first row."
    with pytest.raises(pl.exceptions.PolarsError):
        testing.check("method", NAME)


MEASURES = {
    "keeps": (lambda comparison: 0.0, ""),
    "infinite": (lambda comparison: float("inf"), "a measure is finite"),
    "never the same": (lambda comparison: next(COUNTER) * 0.5, "the same data and the same seed give the same result"),
    "error of nothing": (lambda comparison: 1.0, "has no error"),
}


@pytest.mark.parametrize("case", MEASURES)
@pytest.mark.parametrize("data", ["table", "history"])
def test_a_measure_that_breaks_a_promise_is_told_which(case, data):
    value, promise = MEASURES[case]

    def wrong(comparison):
        return value(comparison)

    told = broken("measure", wrong, data=data, needs=("original",))
    assert promise in told
    assert bool(told) == bool(promise), told


def test_a_measure_that_uses_the_truth_says_so():
    def moved_rows(comparison):
        taken = comparison.original.height - 1 - comparison.truth.rows
        if taken.max() >= comparison.original.height:
            raise IndexError(taken.max())
        return 0.0

    assert 'a measure without "truth" in needs' in broken("measure", moved_rows, needs=("original",))
    assert not broken("measure", moved_rows, needs=("original", "truth"))


ATTACKS = {
    "keeps": (lambda case: np.zeros(case.targets, np.int64), ""),
    "too few answers": (lambda case: np.zeros(1, np.int64), "every question has one answer"),
    "beyond the table": (lambda case: np.full(case.targets, case.choices), "every question has one answer"),
    "short integers": (lambda case: np.zeros(case.targets, np.int32), "64-bit integers"),
    "never the same": (lambda case: np.full(case.targets, next(COUNTER) % 2 - 1), "give the same result"),
}


@pytest.mark.parametrize("case", ATTACKS)
@pytest.mark.parametrize("question", ["origin", "membership", "history"])
def test_an_attack_that_breaks_a_promise_is_told_which(case, question):
    answers, promise = ATTACKS[case]

    def wrong(case, *, rng):
        return Guess(answers(case))

    kind = {"data": "history"} if question == "history" else {"question": question}
    told = broken("attack", wrong, **kind)
    assert promise in told
    assert bool(told) == bool(promise), told


def test_an_attack_on_membership_names_no_row_twice_and_none_for_outsiders():
    def twice(case, *, rng):
        return Guess(np.zeros((case.targets, 2), np.int64))

    def silent(case, *, rng):
        return Guess(np.tile(np.array([-1, 0]), (case.targets, 1)))

    assert "no row is named twice" in broken("attack", twice, question="membership")
    assert "whoever is no member has no row" in broken("attack", silent, question="membership")


def test_an_attack_tells_its_scenario():
    def secretive(case, *, rng):
        """Guess."""
        return Guess(np.zeros(case.targets, np.int64))

    assert "the docstring says what the attacker knows" in broken("attack", secretive)
    assert "an attack says what the attacker knows" in broken("attack", secretive, knows="")


def test_an_attack_on_synthetic_releases_scores_members_higher_on_the_people_themselves():
    def reversed_distance(case, *, rng):
        return Guess.by_scores(case.nearest_released(1).distances[:, 0])

    def blind(case, *, rng):
        return Guess.by_scores(np.zeros(case.targets))

    declared = {"question": "membership", "release": "synthetic"}
    assert "below chance" in broken("attack", reversed_distance, **declared)
    assert broken("attack", blind, **declared) == ""


def test_scores_of_an_attack_are_numbers():
    def nothing(case, *, rng):
        return Guess.by_scores(np.full(case.targets, np.nan))

    assert "give a finite number for each" in broken("attack", nothing, question="membership")


KINDS = {
    "origin": {},
    "history": {"data": "history"},
    "linking": {"data": "history", "question": "linking"},
    "membership": {"question": "membership"},
}


@pytest.mark.parametrize("kind", KINDS)
def test_an_attack_that_finds_people_in_noise_reached_the_truth(kind):
    def cheats(case, *, rng):
        order = np.random.default_rng(chance.SHUFFLE).permutation(case.choices)
        asked = np.arange(case.targets)
        if kind == "membership":
            asked = np.random.default_rng(chance.ASKED).permutation(case.targets)
        answers = order if kind in ("origin", "history") else np.argsort(order)
        return Guess(np.where(asked < case.choices, answers[asked % case.choices], -1))

    assert "on independent noise" in broken("attack", cheats, **KINDS[kind])


def test_an_attack_that_an_unchanged_release_escapes_says_what_it_supposes():
    rest = registry.get("attack", "link_rest").function
    assert "says what it supposes" in broken("attack", rest)
    assert not broken("attack", rest, supposes="two people in one row")
    exchanged = registry.get("attack", "candidate_bayes").function
    assert "with an AUC of" in broken("attack", exchanged, question="membership")
    assert not broken("attack", exchanged, question="membership", supposes="rows were exchanged")
