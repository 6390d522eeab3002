"""Records that are fetched from a server: once, whoever asks for them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import numpy as np
import pytest

from engine.advice.columns import singled_out_together
from engine.errors import CancelledError
from engine.monitor import SILENT, Monitor
from engine.project import Project
from engine.sources.base import remote_reading
from engine.sources.fetched import records_here
from engine.table import Table
from engine.table.options import ReadOptions
from engine.table.remote import Vocabulary
from tests.engine.sources.test_base import Listed


class Fetched(Listed):
    """Notes which columns are fetched, and waits until it may go on."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[list[str]] = []
        self.has_begun, self.may_end = Event(), Event()

    def coded(self, vocabulary: Mapping[str, Vocabulary], monitor: Monitor) -> Mapping[str, np.ndarray]:  # type: ignore[type-arg]
        self.asked.append(list(vocabulary))
        self.has_begun.set()
        assert self.may_end.wait(20)
        places = {column.name: place for place, column in enumerate(self.columns)}
        return {
            name: np.array([own[row[places[name]]] for row in self.rows], dtype=np.uint8)
            for name, own in vocabulary.items()
        }

    def singled_out(self, columns: Sequence[str], monitor: Monitor) -> int:
        self.asked.append(["alone", *columns])
        places = [[column.name for column in self.columns].index(name) for name in columns]
        return list(Counter(tuple(row[at] for at in places) for row in self.rows).values()).count(1)


class Stopping:
    """A monitor that asks to stop."""

    def step(self, done: int, total: int, text: str = "") -> None:
        raise CancelledError


def opened(options: ReadOptions = ReadOptions()) -> tuple[Fetched, Table]:
    source = Fetched()
    return source, remote_reading(source, options, SILENT).table


def test_threads_that_ask_at_once_share_one_fetch_and_a_waiting_one_can_stop() -> None:
    source, table = opened()
    with ThreadPoolExecutor() as threads:
        first = threads.submit(records_here, table)
        assert source.has_begun.wait(20)
        second = threads.submit(records_here, table)
        with pytest.raises(CancelledError):
            records_here(table, Stopping())
        source.may_end.set()
        assert first.result(20) is second.result(20) is records_here(table)
    assert source.asked == [["n", "s", "e"]]


def test_some_of_fetched_columns_are_not_fetched_again_and_others_are() -> None:
    source, table = opened()
    source.may_end.set()
    whole = records_here(table)
    some = Table((table.columns[2], table.columns[0]))
    assert records_here(some).columns == (whole.columns[2], whole.columns[0])
    assert source.asked == [["n", "s", "e"]]
    source, table = opened()
    source.may_end.set()
    records_here(Table(table.columns[:2]))
    records_here(table)
    assert source.asked == [["n", "s"], ["n", "s", "e"]]


@pytest.mark.parametrize(
    ("trim", "n", "asked"), [(False, 3, ["alone", "n", "s"]), (True, 2, ["n", "s"])], ids=["apart", "joined"]
)
def test_a_source_counts_records_that_columns_single_out_unless_its_texts_are_joined(
    trim: bool, n: int, asked: list[str]
) -> None:
    options = ReadOptions(trim=trim)
    source, table = opened(options)
    source.may_end.set()
    project = Project("t", None, options, table)
    assert singled_out_together(project, ("n", "s")) == n
    assert source.asked == [asked]
