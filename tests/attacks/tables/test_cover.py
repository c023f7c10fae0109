"""Who may be behind a generalised row: labels read, candidates found, as a loop over all pairs finds them."""

from __future__ import annotations

import math
from datetime import date

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import slow

import icefire
from icefire import hierarchy
from icefire.attacks.tables import cover as module
from icefire.audit import judge
from icefire.core import align, blocks, registry, roles, seeds
from icefire.core.dataset import Dataset
from icefire.core.errors import InputError
from icefire.core.release import Case, Truth
from icefire.hierarchy import candidates, coverage, labels, widening
from icefire.hierarchy.labels import Anything, Begins, Between, Matches, OneOf
from icefire.kernels.common import threads

FEW = settings(max_examples=50, deadline=None)


def below(number):
    return math.nextafter(number, -math.inf)


def above(number):
    return math.nextafter(number, math.inf)


@pytest.mark.parametrize(
    ("label", "said"),
    [
        ("*", Anything()),
        ("*****", Anything()),
        ("20-39", Between(20, below(40))),
        ("20 – 39", Between(20, below(40))),
        ("-20..-11", Between(-20, below(-10))),
        ("1.5-2.5", Between(1.5, 2.5)),
        ("[20, 40[", Between(20, below(40))),
        ("[20, 40)", Between(20, below(40))),
        ("]20; 40]", Between(above(20), 40)),
        ("(0.5, 1]", Between(above(0.5), 1)),
        ("<18", Between(-math.inf, below(18))),
        ("<=18", Between(-math.inf, 18)),
        ("≥ 65", Between(65, math.inf)),
        (">65", Between(above(65), math.inf)),
        ("85+", Between(85, math.inf)),
        ("2020-05", Begins(("2020-05",), word=True)),
        ("2020-Q2", Begins(("2020-04", "2020-05", "2020-06"), word=True)),
        ("1990s", Begins(("199",))),
        ("2020-05-17", Begins(("2020-05-17",))),
        ("13**", Matches("13..")),
        ("C50*", Begins(("C50",))),
        ("*34", Matches(".*34")),
        ("{a, 1-3}", OneOf((Begins(("a",), word=True), Between(1, below(4))))),
        ("Married", Begins(("Married",), word=True)),
    ],
)
def test_labels_are_read_as_people_write_them(label, said):
    assert labels.read(label) == said


def covered(x, y, folder=None):
    """What each label covers, as sets of original values."""
    left, right = pl.Series("c", x, strict=False), pl.Series("c", y, strict=False)
    known = None if folder is None else lambda: hierarchy.read(hierarchy.find_file(folder, "c"), "c")
    found = coverage.coverage(left, right, known)
    if found is None:
        return None
    pairs = [(i, j) for j in range(len(y)) for i in range(len(x))]
    inside = found.covers(found.labels[[j for _, j in pairs]], found.places[[i for i, _ in pairs]])
    return {label: {x[i] for (i, j), hit in zip(pairs, inside, strict=True) if hit and y[j] == label} for label in y}


def test_what_labels_cover_by_hand():
    assert covered(["17", "25", "34", "40"], ["20-39", "20-39", "17", "*"]) == {
        "20-39": {"25", "34"},
        "17": {"17"},
        "*": {"17", "25", "34", "40"},
    }
    assert covered(["1301", "1302", "1402", "140"], ["13**", "13**", "14*", "**02"]) == {
        "13**": {"1301", "1302"},
        "14*": {"1402", "140"},
        "**02": {"1302", "1402"},
    }
    assert covered(["a", "b", "c d", "e"], ["{a, e}", "c", "f", "f"]) == {
        "{a, e}": {"a", "e"},
        "c": {"c d"},
        "f": {"a", "b", "c d", "e"},  # a word nobody knows may be anything
    }
    assert covered(["20-24", "25-29", "30-34"], ["20-29", "20-29", "30-34"]) == {
        "20-29": {"20-24", "25-29"},
        "30-34": {"30-34"},
    }
    days = ["2019-12-30", "2020-04-01", "2020-06-30"]
    assert covered(days, ["2020-Q2", "2020", "2010s"]) == {
        "2020-Q2": {"2020-04-01", "2020-06-30"},
        "2020": {"2020-04-01", "2020-06-30"},
        "2010s": {"2019-12-30"},
    }


