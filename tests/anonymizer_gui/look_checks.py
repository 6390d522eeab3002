"""Checks of a complete window for visual defects that a user would notice.

Each function returns one line per defect, empty if there are none, so that a test asserts
`clipped_texts(window) == []` and its failure names the place.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import pairwise, product

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtGui import QAccessible, QFontMetrics, QImage
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractScrollArea,
    QAbstractSpinBox,
    QApplication,
    QCheckBox,
    QComboBox,
    QFocusFrame,
    QLabel,
    QMainWindow,
    QMenuBar,
    QPushButton,
    QRadioButton,
    QRubberBand,
    QSizeGrip,
    QSplitterHandle,
    QStackedWidget,
    QTabBar,
    QTableView,
    QToolButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.explore.inspector.section import TitleButton
from anonymizer_gui.tables.table_view import CELL_PADDING
from anonymizer_gui.theming import CONTRAST_DARK, LIGHT, THEMES, Theme
from anonymizer_gui.widgets.elided_combo_box import ElidedCheckBox, ElidedComboBox
from anonymizer_gui.widgets.labels import CaptionLabel, ElidedLabel
from tests.anonymizer_gui.hands import let_run

_BETWEEN_LOOKS, _LOOKS_ALIKE = 4, 3  # milliseconds; consecutive checks without movement
RING = 4  # distance of the focus ring from the edge of a control
_ASSEMBLED = (QAbstractSpinBox, QComboBox, QMenuBar, QTabBar, QAbstractItemView)
_LAID_OVER = (QFocusFrame, QRubberBand, QSizeGrip)


def laid_out(window: QWidget) -> None:
    """Process layout events, which trigger each other, until nothing moves."""
    before: list[tuple[QWidget, QRect]] = []
    n_alike = 0
    for _ in range(300):
        let_run(_BETWEEN_LOOKS)  # timers wrap texts again and hide parts
        widgets = [window, *window.findChildren(QWidget)]
        now = [(widget, widget.geometry()) for widget in widgets if widget.isVisible()]
        n_alike = n_alike + 1 if now == before else 0
        if n_alike == _LOOKS_ALIKE:
            return
        before = now
    raise AssertionError("the layout does not come to rest")


def looks(*, is_thorough: bool) -> tuple[tuple[Theme, float], ...]:
    """Return the themes and text sizes to check; layouts hardly depend on colours, so two usually do."""
    if not is_thorough:
        return ((LIGHT, 1.0), (CONTRAST_DARK, 2.0))
    return tuple(itertools.product(THEMES.values(), (1.0, 1.5, 2.0)))


def lasting(qtbot: QtBot, window: QWidget, find: Callable[[], list[str]]) -> list[str]:
    """Return the defects that remain after layout and running tasks have ended."""
    laid_out(window)
    faults: list[str] = []

    def are_gone() -> bool:
        faults[:] = find()
        return not faults

    with suppress(qtbot.TimeoutError):
        qtbot.waitUntil(are_gone, timeout=2_000)
    return faults


def layout_faults(window: QWidget) -> list[str]:
    """Return the defects that no page may have, at any size."""
    parts = (clipped_texts, overlapping_siblings, horizontal_scrollbars_outside_tables)
    return [fault for part in parts for fault in part(window)]


def clipped_texts(window: QWidget) -> list[str]:
    """Return labels and buttons whose text does not fit and is not elided with a tooltip."""
    faults = []
    for widget in _visible(window):
        if isinstance(widget, QLabel) and widget.text() and not _belongs_to_qt(widget):
            faults += [f"{_name(widget)}: {why}" for why in _label_faults(widget)]
        elif isinstance(widget, QAbstractButton) and widget.text() and not _belongs_to_qt(widget):
            faults += [f"{_name(widget)}: {why}" for why in _button_faults(widget)]
        else:
            continue
        if beyond := _cut_off(widget):
            faults.append(f"{_name(widget)}: {beyond}")
    return faults


def cut_rows(table: QTableView) -> list[str]:
    """Return the texts of cells that are higher than their row when they are wrapped."""
    model, found = table.model(), []
    for row, column in product(range(model.rowCount()), range(model.columnCount())):
        index = model.index(row, column)
        font, text = index.data(Qt.ItemDataRole.FontRole) or table.font(), str(index.data() or "")
        room = QRect(0, 0, table.columnWidth(column) - 2 * CELL_PADDING, 1000)
        needed = QFontMetrics(font).boundingRect(room, Qt.TextFlag.TextWordWrap, text).height()
        found += [text] if needed > table.rowHeight(row) else []
    return found


def elided_texts(window: QWidget) -> list[str]:
    """Return the visible labels and buttons whose text is shown in part, with their texts."""
    faults = []
    for widget in _visible(window):
        if widget.visibleRegion().isEmpty() or _belongs_to_qt(widget):
            continue
        if isinstance(widget, ElidedLabel):
            is_elided = widget.is_elided() and not isinstance(widget, CaptionLabel)  # which drops whole parts
        elif isinstance(widget, ElidedCheckBox):
            is_elided = widget.shown_text() != widget.accessibleName()
        elif isinstance(widget, ElidedComboBox):
            is_elided = widget.shown_text() != widget.currentText()
        elif isinstance(widget, TitleButton):
            is_elided = widget.shown_text().endswith("…")
        elif isinstance(widget, QAbstractButton):
            is_elided = bool(widget.text()) and not _fits(widget)
        else:
            continue
        if is_elided:
            chosen = f": '{widget.currentText()}'" if isinstance(widget, QComboBox) else ""
            faults.append(f"{_name(widget)}{chosen}")
    return faults


def overlapping_siblings(window: QWidget) -> list[str]:
    """Return pairs of widgets with the same parent that overlap."""
    faults = []
    for parent in [window, *_visible(window)]:
        if isinstance(parent, _ASSEMBLED) or _belongs_to_qt(parent):
            continue
        children = [
            child
            for child in parent.children()
            if isinstance(child, QWidget)
            and child.isVisible()
            and not child.isWindow()
            and not isinstance(child, _LAID_OVER)
            and not child.property("overlay")
            and not child.geometry().isEmpty()
        ]
        for i, one in enumerate(children):
            for other in children[i + 1 :]:
                shared = one.geometry() & other.geometry()
                if not shared.isEmpty() and not _is_frame_of(parent, one, other):
                    faults.append(f"{_name(one)} and {_name(other)} share {shared.getRect()}")
    return faults


def horizontal_scrollbars_outside_tables(window: QWidget) -> list[str]:
    """Return scroll areas other than item views that need a horizontal scroll bar."""
    return [
        f"{_name(area)}: {area.horizontalScrollBar().maximum()} px too wide"
        for area in _visible(window)
        if isinstance(area, QAbstractScrollArea)
        and not isinstance(area, QAbstractItemView)
        and area.horizontalScrollBar().isVisible()
        and area.horizontalScrollBar().maximum() > 0
    ]


def focus_problems(window: QWidget) -> list[str]:
    """Return controls without a name, tooltip or visible focus, and errors in the tab order.

    The window must be shown and active.
    """
    controls = tab_order(window)
    faults = [f"{_name(control)}: no accessible name" for control in controls if not accessible_name(control)]
    faults += [
        f"{_name(button)}: an icon without a tooltip"
        for button in _visible(window)
        if isinstance(button, QPushButton | QToolButton)
        and not button.text()
        and not button.toolTip()
        and not _belongs_to_qt(button)
    ]
    missed = [
        control
        for control in _visible(window)
        if _takes_tab(control) and control not in controls and control.focusProxy() is None
    ]
    faults += [f"{_name(control)}: not reached by Tab" for control in missed]
    for one, other in pairwise(controls):
        if one.parentWidget() is other.parentWidget() and _comes_before(other, one):
            faults.append(f"Tab goes from {_name(one)} back to {_name(other)}")
    faults += [f"{_name(control)}: focus does not show" for control in controls if not _shows_focus(control)]
    return faults


def tab_order(window: QWidget) -> list[QWidget]:
    """Return the controls in tab order, starting with the first of the window's focus chain."""
    order, widget = [], window.nextInFocusChain()
    while widget is not None and widget is not window:
        if _takes_tab(widget) and widget.window() is window and widget.isVisible():
            order.append(widget)
        widget = widget.nextInFocusChain()
    return order


