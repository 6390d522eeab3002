"""Addresses of clusters, encryption, tokens and messages, as far as they need no cluster."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest

from engine.errors import CancelledError, TableError
from engine.monitor import SILENT
from engine.records.clusters.frames import charset
from engine.records.clusters.opening import first_records
from engine.records.clusters.session import ClusterSession, channel_of, is_encrypted, refuse_unencrypted
from engine.records.databases.address import (
    ACCEPTED,
    NOBODY,
    TOKEN,
    DatabaseAddress,
    Login,
    is_database,
    is_placed,
    kept_in_file,
    login_given,
    parse_address,
)
from engine.records.databases.tables import database_tables, read_database
from engine.records.opening import open_database, open_table
from engine.records.options import ReadOptions
from tests.stopping import Stopping

TABLE = "sc://spark.example:15002/?table=shop.people"


def address(text: str) -> DatabaseAddress:
    return parse_address(text)[0]


@pytest.mark.parametrize(
    ("text", "table", "files"),
    [
        (TABLE, "shop.people", ""),
        ("sc://spark.example/?path=s3a%3A//bucket/people.parquet", "", "s3a://bucket/people.parquet"),
        ("sc://localhost:1/?path=/data/a%20b%3B%25.csv", "", "/data/a b;%.csv"),
        ("sc://[::1]:15002/?table=%60odd%3Bname%60", "`odd;name`", ""),
        ("sc://h/?use_ssl=false&table=t", "t", ""),
    ],
)
def test_an_address_is_written_as_it_was_read(text: str, table: str, files: str) -> None:
    found = address(text)
    assert found.is_cluster
    assert not found.is_file
    assert (found.table, found.files) == (table, files)
    assert address(found.full) == found
    assert is_database(text)
    assert is_placed(text)
    assert kept_in_file(text) == found.full


@pytest.mark.parametrize(
    "text",
    [
        "sc://h/?table=a&path=b",
        "sc://h/?table=a&schema=b",
        "sc://h/?query=SELECT%201",
        "sc://user@h/?table=a",
        "sc://h/;token=s3cret?table=a",
        "sc://h/;use_ssl=true;token=s3cret",
        "sc://h/?table=a&token=s3cret",
        "sc://h/?table=a&use_ssl=s3cret",
        "sc://:s3cret@h/?table=a",
        "sc://h/s3cret?table=a",
        "sc://h/?path=s3a%3A//key%3As3cret%40bucket/people",
        "sc:///?table=a",
    ],
)
def test_an_address_with_more_than_a_table_is_refused_and_not_repeated(text: str) -> None:
    with pytest.raises(TableError) as caught:
        parse_address(text)
    assert "s3cret" not in f"{caught.value} {caught.value.context}"


def test_a_cluster_is_named_without_a_table_only_to_list_its_tables() -> None:
    found = address("sc://h:15002/")
    assert (found.full, found.table, found.files) == ("sc://h:15002/", "", "")
    with pytest.raises(TableError, match="no table is given"):
        open_database(found)
    with pytest.raises(TableError, match="no table is given"):
        first_records(found, limit=1)


def test_only_a_cluster_has_a_path() -> None:
    with pytest.raises(TableError):
        parse_address("postgresql://h/d?path=/etc/passwd")


@pytest.mark.parametrize(
    ("text", "channel"),
    [
        (TABLE, "sc://spark.example:15002/;use_ssl=true"),
        ("sc://10.0.0.1/?table=t", "sc://10.0.0.1:15002/;use_ssl=true"),
        ("sc://[2001:db8::1]/?table=t", "sc://[2001:db8::1]:15002/;use_ssl=true"),
        ("sc://h/?use_ssl=false&table=t", "sc://h:15002/;use_ssl=false"),
        ("sc://localhost:7/?table=t", "sc://localhost:7/;use_ssl=false"),
        ("sc://127.0.0.2:7/?table=t", "sc://localhost:7/;use_ssl=false"),
        ("sc://localhost:7/?table=t&use_ssl=true", "sc://localhost:7/;use_ssl=true"),
    ],
)
def test_connections_with_other_machines_are_encrypted_unless_refused(text: str, channel: str) -> None:
    assert channel_of(address(text)) == channel
    assert is_encrypted(address(text)) == channel.endswith("true")


def test_a_connection_that_is_not_encrypted_needs_its_words() -> None:
    plain = address("sc://h/?use_ssl=false&table=t")
    refuse_unencrypted(address(TABLE), Login(password="s3cret"))
    refuse_unencrypted(address("sc://localhost/?table=t"), Login(password="s3cret"))
    refuse_unencrypted(plain, Login(accepted="not encrypted"))
    with pytest.raises(TableError, match="not encrypted"):
        refuse_unencrypted(plain, Login(accepted="yes"))
    with pytest.raises(TableError, match="only sent over an encrypted connection") as caught:
        refuse_unencrypted(plain, Login("", "s3cret", "not encrypted"))
    assert "s3cret" not in str(caught.value)


def test_a_token_comes_from_the_environment_and_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(TOKEN, raising=False)
    assert login_given(address(TABLE)) == NOBODY
    monkeypatch.setenv(TOKEN, "s3cret")
    monkeypatch.setenv(ACCEPTED, "not encrypted")
    assert login_given(address(TABLE)) == Login("", "s3cret", "not encrypted")
    assert "s3cret" not in repr(login_given(address(TABLE)))


class Session:
    """A session of the library, as far as one can be made without a cluster."""

    def __init__(self) -> None:
        self.tags: dict[int, str] = {}
        self.interrupted = threading.Event()
        self.settings: dict[str, str] = {}
        self.conf = self
        self.is_stopped = False

    def set(self, key: str, value: str) -> None:
        self.settings[key] = value

    def registerProgressHandler(self, handler: Any) -> None:
        self.handler = handler

    def addTag(self, tag: str) -> None:
        self.tags[threading.get_ident()] = tag

    def interruptTag(self, tag: str) -> None:
        assert tag in self.tags.values()
        self.interrupted.set()

    def stop(self) -> None:
        self.is_stopped = True

    def work(self) -> str:
        """Work until it is interrupted."""
        assert self.interrupted.wait(20)
        return self.tags[threading.get_ident()]


def opened(made: Session) -> ClusterSession:
    return ClusterSession(address(TABLE), Login(password="s3cret"), SILENT, lambda _address, _token: made)


def test_a_cancel_interrupts_the_work_by_its_tag_and_returns() -> None:
    made = Session()
    session, monitor = opened(made), Stopping(3)
    with pytest.raises(CancelledError):
        session.run(made.work, monitor, "{{100 %}} at {name}")
    assert made.interrupted.wait(20)
    assert {text for _, _, text in monitor.steps} == {"{100 %} at spark.example"}
    session.close()
    assert made.is_stopped


def test_the_end_of_a_session_does_not_wait_for_a_cluster_that_is_gone() -> None:
    made, stuck = Session(), threading.Event()
    made.stop = lambda: stuck.wait(60)  # type: ignore[assignment, method-assign, return-value]
    opened(made).close()
    assert not stuck.is_set()
    stuck.set()


def test_a_session_that_does_not_react_is_not_waited_for() -> None:
    made, stuck = Session(), threading.Event()
    session = opened(made)
    with pytest.raises(CancelledError):
        session.run(lambda: stuck.wait(60), Stopping(2))
    assert not stuck.is_set()
    stuck.set()


class SparkError(Exception):
    def __init__(self, condition: str) -> None:
        super().__init__("row (Anna, 53, cancer) at Task.scala:1")
        self.condition = condition

    def getCondition(self) -> str:
        return self.condition


@pytest.mark.parametrize(
    ("condition", "told"),
    [
        ("TABLE_OR_VIEW_NOT_FOUND", "the table 'shop.people' does not exist"),
        ("PATH_NOT_FOUND", "no files"),
        ("FAILED_READ_FILE.NO_HINT", "cannot read a file"),
        ("DIVIDE_BY_ZERO", "cannot do this: DIVIDE_BY_ZERO"),
        ("Anna, 53", "cannot do this: SparkError"),
    ],
)
def test_an_error_is_told_in_the_words_of_the_program_alone(condition: str, told: str) -> None:
    session = opened(Session())

    def fail() -> None:
        raise SparkError(condition)

    with pytest.raises(TableError) as caught:
        session.run(fail, SILENT)
    said = f"{caught.value} {caught.value.context}"
    assert told in said
    assert "Anna" not in said
    assert caught.value.__suppress_context__


def test_progress_counts_the_tasks_of_the_own_work() -> None:
    made = Session()
    session = opened(made)
    seen: list[tuple[int, int]] = []

    class Stage:
        num_tasks, num_completed_tasks = 8, 3

    class Sees:
        def step(self, done: int, total: int, text: str = "") -> None:
            seen.append((done, total))
            if (3, 8) in seen:
                made.interrupted.set()

    def work() -> None:
        made.handler([Stage()], 1, "operation", False)
        until = time.monotonic() + 20
        while not made.interrupted.is_set() and time.monotonic() < until:
            time.sleep(0.01)

    session.run(work, Sees())
    assert (3, 8) in seen


def test_a_cluster_is_not_read_into_memory_and_needs_no_library_to_say_so() -> None:
    for ask in (database_tables, read_database):
        with pytest.raises(TableError, match="is a cluster"):
            ask(address(TABLE))
    with pytest.raises(TableError, match="where records always stay"):
        open_database(address(TABLE), ReadOptions(source="memory"))
    with pytest.raises(TableError, match="is a file"):
        open_table("people.csv", ReadOptions(source="cluster"))


def test_only_encodings_that_are_the_same_here_and_there_are_used() -> None:
    assert [charset(name) for name in ("utf8", "latin-1", "ASCII")] == ["UTF-8", "ISO-8859-1", "US-ASCII"]
    for name in ("cp1252", "utf-16", "utf-8-sig"):
        with pytest.raises(TableError, match=f"does not use text files in {name}"):
            charset(name)
