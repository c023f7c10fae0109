"""Hierarchies: read, built, inferred, refused; on a handful of values."""

from __future__ import annotations

from datetime import date, datetime
from functools import partial

import numpy as np
import polars as pl
import pytest
from support.places import DATA

from icefire import hierarchy
from icefire.core.errors import InputError, OutputError, ParameterError
from icefire.hierarchy.core import build

ADULT = DATA / "arx_adult"

CITIES = "Lyon;France;Europe;*\nNice;France;Europe;*\nOslo;Norway;Europe;*\nCairo;Egypt;Africa;*\n"


def column(values, name="c"):
    return pl.Series(name, values)


def written(folder, text, name="city.csv"):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def shown(made):
    """Each value with its generalisations, top left out."""
    return {row[0]: list(row[1:-1]) for row in made.rows()}


def test_a_file_is_read_as_codes_labels_and_leaves_per_level(tmp_path):
    made = hierarchy.read(written(tmp_path, CITIES))
    assert (made.size, made.levels, made.closed) == (4, 4, True)
    assert [labels.to_list() for labels in made.labels[1:]] == [
        ["France", "Norway", "Egypt"],
        ["Europe", "Africa"],
        ["*"],
    ]
    assert [codes.tolist() for codes in made.codes] == [[0, 1, 2, 3], [0, 0, 1, 2], [0, 0, 0, 1], [0, 0, 0, 0]]
    assert [leaves.tolist() for leaves in made.leaves] == [[1, 1, 1, 1], [2, 1, 1], [3, 1], [4]]
    assert all(codes.dtype == np.int32 for codes in made.codes)


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_found_whatever_the_labels_hold(tmp_path, delimiter):
    text = (
        f"a{delimiter}x, or y{delimiter}*\nb{delimiter}z{delimiter}*\n"
        if delimiter == ";"
        else CITIES.replace(";", delimiter)
    )
    assert hierarchy.read(written(tmp_path, text)).levels == (3 if delimiter == ";" else 4)


def test_what_is_written_is_read_back(tmp_path):
    made = hierarchy.read(written(tmp_path, CITIES)).with_missing()
    made.write(tmp_path / "again.csv")
    assert hierarchy.read(tmp_path / "again.csv").rows() == made.rows()
    made.write_mapping(tmp_path / "mapping.csv", 1)
    for name, write in (("again.csv", made.write), ("mapping.csv", partial(made.write_mapping, level=1))):
        with pytest.raises(OutputError, match="exists already"):
            write(tmp_path / name)
        write(tmp_path / name, force=True)


def test_the_applied_mapping_says_what_each_value_became(tmp_path):
    made = hierarchy.read(written(tmp_path, CITIES))
    assert dict(made.mapping(2).rows()) == {"Lyon": "Europe", "Nice": "Europe", "Oslo": "Europe", "Cairo": "Africa"}
    made.write_mapping(tmp_path / "m.csv", 1)
    assert (tmp_path / "m.csv").read_text() == "value,released\nLyon,France\nNice,France\nOslo,Norway\nCairo,Egypt\n"
    with pytest.raises(ParameterError, match=r"no level 4; it has levels 0 \(the value itself\) to 3"):
        made.mapping(4)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a;x;*\nb;x;*\na;y;*\n", "lists the value 'a' twice, as values 1 and 3"),
        ("a;x;p\nb;x;q\n", r"not a tree: 'x' of level 1 becomes 'p' \(value 'a'\) and 'q' \(value 'b'\) at level 2"),
        ("a;x;*\nb;*\n", r"ragged: line 2 has 2 cells, the first has 3 \(the value and 2 levels\)"),
        ("a;x;*\n\nb;;*\n", r"line 3 \(value 'b'\) is empty at level 1"),
        ("a\nb\n", "has one column"),
        ("\n\n", "is empty"),
    ],
)
def test_a_file_that_is_no_hierarchy_is_refused_with_the_place(tmp_path, text, message):
    with pytest.raises(InputError, match=message):
        hierarchy.read(written(tmp_path, text))


