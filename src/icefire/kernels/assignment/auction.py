"""One-to-one assignment by auction (Bertsekas, 1979): bids for the thing of largest gain at current prices.

A bid raises the price by the difference between the best and the second best gain, plus a small step. A bidder who is
outbid bids again; one who finds nothing worth its price gets nothing. The total is then within one step per bidder of
the largest possible.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from icefire.kernels.common.interpreted import compiled_if_worth
from icefire.kernels.types import Float, Int

STEP = 1e-4


def assign(ends: Int, choices: Int, worth: Float, things: int, step: float = STEP) -> Int:
    """Return for every bidder one thing, each given once, or -1.

    Args:
        ends: Bidder j may get choices[ends[j]:ends[j + 1]].
        choices: See `ends`.
        worth: Worth of each choice to its bidder.
        things: Number of things.
        step: Price step: smaller is slower and nearer to the optimum.
    """
    bidders = len(ends) - 1
    assigned, holder = np.full(bidders, -1, np.int64), np.full(things, -1, np.int64)
    auction = compiled_if_worth(_auction, 8 * len(choices))
    auction(ends, choices, worth, step, np.arange(bidders), np.zeros(things), holder, assigned)
    return assigned


@njit(nogil=True, cache=True)
def _auction(ends, choices, worth, step, queue, price, holder, things_of):  # type: ignore[no-untyped-def]
    """Run the auction; writes the thing of each bidder into `things_of`."""
    bidders = queue.size
    # Nobody waits more than once at a time: the queue is a ring.
    head, waiting = 0, bidders
    while waiting:
        bidder = queue[head]
        head = (head + 1) % bidders
        waiting -= 1
        best, second, thing = 0.0, 0.0, -1
        for at in range(ends[bidder], ends[bidder + 1]):
            gain = worth[at] - price[choices[at]]
            if gain > best:
                best, second, thing = gain, best, choices[at]
            elif gain > second:
                second = gain
        if thing < 0:
            continue
        price[thing] += best - second + step
        outbid = holder[thing]
        holder[thing], things_of[bidder] = bidder, thing
        if outbid >= 0:
            things_of[outbid] = -1
            queue[(head + waiting) % bidders] = outbid
            waiting += 1