def accessible_name(widget: QWidget) -> str:
    """Return the text that a screen reader says for a control."""
    interface = QAccessible.queryAccessibleInterface(widget)
    return interface.text(QAccessible.Text.Name) if interface is not None else widget.accessibleName()


def accessible_value(widget: QWidget) -> str:
    """Return the value that a screen reader says for a control."""
    interface = QAccessible.queryAccessibleInterface(widget)
    return interface.text(QAccessible.Text.Value)


def _visible(window: QWidget) -> Iterator[QWidget]:
    for widget in window.findChildren(QWidget):
        if widget.isVisible() and widget.window() is window:
            yield widget


def _takes_tab(widget: QWidget) -> bool:
    takes = bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus)
    return (
        takes and widget.isEnabled() and not widget.visibleRegion().isEmpty() and not _belongs_to_qt(widget)
    )


def _belongs_to_qt(widget: QWidget) -> bool:
    """Return whether a widget is a part of another control, which is checked with that control."""
    if widget.objectName().startswith("qt_"):
        return not isinstance(widget, QStackedWidget | QMainWindow)
    parent = widget.parentWidget()
    return isinstance(parent, _ASSEMBLED) or isinstance(widget, QSplitterHandle)


def _label_faults(label: QLabel) -> list[str]:
    inner, metrics = label.contentsRect(), label.fontMetrics()
    if isinstance(label, ElidedLabel):
        if label.is_elided() and label.text() not in label.toolTip():
            return ["elided without a tooltip"]
        return (
            []
            if inner.height() >= metrics.height() - 1
            else [f"{metrics.height()} px high in {inner.height()}"]
        )
    margin = 2 * label.margin()
    if label.wordWrap():
        needed = label.heightForWidth(label.width())
        return [] if label.height() >= needed else [f"needs {needed} px of height, has {label.height()}"]
    size = metrics.size(0, label.text())
    if size.width() > inner.width() - margin or size.height() > inner.height() - margin + 1:
        return [f"{size.toTuple()} in {inner.size().toTuple()}"]
    return []