def test_a_file_that_is_not_text_or_not_there_is_refused(tmp_path):
    (tmp_path / "latin.csv").write_bytes("K\xf6ln;*".encode("latin-1"))
    with pytest.raises(InputError, match="not UTF-8"):
        hierarchy.read(tmp_path / "latin.csv")
    with pytest.raises(InputError, match="cannot be read"):
        hierarchy.read(tmp_path / "none.csv")


def test_the_file_of_a_column_is_the_one_whose_name_ends_so(tmp_path):
    for name in ("h_age.csv", "h_wage.csv", "job.csv", "old_job.csv", "town-size.csv", "notes.txt"):
        written(tmp_path, CITIES, name)
    assert hierarchy.find_file(tmp_path, "age").name == "h_age.csv"
    assert hierarchy.find_file(tmp_path, "job").name == "job.csv"
    assert hierarchy.find_file(tmp_path, "size").name == "town-size.csv"
    assert hierarchy.read_folder(tmp_path, ["age", "job"])["job"].name == "job"


def test_a_column_without_a_file_or_with_two_is_refused_by_name(tmp_path):
    written(tmp_path, CITIES, "h_education.csv")
    with pytest.raises(InputError, match=r"for column 'eduction'; the nearest is 'h_education\.csv'"):
        hierarchy.find_file(tmp_path, "eduction")
    with pytest.raises(InputError, match=r"for column 'zzz'; there are: h_education\.csv"):
        hierarchy.find_file(tmp_path, "zzz")
    written(tmp_path, CITIES, "g_education.csv")
    with pytest.raises(InputError, match=r"g_education\.csv, h_education\.csv .* all end in 'education\.csv'"):
        hierarchy.find_file(tmp_path, "education")
    with pytest.raises(InputError, match="'nowhere' does not exist"):
        hierarchy.find_file("nowhere", "age")


def test_missing_values_stay_apart_until_the_top():
    made = build("c", [column(["a", "b"]), column(["x", "x"]), column(["*", "*"])])
    found = hierarchy.fit(made, column(["b", None, "a", None]))
    assert found.released(1).to_list() == ["x", None, "x", None]
    assert found.released(2).to_list() == ["*"] * 4
    assert [leaves.tolist() for leaves in found.hierarchy.leaves] == [[1, 1, 1], [2, 1], [3]]


def test_missing_values_stay_missing_where_the_top_is_not_one_value():
    made = build("c", [column(["a", "b"]), column(["x", "y"])])
    assert hierarchy.fit(made, column(["a", None])).released(1).to_list() == ["x", None]


def test_an_unseen_value_is_named_with_its_row_and_the_nearest(tmp_path):
    made = hierarchy.read(written(tmp_path, CITIES))
    with pytest.raises(InputError, match=r"column 'city': value 'Lyn' \(first in row 2\).*nearest it lists is 'Lyon'"):
        hierarchy.fit(made, column(["Oslo", None, "Lyn", "Aaa", "Lyn"], "city"))


def test_an_unseen_value_may_become_the_top_from_level_1(tmp_path):
    found = hierarchy.fit(hierarchy.read(written(tmp_path, CITIES)), column(["Lyon", "Rome", "Bonn"]), unseen="top")
    assert [found.released(level).to_list() for level in (1, 2, 3)] == [
        ["France", "*", "*"],
        ["Europe", "*", "*"],
        ["*", "*", "*"],
    ]
    # A star tells nothing, so it stands for all six values, at every level.
    assert [int(counts[-1]) for counts in found.hierarchy.leaves] == [1, 6, 6, 6]


def test_numbers_match_however_they_are_written():
    made = build("n", [column(["1", "2.0", "30"]), column(["*"] * 3)])
    for values in ([30, 1, 2], [30.0, 1.0, 2.0], [30, None, 2]):
        places = hierarchy.fit(made, column(values)).places
        assert set(places[:2]) <= {0, 1, 2}
    with pytest.raises(InputError, match=r"value '2\.5'"):
        hierarchy.fit(made, column([1.0, 2.5]))
    flags = build("b", [column(["true", "false"]), column(["*", "*"])])
    assert hierarchy.fit(flags, column([True, False, None])).released(0).to_list() == ["true", "false", None]


