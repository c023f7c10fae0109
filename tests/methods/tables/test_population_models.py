"""k-map and δ-presence against a population: what was released is matched with everybody, one by one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from support.recoded import TOWN, carried, tables
from support.small_tables import compare

import icefire
from icefire import hierarchy, models
from icefire.core import align, roles, seeds
from icefire.core.dataset import Dataset
from icefire.core.errors import ParameterError, UndefinedError
from icefire.core.registry import get
from icefire.kernels.neighbours import weighted_boxes
from icefire.methods.tables.k_anonymize.full_domain import full_domain
from icefire.methods.tables.k_anonymize.local_recoding import local_recoding
from icefire.models import PopulationBounds

# The slow checker


def paths_of(tree, values):
    """All that each value may be released as: itself, its ancestors, and * at the end."""
    known = hierarchy.fit(tree, values).hierarchy
    return {path[0]: {*path, "*"} for path in known.rows()}


def matches(frame, people, trees):
    """For every released row, the people it may be."""
    names = [tree.name for tree in trees]
    paths = [paths_of(tree, people[tree.name].cast(pl.String)) for tree in trees]
    shown = frame.select(pl.col(name).cast(pl.String) for name in names).rows()
    asked = people.select(pl.col(name).cast(pl.String) for name in names).rows()
    return [
        [
            p
            for p, person in enumerate(asked)
            if all(v in path[w] for v, w, path in zip(row, person, paths, strict=True))
        ]
        for row in shown
    ]


def slow_k_map(found):
    return min(len(people) for people in found)


def slow_delta(found, count):
    chance = [0.0] * count
    for people in found:
        for person in people:
            chance[person] += 1 / len(people)
    return max(min(one, 1.0) for one in chance)


# By hand


def population_of(data, people, trees):
    both = [
        hierarchy.fit(tree, pl.concat([data.frame[tree.name], people[tree.name]]).cast(pl.String)) for tree in trees
    ]
    gathered = models.index_population(both, data.height)
    return [replace(column, numbers=column.numbers[: data.height]) for column in both], gathered


def in_both_modes(data, people, trees, k, make, share=0.0):
    fitted, population = population_of(data, people, trees)
    names = [tree.name for tree in trees]
    yield lambda: full_domain(data, fitted, k=k, max_suppressed=share, bounds=make(population))
    yield lambda: local_recoding(
        data, names, k=k, rng=seeds.generator(0), fitted=fitted, max_suppressed=share, bounds=make(population)
    )


def test_a_sample_is_generalised_only_as_far_as_the_population_asks():
    # One person of Aa in the sample, but three of Aa live there; of Ba and Bb there is one each.
    data = carried({"town": ["Aa", "Ba"], "pay": [1, 2]}, ["town"])
    people = pl.DataFrame({"town": ["Aa", "Aa", "Aa", "Ba", "Bb"]})
    full, local = in_both_modes(data, people, [TOWN], 1, lambda population: PopulationBounds(population, k_map=2))
    assert local().frame["town"].to_list() == ["Aa", "B"]
    assert local().notes["k_map"] == 2
    assert full().frame["town"].to_list() == ["A", "B"]  # the level is the same for all
    data = carried({"town": ["Aa", "Aa", "Aa", "Ba"], "pay": [1, 2, 3, 4]}, ["town"])
    full, _ = in_both_modes(
        data, people, [TOWN], 1, lambda population: PopulationBounds(population, k_map=2), share=0.25
    )
    assert full().frame["town"].to_list() == ["Aa", "Aa", "Aa"]  # leaving Ba out loses 1/4, a level more 1/3


def test_presence_is_the_share_of_those_one_may_be_that_was_released():
    data = carried({"town": ["Aa", "Ba"], "pay": [1, 2]}, ["town"])
    people = pl.DataFrame({"town": ["Aa", "Aa", "Aa", "Ba", "Bb"]})
    for limit, towns in ((1.0, ["Aa", "Ba"]), (0.5, ["Aa", "B"]), (0.4, ["*", "*"])):
        _, local = in_both_modes(
            data, people, [TOWN], 1, lambda population, d=limit: PopulationBounds(population, delta=d)
        )
        assert local().frame["town"].to_list() == towns
    assert local().notes["delta_presence"] == pytest.approx(2 / 5)


def test_chances_add_up_where_classes_overlap():
    # Both classes may be the person in Aa: one for sure if alone, and half of the other.
    _, population = population_of(
        carried({"town": ["Aa"]}, ["town"]), pl.DataFrame({"town": ["Aa", "Ab", "Aa"]}), [TOWN]
    )
    values, levels = np.array([[0], [0]], np.int32), np.array([[0], [1]], np.int32)
    assert population.matching(values, levels).tolist() == [2, 3]
    crowd, sizes = PopulationBounds(population, delta=0.8), np.array([1, 1])
    assert crowd.reached(sizes, values, levels) == {"delta_presence": pytest.approx(1 / 2 + 1 / 3)}
    assert crowd.kept(sizes, values, levels).all()  # each class alone is fine


# On any table


@st.composite
def samples(draw):
    """A table, its hierarchies, and a population that holds the table and others."""
    data, trees = draw(tables())
    names = [tree.name for tree in trees]
    strangers = draw(st.integers(0, 30))
    more = {
        tree.name: pl.Series(
            draw(st.lists(st.sampled_from([*tree.values, None]), min_size=strangers, max_size=strangers)),
            dtype=pl.String,
        )
        for tree in trees
    }
    return data, pl.concat([data.frame.select(names), pl.DataFrame(more)]), trees


@settings(max_examples=60, deadline=None)
@given(samples(), st.integers(1, 3), st.integers(1, 12), st.sampled_from([0.0, 0.3]))
def test_every_released_row_may_be_enough_people(case, k, least, share):
    data, people, trees = case
    k, least = min(k, data.height), min(least, people.height)
    for made in both_made(data, people, trees, k, lambda population: PopulationBounds(population, k_map=least), share):
        assert slow_k_map(matches(made.frame, people, trees)) == made.notes["k_map"] >= least
        assert data.height - made.height == made.notes["suppressed"] <= share * data.height


@settings(max_examples=60, deadline=None)
@given(samples(), st.integers(1, 3), st.sampled_from([0.1, 0.3, 0.5, 0.7, 1.0]), st.sampled_from([0.0, 0.3]))
def test_nobody_is_there_with_a_higher_chance(case, k, limit, share):
    data, people, trees = case
    assume(data.height <= limit * people.height)
    k = min(k, data.height)
    for made in both_made(data, people, trees, k, lambda population: PopulationBounds(population, delta=limit), share):
        chance = slow_delta(matches(made.frame, people, trees), people.height)
        assert chance == pytest.approx(made.notes["delta_presence"])
        assert chance <= limit + 1e-9


def both_made(data, people, trees, k, make, share):
    """The results of both modes; only hierarchies without one top value may have none of full-domain."""
    full, local = in_both_modes(data, people, trees, k, make, share)
    yield local()
    try:
        yield full()
    except ParameterError:
        assert not all(tree.closed for tree in trees)


def test_rows_are_left_out_where_there_are_too_many_for_the_chance_asked_for():
    data = carried({"town": ["Aa", "Aa", "Ab", "Ba"], "pay": [1, 2, 3, 4]}, ["town"])
    people = pl.DataFrame({"town": ["Aa", "Aa", "Ab", "Ba", "Bb"]})
    full, local = in_both_modes(
        data, people, [TOWN], 1, lambda population: PopulationBounds(population, delta=0.5), share=0.75
    )
    assert full().frame["town"].to_list() == ["B"]  # all three of A are in the table, one of the two of B
    made = local()
    assert 1 <= made.height <= 2
    assert slow_delta(matches(made.frame, people, [TOWN]), 5) <= 0.5
    *_, local = in_both_modes(
        data, people, [TOWN], 1, lambda population: PopulationBounds(population, delta=0.5), share=0.25
    )
    with pytest.raises(ParameterError, match="hide in the population; ask for less"):
        local()


# From files, in a recipe


QI = ["region", "members", "head_age", "employment"]


@pytest.fixture(scope="module")
def survey(tmp_path_factory):
    """A survey of 143 of 1,000 households, the file of all of them, and a folder of hierarchies."""
    place = tmp_path_factory.mktemp("survey")
    everybody = icefire.sample("households", 1000).frame
    everybody.select(QI).write_parquet(place / "everybody.parquet")
    trees = [hierarchy.infer(everybody[name]) for name in QI]
    for tree in trees:
        tree.write(place / f"{tree.name}.csv")
    return icefire.read(everybody[::7], qi=QI, sa=["industry"]), everybody, trees, place


@pytest.mark.parametrize("mode", ["local", "full_domain"])
@pytest.mark.parametrize("bounds", [{"k_map": 8}, {"delta_presence": 0.3}, {"k_map": 8, "delta_presence": 0.3}])
@pytest.mark.parametrize("models", [{}, {"k": 3, "l_distinct": 2, "max_suppressed": 0.1}])
def test_a_recipe_keeps_what_it_promises_about_the_population(survey, mode, bounds, models):
    data, everybody, trees, place = survey
    step = {"k": 1, "mode": mode, "hierarchies": str(place), "population": str(place / "everybody.parquet")}
    made = icefire.anonymize(data, {"step": [{"method": "k_anonymize", **step, **bounds, **models}]})
    notes = made.recipe["steps"][0]["notes"]
    found = matches(made.released.frame, everybody, trees)
    if "k_map" in bounds:
        assert slow_k_map(found) == notes["k_map"] >= 8
    if "delta_presence" in bounds:
        assert slow_delta(found, everybody.height) == pytest.approx(notes["delta_presence"])
        assert notes["delta_presence"] <= 0.3 + 1e-9
    # Anybody else can measure it, who has the population and the hierarchies.
    x, y = align.match(icefire.read(everybody, qi=QI, sa=["industry"]), made.released.frame)
    for name in ("k_map", "delta_presence"):
        measured = get("measure", name).function(compare(x, y), hierarchies=str(place))
        assert measured == pytest.approx(notes.get(name, measured))


def test_labels_on_several_levels_and_labels_nobody_knows(tmp_path):
    (tmp_path / "q.csv").write_text("a;a;A\nb;b;A\nc;C;C\n")
    people = data_of("abbbc")
    entry = get("measure", "k_map")
    for shown, least in (("aA", 1), ("bA", 3), ("C", 1), ("*", 5), ("bZ", 3)):
        assert entry.function(compare(people, data_of(shown)), hierarchies=str(tmp_path)) == least
    with pytest.raises(UndefinedError, match="name the hierarchies"):
        entry.function(compare(people, data_of("YZ")), hierarchies=str(tmp_path))
    with pytest.raises(ParameterError, match="give one of them"):
        entry.function(compare(people, people), hierarchies=str(tmp_path), suppressed="wildcard")


def data_of(values):
    return Dataset(pl.DataFrame({"q": list(values)}), roles.choose(pl.DataFrame({"q": list(values)}), ["q"], []))


# The kernel


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 300), st.integers(1, 4), st.integers(0, 2**32 - 1))
def test_boxes_hold_what_comparing_all_points_says(count, columns, seed):
    rng = np.random.default_rng(seed)
    points = rng.integers(0, 9, (count, columns)).astype(np.int32)
    ends = np.sort(rng.integers(-1, 10, (2, 20, columns)), axis=0).astype(np.int32)
    inside = ((points >= ends[0][:, None]) & (points <= ends[1][:, None])).all(axis=2)
    tree, weights, values = weighted_boxes.build_point_tree(points), rng.integers(0, 5, count), rng.random(20)
    assert weighted_boxes.weights_in_boxes(tree, weights, ends[0], ends[1]).tolist() == (inside @ weights).tolist()
    assert weighted_boxes.values_at_points(tree, ends[0], ends[1], values) == pytest.approx(values @ inside)
