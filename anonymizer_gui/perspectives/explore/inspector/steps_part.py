"""Every neighbour of the node with what it changes."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from anonymizer_gui.perspectives.explore.inspector.inspector_parts import StepButton
from anonymizer_gui.perspectives.explore.inspector.inspector_values import StepRow
from anonymizer_gui.theming import Text, scaled, theme_manager
from anonymizer_gui.widgets.labels import make_label

_SUPPRESSED_WIDTH = 72


class StepsPart(QWidget):
    """A button per neighbour; `heading` names the numbers and belongs beside the title of the section."""

    node_requested = Signal(object)
    controls_added = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self._buttons: list[StepButton] = []
        self._value = make_label("", Text.CAPTION, "text_3")
        self._suppressed = make_label(self.tr("suppressed"), Text.CAPTION, "text_3")
        self._suppressed.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.heading = QWidget()
        row = QHBoxLayout(self.heading)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(2)
        row.addWidget(self._value)
        row.addWidget(self._suppressed)
        theme_manager().theme_changed.connect(self._fit)
        self._fit()

    def show_steps(self, rows: Sequence[StepRow], value_name: str) -> None:
        """Show the neighbours of another node."""
        self._value.setText(value_name)
        before = len(self._buttons)
        while len(self._buttons) < len(rows):
            button = StepButton()
            button.node_requested.connect(self.node_requested)
            self._column.addWidget(button)
            self._buttons.append(button)
        for i, button in enumerate(self._buttons):
            button.setVisible(i < len(rows))
            if i < len(rows):
                button.show_row(rows[i])
        if len(self._buttons) > before:
            self.controls_added.emit()

    def controls(self) -> list[StepButton]:
        """All buttons, those not needed now included."""
        return list(self._buttons)

    def buttons(self) -> list[StepButton]:
        """The neighbours as they are listed."""
        return [button for button in self._buttons if not button.isHidden()]

    def _fit(self) -> None:
        self._suppressed.setFixedWidth(scaled(_SUPPRESSED_WIDTH))