def _button_faults(button: QAbstractButton) -> list[str]:
    if _fits(button) or button.text().replace("&", "") in button.toolTip():
        return []
    return [f"{button.size().toTuple()}, needs {_needed_size(button).toTuple()}"]


def _fits(button: QAbstractButton) -> bool:
    needed = _needed_size(button)
    return button.width() >= needed.width() and button.height() >= min(
        needed.height(), button.sizeHint().height()
    )


def _needed_size(button: QAbstractButton) -> QSize:
    if isinstance(button, QCheckBox | QRadioButton | QPushButton | QToolButton):
        return button.minimumSizeHint()
    return button.sizeHint()


def _cut_off(widget: QWidget) -> str:
    """Return the ancestor that clips a widget; scroll areas may clip content that can be scrolled."""
    ancestor = widget.parentWidget()
    while ancestor is not None and not isinstance(ancestor, QAbstractScrollArea):
        inside = QRect(widget.mapTo(ancestor, QPoint(0, 0)), widget.size())
        if isinstance(area := ancestor.parentWidget(), QAbstractScrollArea):
            can_scroll = area.horizontalScrollBarPolicy() != Qt.ScrollBarPolicy.ScrollBarAlwaysOff
            if can_scroll or (inside.left() >= 0 and inside.right() <= ancestor.rect().right()):
                return ""
        if not ancestor.rect().contains(inside):
            return f"reaches out of {_name(ancestor)} ({inside.getRect()} in {ancestor.rect().getRect()})"
        if ancestor.isWindow():
            return ""
        ancestor = ancestor.parentWidget()
    return ""


def _is_frame_of(parent: QWidget, one: QWidget, other: QWidget) -> bool:
    """Return whether two widgets are parts of a scroll area, whose scroll bars overlap the viewport."""
    return isinstance(parent, QAbstractScrollArea) and parent.viewport() in (one, other)


def _comes_before(one: QWidget, other: QWidget) -> bool:
    """Return whether `one` is read first: a line above, or on the same line further left."""
    a, b = one.geometry(), other.geometry()
    if a.bottom() < b.top():
        return True
    same_line = a.top() <= b.bottom() and b.top() <= a.bottom()
    return same_line and a.right() < b.left()


def _shows_focus(control: QWidget) -> bool:
    """Return whether the focus changes at least as many pixels as a ring around a small control."""
    window = control.window()
    place = QRect(control.mapTo(window, QPoint(0, 0)), control.size()).adjusted(-RING, -RING, RING, RING)
    held = QApplication.focusWidget()
    control.clearFocus()
    other = QApplication.focusWidget()
    if other is not None:
        other.clearFocus()
    before = _pixels(window, place)
    control.setFocus(Qt.FocusReason.TabFocusReason)
    after = _pixels(window, place)
    if held is not None:
        held.setFocus()
    return int(np.any(before != after, axis=2).sum()) >= 40


def _pixels(window: QWidget, place: QRect) -> NDArray[np.uint8]:
    QApplication.processEvents()
    image = window.grab(place).toImage().convertToFormat(QImage.Format.Format_RGB32)
    rows = np.frombuffer(image.constBits(), dtype=np.uint8).reshape(image.height(), image.bytesPerLine())
    return rows[:, : 4 * image.width()].reshape(image.height(), image.width(), 4).copy()


def _name(widget: QWidget) -> str:
    words = getattr(widget, "text", None)
    text = words() if callable(words) and isinstance(widget, QLabel | QAbstractButton) else ""
    return f"{type(widget).__name__} '{text or widget.accessibleName() or widget.objectName()}'"
