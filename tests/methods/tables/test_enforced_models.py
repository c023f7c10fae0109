"""k_anonymize keeps the other models it is asked for, re-counted on the released table by a slow checker."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from math import exp, log

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.commands import run_icefire

import icefire
from icefire import hierarchy
from icefire.core.errors import InputError, ParameterError, SchemaError

QI = ("region", "members", "head_age", "employment")
SA = ("industry", "food")


@pytest.fixture(scope="module")
def survey():
    frame = icefire.sample("households", 600).frame
    return icefire.read(frame, qi=QI, sa=SA)


# The slow checker: every statistic from its definition, on the released table alone


def classes(frame, column, qi=QI):
    """The values of a sensitive attribute in each class, as anybody would count them."""
    found = defaultdict(list)
    for *key, value in frame.select(*qi, column).iter_rows():
        found[tuple(key)].append(value)
    return list(found.values())


def shares(values):
    return {value: count / len(values) for value, count in Counter(values).items()}


def distinct(values, whole):
    return len(set(values))


def entropy(values, whole):
    return exp(-sum(q * log(q) for q in shares(values).values()))


def recursive(values, whole, c=3):
    counts = sorted(Counter(values).values(), reverse=True)
    return max((i + 1 for i in range(len(counts)) if counts[0] < c * sum(counts[i:])), default=0)


def most_frequent(values, whole):
    return max(shares(values).values())


def variation(values, whole):
    q, p = shares(values), shares(whole)
    return sum(abs(q.get(v, 0) - p[v]) for v in p) / 2


def ordered(values, whole):
    q, p = shares(values), shares(whole)
    line = sorted(p)
    steps = [abs(sum(q.get(v, 0) - p[v] for v in line[: i + 1])) for i in range(len(line))]
    return sum(steps) / max(len(line) - 1, 1)


def by_tree(values, whole):
    """On a tree, half a step for what must pass through each edge; the tree is the one the released values suggest."""
    paths = {path[0]: path for path in hierarchy.infer(pl.Series("s", sorted(set(whole)))).rows()}
    height = len(next(iter(paths.values()))) - 1
    total = 0.0
    for level in range(height):
        q, p = shares([paths[str(v)][level] for v in values]), shares([paths[str(v)][level] for v in whole])
        total += sum(abs(q.get(node, 0) - p[node]) for node in p)
    return total / (2 * height)


def gain(values, whole):
    q, p = shares(values), shares(whole)
    return max(0, *((q[v] - p[v]) / p[v] for v in q))


def bounded_gain(values, whole):
    q, p = shares(values), shares(whole)
    return gain(values, whole) if all((q[v] - p[v]) / p[v] <= -log(p[v]) + 1e-9 for v in q) else float("inf")


def log_ratio(values, whole):
    q, p = shares(values), shares(whole)
    return max(abs(log(q[v] / p[v])) for v in q)


LOWER = {"l_distinct": distinct, "l_entropy": entropy, "l_recursive": recursive}
UPPER = {
    "alpha": most_frequent,
    "t_equal": variation,
    "t_ordered": ordered,
    "t_hierarchical": by_tree,
    "beta": gain,
    "beta_enhanced": bounded_gain,
    "delta": log_ratio,
}


def holds(frame, name, limit, column, qi=QI):
    """Whether every class of a table keeps a bound, against the distribution of this table."""
    whole = frame[column].to_list()
    if name in LOWER:
        return all(LOWER[name](values, whole) >= limit - 1e-9 for values in classes(frame, column, qi))
    return all(UPPER[name](values, whole) <= limit + 1e-9 for values in classes(frame, column, qi))


BOUNDS = [
    ("l_distinct", 3, "industry"),
    ("l_entropy", 2.0, "industry"),
    ("l_recursive", 2, "industry"),
    ("alpha", 0.6, "industry"),
    ("t_equal", 0.4, "industry"),
    ("t_ordered", 0.25, "food"),
    ("t_hierarchical", 0.35, "food"),
    ("beta", 2.0, "industry"),
    ("beta_enhanced", 2.0, "industry"),
    ("delta", 1.5, "industry"),
]


@pytest.mark.parametrize("mode", ["local", "full_domain"])
@pytest.mark.parametrize("share", [0.0, 0.2])
@pytest.mark.parametrize(("name", "limit", "column"), BOUNDS, ids=[name for name, _, _ in BOUNDS])
def test_the_model_holds_in_every_class_of_the_release(survey, mode, share, name, limit, column):
    step = {"method": "k_anonymize", "k": 4, "mode": mode, "max_suppressed": share, "sa": [column]}
    release = icefire.anonymize(survey, {"step": [step | {name: limit}]})
    frame = release.released.frame
    assert min(len(values) for values in classes(frame, column)) >= 4
    assert holds(frame, name, limit, column)
    gone = survey.height - frame.height
    assert gone == release.recipe["steps"][0]["notes"]["suppressed"] <= share * survey.height
    plain = icefire.anonymize(survey, {"step": [step]}).released.frame
    assert not holds(plain, name, limit, column), "the model must cost something, or this test shows nothing"


def test_inspect_finds_on_the_release_what_was_promised(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    icefire.sample("households", 400).frame.write_csv("x.csv")
    (tmp_path / "r.toml").write_text(
        '[[step]]\nmethod = "k_anonymize"\nmode = "full_domain"\nk = 3\nmax_suppressed = 0.3\nt_equal = 0.3\n'
        "delta = 1.2\nbeta_enhanced = 1.0\nt_hierarchical = 0.3\n"
    )
    roles = ("--qi", ",".join(QI), "--sa", "industry")
    assert run_icefire(capsys, "anonymize", "x.csv", "-r", "r.toml", "-o", "out", *roles).code == 0
    done = run_icefire(
        capsys, "inspect", "out/released.csv", *roles, "--param", "beta_likeness.form=enhanced", "--json", "found.json"
    )
    assert done.code == 0, done.err
    found = {name: one["value"] for name, one in json.loads((tmp_path / "found.json").read_text())["measures"].items()}
    assert found["k_min"] >= 3
    assert found["t_equal"] <= 0.3 + 1e-9
    assert found["t_hierarchical"] <= 0.3 + 1e-9
    assert found["beta_likeness"] <= 1.0 + 1e-9
    assert found["delta_disclosure"] <= 1.2 + 1e-9
    rows = pl.read_csv(tmp_path / "out/released.csv").height
    assert rows < 400, "some rows were left out, so that the table classes are compared with is another"


@st.composite
def small_tables(draw):
    rows = draw(st.integers(4, 30))
    record = st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(0, 3))
    found = draw(st.lists(record, min_size=rows, max_size=rows))
    return pl.DataFrame(found, schema=["a", "b", "s"], orient="row")


@settings(max_examples=150, deadline=None)
@given(
    small_tables(),
    st.sampled_from(["local", "full_domain"]),
    st.sampled_from([0.0, 0.2, 0.6]),
    st.sampled_from([(name, limit) for name in UPPER for limit in (0.1, 0.4, 0.8)] + [(n, 2) for n in LOWER]),
)
def test_models_hold_on_what_is_released_of_any_table(frame, mode, share, bound):
    data = icefire.read(frame, qi=["a", "b"], sa=["s"])
    name, limit = bound
    step = {"method": "k_anonymize", "k": 2, "mode": mode, "max_suppressed": share, name: limit}
    try:
        made = icefire.anonymize(data, {"step": [step]}).released.frame
    except ParameterError:
        # Nothing can be promised for a table that breaks the model as a whole; t, β and δ every whole table keeps.
        assert name in ("l_distinct", "l_entropy", "l_recursive", "alpha")
        return
    assert made.height >= frame.height * (1 - share) - 1e-9
    assert holds(made, name, limit, "s", ("a", "b"))
    assert min(len(values) for values in classes(made, "s", ("a", "b"))) >= 2


# Refused


def test_a_model_that_not_even_the_whole_table_keeps_is_refused(survey):
    with pytest.raises(ParameterError, match="recipe step 1: the model l_distinct got 99"):
        icefire.anonymize(survey, {"step": [{"method": "k_anonymize", "l_distinct": 99, "sa": ["industry"]}]})


def test_a_model_without_a_sensitive_column_is_refused(survey):
    bare = icefire.read(survey.frame, qi=QI, sa=())
    with pytest.raises(SchemaError, match="the model l_distinct needs at least one sa column"):
        icefire.anonymize(bare, {"step": [{"method": "k_anonymize", "l_distinct": 2}]})


def test_k_of_one_without_a_model_is_refused(survey):
    with pytest.raises(ParameterError, match="k is 1 and no model is asked for; raise k to 2 or more, or add a model"):
        icefire.anonymize(survey, {"step": [{"method": "k_anonymize", "k": 1}]})
    made = icefire.anonymize(survey, {"step": [{"method": "k_anonymize", "k": 1, "l_distinct": 2, "sa": ["industry"]}]})
    assert holds(made.released.frame, "l_distinct", 2, "industry")


# By hierarchy


def test_a_hierarchy_of_the_sensitive_attribute_is_read_from_a_file_or_folder(tmp_path):
    # Each class lacks half of every branch: a quarter each to the sibling, at half the height; 1/2 if all are as far.
    frame = pl.DataFrame(
        {"q": [1, 1, 1, 1, 2, 2, 2, 2], "s": ["flu", "flu", "leg", "leg", "cold", "cold", "arm", "arm"]}
    )
    data = icefire.read(frame, qi=["q"], sa=["s"])
    (tmp_path / "s.csv").write_text("flu;airways;*\ncold;airways;*\nleg;bones;*\narm;bones;*\n")
    step = {"method": "k_anonymize", "k": 2, "t_hierarchical": 0.25}
    for place in (tmp_path, tmp_path / "s.csv"):
        made = icefire.anonymize(data, {"step": [step | {"sa_hierarchies": str(place)}]})
        assert made.released.frame["q"].n_unique() == 2
        assert made.recipe["steps"][0]["notes"]["sa_hierarchies"] == {"s": "read from s.csv"}
        tighter = step | {"sa_hierarchies": str(place), "t_hierarchical": 0.24}
        assert icefire.anonymize(data, {"step": [tighter]}).released.frame["q"].n_unique() == 1
    flat = icefire.anonymize(data, {"step": [step]})
    assert flat.released.frame["q"].n_unique() == 1
    assert flat.recipe["steps"][0]["notes"]["sa_hierarchies"]["s"].startswith("inferred: ")


def test_hierarchies_of_sensitive_attributes_that_do_not_fit_are_refused(tmp_path, survey):
    (tmp_path / "industry.csv").write_text("retail;*\n")
    step = {"method": "k_anonymize", "t_hierarchical": 0.3, "sa": ["industry"]}
    with pytest.raises(InputError, match="is not in its hierarchy"):
        icefire.anonymize(survey, {"step": [step | {"sa_hierarchies": str(tmp_path)}]})
    with pytest.raises(ParameterError, match="is one file, but there are several sensitive attributes"):
        both = step | {"sa": ["industry", "food"], "sa_hierarchies": str(tmp_path / "industry.csv")}
        icefire.anonymize(survey, {"step": [both]})
    with pytest.raises(InputError, match=r"folder '.*nowhere' does not exist"):
        icefire.anonymize(survey, {"step": [step | {"sa_hierarchies": str(tmp_path / "nowhere")}]})
    with pytest.raises(ParameterError, match="t_hierarchical is not; give both"):
        icefire.anonymize(survey, {"step": [{"method": "k_anonymize", "sa_hierarchies": str(tmp_path)}]})
