"""An analysis is added by one file: window, report, command and help get it from there."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from anonymizer_gui.charts.chart_card import AnalysisCard, HelpPopup
from anonymizer_gui.perspectives.risk.presenter import RiskPresenter
from anonymizer_gui.perspectives.start.table_opening import OpenFlow, TableOpening
from anonymizer_gui.perspectives.utility.presenter import UtilityPresenter
from anonymizer_gui.session import Session
from anonymizer_gui.session.analyses import AnalysisDesk
from anonymizer_gui.tables.table_view import TextsTable
from anonymizer_gui.theming import theme_manager
from anonymizer_gui.widgets.segmented import SegmentedControl
from engine.cli import main
from engine.findings.base import risk_analyses, utility_analyses
from engine.project.compile import compile_problem
from engine.project.recipe.files import read_recipe
from engine.recoding import make_release
from engine.records.options import JUDGED
from tests.conftest import EXAMPLES

LEFT = Qt.MouseButton.LeftButton
RECIPE = EXAMPLES / "hospital" / "recipe.toml"
NODE = (2, 0, 2)  # satisfies, nothing suppressed
SENTENCE = "The release keeps 13 records."
REGISTRIES = {"risk": risk_analyses, "utility": utility_analyses}
TOY = '''
"""How many records are kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from engine.findings.base import Analysis, {family}_analyses
from engine.findings.subject import Subject
from engine.findings.blocks import Block, FigureColumn, FigureTable, Findings, Statement
from engine.monitor import SILENT, Monitor


@dataclass(frozen=True)
class ToyFound(Findings):
    n_kept: int

    def statement(self) -> Statement:
        return Statement(f"The release keeps {{self.n_kept}} records.", "ok", "of the input")

    def blocks(self) -> tuple[Block, ...]:
        columns = (FigureColumn("n_kept", "Kept", "records"),)
        return (FigureTable("toy_kept", "Kept records", columns, ((self.n_kept,),)),)


@{family}_analyses.register("toy")
@dataclass(frozen=True, slots=True)
class Toy(Analysis):
    title: ClassVar[str] = "Toy figures"
    summary: ClassVar[str] = "How many records a release keeps."
    reading: ClassVar[str] = "More is better."
    report_place: ClassVar[int | None] = 46

    def run(self, subject: Subject, monitor: Monitor = SILENT) -> ToyFound:
        return ToyFound(int(subject.kept.sum()))
'''


@pytest.fixture(params=sorted(REGISTRIES))
def family(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Return a family of analyses whose package has one more file during a test."""
    name: str = request.param
    (tmp_path / "toy.py").write_text(TOY.format(family=name))
    package, registry = importlib.import_module(f"engine.findings.{name}"), REGISTRIES[name]
    monkeypatch.setattr(package, "__path__", [*package.__path__, str(tmp_path)])
    monkeypatch.delitem(vars(registry), "_own", raising=False)
    importlib.invalidate_caches()
    yield name
    monkeypatch.undo()
    sys.modules.pop(f"engine.findings.{name}.toy", None)
    vars(package).pop("toy", None)
    registry._registered.pop("toy", None)


def test_the_command_runs_it_and_lists_it_with_its_help(
    family: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["analyze", str(RECIPE), "toy", "--node", "2,0,2", "--format", "json"]
    assert main(words) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["sentence"], found["tone"], found["caption"]) == (SENTENCE, "ok", "of the input")
    assert found["tables"] == {"toy_kept": [{"n_kept": 13}]}
    assert main(words[:-2]) == 0
    assert SENTENCE in capsys.readouterr().out
    assert main(["analyze", str(RECIPE), "--format", "json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert listed["toy"] == {"title": "Toy figures", "summary": "How many records a release keeps."}


@pytest.mark.parametrize("audience", ["internal", "public"])
def test_the_internal_report_contains_it(family: str, audience: str, tmp_path: Path) -> None:
    out = tmp_path / "report.json"
    assert main(["report", str(RECIPE), "--out", str(out), "--audience", audience, "--quiet"]) == 0
    report = json.loads(out.read_text())
    sections = {section["key"]: section for section in report["sections"]}
    assert ("toy" in sections) == (audience == "internal")
    if audience == "internal":
        assert list(sections).index("toy") == list(sections).index("hipaa") + 1
        assert sections["toy"]["title"] == "Toy figures"
        told = json.dumps(sections["toy"])
        assert SENTENCE in told
        assert "Kept records" in told
        assert "More is better." in told
    else:
        assert SENTENCE not in out.read_text()


def test_the_window_shows_it_in_a_card_with_its_help(qtbot: QtBot, qapp: QApplication, family: str) -> None:
    session = Session()
    runner = session.runner
    desk = AnalysisDesk(session)
    presenter: RiskPresenter | UtilityPresenter
    with theme_manager().building(qapp):
        if family == "risk":
            opening = TableOpening(OpenFlow(QWidget(), runner), "risk.linkage", JUDGED)
            presenter = RiskPresenter(desk, opening)
        else:
            presenter = UtilityPresenter(desk)
    view = presenter.view
    qtbot.addWidget(view)
    view.resize(1800, 1000)
    with qtbot.waitExposed(view):
        view.show()

    def settle() -> None:
        qtbot.waitUntil(lambda: presenter.is_settled and not runner.is_busy, timeout=20_000)

    project = read_recipe(RECIPE)
    session.open_project(project)
    session.applied.set(make_release(project, compile_problem(project), NODE), project)
    settle()
    segment = _chooser(presenter).segment("tests" if family == "risk" else "toy")
    qtbot.waitUntil(segment.isVisible)  # a layout shows its contents a moment later
    qtbot.mouseClick(segment, LEFT)
    settle()
    if family == "risk":
        qtbot.mouseClick(view.findChild(QPushButton, "trialRun.toy"), LEFT)
        settle()
    listed = view.findChild(TextsTable, "toy.toy_kept")
    qtbot.waitUntil(listed.isVisible)
    assert listed.texts.texts()[0][0] == "13"
    assert view.findChild(QLabel, "toy.sentence").text() == SENTENCE
    card = next(card for card in view.findChildren(AnalysisCard) if card.isAncestorOf(listed))
    assert card.caption.text() == "of the input"
    qtbot.mouseClick(card.help_button, LEFT)
    words = view.findChild(HelpPopup).words()
    assert words == ("Toy figures", "How many records a release keeps.", "More is better.")
    session.close_project()
    runner.shutdown()


def _chooser(presenter: RiskPresenter | UtilityPresenter) -> SegmentedControl:
    if isinstance(presenter, RiskPresenter):
        return presenter.view.switch.segments
    chooser = presenter.view.cards["pairs"].chooser
    assert chooser is not None
    return chooser
