"""Painted widgets tell screen readers what they are, and let them act."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtGui import (
    QAccessible,
    QAccessibleActionInterface,
    QAccessibleEvent,
    QAccessibleInterface,
    QAccessibleValueChangeEvent,
    QAccessibleValueInterface,
)
from PySide6.QtWidgets import QApplication, QComboBox, QLabel, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from anonymizer_gui.actions import Actions
from anonymizer_gui.frame.perspective_bar import PerspectiveBar
from anonymizer_gui.perspectives.configure.hierarchy.icicle.face import IcicleFace
from anonymizer_gui.perspectives.configure.requirement.limit_slider import LimitSlider
from anonymizer_gui.perspectives.explore.lattice.layout import lay_out
from anonymizer_gui.perspectives.explore.lattice.view import LatticeView
from anonymizer_gui.perspectives.explore.map.view import MapView
from anonymizer_gui.perspectives.explore.prices.view import PriceView
from anonymizer_gui.perspectives.risk.risk_chart import RiskChart
from anonymizer_gui.widgets.accessible import DECREASE, INCREASE, PRESS, TOGGLE, name_editable
from anonymizer_gui.widgets.knob import Knob
from anonymizer_gui.widgets.knob_scale import KnobScale
from anonymizer_gui.widgets.level_boxes import LevelBoxes
from anonymizer_gui.widgets.marks import Mark, MarkLabel
from anonymizer_gui.widgets.meter import Meter
from anonymizer_gui.widgets.segmented import SegmentedControl
from engine.lattice import Lattice

Role, Text = QAccessible.Role, QAccessible.Text
LATTICE = Lattice((0, 0), (2, 1))
PAGES = (("list", "List"), ("map", "Map"), ("prices", "Prices"))
MAKERS: dict[str, Callable[[], QWidget]] = {
    "knob": lambda: make_knob(),
    "limit slider": lambda: LimitSlider("Suppression limit"),
    "level boxes": lambda: LevelBoxes("Levels of age", 3),
    "segments": lambda: SegmentedControl(PAGES, "View of nodes"),
    "lattice": LatticeView,
    "map": MapView,
    "prices": PriceView,
    "icicle": IcicleFace,
    "risk chart": RiskChart,
    "meter": lambda: Meter("loss"),
    "mark": lambda: MarkLabel(Mark.OPTIMUM),
}


def make_knob() -> Knob:
    knob = Knob("k", "smallest class", KnobScale(2, 100, is_logarithmic=True), 5)
    knob.set_critical_values((2, 3, 5, 8, 13))
    return knob


def seen(widget: QWidget) -> QAccessibleInterface:
    found = QAccessible.queryAccessibleInterface(widget)
    assert found is not None
    return found


def number_of(widget: QWidget) -> QAccessibleValueInterface:
    found = seen(widget).valueInterface()
    assert found is not None
    return found


def actions_of(widget: QWidget) -> QAccessibleActionInterface:
    found = seen(widget).actionInterface()
    assert found is not None
    return found


@pytest.fixture
def values(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Return the list of values that screen readers receive as they change."""
    announced: list[object] = []

    def keep(event: QAccessibleEvent) -> None:
        if isinstance(event, QAccessibleValueChangeEvent):
            announced.append(event.value())

    monkeypatch.setattr(QAccessible, "updateAccessibility", keep)
    return announced


def test_a_knob_is_a_slider_with_its_number_in_the_displayed_unit(qtbot: QtBot, themed: QApplication) -> None:
    scale = KnobScale(0.0, 0.2, decimals=2, factor=100)
    limit = Knob("Suppression", "limit", scale, 0.05, keeps_larger=False, suffix="\u202f%")
    qtbot.addWidget(limit)
    shown, number = seen(limit), number_of(limit)
    assert (shown.role(), shown.text(Text.Name)) == (Role.Slider, "Suppression, limit")
    assert shown.text(Text.Value) == "5.00\u202f%"
    assert (number.minimumValue(), number.currentValue(), number.maximumValue()) == (0.0, 5.0, 20.0)


