"""Tables of channels that several attacks share: the same as made one by one, made once, and not too many."""

import numpy as np
import polars as pl
import pytest

import icefire
from icefire.attacks.tables.link import channel_tables
from icefire.attacks.tables.link.channel_tables import TableStore, related_case, shared_store
from icefire.attacks.tables.link.channels import Channel, options, ratios
from icefire.attacks.tables.link.columns import encode
from icefire.core.release import Case

RNG = np.random.default_rng(4)


def column(name="income", rows=60, shift=0.0):
    x = pl.Series(name, RNG.normal(10, 3, rows).round(2))
    return encode(x, x + shift, 16)


def test_tables_made_together_are_those_made_one_by_one():
    texts = pl.Series("job", RNG.choice(["a", "b", "c", None], 60))
    for one in (column(shift=0.3), encode(texts, texts.shuffle(seed=1), 16)):
        tables = TableStore().tables([one])[0]
        assert tables.options == list(options(one))
        for place, channel in enumerate(tables.options):
            assert (tables.stack[place] == ratios(one, channel)).all()
            assert (tables.table(channel) == tables.stack[place]).all()


def test_a_channel_that_is_no_option_is_made_and_kept():
    one = column()
    tables = TableStore().tables([one])[0]
    channel = Channel("rank", 0.01, 0.05)
    assert channel not in tables.options
    assert (tables.table(channel) == ratios(one, channel)).all()
    assert tables.table(channel) is tables.table(channel)


def test_a_column_read_again_has_its_tables_and_another_one_does_not():
    store, one = TableStore(), column()
    first = store.tables([one, column(shift=1.0)])
    again = store.tables([one])
    assert again[0] is first[0]
    assert again[0] is not first[1]


def test_of_more_tables_than_fit_those_used_last_are_kept(monkeypatch):
    columns = [column(name) for name in "abc"]
    size = channel_tables.CHANNELS * columns[0].y.count * columns[0].x.count
    monkeypatch.setattr(channel_tables, "REMEMBERED", 2 * size)
    store = TableStore()
    first, second, third = (store.tables([one])[0] for one in columns)
    assert store.tables([columns[2]])[0] is third
    assert store.tables([columns[1]])[0] is second
    assert store.tables([columns[0]])[0] is not first


def test_tables_beyond_the_memory_are_right_though_not_kept(monkeypatch):
    monkeypatch.setattr(channel_tables, "REMEMBERED", 10)
    one = column()
    tables = TableStore().tables([one])[0]
    assert tables.stack is not tables.stack
    assert (tables.stack[3] == ratios(one, tables.options[3])).all()


@pytest.mark.parametrize("most", [100, 5])
def test_attacks_on_one_release_share_tables_where_few_people_are_known(most, monkeypatch):
    monkeypatch.setattr(channel_tables, "SHARED", most)
    survey = icefire.sample("households", 20)
    case = Case(survey, survey)
    assert (shared_store(case) is shared_store(related_case(case, survey, survey))) == (most == 100)
