"""Shows a suggested role for every column with its reason; the person takes all or some."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QDialog, QGridLayout, QScrollArea, QVBoxLayout, QWidget

from anonymizer_gui.perspectives.configure.data_table import ROLE_TITLES
from anonymizer_gui.theming import Text, scaled
from anonymizer_gui.widgets.buttons import button_row, make_button
from anonymizer_gui.widgets.labels import ElidedLabel, make_label
from anonymizer_gui.widgets.role_badge import RoleBadge
from engine.qi_detection.suggest import RoleSuggestion
from engine.table import Role


class SuggestDialog(QDialog):
    """Ticked at first are the columns whose role would change; `now` leaves out those without one."""

    suggestions_accepted = Signal(tuple)  # of RoleSuggestion

    def __init__(
        self, suggestions: Sequence[RoleSuggestion], now: Mapping[str, Role], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._suggestions = tuple(suggestions)
        self.setObjectName("suggestDialog")
        self.setWindowTitle(self.tr("Suggested roles"))
        self.setMinimumSize(scaled(720), scaled(320))
        self.boxes: dict[str, QCheckBox] = {}
        grid = QGridLayout()
        grid.setColumnStretch(3, 1)
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(4)
        for row, suggestion in enumerate(self._suggestions):
            self._add_row(grid, row, suggestion, now.get(suggestion.column))
        grid.setRowStretch(len(self._suggestions), 1)
        self.accept_button = make_button("", kind="primary")
        self.accept_button.setObjectName("acceptButton")
        self.accept_button.setDefault(True)
        self.accept_button.clicked.connect(self._on_accept_clicked)
        self._build(grid)
        self._update_button()

    def _add_row(self, grid: QGridLayout, row: int, suggestion: RoleSuggestion, now: Role | None) -> None:
        box = QCheckBox(suggestion.column)
        box.setObjectName(f"suggestion.{suggestion.column}")
        role = self.tr(ROLE_TITLES[suggestion.role])
        box.setAccessibleDescription(f"{role}. {suggestion.reason}")
        box.setToolTip(suggestion.column)
        box.setChecked(suggestion.role is not now)
        box.setEnabled(suggestion.role is not now)
        if suggestion.role is now:
            box.setToolTip(self.tr("{0} has this role already").format(suggestion.column))
        box.toggled.connect(self._update_button)
        self.boxes[suggestion.column] = box
        grid.addWidget(box, row, 0)
        grid.addWidget(RoleBadge(suggestion.role.value, 16), row, 1)
        grid.addWidget(make_label(role, Text.CELL_STRONG), row, 2)
        grid.addWidget(ElidedLabel(suggestion.reason, Text.CELL, "text_2"), row, 3)

    def _build(self, grid: QGridLayout) -> None:
        inside = QWidget()
        inside.setProperty("scrolled", "true")
        inside.setLayout(grid)
        area = QScrollArea()
        area.setWidget(inside)
        area.setWidgetResizable(True)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        cancel = make_button(self.tr("Cancel"))
        cancel.clicked.connect(self.reject)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 16)
        column.setSpacing(12)
        column.addWidget(make_label(self.tr("Suggested roles"), Text.HEADING))
        explained = self.tr(
            "Rules of thumb, from names and values. You know the data: untick what does not fit."
        )
        column.addWidget(make_label(explained, Text.CELL, "text_2", wraps=True))
        column.addWidget(area, 1)
        column.addLayout(button_row(cancel, self.accept_button))

    def accepted_suggestions(self) -> tuple[RoleSuggestion, ...]:
        """The suggestions ticked now."""
        return tuple(s for s in self._suggestions if self.boxes[s.column].isChecked())

    def _update_button(self) -> None:
        n_roles = len(self.accepted_suggestions())
        text = self.tr("Set 1 role") if n_roles == 1 else self.tr("Set {0} roles").format(n_roles)
        self.accept_button.setText(text)
        self.accept_button.setEnabled(n_roles > 0)
        self.accept_button.setToolTip("" if n_roles else self.tr("No role would change"))

    def _on_accept_clicked(self) -> None:
        self.suggestions_accepted.emit(self.accepted_suggestions())
        self.accept()
