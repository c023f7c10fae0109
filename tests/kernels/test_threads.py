from __future__ import annotations

import threading

import pytest

from icefire.kernels.common import threads


@pytest.fixture(autouse=True)
def _three_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ICEFIRE_THREADS", "3")


def test_results_come_in_the_order_of_the_calls() -> None:
    assert threads.starmap(lambda a, b: a * b, [(i, 2) for i in range(1000)]) == [2 * i for i in range(1000)]
    assert threads.starmap(lambda: 1, []) == []


def test_calls_run_on_several_threads_at_once() -> None:
    meet = threading.Barrier(3, timeout=30)
    assert len(set(threads.starmap(lambda _: (meet.wait(), threading.get_ident())[1], [(i,) for i in range(3)]))) == 3


def test_calls_within_calls_wait_for_nobody() -> None:
    def outer(i: int) -> int:
        return sum(threads.starmap(lambda j: i * j, [(j,) for j in range(10)]))

    assert threads.starmap(outer, [(i,) for i in range(20)]) == [45 * i for i in range(20)]


def test_an_error_in_any_call_reaches_the_caller_and_the_next_calls_work() -> None:
    def fail(i: int) -> None:
        if i == 7:
            raise ValueError(f"call {i}")

    for _ in range(20):
        with pytest.raises(ValueError, match="call 7"):
            threads.starmap(fail, [(i,) for i in range(9)])
    assert threads.starmap(abs, [(-1,), (-2,)]) == [1, 2]