def test_a_screen_reader_turns_a_knob_as_keys_do(qtbot: QtBot, themed: QApplication) -> None:
    knob = make_knob()
    qtbot.addWidget(knob)
    turned: list[float] = []
    knob.value_changed.connect(turned.append)
    actions = actions_of(knob)
    assert actions.actionNames()[:2] == [INCREASE, DECREASE]
    actions.doAction(INCREASE)
    actions.doAction(DECREASE)
    number_of(knob).setCurrentValue(40)
    number_of(knob).setCurrentValue(4000)  # at most the end of the scale
    assert turned == [8, 5, 40, 100]


def test_a_disabled_knob_has_no_actions_of_its_own(qtbot: QtBot, themed: QApplication) -> None:
    knob = make_knob()
    qtbot.addWidget(knob)
    knob.setEnabled(False)
    assert INCREASE not in actions_of(knob).actionNames()
    actions_of(knob).doAction(INCREASE)
    assert knob.value() == 5


def test_every_change_of_a_knob_is_announced_once(
    qtbot: QtBot, themed: QApplication, values: list[object]
) -> None:
    knob = make_knob()
    qtbot.addWidget(knob)
    knob.step(1)
    knob.set_value(13)
    knob.set_value(13)
    assert values == [8, 13]


def test_the_note_of_a_knob_is_its_description_and_not_its_value(qtbot: QtBot, themed: QApplication) -> None:
    knob = make_knob()
    qtbot.addWidget(knob)
    knob.set_marks([(5, "From k = 5 another optimum.")])
    shown = seen(knob)
    assert (shown.text(Text.Value), shown.text(Text.Description)) == ("5", "From k = 5 another optimum.")


def test_level_boxes_tell_the_level_under_the_cursor_and_toggle_it(
    qtbot: QtBot, themed: QApplication, values: list[object]
) -> None:
    boxes = LevelBoxes("Levels of age", 3)
    boxes.show_levels(3, {0, 1, 2}, 0, ["kept", "bands", "hidden"])
    qtbot.addWidget(boxes)
    values.clear()
    actions_of(boxes).doAction(INCREASE)
    shown = seen(boxes)
    assert (shown.text(Text.Value), shown.state().checked) == ("Level 1, bands: allowed", 1)
    assert number_of(boxes).currentValue() == 1
    actions_of(boxes).doAction(TOGGLE)
    assert boxes.allowed() == {0, 2}
    assert (shown.text(Text.Value), shown.state().checked) == ("Level 1, bands: excluded", 0)
    assert values == [1, 1]


def test_segments_are_tabs_that_can_be_pressed(
    qtbot: QtBot, themed: QApplication, values: list[object]
) -> None:
    control = SegmentedControl(PAGES, "View of nodes")
    qtbot.addWidget(control)
    values.clear()
    chosen: list[str] = []
    control.selected.connect(chosen.append)
    row = seen(control)
    assert (row.role(), row.text(Text.Value)) == (Role.PageTabList, "List")
    tabs = [row.child(i) for i in range(row.childCount())]
    assert [(tab.role(), tab.text(Text.Name), bool(tab.state().selected)) for tab in tabs] == [
        (Role.PageTab, "List", True),
        (Role.PageTab, "Map", False),
        (Role.PageTab, "Prices", False),
    ]
    press = tabs[1].actionInterface()
    press.doAction(PRESS)
    actions_of(control).doAction(INCREASE)
    assert chosen == ["map", "prices"]
    assert values == ["Map", "Prices"]


def test_the_tabs_of_the_perspectives_tell_which_is_open(qtbot: QtBot, themed: QApplication) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    bar = PerspectiveBar(Actions(window), window)
    bar.show_perspective("explore")
    row = seen(bar)
    children = [row.child(i) for i in range(row.childCount())]
    tabs = [child for child in children if child.role() is Role.PageTab]
    assert row.role() is Role.PageTabList
    assert [tab.text(Text.Name) for tab in tabs if tab.state().selected] == ["Explore results"]


