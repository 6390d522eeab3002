"""Compiled scoring while it runs: progress, cancelling, continuing, concurrent reading, errors."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import CancelledError, InvariantError
from engine.frequency import Problem
from engine.monitor import SILENT
from engine.scoring import LatticeProfile, score, score_lattice
from engine.scoring.acceleration import kernels
from engine.scoring.cells.shared import SharedCells
from engine.scoring.walk import compiled, worker
from engine.scoring.walk.compiled import CompiledScoring
from engine.scoring.walk.worker import Worker
from tests.engine.scoring.alike import Expected, by_kernels, every_model
from tests.engine.scoring.edge_tables import long_paths, random_case, tree
from tests.strategies import cases, few

pytestmark = pytest.mark.usefixtures("warm")


class Watch:
    """Records progress, looks, and cancels once a number of nodes is done."""

    def __init__(self, stop_at: int | None = None, look: Callable[[], object] = lambda: None) -> None:
        self.steps: list[tuple[int, int]] = []
        self.stop_at, self.look = stop_at, look

    def step(self, done: int, total: int, text: str = "") -> None:
        self.steps.append((done, total))
        self.look()
        if self.stop_at is not None and done >= self.stop_at:
            raise CancelledError


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """One node at a time and a rest after each, so that there is time between any two."""
    go_on = Worker.go_on

    def rest(self: Worker):  # type: ignore[no-untyped-def]
        time.sleep(2e-4)
        return go_on(self)

    monkeypatch.setattr(worker, "BUDGET", 0)
    monkeypatch.setattr(Worker, "go_on", rest)


def crowded(n_sensitive: int) -> Expected:
    """84 nodes in twelve subtrees and more."""
    rows = [tree(64, 2, 6), tree(27, 3, 3), tree(16, 4, 2)]
    return Expected(random_case(rows, 500, n_sensitive).problem)


def cancelled_at(expected: Expected, stops: list[int], n_workers: int) -> list[int]:
    """Score, cancelled once a number of nodes is done and continued; return the numbers reached."""
    profile = LatticeProfile(expected.problem)
    before, found = np.zeros(len(profile.scored), dtype=np.bool_), []
    for stop_at in stops:
        if profile.is_complete:
            break
        with pytest.raises(CancelledError):
            profile.score_compiled(Watch(stop_at), n_workers)
        found.append(profile.n_scored)
        assert found[-1] >= stop_at
        assert profile.scored[before].all(), "what was scored is gone"
        before = profile.scored.copy()
        assert found[-1] == before.sum() == expected.holds_so_far(profile)
    profile.score_compiled(n_workers=n_workers)
    expected.holds(profile)
    return found


@pytest.mark.usefixtures("slow")
@few
@given(st.data())
def test_random_tables_cancelled_at_any_moments_and_continued_give_the_same_profile(
    data: st.DataObject,
) -> None:
    expected = Expected(data.draw(cases(max_qi=4)).problem)
    n_nodes = expected.problem.lattice.n_nodes
    stops = data.draw(st.sets(st.integers(0, n_nodes - 1), max_size=4))
    cancelled_at(expected, sorted(stops), data.draw(st.sampled_from([1, 2])))


@pytest.mark.usefixtures("slow")
@pytest.mark.parametrize("n_workers", [1, 2])
def test_cancelled_repeatedly_the_profile_is_the_same(n_workers: int) -> None:
    found = cancelled_at(crowded(1), [0, 1, 2, 5, 10, 20, 40, 60, 80], n_workers)
    assert found[0] == 0
    assert len(set(found)) > 3


@pytest.mark.usefixtures("slow")
@pytest.mark.parametrize("n_workers", [1, 2])
@pytest.mark.parametrize("n_sensitive", [0, 1])
def test_at_every_report_what_is_scored_is_final(n_sensitive: int, n_workers: int) -> None:
    expected = crowded(n_sensitive)
    profile = LatticeProfile(expected.problem)
    seen: list[int] = []
    watch = Watch(look=lambda: seen.append(expected.holds_so_far(profile)))
    profile.score_compiled(watch, n_workers)
    assert seen == sorted(seen)
    assert len(set(seen)) > 3
    assert watch.steps[0][0] == 0
    assert watch.steps[-1] == (len(profile.scored), len(profile.scored))
    assert [done for done, _ in watch.steps] == sorted(done for done, _ in watch.steps)
    expected.holds(profile)


@pytest.mark.usefixtures("slow")
@pytest.mark.parametrize("n_sensitive", [0, 2])
def test_another_thread_may_read_at_any_moment_while_everything_grows(
    n_sensitive: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "CONTENT_ROOM", 0)
    monkeypatch.setattr(worker, "BYTES_PER_CONTENT", 0)
    expected = crowded(n_sensitive)
    profile = LatticeProfile(expected.problem)
    started, saw_some = threading.Event(), threading.Event()

    def read() -> list[int]:
        seen = []
        assert started.wait(10)
        while not profile.is_complete:
            seen.append(expected.holds_so_far(profile))
            if seen[-1] > 0:
                saw_some.set()
        return seen

    def look() -> None:
        started.set()
        if profile.n_scored:
            saw_some.wait(10)  # on a busy machine the other thread may come late

    with ThreadPoolExecutor(1) as pool:
        reading = pool.submit(read)
        profile.score_compiled(Watch(look=look), 2)
        seen = reading.result()
    assert seen == sorted(seen)
    assert any(0 < n < len(profile.scored) for n in seen)
    expected.holds(profile)


@pytest.mark.parametrize("n_workers", [1, 2])
def test_a_step_is_no_longer_than_the_budget_and_one_more_node(
    n_workers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = crowded(0)
    monkeypatch.setattr(worker, "BUDGET", 700)
    sizes = expected.profile.n_classes
    steps: list[int] = []
    go_on = Worker.go_on

    def measure(self: Worker):  # type: ignore[no-untyped-def]
        block = go_on(self)
        steps.append(int(sizes[block.cells.nodes].sum()))
        return block

    monkeypatch.setattr(Worker, "go_on", measure)
    expected.holds(by_kernels(expected.problem, n_workers))
    assert sum(steps) == sizes.sum()
    assert max(steps) <= 700 + sizes.max()
    assert len(steps) > sizes.sum() / (700 + sizes.max())


def test_cancelling_does_not_wait_for_a_step_whose_results_come_with_the_next_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    expected = crowded(1)
    held, go_on = threading.Event(), Worker.go_on

    def wait(self: Worker):  # type: ignore[no-untyped-def]
        assert held.wait(10)
        return go_on(self)

    monkeypatch.setattr(Worker, "go_on", wait)
    monkeypatch.setattr(worker, "BUDGET", 0)
    scoring = CompiledScoring(expected.problem, expected.profile.base, n_workers=2)
    profile = LatticeProfile(expected.problem)
    profile._successor = scoring
    reports = iter(range(4))

    def stop_at_last() -> None:
        if next(reports) == 3:
            raise CancelledError

    watch = Watch(look=stop_at_last)
    with pytest.raises(CancelledError):
        profile.score_compiled(watch)
    # progress came although no worker had anything to report
    assert watch.steps == [(0, len(profile.scored))] * 4
    held.set()
    for future in scoring._running:
        future.result(timeout=10)
    assert profile.n_scored == 0
    assert not profile.scored.any()
    assert expected.holds_so_far(profile) == 0
    profile.score_compiled()
    assert profile.is_complete
    assert np.array_equal(profile.k, expected.profile.k)


@pytest.mark.usefixtures("slow")
def test_a_preferred_node_is_in_the_subtree_scored_next() -> None:
    expected = crowded(1)
    profile = LatticeProfile(expected.problem)
    lattice = expected.problem.lattice
    profile.prefer(lattice.node(0))  # before there is anything to choose
    with pytest.raises(CancelledError):
        profile.score_compiled(Watch(1), 1)
    scoring = profile._successor
    fixed = list(scoring._subtrees.fixed)

    def order() -> list[tuple[int, ...]]:
        """Subtrees in the order of their first nodes."""
        return list(dict.fromkeys(map(tuple, lattice.levels[profile.cells().nodes][:, fixed].tolist())))

    begun = order()
    wanted = scoring._waiting[0]  # would be the last
    node = next(lattice.node(i) for i in range(lattice.n_nodes) if tuple(lattice.levels[i, fixed]) == wanted)
    assert wanted not in begun
    profile.prefer(node)
    profile.prefer(lattice.node(int(profile.cells().nodes[0])))  # of a subtree that is begun
    profile.score_compiled()
    assert order()[: len(begun) + 1] == [*begun, wanted]
    assert len(order()) == scoring._subtrees.n_subtrees
    expected.holds(profile)


@pytest.mark.parametrize("n_sensitive", [0, 1])
def test_counts_that_differ_from_the_records_stop_the_run(n_sensitive: int) -> None:
    problem = random_case([tree(16, 2, 4), tree(9, 3, 2), tree(5, 5, 1)], 200, n_sensitive).problem
    for n_workers in (1, 2):
        profile = LatticeProfile(problem)
        scoring = profile._successor = CompiledScoring(problem, profile.base, n_workers=n_workers)
        for one in scoring._workers:
            one._counts[0] += 1
        for _ in range(2):  # once more: it does not continue as if nothing was wrong
            with pytest.raises(InvariantError, match="hold every record"):
                profile.score_compiled()
        assert profile.n_scored == 0


def test_records_of_a_content_that_do_not_add_up_stop_the_run() -> None:
    problem = random_case([tree(16, 2, 4), tree(9, 3, 2)], 200, 1).problem
    profile = LatticeProfile(problem)
    scoring = profile._successor = CompiledScoring(problem, profile.base, n_workers=1)
    contents, n_contents = scoring._workers[0].contents
    contents.pairs[1 : contents.starts[n_contents] : 2] += 1  # all counts are of one byte
    numbered = []
    for _ in range(3):  # nor is such a content taken for a known one the next time
        with pytest.raises(InvariantError, match="hold every record"):
            profile.score_compiled()
        numbered.append(int(contents.used[0]))
    assert numbered == [numbered[0]] * 3


@pytest.mark.usefixtures("slow")
@pytest.mark.parametrize("n_workers", [1, 2])
@pytest.mark.parametrize("name", ["reserve", "add"])
def test_if_memory_runs_out_nothing_is_lost_and_scoring_can_continue(
    name: str, n_workers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = crowded(1)
    profile = LatticeProfile(expected.problem)
    usual = getattr(SharedCells, name)
    for failing in (0, 4, 12):  # counted again each time: the other worker continues for a while
        calls = itertools.count()

        def fail_once(*given, calls=calls, failing=failing):  # type: ignore[no-untyped-def]
            if next(calls) == failing:
                raise MemoryError
            return usual(*given)

        monkeypatch.setattr(SharedCells, name, fail_once)
        with pytest.raises(MemoryError):
            profile.score_compiled(n_workers=n_workers)
        expected.holds_so_far(profile)
    profile.score_compiled()
    expected.holds(profile)


def test_a_subtree_lost_or_scored_twice_raises_an_error() -> None:
    problem = random_case([tree(16, 2, 4), tree(9, 3, 2), tree(5, 5, 1)], 200, 0).problem
    profile = LatticeProfile(problem)
    profile._successor = CompiledScoring(problem, profile.base, n_workers=1)
    profile._successor._waiting.pop()
    with pytest.raises(InvariantError, match="left out"):
        profile.score_compiled()
    profile = LatticeProfile(problem)
    profile._successor = CompiledScoring(problem, profile.base, n_workers=1)
    profile._successor._waiting.append(profile._successor._waiting[0])
    with pytest.raises(InvariantError, match="twice"):
        profile.score_compiled()


@pytest.fixture
def numpy_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels become ready after numpy has looked for them a few times, each time after three nodes."""
    looks = iter(range(1000))
    monkeypatch.setattr(score, "LOOKS", 3)
    monkeypatch.setattr(score, "kernels", lambda name: kernels(name) if next(looks) >= 5 else None)