def test_intervals_double_from_a_width():
    made = hierarchy.intervals(column([17, 20, 24, 25, 39]), width=5)
    assert shown(made) == {
        "17": ["15-19", "10-19", "0-19"],
        "20": ["20-24", "20-29", "20-39"],
        "24": ["20-24", "20-29", "20-39"],
        "25": ["25-29", "20-29", "20-39"],
        "39": ["35-39", "30-39", "20-39"],
    }


def test_intervals_take_negative_and_broken_numbers_and_another_fanout():
    made = hierarchy.intervals(column([-3, 4]), width=5, fanout=10)
    assert shown(made) == {"-3": ["-5..-1", "-50..-1"], "4": ["0-4", "0-49"]}
    assert shown(hierarchy.intervals(column([0.1, 0.6, 1.2]), width=0.5)) == {
        "0.1": ["[0, 0.5)", "[0, 1)"],
        "0.6": ["[0.5, 1)", "[0, 1)"],
        "1.2": ["[1, 1.5)", "[1, 2)"],
    }


def test_intervals_take_cut_points():
    made = hierarchy.intervals(column([5, 18, 40, 65, 80]), cuts=[18, 30, 65], fanout=2)
    assert shown(made) == {
        "5": ["<18", "<30"],
        "18": ["18-29", "<30"],
        "40": ["30-64", ">=30"],
        "65": [">=65", ">=30"],
        "80": [">=65", ">=30"],
    }


def test_rounding_rounds_what_it_rounded():
    # 44 and 46 part at level 1; 46 becomes 50 and then, halves to even, 0.
    made = hierarchy.rounding(column([44, 46, 151]), to=10)
    assert shown(made) == {"44": ["40", "0"], "46": ["50", "0"], "151": ["150", "200"]}


def test_dates_go_from_day_to_decade_typed_or_as_text():
    days = [date(2019, 12, 31), date(2020, 2, 1), date(2020, 3, 9)]
    expected = {
        "2019-12-31": ["2019-12", "2019-Q4", "2019", "2010s"],
        "2020-02-01": ["2020-02", "2020-Q1", "2020", "2020s"],
        "2020-03-09": ["2020-03", "2020-Q1", "2020", "2020s"],
    }
    for values in (days, [str(day) for day in days]):
        assert shown(hierarchy.dates(column(values))) == expected
    times = hierarchy.dates(column([datetime(2020, 5, 1, 9, 30), datetime(2020, 5, 1, 10)]))
    assert times.labels[1].to_list() == ["*"]  # both on one day: nothing lies between the time and the top
    assert shown(hierarchy.dates(column(days), units=["year"]))["2019-12-31"] == ["2019"]
    with pytest.raises(ParameterError, match="unknown unit 'yer'; did you mean 'year'"):
        hierarchy.dates(column(days), units=["yer"])
    with pytest.raises(InputError, match="not dates"):
        hierarchy.dates(column(["soon"]))


def test_redaction_masks_from_either_side():
    assert shown(hierarchy.redaction(column(["1012", "1019", "1112"]))) == {
        "1012": ["101*", "10**"],
        "1019": ["101*", "10**"],
        "1112": ["111*", "11**"],
    }
    assert shown(hierarchy.redaction(column(["ab", "cb", "d"]), side="left")) == {
        "ab": ["*b"],
        "cb": ["*b"],
        "d": ["*"],
    }


def test_prefixes_keep_the_first_characters():
    assert shown(hierarchy.prefixes(column(["C50.1", "C50.9", "C61"]), lengths=(3, 1))) == {
        "C50.1": ["C50*"],
        "C50.9": ["C50*"],
        "C61": ["C61"],
    }
    with pytest.raises(ParameterError, match="lengths are"):
        hierarchy.prefixes(column(["a"]), lengths=(1, 3))


