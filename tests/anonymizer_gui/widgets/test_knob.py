"""The knob is controlled by mouse, keys, wheel and typing, and emits one signal per change."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QFontMetrics, QHelpEvent, QWheelEvent
from PySide6.QtWidgets import QApplication, QLineEdit, QToolTip, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from anonymizer_gui.theming import LIGHT, Text, current_theme, font, theme_manager
from anonymizer_gui.widgets.knob import Knob, shortened
from anonymizer_gui.widgets.knob_scale import KnobScale, moved, thinned
from tests.anonymizer_gui.look_checks import accessible_value

CRITICAL = (2, 3, 5, 8, 13, 21, 34, 55, 89)


class Log:
    """Recorded signals of a knob."""

    def __init__(self, knob: Knob) -> None:
        self.changing: list[float] = []
        self.changed: list[float] = []
        knob.value_changing.connect(self.changing.append)
        knob.value_changed.connect(self.changed.append)
        self.n_turned_back = 0
        knob.turned_back.connect(self._on_turned_back)

    def _on_turned_back(self) -> None:
        self.n_turned_back += 1


@pytest.fixture
def k(qtbot: QtBot, themed: QApplication) -> Knob:
    """Return a logarithmic knob from 2 to 100 at 5, shown, active and with the focus."""
    knob = Knob("k", "smallest class", KnobScale(2, 100, is_logarithmic=True), 5)
    knob.set_critical_values(CRITICAL)
    return _shown(qtbot, knob)


@pytest.fixture
def limit(qtbot: QtBot, themed: QApplication) -> Knob:
    """Return a suppression limit from 0 to 20 percent at 5 percent, without critical values."""
    scale = KnobScale(0.0, 0.2, decimals=2, factor=100)
    return _shown(qtbot, Knob("Suppression", "limit", scale, 0.05, keeps_larger=False, suffix="\u202f%"))


def _shown(qtbot: QtBot, knob: Knob) -> Knob:
    window = QWidget()
    layout = QVBoxLayout(window)
    layout.addWidget(QLineEdit())
    layout.addWidget(knob)
    window.resize(320, 140)
    qtbot.addWidget(window)
    window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    knob.setFocus()
    knob.keep_window_alive = window  # the fixture returns the knob only
    return knob


def _wheel(knob: Knob, notches: int) -> bool:
    place = QPointF(knob.rect().center())
    event = QWheelEvent(
        place,
        knob.mapToGlobal(place),
        QPoint(),
        QPoint(0, 120 * notches),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(knob, event)
    return event.isAccepted()


def _at(knob: Knob, value: float) -> QPoint:
    return QPoint(round(knob.x_of(value)), round(knob.handle_center().y()))


def test_setting_the_value_from_outside_emits_nothing(k: Knob) -> None:
    log = Log(k)
    k.set_value(20)
    assert k.value() == 20
    assert k.entry.value() == 20
    assert (log.changing, log.changed) == ([], [])


def test_dragging_snaps_to_critical_values_and_emits_on_release(qtbot: QtBot, k: Knob) -> None:
    log = Log(k)
    qtbot.mousePress(k, Qt.MouseButton.LeftButton, pos=_at(k, 5))
    for value in np.geomspace(5, 31, 40):
        qtbot.mouseMove(k, _at(k, float(value)))
    assert log.changing == [8, 13, 21, 34]
    assert log.changed == []
    qtbot.mouseRelease(k, Qt.MouseButton.LeftButton, pos=_at(k, 31))
    assert log.changed == [34]
    assert k.entry.value() == 34


def test_with_shift_a_drag_does_not_snap(qtbot: QtBot, k: Knob) -> None:
    shift = Qt.KeyboardModifier.ShiftModifier
    qtbot.mouseClick(k, Qt.MouseButton.LeftButton, shift, pos=_at(k, 29))
    assert k.value() == pytest.approx(29, abs=1)
    assert k.value() not in CRITICAL
    assert k.value() == round(k.value())


def test_a_click_that_changes_nothing_emits_nothing(qtbot: QtBot, k: Knob) -> None:
    log = Log(k)
    qtbot.mouseClick(k, Qt.MouseButton.LeftButton, pos=_at(k, 5))
    assert (log.changing, log.changed) == ([], [])


@pytest.mark.parametrize(
    ("key", "value"),
    [
        (Qt.Key.Key_Right, 8),
        (Qt.Key.Key_Up, 8),
        (Qt.Key.Key_Left, 3),
        (Qt.Key.Key_Down, 3),
        (Qt.Key.Key_Home, 2),
        (Qt.Key.Key_End, 100),
        (Qt.Key.Key_PageUp, 100),
        (Qt.Key.Key_PageDown, 2),
    ],
)
def test_arrow_keys_move_from_one_critical_value_to_the_next(
    qtbot: QtBot, k: Knob, key: Qt.Key, value: float
) -> None:
    log = Log(k)
    qtbot.keyClick(k, key)
    assert (log.changing, log.changed) == ([value], [value])


def test_page_keys_move_ten_critical_values(qtbot: QtBot, k: Knob) -> None:
    k.set_critical_values(range(2, 101))
    qtbot.keyClick(k, Qt.Key.Key_PageUp)
    assert k.value() == 15


def test_the_wheel_turns_the_knob_only_while_it_has_the_focus(qtbot: QtBot, k: Knob) -> None:
    log = Log(k)
    assert _wheel(k, 1)
    assert k.value() == 8
    with qtbot.waitSignal(k.value_changed) as announced:
        _wheel(k, 1)
    assert announced.args == [13]
    assert log.changing == [8, 13]
    k.clearFocus()
    assert not _wheel(k, 1)
    assert k.value() == 13


def test_a_typed_value_is_taken_exactly(qtbot: QtBot, limit: Knob) -> None:
    log = Log(limit)
    limit.entry.setFocus()
    limit.entry.selectAll()
    qtbot.keyClicks(limit.entry, "0.29")
    assert log.changing == []
    qtbot.keyClick(limit.entry, Qt.Key.Key_Return)
    assert log.changed == [0.0029]
    assert limit.value() == 0.0029


def test_a_comma_is_a_decimal_mark_and_never_separates_thousands(qtbot: QtBot, limit: Knob) -> None:
    limit.entry.setFocus()
    limit.entry.selectAll()
    qtbot.keyClicks(limit.entry, "2,5")
    qtbot.keyClick(limit.entry, Qt.Key.Key_Return)
    assert limit.entry.value() == 2.5


def test_arrows_in_the_entry_step_as_the_knob_does(qtbot: QtBot, k: Knob) -> None:
    k.entry.setFocus()
    qtbot.keyClick(k.entry, Qt.Key.Key_Up)
    assert k.value() == 8


def test_losing_the_focus_emits_the_value(qtbot: QtBot, k: Knob) -> None:
    log = Log(k)
    qtbot.keyPress(k, Qt.Key.Key_Right)
    assert log.changed == []
    k.clearFocus()
    assert log.changed == [8]


def test_tab_moves_from_the_handle_to_the_entry(qtbot: QtBot, k: Knob) -> None:
    qtbot.keyClick(k, Qt.Key.Key_Tab)
    assert k.entry.hasFocus()


def test_the_handle_is_at_the_value_of_a_logarithmic_axis(k: Knob) -> None:
    ends = k.x_of(2), k.x_of(100)
    middle = k.x_of(np.sqrt(200))
    assert middle == pytest.approx(sum(ends) / 2)


def test_the_satisfied_side_is_drawn_in_accent(k: Knob, limit: Knob) -> None:
    for knob, kept, left in ((k, 60, 3), (limit, 0.01, 0.15)):
        image = knob.grab().toImage()
        y = round(knob.handle_center().y())
        assert image.pixelColor(round(knob.x_of(kept)), y).name().upper() == LIGHT.accent
        assert image.pixelColor(round(knob.x_of(left)), y).name().upper() == LIGHT.border_strong


def test_a_knob_has_an_accessible_name_and_value(k: Knob, limit: Knob) -> None:
    assert k.accessibleName() == "k, smallest class"
    assert accessible_value(limit) == "5.00\u202f%"


def test_stops_are_rounded_to_the_side_on_which_the_same_nodes_satisfy() -> None:
    below = KnobScale(0.05, 0.5, decimals=2).stops([0.1523, 0.2], keeps_larger=False)
    assert below == (0.05, 0.16, 0.2, 0.5)
    above = KnobScale(0.05, 0.5, decimals=2).stops([0.1523, 0.2], keeps_larger=True)
    assert above == (0.05, 0.15, 0.2, 0.5)
    assert KnobScale(0, 1, decimals=0, factor=100).stops([0.29], keeps_larger=True) == (0, 0.29, 1)


def test_between_two_stops_a_step_moves_to_the_neighbour() -> None:
    assert moved((1, 5, 9), 6, 1) == 9
    assert moved((1, 5, 9), 6, -1) == 5
    assert moved((1, 5, 9), 9, 1) == 9


def test_ticks_are_at_least_four_pixels_apart_and_both_ends_are_kept() -> None:
    scale = KnobScale(0, 100)
    kept = thinned(tuple(range(101)), scale, 200)
    places = [scale.position(value) * 200 for value in kept]
    assert min(np.diff(places)) >= 4
    assert (kept[0], kept[-1]) == (0, 100)


@pytest.mark.parametrize(
    ("scale", "printed"),
    [
        (KnobScale(2, 100, is_logarithmic=True), (2, 10, 100)),
        (KnobScale(1, 10), (1, 5, 10)),
        (KnobScale(0.05, 0.5, decimals=2), (0.05, 0.25, 0.5)),
        (KnobScale(0, 0.2, decimals=2, factor=100), (0, 0.1, 0.2)),
        (KnobScale(3, 4), (3, 4)),
    ],
)
def test_three_round_numbers_are_printed_below_the_track(
    scale: KnobScale, printed: tuple[float, ...]
) -> None:
    assert scale.printed_values() == pytest.approx(printed)


def test_a_long_column_is_shortened_before_its_variant(themed: QApplication) -> None:
    metrics = QFontMetrics(font(Text.CELL))
    text = "a sensitive column with a long name, ordered"
    width = metrics.horizontalAdvance("a sensitive colu, ordered")
    shown = shortened(text, metrics, width)
    assert shown.endswith("…, ordered")
    assert metrics.horizontalAdvance(shown) <= width
    assert shortened(text, metrics, metrics.horizontalAdvance(text) + 2) == text
    assert shortened("a caption without a variant", metrics, 60).endswith("…")


MARKS = [(2.0, "From k = 2 this."), (7.0, "From k = 7 that."), (30.0, "From k = 30 none.")]


def test_a_marked_value_is_a_stop_and_its_note_applies_up_to_the_next(qtbot: QtBot, k: Knob) -> None:
    k.set_marks(MARKS)
    assert set(k.stops) == {*CRITICAL, 7.0, 30.0, 100.0}
    assert [k.note(value) for value in (2, 6, 7, 29, 30, 100)] == [
        "From k = 2 this.",
        "From k = 2 this.",
        "From k = 7 that.",
        "From k = 7 that.",
        "From k = 30 none.",
        "From k = 30 none.",
    ]
    qtbot.keyClick(k, Qt.Key.Key_Right)
    assert k.value() == 7
    assert (accessible_value(k), k.accessibleDescription()) == ("7", "From k = 7 that.")


def test_the_tooltip_over_the_slider_is_the_note_of_the_value_there(
    k: Knob, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    monkeypatch.setattr(QToolTip, "showText", lambda _at, text, _widget: told.append(text))
    k.set_marks(MARKS)
    for value in (3, 8, 60):
        at = _at(k, value)
        QApplication.sendEvent(k, QHelpEvent(QEvent.Type.ToolTip, at, k.mapToGlobal(at)))
    assert told == ["From k = 2 this.", "From k = 7 that.", "From k = 30 none."]


def test_marks_are_longer_than_ticks_and_never_gold(k: Knob) -> None:
    plain = k.grab().toImage()
    k.set_marks(MARKS)
    marked = k.grab().toImage()
    x, top = _at(k, 30).x(), _at(k, 30).y() + 3
    ink = QColor(current_theme().ink)
    assert [QColor(marked.pixel(x, top + dy)) for dy in range(6)] == [ink] * 6
    assert QColor(marked.pixel(x, top + 6)) != ink
    assert all(plain.pixel(x + dx, top + 5) == marked.pixel(x + dx, top + 5) for dx in (-2, -1, 1, 2))
    gold = QColor(current_theme().optimum)
    pixels = {marked.pixel(a, b) for a in range(marked.width()) for b in range(marked.height())}
    assert gold.rgb() not in pixels


def test_without_critical_values_every_value_can_be_dragged_to(qtbot: QtBot, limit: Knob) -> None:
    limit.set_marks([(0.0, "From 0 on this.")])
    assert limit.stops == ()
    qtbot.mousePress(limit, Qt.MouseButton.LeftButton, pos=_at(limit, 0.05))
    qtbot.mouseMove(limit, _at(limit, 0.12))
    qtbot.mouseRelease(limit, Qt.MouseButton.LeftButton, pos=_at(limit, 0.12))
    assert limit.value() == pytest.approx(0.12, abs=0.002)


def test_the_exact_entry_follows_the_font_scale_in_every_parent(
    qtbot: QtBot, k: Knob, themed: QApplication
) -> None:
    theme_manager().apply(themed, LIGHT, 1.5)
    field = k.findChild(QLineEdit)
    assert field.font().pixelSize() == font(Text.CONTROL).pixelSize()
    elsewhere = QWidget()
    qtbot.addWidget(elsewhere)
    QVBoxLayout(elsewhere).addWidget(k)
    elsewhere.show()
    assert field.font().pixelSize() == font(Text.CONTROL).pixelSize()


def test_a_knob_released_at_its_old_value_emits_only_that(qtbot: QtBot, k: Knob) -> None:
    log, line = Log(k), round(k.handle_center().y())
    here, there = QPoint(round(k.x_of(5)), line), QPoint(round(k.x_of(21)), line)
    qtbot.mousePress(k, Qt.MouseButton.LeftButton, pos=here)
    for place in (there, here):
        qtbot.mouseMove(k, place)
    assert log.n_turned_back == 0
    qtbot.mouseRelease(k, Qt.MouseButton.LeftButton, pos=here)
    assert (log.changing, log.changed, log.n_turned_back) == ([21, 5], [], 1)
    qtbot.mouseClick(k, Qt.MouseButton.LeftButton, pos=here)
    assert log.n_turned_back == 1