@pytest.mark.usefixtures("slow", "numpy_first")
@pytest.mark.parametrize("n_sensitive", [0, 1])
def test_if_kernels_become_ready_half_way_the_profile_is_right_at_every_moment(n_sensitive: int) -> None:
    expected = crowded(n_sensitive)
    profile = LatticeProfile(expected.problem, every_model(expected.problem))
    seen: list[tuple[int, bool]] = []

    def look() -> None:
        seen.append((expected.holds_so_far(profile), profile._successor is not None))

    score_lattice(expected.problem, Watch(look=look), profile)
    assert [n for n, _ in seen] == sorted(n for n, _ in seen)
    assert (15, False) in seen
    assert (15, True) in seen, "what numpy scored is shown until kernels are done"
    assert not [n for n, is_compiled in seen if is_compiled and 15 < n < len(profile.scored)]
    expected.holds(profile)
    assert profile._compiled is profile._successor


@pytest.mark.usefixtures("slow", "numpy_first")
def test_cancelled_while_kernels_take_over_scores_of_numpy_stay_and_scoring_continues() -> None:
    expected = crowded(1)
    profile = LatticeProfile(expected.problem, every_model(expected.problem))

    def stop_once_taken_over() -> None:
        if profile._successor is not None and profile._successor.n_scored > 20:
            raise CancelledError

    with pytest.raises(CancelledError):
        score_lattice(expected.problem, Watch(look=stop_once_taken_over), profile)
    assert profile.n_scored == expected.holds_so_far(profile) == 15
    scoring = profile._successor
    assert 20 < scoring.n_scored < len(profile.scored)
    score_lattice(expected.problem, SILENT, profile)
    assert profile._compiled is scoring
    expected.holds(profile)


