"""A small project in Configure, and helpers to drive it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.configure.presenter import ConfigurePresenter
from anonymizer_gui.session import Session
from anonymizer_gui.theming import theme_manager
from engine.hierarchies import Hierarchy
from engine.privacy import Requirement
from engine.privacy.k_anonymity import KAnonymity
from engine.project import AttributeHierarchy, Project
from engine.project.edits import set_hierarchy, set_roles
from engine.records import DataType, Kind, ReadOptions, Role, Table
from engine.records.table import Column
from engine.records.values import make_column

AGES = ["20", "21", "25", "30", "34", "35", "41", "42"]
Settle = Callable[[], None]


def make(name: str, texts: list[str], kind: Kind = Kind.TEXT) -> Column:
    distinct = list(dict.fromkeys(texts))
    codes = np.array([distinct.index(text) for text in texts], dtype=np.int32)
    return make_column(name, distinct, codes, DataType(kind))


@pytest.fixture
def project() -> Project:
    """Return a project of eight people: name, age with bands of ten years, sex without hierarchy, disease."""
    table = Table(
        (
            make("name", ["Ada", "Bob", "Cid", "Dan", "Eve", "Fay", "Gil", "Hal"]),
            make("age", AGES, Kind.INTEGER),
            make("sex", ["f", "m", "m", "m", "f", "f", "m", "m"]),
            make("disease", ["flu", "flu", "cold", "cold", "flu", "mumps", "cold", "flu"]),
        )
    )
    made = Project("people", Path("people.csv"), ReadOptions(), table)
    made = set_roles(made, ["name"], Role.IDENTIFYING)
    made = set_roles(made, ["age", "sex"], Role.QUASI_IDENTIFYING)
    made = set_roles(made, ["disease"], Role.SENSITIVE)
    tens = [[age, f"{age[0]}0-{age[0]}9", "*"] for age in AGES]
    made = set_hierarchy(made, "age", AttributeHierarchy(Hierarchy.from_rows(tens)))
    return replace(made, requirement=Requirement((KAnonymity(2),), 0.05))


@pytest.fixture
def session(qtbot: QtBot, themed: QApplication) -> Iterator[Session]:
    made = Session()
    yield made
    made.runner.shutdown()
    qtbot.waitUntil(lambda: not made.runner.is_busy)


@pytest.fixture
def configure(
    qtbot: QtBot, themed: QApplication, session: Session, project: Project
) -> Iterator[ConfigurePresenter]:
    """Return Configure with the project opened, at its size in the standard window."""
    with theme_manager().building(themed):
        presenter = ConfigurePresenter(session)
    qtbot.addWidget(presenter.view)
    presenter.view.resize(1440, 802)
    presenter.view.show()
    qtbot.waitExposed(presenter.view)
    session.open_project(project)
    qtbot.waitUntil(lambda: not session.runner.is_busy and bool(presenter.view.preflight.findings))
    yield presenter
    presenter.view.hide()


@pytest.fixture
def settle(qtbot: QtBot, session: Session) -> Settle:
    """Return a function that waits until all jobs are done and shown."""

    def wait() -> None:
        # An edit made by one task starts the next one, and layouts need a second round.
        for _ in range(4):
            QApplication.processEvents()
            qtbot.waitUntil(lambda: not session.runner.is_busy)

    return wait
