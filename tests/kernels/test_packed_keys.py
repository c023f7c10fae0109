"""Mixed-radix keys and the sizes of their groups, beside numpy's own."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from icefire.core import blocks
from icefire.kernels.grouping import packed_keys

FEW = settings(max_examples=25, deadline=None)


@pytest.mark.parametrize("dtype", [np.uint32, np.int64])
@pytest.mark.parametrize("slot_bits", [2, 6, 10])
@FEW
@given(seed=st.integers(0, 2**32), rows=st.integers(1, 300), distinct=st.integers(1, 200))
def test_groups_are_as_large_as_numpy_says_whether_hashed_or_sorted(dtype, slot_bits, seed, rows, distinct):
    """Few places overflow, so that keys are sorted after all."""
    rng = np.random.default_rng(seed)
    keys = rng.integers(0, 2**31, distinct)[rng.integers(0, distinct, rows)].astype(dtype)
    before = keys.copy()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(packed_keys, "HASHED", 1)
        patch.setattr(packed_keys, "SLOT_BITS", slot_bits)
        sizes = packed_keys.group_sizes(keys, 2**31)
    assert (keys == before).all()
    assert sizes.dtype == np.int64
    assert (sizes == np.unique(keys, return_counts=True)[1]).all()
    assert (packed_keys.group_sizes(keys, 2**31, overwrite=True) == sizes).all()


@pytest.mark.parametrize("rows", [50, packed_keys.SMALL + packed_keys.TILE + 3, 3 << 16])
@pytest.mark.parametrize("dtype", [np.uint32, np.int64])
def test_digits_are_appended_row_by_row(rows, dtype):
    rng = np.random.default_rng(rows)
    columns = [rng.integers(-5, 6, rows).astype(narrow) for narrow in (np.int8, np.int32, np.int64)]
    keys = np.zeros(rows, dtype)
    packed_keys.append_digits(keys, [packed_keys.Digit(values, -5, 11) for values in columns])
    expected = sum((values.astype(np.int64) + 5) * 11**place for place, values in enumerate(reversed(columns)))
    assert (keys == expected).all()


COLUMNS = st.sampled_from([pl.Int8, pl.Int64, pl.String, pl.Float64])


@FEW
@given(dtypes=st.lists(COLUMNS, min_size=1, max_size=4), seed=st.integers(0, 2**32), missing=st.booleans())
def test_keys_of_two_tables_are_those_of_the_tables_put_together(dtypes, seed, missing):
    rng = np.random.default_rng(seed)

    def table(rows):
        frame = pl.DataFrame(
            {f"c{i}": pl.Series(rng.integers(0, 5, rows)).cast(dtype) for i, dtype in enumerate(dtypes)}
        )
        return (
            frame.with_columns(
                pl.when(pl.col("c0") != "2" if dtypes[0] == pl.String else pl.col("c0") != 2).then(pl.col("c0"))
            )
            if missing
            else frame
        )

    x, y = table(int(rng.integers(0, 20))), table(int(rng.integers(1, 20)))
    keys, bound = blocks.pack_keys_of_tables(x, y, x.columns)
    joint = [blocks.encode(pl.concat([x[name], y[name]])) for name in x.columns]
    expected, size = blocks.pack_keys(joint, x.height + y.height)
    assert (bound, keys.tolist()) == (size, expected.tolist())


def test_keys_that_need_more_than_64_bits_are_ranked_over_both_tables():
    x = pl.DataFrame({f"c{i}": [0, 900_000, i] for i in range(5)})
    keys, bound = blocks.pack_keys_of_tables(x, x[::-1], x.columns)
    assert keys[:3].tolist() == keys[3:][::-1].tolist()
    assert len(set(keys.tolist())) == 3
    assert bound <= blocks.KEY_LIMIT


@pytest.mark.parametrize("slot_bits", [19, 9])
def test_classes_are_counted_while_keys_are_made_and_as_before_where_they_are_too_many(
    slot_bits: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packed_keys, "SLOT_BITS", slot_bits)
    rng = np.random.default_rng(slot_bits)
    rows = 3 * packed_keys.HASHED
    values = [rng.integers(low, low + size, rows).astype(kind) for low, size, kind in ((-3, 40, "i1"), (900, 50, "i8"))]
    sparse = rng.choice(np.array([0, 1, 4000, 8000, 9999], np.int32), rows)
    digits = [packed_keys.Digit(values[0], -3, 40), packed_keys.Digit(values[1], 900, 50)]
    digits.append(packed_keys.Digit(sparse, 0, 10_000))
    sizes = packed_keys.class_sizes(digits, rows, 40 * 50 * 10_000)
    keys = (values[0].astype(np.int64) + 3) * 50 + (values[1] - 900)
    assert sizes.tolist() == np.unique(keys * 10_000 + sparse, return_counts=True)[1].tolist()
