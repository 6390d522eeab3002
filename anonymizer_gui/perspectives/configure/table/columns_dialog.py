"""Dialog for the settings of several columns; fields left open do not change them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QGridLayout, QLineEdit, QWidget

from anonymizer_gui.forms.number_spin import NumberSpin
from anonymizer_gui.forms.weights_dialog import HEAVIEST
from anonymizer_gui.models.type_words import KIND_NAMES
from anonymizer_gui.perspectives.configure.table.data_table import ROLE_TITLES
from anonymizer_gui.theming import Text, scaled
from anonymizer_gui.widgets.fitted_dialog import AskingDialog
from anonymizer_gui.widgets.labels import ElidedLabel, make_label
from anonymizer_gui.widgets.layouts import named
from anonymizer_gui.widgets.role_badge import role_icon
from engine.table import Kind, Role
from engine.words import _

_WIDTH, _FIELD = 400, 200
SEPARATOR = ";"  # between ordered categories


@dataclass(frozen=True)
class ColumnSettings:
    """Settings to apply; None means no change."""

    role: Role | None = None
    kind: Kind | None = None
    min_level: int | None = None
    max_level: int | None = None
    weight: float | None = None
    drops_hierarchy: bool = False
    date_format: str = ""
    order: tuple[str, ...] = ()


class ColumnsDialog(AskingDialog):
    """Emits the settings on acceptance.

    Parameters
    ----------
    names : sequence of str
        Names of the columns.
    height : int
        Largest height of their hierarchies; 0 if none has one.
    """

    settings_chosen = Signal(object)  # ColumnSettings

    def __init__(self, names: Sequence[str], height: int, parent: QWidget | None = None) -> None:
        super().__init__("columnsDialog", self.tr("Set columns"), self.tr("Set"), _WIDTH, parent)
        self.role_box = self._box("role", self.tr("Role"))
        for role, title in ROLE_TITLES.items():
            self.role_box.addItem(role_icon(role.value, 14), _(title), role)
        self.kind_box = self._box("type", self.tr("Type"))
        for kind, title in KIND_NAMES.items():
            self.kind_box.addItem(_(title), kind)
        self.format_edit = self._field("format", self.tr("Date format"), self.tr("detected"))
        self.order_edit = self._field("order", self.tr("Order"), self.tr("unchanged"))
        self.kind_box.currentIndexChanged.connect(self._show_kind)
        self.low_box = self._box("lowest", self.tr("Lowest level"))
        self.high_box = self._box("highest", self.tr("Highest level"))
        for box in (self.low_box, self.high_box):
            for level in range(height + 1):
                box.addItem(str(level), level)
            box.setEnabled(height > 0)
            box.setToolTip(
                self.tr("At most the height of each hierarchy")
                if height
                else self.tr("None of the columns has a hierarchy")
            )
        self.weight_check = named(QCheckBox(self.tr("Weight")), "columns.weighs")
        self.weight_check.setToolTip(self.tr("For quasi-identifying columns; only the ratios matter"))
        self.weight_box = named(NumberSpin(0.0, HEAVIEST, 1), "columns.weight", self.tr("Weight"))
        self.weight_box.setValue(1.0)
        self.weight_box.setEnabled(False)
        self.weight_check.toggled.connect(self.weight_box.setEnabled)
        self.drop_check = named(QCheckBox(self.tr("Remove hierarchies")), "columns.drop")
        self.drop_check.setEnabled(height > 0)
        grid = QGridLayout()
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(8)
        grid.setColumnStretch(0, 1)
        kinds = (self.role_box, self.kind_box, self.format_edit, self.order_edit)
        for line, field in enumerate((*kinds, self.low_box, self.high_box, self.weight_box)):
            label = make_label(field.accessibleName(), Text.CELL, "text_2")
            field.setFixedWidth(scaled(_FIELD))
            grid.addWidget(self.weight_check if field is self.weight_box else label, line, 0)
            grid.addWidget(field, line, 1)
        grid.addWidget(self.drop_check, grid.rowCount(), 0, 1, 2)
        self._show_kind()
        title = names[0] if len(names) == 1 else self.tr("{n} columns").format(n=len(names))
        caption = ElidedLabel(", ".join(names), Text.CELL, "text_3")
        self.lay_out(ElidedLabel(title, Text.HEADING), caption, grid)

    def settings(self) -> ColumnSettings:
        """Return the settings in the fields."""
        return ColumnSettings(
            self.role_box.currentData(),
            self.kind_box.currentData(),
            self.low_box.currentData(),
            self.high_box.currentData(),
            self.weight_box.value() if self.weight_check.isChecked() else None,
            self.drop_check.isChecked(),
            self.format_edit.text().strip() if self.format_edit.isEnabled() else "",
            tuple(word.strip() for word in self.order_edit.text().split(SEPARATOR) if word.strip())
            if self.order_edit.isEnabled()
            else (),
        )

    def _show_kind(self) -> None:
        """Enable the format for dates and the categories for ordered columns."""
        kind = self.kind_box.currentData()
        for field, wanted, words, reason in (
            (
                self.format_edit,
                Kind.DATE,
                self.tr("%d day, %m month, %Y year, %H hour, %M minute, %S second, such as %d.%m.%Y"),
                self.tr("Only dates have a format"),
            ),
            (
                self.order_edit,
                Kind.ORDERED,
                self.tr("The categories from lowest to highest, separated by ;"),
                self.tr("Only ordered categories have an order"),
            ),
        ):
            field.setEnabled(kind is wanted)
            field.setToolTip(words if kind is wanted else reason)

    def _field(self, name: str, title: str, placeholder: str) -> QLineEdit:
        field = named(QLineEdit(), f"columns.{name}", title)
        field.setPlaceholderText(placeholder)
        return field

    def _box(self, name: str, title: str) -> QComboBox:
        box = named(QComboBox(), f"columns.{name}", title)
        box.addItem(self.tr("unchanged"), None)
        return box

    def submit(self) -> bool:
        self.settings_chosen.emit(self.settings())
        return True