def test_a_value_is_itself_unless_the_release_has_more_of_it_than_the_original():
    assert covered(["*", "a", "20-39", "30"], ["*", "20-39"]) is None
    assert covered(["*", "a", "b"], ["*", "*", "a"]) == {"*": {"*", "a", "b"}, "a": {"a"}}
    # A word that is a value stays one: somebody may have drawn it at random.
    assert covered(["a", "a b", "c"], ["a", "a", "c"]) == {"a": {"a"}, "c": {"c"}}
    assert covered(["a", "b", "c"], ["a", "a", "b"]) == {"a": {"a"}, "b": {"b"}}


def test_a_label_of_which_there_are_more_than_of_what_it_seems_to_say_means_something_else():
    # "Other" begins one job, held by one person, and the release has two of it.
    jobs = ["Other-service", "Sales", "Craft", "Tech"]
    assert covered(jobs, ["Other", "Tech"]) == {"Other": {"Other-service"}, "Tech": {"Tech"}}
    assert covered(jobs, ["Other", "Other", "Tech"]) == {"Other": set(jobs), "Tech": {"Tech"}}


def test_a_missing_value_covers_all_if_there_are_more_than_the_original_has():
    assert covered(["a", None, "b"], [None, "a"]) is None
    assert covered(["a", None, "b"], [None, None, "a"]) == {None: {"a", None, "b"}, "a": {"a"}}
    assert covered([1, 2, 3], [None, 2]) == {None: {1, 2, 3}, 2: {2}}
    assert covered(["a", None], ["*", "*"]) == {"*": {"a", None}}
    assert covered(["5", None, "6"], ["4-6", "4-6", None])["4-6"] == {"5", "6"}


def test_one_value_in_the_whole_column_tells_nothing():
    assert covered([1, 2, 3], [0, 0]) == {0: {1, 2, 3}}
    assert covered(["a", "b"], ["a", "a"]) == {"a": {"a", "b"}}


def test_dates_that_are_nobody_s_cover_nobody():
    days = [date(2020, 1, 1), date(2020, 1, 2), date(2020, 1, 3)]
    assert covered(days, [days[0], date(2020, 2, 1)]) == {days[0]: {days[0]}, date(2020, 2, 1): set()}


def test_rounded_numbers_cover_what_they_were_rounded_from():
    ages = [21, 24, 26, 33, 37, 38]
    assert covered(ages, [20, 20, 30, 30, 40, 40]) == {20: {21, 24}, 30: {26, 33}, 40: {37, 38}}
    assert covered(ages, [20, 20, 20, 30, 30, 30]) == {20: {21, 24, 26}, 30: {33, 37, 38}}
    assert covered([21, 29, 31, 42], [30, 30, 40, 50]) == {30: {21, 29}, 40: {31}, 50: {42}}
    # Halves go to the even multiple: 25 to 20, 35 to 40.
    assert covered([18, 25, 31, 35, 42], [20, 20, 30, 40, 40]) == {20: {18, 25}, 30: {31}, 40: {35, 42}}
    assert covered([18, 25, 31, 35, 42], [20, 30, 30, 40, 40]) == {20: {18}, 30: {25, 31}, 40: {35, 42}}
    assert covered([18, 25, 31, 35, 42], [20, 20, 30, 30, 40]) == {20: {18, 25}, 30: {31, 35}, 40: {42}}
    # Neither way explains these counts, so each number may come from both sides.
    assert covered([12, 14, 16, 18, 31, 39], [10, 20, 20, 20, 30, 40]) == {
        10: {12, 14, 16, 18},
        20: {12, 14, 16, 18},
        30: {31, 39},
        40: {31, 39},
    }


def test_the_ends_of_a_column_that_was_cut_off_cover_what_lies_beyond():
    assert covered([1, 5, 7, 9, 12], [5, 5, 7, 9, 9]) == {5: {1, 5}, 7: {7}, 9: {9, 12}}
    assert covered(["1", "5", "7"], ["1", "5", "*"]) == {"1": {"1"}, "5": {"5"}, "*": {"1", "5", "7"}}


def test_units_are_found_down_to_decimals():
    assert widening._unit(np.array([20.0, 50, -30])) == 10
    assert widening._unit(np.array([0.25, 0.5])) == 0.25
    assert widening._unit(np.array([math.pi, 1])) == 0


