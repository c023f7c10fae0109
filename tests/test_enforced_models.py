"""k_anonymize keeps the other models it is asked for, re-counted on the released table by a slow checker."""

from __future__ import annotations

from collections import Counter, defaultdict
from math import exp, log

import pytest

from icefire import api

QI = ("region", "members", "head_age", "employment")
SA = ("industry", "food")


@pytest.fixture(scope="module")
def survey():
    frame = api.sample("households", 600).frame
    return api.read(frame, qi=QI, sa=SA)


def classes(frame, column):
    """The values of a sensitive attribute in each class, as anybody would count them."""
    found = defaultdict(list)
    for *key, value in frame.select(*QI, column).iter_rows():
        found[tuple(key)].append(value)
    return list(found.values())


def distinct(frame):
    return min(len(set(values)) for column in SA for values in classes(frame, column))


def entropy(frame):
    def of(values):
        return exp(-sum(n / len(values) * log(n / len(values)) for n in Counter(values).values()))

    return min(of(values) for values in classes(frame, "industry"))


def variation(frame, whole):
    """Largest distance of a class from the whole, all values equally far."""
    total, n = Counter(whole), len(whole)

    def of(values):
        counts = Counter(values)
        return sum(abs(counts[v] / len(values) - total[v] / n) for v in total) / 2

    return max(of(values) for values in classes(frame, "industry"))


def most_frequent(frame):
    return max(max(Counter(v).values()) / len(v) for v in classes(frame, "industry"))


@pytest.mark.parametrize("mode", ["local", "full_domain"])
@pytest.mark.parametrize(
    ("model", "kept"),
    [
        ({"l_distinct": 3}, lambda frame, whole: distinct(frame) >= 3),
        ({"l_entropy": 2.0, "sa": ["industry"]}, lambda frame, whole: entropy(frame) >= 2.0 - 1e-9),
        ({"t_equal": 0.4, "sa": ["industry"]}, lambda frame, whole: variation(frame, whole) <= 0.4 + 1e-9),
        ({"alpha": 0.6, "sa": ["industry"]}, lambda frame, whole: most_frequent(frame) <= 0.6 + 1e-9),
    ],
    ids=["l_distinct", "l_entropy", "t_equal", "alpha"],
)
def test_the_model_holds_in_every_class_of_the_release(survey, mode, model, kept):
    step = {"method": "k_anonymize", "k": 4, "mode": mode, "max_suppressed": 0.2 if mode == "full_domain" else 0.0}
    plain = api.anonymize(survey, {"step": [step]}).released.frame
    frame = api.anonymize(survey, {"step": [step | model]}).released.frame
    whole = survey.frame["industry"].to_list()
    assert min(len(values) for values in classes(frame, "food")) >= 4
    assert kept(frame, whole)
    assert not kept(plain, whole), "the model must cost something, or this test shows nothing"


def test_a_model_that_not_even_the_whole_table_keeps_is_refused(survey):
    with pytest.raises(api.ParameterError, match="recipe step 1: the model l_distinct got 99"):
        api.anonymize(survey, {"step": [{"method": "k_anonymize", "l_distinct": 99, "sa": ["industry"]}]})


def test_a_model_without_a_sensitive_column_is_refused(survey):
    bare = api.read(survey.frame, qi=QI, sa=())
    with pytest.raises(api.auditing.SchemaError, match="the model l_distinct needs at least one sa column"):
        api.anonymize(bare, {"step": [{"method": "k_anonymize", "l_distinct": 2}]})
