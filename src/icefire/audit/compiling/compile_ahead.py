"""What the second process of `second_process` does: compile the functions of the attack `link`.

This module imports kernels alone, so that it begins at once.
"""

from __future__ import annotations

import numpy as np

from icefire.kernels.common import threads
from icefire.kernels.common.interpreted import always_compiled, is_cached
from icefire.kernels.linkage import ascent, balancing, best_candidates, channels


def compile_for_link_if_worth() -> None:
    """Compile unless the process may use one core alone, or an earlier one has compiled what `link` uses first."""
    if threads.thread_count() > 1 and not is_cached(ascent._row_weights):
        with always_compiled():
            compile_for_link()


def compile_for_link() -> None:
    """Compile the functions of the attack `link`, by tables of ones.

    What the attack uses last comes first: the other process begins with what it uses first, and the two meet halfway.
    """
    ones, codes, starts = np.ones((2, 2)), np.zeros(2, np.int32), np.array([0, 2])
    single = ones.astype(np.float32)
    balancing.posterior(np.zeros((2, 2), np.int32), single, single[0], 2, 1)
    whole = np.zeros((1, 2), np.uint16)
    best_candidates.best_candidates(single.ravel(), np.zeros(1, np.int64), codes[:, None], np.array([2]), whole, 1)
    channels.class_means(ones, codes, np.arange(2), starts)
    ascent.exchange(ones.copy(), ones, ones, codes)
    ascent.log_likelihoods(ones, ones[None], np.zeros(2, np.int64))
    ascent.first_weights(ones, codes[None], np.zeros(1, np.int64))
    channels.balanced(ones, ones[0], ones[0], 0.1)
    channels.kernel(channels.GAUSS, ones[0], ones[0], ones[0], ones[0], 1.0)
    ascent.level_sums(ones, ones, codes, 2)
    ascent.balance(ones.copy(), 1)
