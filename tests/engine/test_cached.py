"""A property computed once per object: once for all threads, and no other object waits for it."""

from __future__ import annotations

import pickle
import threading

import pytest

from engine.cached import cached_property

PATIENCE = 30  # seconds, for a failing test


class Slow:
    """Object whose property is computed until it is let go."""

    def __init__(self) -> None:
        self.n_computed = 0
        self.has_begun, self.may_end = threading.Event(), threading.Event()

    @cached_property
    def value(self) -> object:
        """A value of its own."""
        self.n_computed += 1
        self.has_begun.set()
        assert self.may_end.wait(PATIENCE)
        return object()


def in_thread(slow: Slow, found: list[object]) -> threading.Thread:
    thread = threading.Thread(target=lambda: found.append(slow.value))
    thread.start()
    return thread


def test_a_worker_does_not_block_the_same_property_of_another_object() -> None:
    of_worker, of_window, found = Slow(), Slow(), []
    worker = in_thread(of_worker, found)
    assert of_worker.has_begun.wait(PATIENCE)
    of_window.may_end.set()
    window = in_thread(of_window, found)
    window.join(PATIENCE)
    assert found == [of_window.value], "it waited for the worker"
    of_worker.may_end.set()
    worker.join(PATIENCE)
    assert found == [of_window.value, of_worker.value]


def test_threads_that_ask_for_one_object_get_one_value() -> None:
    slow, found = Slow(), []
    threads = [in_thread(slow, found) for _ in range(4)]
    assert slow.has_begun.wait(PATIENCE)
    slow.may_end.set()
    for thread in threads:
        thread.join(PATIENCE)
    assert (slow.n_computed, len(found), len(set(found))) == (1, 4, 1)


class Failing:
    @cached_property
    def value(self) -> int:
        raise ValueError("no value")


def test_nothing_but_the_value_is_stored() -> None:
    failing = Failing()
    with pytest.raises(ValueError, match="no value"):
        failing.value  # noqa: B018
    assert vars(failing) == {}
    pickle.dumps(failing)
    assert Slow.value.__doc__ == "A value of its own."
