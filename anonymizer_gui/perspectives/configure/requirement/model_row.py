"""Row of one privacy model: symbol, title, column, limit, edit and remove."""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtCore import QRect, QRectF, QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QAbstractSpinBox, QHBoxLayout, QSizePolicy, QWidget

from anonymizer_gui.forms.editors import FormContext, editor_for
from anonymizer_gui.theming import Text, paint_icon, scaled
from anonymizer_gui.theming.painter import ThemedPainter
from anonymizer_gui.widgets.buttons import make_icon_button
from anonymizer_gui.widgets.drawn import Drawn, Picture
from anonymizer_gui.widgets.labels import ElidedLabel, make_label
from anonymizer_gui.widgets.layouts import STRETCH, fixed, hbox
from anonymizer_gui.widgets.role_badge import RoleBadge
from engine.params import Param

ROW_HEIGHT, _ICON = 30, 13
_BOX_WIDTH, _BOX_HEIGHT = 76, 24


@dataclass(frozen=True)
class ModelFacts:
    """Privacy model as displayed in a row, with the parameter that is its limit, and its value."""

    symbol: str
    title: str
    meaning: str  # shown without a column
    column: str
    relation: str
    limit: str
    parameter: Param
    value: float
    icon: str = ""  # replaces a symbol that would repeat the title

    @property
    def words(self) -> str:
        """The model in one line."""
        column = f", {self.column}" if self.column else ""
        return f"{self.title}{column}, {self.threshold} {self.limit}"

    @property
    def threshold(self) -> str:
        """Left side of the limit: "k ≥", or only the relation if the title has the symbol."""
        return self.relation if self.icon else f"{self.symbol} {self.relation}"

    def differs_in_limit(self, other: ModelFacts) -> bool:
        """Return whether another model is the same except for its limit."""
        return replace(self, limit=other.limit, value=other.value) == other


class SymbolChip(Picture):
    """Usual letter of a model, or an icon, on the soft accent colour."""

    def __init__(self, symbol: str, icon: str = "") -> None:
        super().__init__(20, 20)
        self._symbol, self._icon = symbol, icon

    def draw(self, painter: ThemedPainter) -> None:
        painter.fill(self.rect(), "accent_soft", radius=4)
        if self._icon:
            side = scaled(_ICON)
            inner = QRectF((self.width() - side) / 2, (self.height() - side) / 2, side, side)
            paint_icon(painter, inner, self._icon, painter.theme.accent_text)
            return
        painter.style(Text.CELL_STRONG, "accent_text")
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self._symbol)


class ModelRow(Drawn, QWidget):
    """Signals carry the index of the model in the requirement."""

    limit_chosen = Signal(int, float)
    edit_requested = Signal(int)
    removal_requested = Signal(int)

    def __init__(self, index: int, facts: ModelFacts) -> None:
        super().__init__()
        self.facts = facts
        self.setObjectName(f"model.{index}")
        self.edit_button = make_icon_button("pencil", "", f"editModel.{index}")
        self.edit_button.clicked.connect(lambda: self.edit_requested.emit(index))
        self.remove_button = make_icon_button("trash-2", "", f"removeModel.{index}")
        self.remove_button.clicked.connect(lambda: self.removal_requested.emit(index))
        if facts.column:
            about = hbox(
                RoleBadge("sensitive", 16), (ElidedLabel(facts.column, Text.CELL, "text_2"), 1), spacing=6
            )
        else:
            about = hbox((ElidedLabel(facts.meaning, Text.CELL, "text_3"), 1))
        words = hbox((ElidedLabel(facts.title), 5), (_in_step(about), 4), spacing=10)
        self._editor = editor_for(facts.parameter, False, FormContext())
        self.box = self._editor.widget
        assert isinstance(self.box, QAbstractSpinBox), "a limit is a number"
        self.box.setObjectName(f"modelLimit.{index}")
        self.box.setProperty("size", "small")
        self.box.setKeyboardTracking(False)
        self._editor.on_change(lambda: self.limit_chosen.emit(index, self._editor.value()))
        fixed(self.box, width=_BOX_WIDTH, height=_BOX_HEIGHT)
        threshold = hbox(STRETCH, make_label(facts.threshold, Text.CELL, "text_2"), self.box, spacing=6)
        hbox(
            SymbolChip(facts.symbol, facts.icon),
            (_in_step(words), 9),
            (_in_step(threshold, scaled(124)), 3),
            self.edit_button,
            self.remove_button,
            spacing=10,
            margins=(8, 0, 8, 0),
            of=self,
        )
        fixed(self, height=ROW_HEIGHT)
        self.show_facts(facts)

    def show_facts(self, facts: ModelFacts) -> None:
        """Show another limit of the same model."""
        self.facts = facts
        with QSignalBlocker(self.box):
            self._editor.set_value(facts.value)
        self.box.setAccessibleName(f"{facts.title} {facts.column} {facts.threshold}".strip())
        for button, words in (
            (self.edit_button, self.tr("Change {words}")),
            (self.remove_button, self.tr("Remove {words}")),
        ):
            text = words.format(words=facts.words)
            button.setToolTip(text)
            button.setAccessibleName(text)

    def draw(self, painter: ThemedPainter) -> None:
        painter.fill(QRect(0, self.height() - 1, self.width(), 1), "grid")


def _in_step(layout: QHBoxLayout, least: int = 0) -> QWidget:
    """Return a cell with a fixed share of the row's width, so that rows align in columns."""
    cell = QWidget()
    layout.setContentsMargins(0, 0, 0, 0)
    cell.setLayout(layout)
    cell.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
    cell.setMinimumWidth(least)
    return cell
