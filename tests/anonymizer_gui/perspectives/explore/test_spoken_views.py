"""Lattice and map tell screen readers the selected node in words, and let them walk and apply."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QAccessible, QAccessibleEvent, QAccessibleValueChangeEvent
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.explore.lattice.layout import lay_out
from anonymizer_gui.perspectives.explore.lattice.marks import Marks
from anonymizer_gui.perspectives.explore.lattice.view import LatticeView
from anonymizer_gui.widgets.accessible import PRESS, SHOW_MENU
from engine.lattice import Lattice
from tests.anonymizer_gui.look_checks import accessible_value
from tests.anonymizer_gui.perspectives.explore.conftest import Bench

WORDS = "The optimum\nSatisfies · loss 0.3\n\nage: 10-year bands\n[1, 0]"


@pytest.fixture
def view(qtbot: QtBot, themed: QApplication) -> LatticeView:
    lattice = Lattice((0, 0), (2, 1))
    shown = LatticeView()
    qtbot.addWidget(shown)
    shown.resize(400, 300)
    shown.show_lattice(lay_out(lattice.sums, lattice.sums / 4), lattice.levels)
    return shown


def act(widget: QWidget, name: str) -> None:
    interface = QAccessible.queryAccessibleInterface(widget)
    actions = interface.actionInterface()
    assert name in actions.actionNames()
    actions.doAction(name)


def test_the_lattice_tells_the_selected_node_and_the_number_of_nodes(view: LatticeView) -> None:
    assert accessible_value(view) == "no node selected; 6 nodes"
    view.show_marks(Marks(selected=2), WORDS)
    assert accessible_value(view) == "The optimum; Satisfies · loss 0.3; 6 nodes"
    view.show_lattice(None)
    assert accessible_value(view) == ""


def test_every_other_selected_node_is_announced_once(
    view: LatticeView, monkeypatch: pytest.MonkeyPatch
) -> None:
    announced: list[str] = []

    def keep(event: QAccessibleEvent) -> None:
        if isinstance(event, QAccessibleValueChangeEvent):
            announced.append(event.value())

    monkeypatch.setattr(QAccessible, "updateAccessibility", keep)
    view.show_marks(Marks(selected=2), WORDS)
    view.show_marks(Marks(selected=2, applied=2), WORDS)
    view.show_marks(Marks(selected=3), "Nothing hidden")
    assert announced == ["The optimum; Satisfies · loss 0.3; 6 nodes", "Nothing hidden; 6 nodes"]


def test_a_screen_reader_walks_the_lattice_and_applies(qtbot: QtBot, view: LatticeView) -> None:
    view.show_marks(Marks(selected=2), WORDS)
    for name, step in (("One step more general", "up"), ("Next in the row", "right")):
        with qtbot.waitSignal(view.step_requested) as asked:
            act(view, name)
        assert asked.args == [step]
    for name, signal in ((PRESS, view.apply_requested), (SHOW_MENU, view.menu_requested)):
        with qtbot.waitSignal(signal) as asked:
            act(view, name)
        assert asked.args[0] == 2


def test_lattice_and_map_tell_the_same_node_as_it_changes(bench: Bench, qtbot: QtBot) -> None:
    view, state = bench.explore.view, bench.explore.state
    n_nodes = state.nodes.n_nodes
    for number in (0, n_nodes - 1):
        state.select(number)
        name = state.describe_number(number).splitlines()[0]
        for shown in (view.lattice.view, view.map.view):
            qtbot.waitUntil(lambda shown=shown, name=name: accessible_value(shown).startswith(f"{name}; "))
            assert accessible_value(shown).endswith(" nodes")
