"""Queue of analyses: one after another, findings cached until the next release."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import pytest
from pytestqt.qtbot import QtBot

from anonymizer_gui.session import Session
from anonymizer_gui.session import analyses as desk_module
from anonymizer_gui.session.analyses import AnalysisDesk
from engine.errors import CancelledError, InputError
from engine.findings.base import Analysis
from engine.findings.blocks import Findings
from engine.findings.subject import Subject
from engine.monitor import SILENT, Monitor
from engine.params import Integer, param
from engine.project import Project
from engine.project.compile import compile_problem
from engine.recoding import make_release

RUNS: list[str] = []
GATE = threading.Event()


@dataclass(frozen=True)
class Answer(Findings):
    """Findings of the analysis in these tests."""

    text: str

    def blocks(self) -> tuple[Any, ...]:
        return ()


@dataclass(frozen=True, slots=True)
class Question(Analysis):
    """Analysis that waits for its gate where requested."""

    key: ClassVar[str] = "question"
    title: ClassVar[str] = "Question"
    number: int = param(0, Integer())

    def run(self, subject: Subject, monitor: Monitor = SILENT) -> Answer:
        RUNS.append(f"{self.key} {self.number}")
        if self.number == 99:
            raise InputError("There is nothing to find.", hint="Ask something else.")
        while self.number >= 50 and not GATE.wait(0.005):
            monitor.step(1, 2, "waiting")
        return Answer(f"{self.key} {self.number} of {subject.n_records}")


@dataclass(frozen=True, slots=True)
class Costly(Question):
    """The same analysis, declared as slow."""

    key: ClassVar[str] = "costly"
    is_costly: ClassVar[bool] = True


@pytest.fixture
def session(clinic: Project, qapp: object) -> Session:
    made = Session()
    made.open_project(clinic)
    made.applied.set(make_release(clinic, compile_problem(clinic), (2, 3, 1, 3, 1)), clinic)
    return made


@pytest.fixture
def desk(session: Session, qtbot: QtBot) -> Iterator[AnalysisDesk]:
    made, runner = AnalysisDesk(session), session.runner
    RUNS.clear()
    GATE.clear()
    yield made
    GATE.set()
    runner.shutdown()
    qtbot.waitUntil(lambda: not runner.is_busy)
    session.history.own.blockSignals(True)


def settle(qtbot: QtBot, desk: AnalysisDesk) -> None:
    qtbot.waitUntil(lambda: desk.is_settled, timeout=5_000)


def test_findings_are_cached_and_returned_at_once_the_next_time(desk: AnalysisDesk, qtbot: QtBot) -> None:
    heard: list[Answer] = []
    desk.ask(Question(1), heard.append)
    assert desk.known(Question(1)) is None
    settle(qtbot, desk)
    desk.ask(Question(1), heard.append)
    assert [answer.text for answer in heard] == ["question 1 of 2000"] * 2
    assert heard[0] is heard[1] is desk.known(Question(1))
    assert RUNS == ["question 1"]


def test_two_requests_for_the_same_analysis_get_the_same_findings(desk: AnalysisDesk, qtbot: QtBot) -> None:
    heard: list[Answer] = []
    desk.ask(Question(1), heard.append, place="utility")
    desk.ask(Question(1), heard.append, place="risk")
    settle(qtbot, desk)
    assert len(heard) == 2
    assert RUNS == ["question 1"]


def test_an_analysis_requested_twice_runs_even_if_one_requester_asks_for_another(
    desk: AnalysisDesk, qtbot: QtBot
) -> None:
    heard: list[tuple[str, str]] = []

    def at(place: str) -> Callable[[Answer], None]:
        return lambda answer: heard.append((place, answer.text))

    desk.ask(Question(50), at("utility"), place="utility")
    desk.ask(Question(50), at("risk"), place="risk")
    assert desk.is_pending("question", "utility")
    assert desk.is_pending("question", "risk")
    desk.ask(Question(1), at("utility"), place="utility")
    GATE.set()
    settle(qtbot, desk)
    assert heard == [("risk", "question 50 of 2000"), ("utility", "question 1 of 2000")]


def test_cheap_analyses_run_before_slow_ones(desk: AnalysisDesk, qtbot: QtBot) -> None:
    done: list[Answer] = []
    desk.ask(Question(50), done.append)
    desk.ask(Costly(1), done.append)
    desk.ask(Question(2), done.append, place="elsewhere")
    GATE.set()
    settle(qtbot, desk)
    assert [answer.text.split(" of ")[0] for answer in done] == ["question 50", "question 2", "costly 1"]


def test_a_newer_request_of_the_same_kind_replaces_the_older(desk: AnalysisDesk, qtbot: QtBot) -> None:
    heard: list[Answer] = []
    desk.ask(Question(50), heard.append)
    desk.ask(Question(3), heard.append)
    desk.ask(Question(4), heard.append)
    settle(qtbot, desk)
    assert [answer.text for answer in heard] == ["question 4 of 2000"]


def test_a_request_of_the_same_kind_from_another_page_is_not_replaced(
    desk: AnalysisDesk, qtbot: QtBot
) -> None:
    heard: list[Answer] = []
    desk.ask(Question(3), heard.append, place="utility")
    desk.ask(Question(4), heard.append, place="risk")
    settle(qtbot, desk)
    assert sorted(answer.text for answer in heard) == ["question 3 of 2000", "question 4 of 2000"]


def test_another_release_discards_all_findings_and_requests(
    desk: AnalysisDesk, session: Session, clinic: Project, qtbot: QtBot
) -> None:
    heard: list[Answer] = []
    desk.ask(Question(1), heard.append)
    settle(qtbot, desk)
    desk.ask(Question(50), heard.append)
    desk.ask(Costly(7), heard.append)
    with qtbot.waitSignal(desk.subject_changed):
        session.applied.set(make_release(clinic, compile_problem(clinic), (2, 3, 1, 3, 1)), clinic)
    assert desk.is_settled
    assert desk.known(Question(1)) is None
    GATE.set()
    qtbot.wait(30)  # nothing may happen during this time
    assert len(heard) == 1
    with qtbot.waitSignal(desk.subject_changed):
        session.applied.set(None)
    assert desk.subject is None
    desk.ask(Question(1), heard.append)
    assert desk.is_settled


def test_the_error_of_an_analysis_is_passed_on(desk: AnalysisDesk, qtbot: QtBot) -> None:
    errors: list[Exception] = []
    desk.ask(Question(99), lambda _answer: None, errors.append)
    settle(qtbot, desk)
    assert [str(error) for error in errors] == ["There is nothing to find. Ask something else."]


def test_after_cancellation_requesters_get_an_error_and_the_next_analysis_runs(
    desk: AnalysisDesk, qtbot: QtBot
) -> None:
    errors: list[Exception] = []
    heard: list[Answer] = []
    desk.ask(Question(50), heard.append, errors.append)
    desk.ask(Costly(1), heard.append, errors.append)
    with qtbot.waitSignal(desk.progressed) as progress:
        pass
    assert progress.args == ["question", 1, 2]
    desk.cancel("question")
    settle(qtbot, desk)
    assert isinstance(errors[0], CancelledError)
    assert [answer.text for answer in heard] == ["costly 1 of 2000"]


def test_the_number_of_cached_findings_is_limited(
    desk: AnalysisDesk, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(desk_module, "MOST_KEPT", 2)
    for number in (1, 2, 3):
        desk.ask(Question(number), lambda _answer: None)
        settle(qtbot, desk)
    assert desk.known(Question(1)) is None
    assert desk.known(Question(3)) is not None
