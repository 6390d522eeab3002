"""A small part of Adult, scored, in the Explore perspective."""

from __future__ import annotations

import zlib
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.explore.knobs import optima
from anonymizer_gui.perspectives.explore.presenter import ExplorePresenter
from anonymizer_gui.session import Session
from anonymizer_gui.session.release_controller import ReleaseController
from anonymizer_gui.session.scoring_controller import ScoringController
from anonymizer_gui.theming import theme_manager
from engine.project import Project, edits
from engine.project.recipe.files import read_recipe
from engine.records import Role
from engine.scoring import Evaluation

LEFT_OUT = ("marital-status", "native-country", "workclass", "occupation")


@dataclass(frozen=True)
class Bench:
    """The perspective with its session and presenters."""

    session: Session
    scoring: ScoringController
    explore: ExplorePresenter

    @property
    def is_settled(self) -> bool:
        return self.scoring.is_settled and self.explore.is_settled and not self.session.runner.is_busy

    @property
    def evaluation(self) -> Evaluation:
        """The scored lattice; it must be there."""
        evaluation = self.session.results.evaluation
        assert evaluation is not None
        return evaluation


def settle(qtbot: QtBot, bench: Bench) -> None:
    """Wait until everything is computed and shown."""
    qtbot.waitUntil(lambda: bench.is_settled, timeout=20_000)


@pytest.fixture(scope="session")
def small_adult(examples: Path) -> Project:
    """Return five quasi-identifying columns of Adult: 2 * 5 * 2 * 4 * 2 = 160 nodes."""
    project = read_recipe(examples / "adult" / "recipe.toml")
    return edits.set_roles(project, LEFT_OUT, Role.INSENSITIVE)


_measured: dict[Hashable, optima.Optima] = {}


@pytest.fixture(autouse=True)
def _optima_are_measured_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Measure the optima of a knob once for equal settings of an equal problem.

    Each test that opens a project starts it for every knob, and it takes longer than scoring.
    """
    measure = optima.measure_optima

    def measured(evaluation: Any, spec: Any, metric: str, monitor: Any) -> optima.Optima:
        of = (evaluation.requirement, evaluation.objective, evaluation.problem)
        key = (spec.key, spec.name, spec.scale, spec.value, metric, _content(of))
        if key not in _measured:
            _measured[key] = measure(evaluation, spec, metric, monitor)
        return _measured[key]

    monkeypatch.setattr(optima, "measure_optima", measured)


def _content(of: Any) -> Hashable:
    """Return what is equal for equal values with equal arrays."""
    if isinstance(of, np.ndarray):
        return of.shape, of.dtype.str, zlib.crc32(np.ascontiguousarray(of).view(np.uint8).data)
    if isinstance(of, (tuple, list)):
        return tuple(map(_content, of))
    if is_dataclass(of):
        return type(of), tuple(_content(getattr(of, field.name)) for field in fields(of))
    return of if isinstance(of, Hashable) else repr(of)


@pytest.fixture
def empty_bench(qtbot: QtBot, themed: QApplication) -> Iterator[Bench]:
    """Return the perspective without a project."""
    session = Session()
    scoring = ScoringController(session)
    releases = ReleaseController(session)
    with theme_manager().building(themed):
        explore = ExplorePresenter(session)
    explore.apply_requested.connect(releases.apply)
    qtbot.addWidget(explore.view)
    explore.view.show_view("all")
    explore.view.resize(1440, 802)
    explore.view.show()
    yield Bench(session, scoring, explore)
    session.close_project()  # no timer may outlive the view
    session.runner.shutdown()
    session.history.own.blockSignals(True)


@pytest.fixture
def bench(empty_bench: Bench, qtbot: QtBot, small_adult: Project) -> Bench:
    """Return the perspective with the small Adult project, scored and settled."""
    empty_bench.session.open_project(small_adult)
    qtbot.waitUntil(lambda: empty_bench.session.results.optimum is not None, timeout=20_000)
    settle(qtbot, empty_bench)
    return empty_bench
