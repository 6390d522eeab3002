"""Why records of the node are suppressed: which conditions, which classes, and which one step helps most."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QVBoxLayout, QWidget

from anonymizer_gui.perspectives.explore.inspector.inspector_parts import LineButton, StepButton
from anonymizer_gui.perspectives.explore.inspector.inspector_values import ClassRow, Reasons
from anonymizer_gui.theming import Text, current_theme, font
from anonymizer_gui.widgets.labels import make_label

_Align = Qt.AlignmentFlag


class ClassButton(LineButton):
    """One class in a line: what it is called and what is wrong with it; clicking lists its records."""

    class_requested = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.row: ClassRow | None = None
        self.clicked.connect(self._on_clicked)

    def show_row(self, row: ClassRow) -> None:
        """Lead to another class."""
        self.row = row
        self.setText(f"{row.name}: {row.fault}")
        self.setAccessibleName(self.text())
        self.setToolTip(f"{row.detail}\n{row.fault}\n{self.text()}")
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, row = current_theme(), self.row
        if row is None:
            return
        painter, rect = self.painter_over_ground(), QRectF(self.rect())
        painter.setFont(font(Text.CELL))
        metrics = painter.fontMetrics()
        fault = min(metrics.horizontalAdvance(row.fault) + 2.0, rect.width() * 0.6)
        painter.setPen(theme.color("text_2"))
        elided = metrics.elidedText(row.fault, Qt.TextElideMode.ElideRight, int(fault))
        right = int(_Align.AlignRight | _Align.AlignVCenter)
        painter.drawText(QRectF(rect.right() - fault - 2, 0, fault, rect.height()), right, elided)
        painter.setPen(theme.color("text"))
        room = rect.width() - fault - 12
        elided = metrics.elidedText(row.name, Qt.TextElideMode.ElideRight, int(room))
        left = int(_Align.AlignLeft | _Align.AlignVCenter)
        painter.drawText(QRectF(2, 0, room, rect.height()), left, elided)

    def _on_clicked(self) -> None:
        if self.row is not None:
            self.class_requested.emit(self.row.number)


class WhyPart(QWidget):
    """Sentences, the worst classes by name, and the step that helps."""

    class_requested = Signal(int)
    node_requested = Signal(object)
    controls_added = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.sentence = make_label("", Text.CELL, wraps=True)
        self.sentence.setObjectName("whySentence")
        self._worst = make_label(self.tr("The worst classes"), Text.CAPTION, "text_3")
        self._help = make_label("", Text.CAPTION, "text_3", wraps=True)
        self.step = StepButton()
        self.step.node_requested.connect(self.node_requested)
        self._classes = QVBoxLayout()
        self._classes.setSpacing(0)
        self._buttons: list[ClassButton] = []
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addWidget(self.sentence)
        column.addWidget(self._worst)
        column.addLayout(self._classes)
        column.addWidget(self._help)
        column.addWidget(self.step)
        self.show_reasons(Reasons(""))

    def show_reasons(self, reasons: Reasons) -> None:
        """Explain another node."""
        self.sentence.setText(reasons.sentence)
        self.sentence.setVisible(bool(reasons.sentence))
        self._worst.setVisible(bool(reasons.classes))
        before = len(self._buttons)
        while len(self._buttons) < len(reasons.classes):
            button = ClassButton()
            button.class_requested.connect(self.class_requested)
            self._classes.addWidget(button)
            self._buttons.append(button)
        for i, button in enumerate(self._buttons):
            button.setVisible(i < len(reasons.classes))
            if i < len(reasons.classes):
                button.show_row(reasons.classes[i])
        self._help.setText(reasons.help)
        self._help.setVisible(bool(reasons.help))
        self.step.setVisible(reasons.step is not None)
        if reasons.step is not None:
            self.step.show_row(reasons.step)
            self.step.setObjectName("whyStep")
        if len(self._buttons) > before:
            self.controls_added.emit()

    def controls(self) -> list[QAbstractButton]:
        """All buttons, those not needed now included."""
        return [*self._buttons, self.step]

    def class_buttons(self) -> list[ClassButton]:
        """The worst classes as they are listed."""
        return [button for button in self._buttons if not button.isHidden()]