def test_ordering_joins_neighbours():
    made = hierarchy.ordering(column(["low", "mid", "high", "top", "sky"]), order=["low", "mid", "high", "top", "sky"])
    assert shown(made)["high"] == ["high … top", "low … top"]
    assert shown(made)["sky"] == ["sky", "sky"]
    with pytest.raises(InputError, match=r"value 'lwo' is in no group and has no place; did you mean 'low'"):
        hierarchy.ordering(column(["lwo"]), order=["low", "mid"])


def test_grouping_takes_labelled_lists():
    made = hierarchy.grouping(
        column(["Lyon", "Oslo", "Cairo"]),
        {"North": ["Oslo"], "South": ["Lyon"], "Nile": ["Cairo"]},
        {"Europe": ["North", "South"], "Africa": ["Nile"]},
    )
    assert shown(made) == {
        "Cairo": ["Nile", "Africa"],
        "Lyon": ["South", "Europe"],
        "Oslo": ["North", "Europe"],
    }
    assert shown(hierarchy.grouping(column(["a", "b", "c"]), {"A": ["a"]}, other="rest"))["c"] == ["rest"]
    with pytest.raises(InputError, match="'a' is in 'A' and in 'B'"):
        hierarchy.grouping(column(["a"]), {"A": ["a"], "B": ["a"]})
    with pytest.raises(InputError, match="value 'b' is in no group"):
        hierarchy.grouping(column(["a", "b"]), {"A": ["a"]})


@pytest.mark.parametrize(
    ("values", "second", "levels"),
    [
        (list(range(17, 91)), "15-19", 7),
        ([1, 2], "*", 2),
        ([0.5, 0.55, 3.25], "[0.4, 0.6)", 3),
        ([date(2020, 1, 1), date(2020, 1, 2), date(2021, 1, 1)], "2020-01", 3),
        (["2020-01-01", "2020-01-02", "2021-01-01"], "2020-01", 3),
        (["10115", "10117", "20095"], "1011*", 3),
        (["cook", "nurse"], "*", 2),
        ([7, 7], "*", 2),
        ([True, False], "*", 2),
    ],
)
def test_a_sensible_hierarchy_is_inferred_and_ends_in_a_star(values, second, levels):
    made = hierarchy.infer(column(values))
    assert (made.labels[1][0], made.levels) == (second, levels)
    assert made.labels[-1].to_list() == ["*"]


def test_a_hierarchy_can_be_printed():
    text = hierarchy.infer(column(list(range(17, 91)), "age")).describe()
    assert text.splitlines()[:3] == [
        "age: 74 values, levels 0 to 6: intervals of 5, doubled at each level",
        "  0       74  17, 18, 19, 20, 21, …",
        "  1       16  15-19, 20-24, 25-29, 30-34, 35-39, …",
    ]


def test_a_column_without_values_or_numbers_is_refused():
    with pytest.raises(InputError, match="missing in every row"):
        hierarchy.infer(pl.Series("c", [None, None], dtype=pl.Int64))
    with pytest.raises(InputError, match="not numbers"):
        hierarchy.intervals(column(["a"]), width=2)
    for wrong in ({}, {"width": 2, "cuts": [1]}, {"width": 0}, {"cuts": [2, 1]}, {"width": 1, "fanout": 1}):
        with pytest.raises(ParameterError):
            hierarchy.intervals(column([1, 2]), **wrong)


@pytest.mark.skipif(not ADULT.is_dir(), reason="the shared data (../shared/data/arx_adult) is not here")
def test_the_hierarchies_of_adult_are_trees_that_know_every_value():
    frame = pl.read_csv(ADULT / "adult.csv.gz", separator=";")
    known = hierarchy.read_folder(ADULT, frame.columns)
    assert {name: found.levels for name, found in known.items()} == {
        "sex": 2, "age": 5, "race": 2, "marital-status": 3, "education": 4,
        "native-country": 3, "workclass": 3, "occupation": 3, "salary-class": 2,
    }  # fmt: skip
    for name, found in known.items():
        assert hierarchy.fit(found, frame[name]).released(found.top).unique().to_list() == ["*"]
