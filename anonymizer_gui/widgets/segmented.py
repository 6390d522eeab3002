"""Segmented control: two to five alternatives, one selected."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent
from PySide6.QtWidgets import QAbstractButton, QButtonGroup, QFrame, QHBoxLayout, QSizePolicy, QWidget

from anonymizer_gui.theming import Text, font, scaled
from anonymizer_gui.theming.painter import ThemedPainter
from anonymizer_gui.theming.type_scale import MEDIUM, SEMI_BOLD
from anonymizer_gui.widgets.accessible import DECREASE, INCREASE, PRESS, Accessible, Role, value_changed
from anonymizer_gui.widgets.drawn import Drawn
from engine.words import N_

SEGMENT_HEIGHT = 24
_SIDE_PADDING = 10


class _Segment(Drawn, QAbstractButton):
    """Painted segment of constant width, whether selected or not."""

    def __init__(self, text: str, tooltip: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setText(text)
        self.setToolTip(tooltip)
        self.setAccessibleName(text)
        self.setCheckable(True)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def as_accessible(self) -> Accessible:
        states = {"selectable": True, "selected": self.isChecked()}
        return Accessible(Role.PageTab, actions={PRESS: self.click}, states=states)

    def sizeHint(self) -> QSize:
        width = QFontMetrics(font(Text.CELL, SEMI_BOLD)).horizontalAdvance(self.text())
        return QSize(width + 2 * _SIDE_PADDING, scaled(SEGMENT_HEIGHT) - 4)

    def draw(self, painter: ThemedPainter) -> None:
        if self.isChecked():
            filled = "hover" if painter.theme.is_dark else "surface"
            place = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
            painter.outline(place, "border", radius=4, filled=filled)
        token = "text" if self.isChecked() or self.underMouse() else "text_2"
        weight = SEMI_BOLD if self.isChecked() else MEDIUM
        painter.style(Text.CELL, token if self.isEnabled() else "text_disabled", weight)
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self.text())


class SegmentedControl(Drawn, QFrame):
    """Adjacent segments; the control has the focus and arrow keys select within it."""

    selected = Signal(str)

    def __init__(self, segments: Sequence[tuple[str, str]], name: str = N_("View")) -> None:
        """Create the control from pairs of key and text; `name` is its accessible name."""
        super().__init__()
        self._keys: list[str] = []
        self._group = QButtonGroup(self)
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(2, 2, 2, 2)
        self._row.setSpacing(2)
        for key, text in segments:
            self.add(key, text)
        self._group.button(0).setChecked(True)
        self._group.idClicked.connect(self._on_clicked)
        self._update_description()

    def as_accessible(self) -> Accessible:
        shown = self._group.checkedButton()
        actions = {INCREASE: lambda: self._step(1), DECREASE: lambda: self._step(-1)}
        return Accessible(Role.PageTabList, "" if shown is None else shown.text(), actions=actions)

    def add(self, key: str, text: str) -> None:
        """Append a segment."""
        segment = _Segment(text, "", self)
        self._group.addButton(segment, len(self._keys))
        self._keys.append(key)
        self._row.addWidget(segment)

    def current(self) -> str:
        """Return the key of the selected segment."""
        return self._keys[self._group.checkedId()]

    def set_current(self, key: str) -> None:
        """Select a segment without a signal."""
        self._group.button(self._keys.index(key)).setChecked(True)
        self._update_description()

    def segment(self, key: str) -> QAbstractButton:
        """Return the button of a segment."""
        return self._group.button(self._keys.index(key))

    def set_segment_enabled(self, key: str, enabled: bool, reason: str = "") -> None:
        """Enable or disable a segment; `reason` becomes its tooltip."""
        self.segment(key).setEnabled(enabled)
        self.segment(key).setToolTip(reason)

    def draw(self, painter: ThemedPainter) -> None:
        place = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.outline(place, "border", radius=6, filled="sunken")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Up: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_Down: 1}
        step = steps.get(Qt.Key(event.key()))
        if step is None:
            super().keyPressEvent(event)
        else:
            self._step(step)

    def _step(self, step: int) -> None:
        """Select the next or previous segment that is enabled."""
        index = self._group.checkedId() + step
        while 0 <= index < len(self._keys):
            if self._group.button(index).isEnabled():
                self._group.button(index).setChecked(True)
                self._on_clicked(index)
                break
            index += step

    def _on_clicked(self, index: int) -> None:
        self._update_description()
        self.selected.emit(self._keys[index])

    def _update_description(self) -> None:
        self.setAccessibleDescription(self._group.button(self._group.checkedId()).text())
        value_changed(self)