def test_published_hierarchies_tell_what_words_cover(tmp_path):
    (tmp_path / "c.csv").write_text("wed;with spouse;*\ndivorced;alone;*\nsingle;alone;*\n")
    said = covered(["wed", "divorced", "single", None], ["alone", "alone", "with spouse", "*"], tmp_path)
    assert said == {
        "alone": {"divorced", "single"},
        "with spouse": {"wed"},
        "*": {"wed", "divorced", "single", None},
    }
    assert covered(["wed", "x"], ["alone", "alone", "x"], tmp_path)["alone"] == set(), "x is none of them"


QI, SA = ["q1", "q2", "q3"], ["s1", "s2"]
known_text = st.sampled_from(["1", "2", "3", "7", "11", "12", None])
shown_text = st.sampled_from(["1", "2", "3", "11", "*", "1-3", "2-7", "1*", "{1, 12}", "{2, 11, 12}", None])
number = st.one_of(st.none(), st.integers(0, 20))
coarse = st.one_of(st.none(), st.integers(0, 4).map(lambda n: 5 * n), st.integers(0, 20))
amount = st.integers(0, 3)


@st.composite
def releases(draw):
    """Any two tables: two columns of text and labels, one of numbers."""
    kinds = {"q1": pl.String, "q2": pl.String, "q3": pl.Int64, "s1": pl.Int64, "s2": pl.Int64}

    def table(text, whole, least, most):
        record = st.tuples(text, text, whole, amount, amount)
        rows = draw(st.lists(record, min_size=least, max_size=most))
        return dataset(pl.DataFrame(rows, schema=kinds, orient="row"))

    x = table(known_text, number, 3, 16)
    return x, table(shown_text, coarse, 2, x.height)


def dataset(frame):
    return Dataset(frame, roles.choose(frame, QI, SA))


def pairs(x, y):
    """For each released row the original rows covered in every column, one pair at a time."""
    found = [coverage.coverage(x.frame[name], y.frame[name]) for name in QI]
    return [
        [i for i in range(x.height) if all(_covers(c, x, y, name, i, j) for name, c in zip(QI, found, strict=True))]
        for j in range(y.height)
    ]


def _covers(found, x, y, name, i, j):
    if found is None:
        return x.frame[name][i] == y.frame[name][j]
    label, place = int(found.labels[j]), int(found.places[i])
    return any(found.low[s] <= place < found.high[s] for s in range(found.start[label], found.start[label + 1]))


def answers(x, y, **parameters):
    entry = registry.get("attack", "cover")
    return entry.function(Case(x, y), rng=seeds.generator(0, "test"), **entry.bind(parameters))


@FEW
@given(releases())
def test_candidates_are_the_rows_covered_in_every_column(found):
    x, y = found
    wanted = pairs(x, y)
    guess = answers(x, y, choose="random")
    drawn = guess.candidates
    listed = [drawn.rows[a:b].tolist() for a, b in zip(drawn.start, drawn.stop, strict=True)]
    assert listed == wanted
    for answer, rows in zip(guess.first.tolist(), wanted, strict=True):
        assert answer in rows if rows else answer == -1


@FEW
@given(releases(), st.lists(st.integers(0, 2), min_size=16, max_size=16))
def test_the_expectation_is_that_of_counting(found, truth):
    x, y = found
    true = np.array(truth[: y.height])
    shares = [(1 / len(rows)) if true[j] in rows else 0 for j, rows in enumerate(pairs(x, y))]
    expected = judge.score(Truth(true), answers(x, y, choose="random")).expected
    assert expected == pytest.approx(sum(shares) / y.height)


@FEW
@given(releases())
def test_the_answer_is_the_nearest_of_the_rows_covered(found):
    x, y = found
    points, targets = Case(x, y).points(SA, "standard")
    wanted = [slow.nearest(targets[j], points, rows) if rows else -1 for j, rows in enumerate(pairs(x, y))]
    assert answers(x, y).first.tolist() == wanted


@FEW
@given(releases(), st.data())
def test_without_generalised_values_it_is_the_attack_on_blocks(found, data):
    x, _ = found
    rows = data.draw(st.lists(st.integers(0, x.height - 1), min_size=2, max_size=x.height, unique=True))
    y = x.take(np.array(rows))
    same = registry.get("attack", "euc1").function(Case(x, y), rng=seeds.generator(0), scale="standard")
    assert answers(x, y).first.tolist() == same.first.tolist()
    drawn = answers(x, y, choose="random").candidates
    listed = [drawn.rows[a:b].tolist() for a, b in zip(drawn.start, drawn.stop, strict=True)]
    assert listed == slow.candidates(x.frame, y.frame, QI)