def test_a_combo_box_is_read_by_its_name_wherever_it_moves(qtbot: QtBot, themed: QApplication) -> None:
    def labels() -> list[str]:
        return [label.text(Text.Name) for label, _ in seen(box).relations(QAccessible.RelationFlag.Label)]

    window, box = QWidget(), QComboBox()
    qtbot.addWidget(window)
    box.addItems(["loss", "precision"])
    box.setAccessibleName("Metric")
    seen(box)  # a screen reader may ask before the box has a parent
    QVBoxLayout(window).addWidget(box)
    assert labels() == ["Metric"]
    box.setAccessibleName("Utility metric")
    assert labels() == ["Utility metric"]
    visible = QLabel("Metric of the search", window)
    visible.setBuddy(box)
    assert [text for text in labels() if text] == ["Metric of the search"]


def test_a_box_that_qt_asks_about_again_has_one_label(qtbot: QtBot, themed: QApplication) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    box = QComboBox(window)
    box.setAccessibleName("Metric")
    for _ in range(2):
        QAccessible.deleteAccessibleInterface(QAccessible.uniqueId(seen(box)))
        relations = seen(box).relations(QAccessible.RelationFlag.Label)
        assert [label.text(Text.Name) for label, _relation in relations] == ["Metric"]


def test_a_value_in_words_is_the_description_if_there_is_no_other(qtbot: QtBot, themed: QApplication) -> None:
    """On Linux only numbers are values; other values are read as descriptions."""
    view, boxes = LatticeView(), LevelBoxes("Levels of age", 2)
    for widget in (view, boxes):
        qtbot.addWidget(widget)
    view.show_lattice(lay_out(LATTICE.sums, LATTICE.sums / 4), LATTICE.levels)
    assert seen(view).text(Text.Description) == seen(view).text(Text.Value) == "no node selected; 6 nodes"
    assert seen(boxes).text(Text.Description) == seen(boxes).text(Text.Value) == "Level 0: allowed"


def test_the_field_of_an_editable_box_has_its_name(qtbot: QtBot, themed: QApplication) -> None:
    box = QComboBox()
    qtbot.addWidget(box)
    box.setEditable(True)
    name_editable(box, "Delimiter")
    line = box.lineEdit()
    assert line is not None
    assert seen(line).text(Text.Name) == "Delimiter"


@pytest.mark.parametrize("kind", MAKERS)
def test_a_screen_reader_may_ask_while_a_widget_is_created(
    qtbot: QtBot, themed: QApplication, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """Setting a name tells screen readers, which ask at once for everything."""
    asked: list[QAccessible.Role] = []

    def name_and_ask(widget: QWidget, name: str) -> None:
        plain(widget, name)
        shown = seen(widget)
        shown.text(Text.Value)
        shown.state()
        shown.valueInterface()
        actions_of(widget).actionNames()
        asked.append(shown.role())

    plain = QWidget.setAccessibleName
    monkeypatch.setattr(QWidget, "setAccessibleName", name_and_ask)
    qtbot.addWidget(MAKERS[kind]())
    assert asked
    assert Role.Client not in asked


def test_no_widget_outlives_its_window_because_a_screen_reader_asked(
    qtbot: QtBot, themed: QApplication
) -> None:
    knobs, interfaces = [], []
    for _ in range(40):
        knob = make_knob()
        assert number_of(knob).currentValue() == 5
        interfaces.append(seen(knob))
        gc.collect(0)
        assert seen(knob) is interfaces[-1]
        knobs.append(weakref.ref(knob))
        knob.deleteLater()
    del knob
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    gc.collect()
    assert [knob for knob in knobs if knob() is not None] == []
    assert not any(map(isValid, interfaces))
