"""A box that chooses a column by its name, with the badge of its role."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QSizePolicy, QWidget

from anonymizer_gui.theming import scaled, theme_manager
from anonymizer_gui.widgets.elided_combo_box import ElidedComboBox
from anonymizer_gui.widgets.role_badge import role_icon

_LEAST, _MOST, _BADGE = 84, 150, 14


class ColumnBox(ElidedComboBox):
    """Tells only what a person chose."""

    chosen = Signal(str)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._name = name
        self._columns: tuple[tuple[str, str], ...] = ()
        self.setAccessibleName(name)
        self.setProperty("compact", "true")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.activated.connect(lambda place: self._on_activated(self.itemData(place)))
        theme_manager().theme_changed.connect(self._on_theme_changed)
        self._on_theme_changed()

    @property
    def column(self) -> str:
        """The chosen column; empty where there is none."""
        return str(self.currentData() or "")

    def show_columns(self, columns: Sequence[tuple[str, str]], chosen: str) -> None:
        """Offer these columns, pairs of name and role."""
        if tuple(columns) != self._columns:
            self._columns = tuple(columns)
            self.clear()
            for name, role in columns:
                self.addItem(role_icon(role, _BADGE), name, name)
        self.setCurrentIndex(self.findData(chosen))
        self.setToolTip(f"{self._name}: {self.column}")

    def sizeHint(self) -> QSize:
        return QSize(scaled(_MOST), super().sizeHint().height())

    def choose(self, name: str) -> None:
        """Choose a column without telling."""
        self.setCurrentIndex(self.findData(name))
        self.setToolTip(f"{self._name}: {name}")

    def _on_activated(self, name: str) -> None:
        self.setToolTip(f"{self._name}: {name}")
        self.chosen.emit(name)

    def _on_theme_changed(self) -> None:
        self.setMinimumWidth(scaled(_LEAST))
        self.updateGeometry()
        self.setIconSize(QSize(scaled(_BADGE), scaled(_BADGE)))