def wide(rows=600):
    """A table of numbers too many for one digit of the tree, and its release in nested intervals."""
    rng = np.random.default_rng(4)
    x = pl.DataFrame(
        {"q1": rng.integers(0, 900, rows), "q2": rng.integers(0, 40, rows), "q3": rng.integers(0, 3, rows)}
    )
    width = rng.choice([1, 10, 100, 1000], (2, rows))

    def label(column, width):
        low = column // width * width
        return pl.Series([str(a) if w == 1 else f"{a}-{a + w - 1}" for a, w in zip(low, width, strict=True)])

    y = x.with_columns(label(x["q1"].to_numpy(), width[0]).alias("q1"), label(x["q2"].to_numpy(), width[1]).alias("q2"))
    amounts = pl.DataFrame({"s1": rng.integers(0, 9, rows), "s2": rng.integers(0, 9, rows)})
    return align.match(dataset(x.hstack(amounts)), y.hstack(amounts))


def test_many_values_and_several_digits_give_the_same_candidates_in_parts_and_on_any_number_of_threads(monkeypatch):
    x, y = wide()
    wanted = pairs(x, y)
    assert all(j in rows for j, rows in enumerate(wanted)), "nobody is lost"
    monkeypatch.setattr(candidates, "PART", 50)
    for count in (1, 3):
        monkeypatch.setattr(threads, "thread_count", lambda count=count: count)
        drawn = answers(x, y, choose="random").candidates
        assert [drawn.rows[a:b].tolist() for a, b in zip(drawn.start, drawn.stop, strict=True)] == wanted


def test_where_there_is_too_much_to_compare_those_who_cover_most_get_no_answer(monkeypatch):
    x, y = wide(100)
    sizes = np.array([len(rows) for rows in pairs(x, y)])
    monkeypatch.setattr(module, "PAIRS", 200)
    answered = answers(x, y).first >= 0
    assert 0 < answered.sum() < y.height
    assert sizes[answered].max() <= sizes[~answered].min()
    monkeypatch.setattr(module, "LISTED", 0)
    assert (answers(x, y, choose="random").first == -1).all()


def test_a_full_domain_release_is_found_by_blocks_alone(households):
    release = icefire.anonymize(households, {"step": [{"method": "k_anonymize", "mode": "full_domain", "k": 5}]})
    x, y = align.match(households, release.released.frame)
    found = candidates.find_candidates(Case(x, y), x.qi)
    assert isinstance(found, blocks.Blocks)
    # Everybody is in one class and no row was left out, so classes are the same on both sides.
    assert np.array_equal(found.x_sizes, found.y_sizes)
    card = icefire.audit(households, release, attacks=["cover", "id_rand"], parameters={"cover": {"choose": "random"}})
    attack, classes = card.scorecard.attacks["cover"], card.scorecard.risks.classes
    assert attack.expected == pytest.approx(classes.prosecutor.mean) == pytest.approx(classes.marketer)
    assert card.scorecard.attacks["id_rand"].hits == 0


@pytest.mark.heavy
def test_local_recoding_by_hierarchies_never_loses_anybody(households, tmp_path):
    for name in households.qi:
        hierarchy.infer(households.frame[name]).write(tmp_path / f"{name}.csv")
    step = {"method": "k_anonymize", "k": 4, "hierarchies": str(tmp_path)}
    release = icefire.anonymize(households, {"step": [step]})
    x, y = align.match(households, release.released.frame)
    drawn = answers_of(x, y, choose="random").candidates
    assert drawn.include(release.truth.rows).all()
    assert drawn.sizes.min() >= 4
    card = icefire.audit(households, release, attacks=["cover"]).scorecard
    assert card.attacks["cover"].rate == 1.0, "expenses were left as they are"


def answers_of(x, y, **parameters):
    return registry.get("attack", "cover").function(Case(x, y), rng=seeds.generator(1), **parameters)


def test_a_folder_without_the_file_of_a_generalised_column_is_refused(households, tmp_path):
    release = icefire.anonymize(households, {"step": [{"method": "suppress_cells"}]})
    with pytest.raises(InputError, match=r"no file in .* 'region\.csv'"):
        icefire.attack("cover", households, release.released.frame, parameters={"hierarchies": str(tmp_path)})
