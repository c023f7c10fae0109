"""What is compiled is counted by function and by types of arguments."""

import numpy as np
from numba import njit

from icefire.kernels.common.compilation import counted_compilations


def fresh():
    def double(values):
        return values * 2

    double.__module__ = "icefire.made_up"
    return njit(double)


def test_a_function_counts_once_for_each_type_of_its_arguments():
    function = fresh()
    with counted_compilations() as compilations:
        function(np.arange(3))
        function(np.arange(4))
        function(np.arange(3.0))
    assert list(compilations.functions.values()) == [2]
    assert compilations.specialisations == 2
    assert list(compilations.repeated.values()) == [2]
    assert compilations.seconds > 0


def test_nothing_counts_outside_the_block_or_from_elsewhere():
    with counted_compilations() as compilations:
        njit(lambda value: value + 1)(1)
    fresh()(np.arange(3))
    assert compilations.specialisations == 0