def test_paths_too_long_for_a_key_are_scored_by_numpy_and_never_truncated() -> None:
    problem: Problem = long_paths().problem
    profile = LatticeProfile(problem, label_sums=False)
    assert profile.base.layout.widths[1] + len(profile.base.counts).bit_length() > 64
    assert not profile.can_be_compiled
    with pytest.raises(InvariantError, match="do not fit"):
        profile.score_compiled()
    assert score_lattice(problem, profile=profile)._compiled is None
    profile.check_complete()


def test_runs_that_begin_at_the_same_moment_share_no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """A scoring that was cancelled may be about to start its workers while another one continues it."""
    expected, begin, go_on = crowded(1), threading.Barrier(2), Worker.go_on
    busy, shared = set[int](), []

    class Late(ThreadPoolExecutor):
        def __init__(self, *given: object) -> None:
            super().__init__(*given)  # type: ignore[call-overload]
            with suppress(threading.BrokenBarrierError):
                begin.wait(0.2)

    def alone(self: Worker):  # type: ignore[no-untyped-def]
        if id(self) in busy:
            shared.append(self)
            raise InvariantError("two threads use one worker")
        busy.add(id(self))
        time.sleep(2e-4)
        try:
            return go_on(self)
        finally:
            busy.discard(id(self))

    monkeypatch.setattr(compiled, "ThreadPoolExecutor", Late)
    monkeypatch.setattr(worker, "BUDGET", 0)
    monkeypatch.setattr(Worker, "go_on", alone)
    profile = LatticeProfile(expected.problem)
    with pytest.raises(CancelledError):
        profile.score_compiled(Watch(0), 1)
    with ThreadPoolExecutor(2) as pool:
        for run in [pool.submit(profile.score_compiled) for _unused in range(2)]:
            run.result()
    assert not shared
    expected.holds(profile)
