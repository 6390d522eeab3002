"""What is released in place of identifiers in the selected columns."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from anonymizer_gui.forms.identifier_form import AS_ALL, IdentifierForm, rules_in_order
from anonymizer_gui.theming import Text, scaled, theme_manager
from anonymizer_gui.widgets.buttons import button_row, make_button
from anonymizer_gui.widgets.elided_combo_box import ElidedComboBox
from anonymizer_gui.widgets.fitted_dialog import FittedDialog
from anonymizer_gui.widgets.labels import ElidedLabel, set_tone
from engine.recoding.identifiers import IdentifierRule

_WIDTH, _DIALOG_WIDTH = 158, 440
_TOOLTIP = Qt.ItemDataRole.ToolTipRole


@dataclass(frozen=True)
class IdentifierFacts:
    """The choice for the selected columns.

    Attributes
    ----------
    usual : str
        Title of the rule for all columns without one of their own.
    chosen : str or None
        Key of their own rule, or `AS_ALL`; None where they differ.
    words : str
        The parameters in short.
    is_lacking : bool
        Whether something has to be given before the column can leave.
    """

    usual: str
    chosen: str | None = AS_ALL
    words: str = ""
    is_lacking: bool = False


class IdentifierChoice(QWidget):
    """A list of the rules, and a way to the parameters of the one that holds."""

    rule_requested = Signal(str)  # key, or AS_ALL
    settings_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.box = ElidedComboBox()
        self.box.setObjectName("columnRuleBox")
        self.box.setProperty("size", "small")
        self.box.setAccessibleName(self.tr("Released as"))
        self.box.activated.connect(lambda place: self.rule_requested.emit(self.box.itemData(place)))
        self._words = ElidedLabel("", Text.CELL, "text_3")
        self.settings_button = make_button(self.tr("Settings"), icon_name="settings-2", small=True)
        self.settings_button.setObjectName("columnRuleSettings")
        self.settings_button.setToolTip(self.tr("What exactly is written in place of the values"))
        self.settings_button.clicked.connect(self.settings_requested)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self.box)
        row.addWidget(self._words, 1)
        row.addWidget(self.settings_button)
        theme_manager().theme_changed.connect(self._on_theme_changed)
        self._on_theme_changed()

    def show_facts(self, facts: IdentifierFacts) -> None:
        """Show the choice of other columns, or another choice."""
        with QSignalBlocker(self.box):
            self.box.clear()
            self.box.addItem(self.tr("As for all ({0})").format(facts.usual), AS_ALL)
            self.box.setItemData(0, self.tr("The rule for columns without one of their own"), _TOOLTIP)
            for key, kind in rules_in_order():
                self.box.addItem(kind.title, key)
                self.box.setItemData(self.box.count() - 1, kind.summary, _TOOLTIP)
            self.box.setCurrentIndex(-1 if facts.chosen is None else self.box.findData(facts.chosen))
        self.box.setPlaceholderText(self.tr("Several"))
        self.box.setToolTip(
            self.tr("The columns have different rules")
            if facts.chosen is None
            else f"{self.box.currentText()}: {self.box.currentData(_TOOLTIP)}"
        )
        self._words.setText(facts.words)
        set_tone(self._words, "warn" if facts.is_lacking else "text_3")

    def words(self) -> str:
        """What stands beside the list."""
        return self._words.text()

    def _on_theme_changed(self) -> None:
        self.box.setFixedWidth(scaled(_WIDTH))


class IdentifierDialog(FittedDialog):
    """The rule of some columns with its parameters; stays open while something cannot be accepted."""

    rule_chosen = Signal(object)  # IdentifierRule, or None for that of all columns

    def __init__(
        self,
        title: str,
        rule: IdentifierRule | None,
        usual: IdentifierRule,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("identifierDialog")
        self.setWindowTitle(title)
        self.setModal(True)
        self.setMinimumWidth(scaled(_DIALOG_WIDTH))
        self.rule = IdentifierForm()
        self.rule.show_choice(rule, usual)
        self.rule.fitted.connect(self.fit)
        self.accept_button = make_button(self.tr("Apply"), kind="primary")
        self.accept_button.setObjectName("acceptButton")
        self.accept_button.setDefault(True)
        self.accept_button.clicked.connect(self._on_accept_clicked)
        cancel = make_button(self.tr("Cancel"))
        cancel.clicked.connect(self.reject)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 16)
        column.setSpacing(12)
        column.addWidget(self.rule)
        column.addStretch(1)
        column.addLayout(button_row(cancel, self.accept_button))

    def _on_accept_clicked(self) -> None:
        is_good, rule = self.rule.choice()
        if is_good:
            self.rule_chosen.emit(rule)
            self.accept()
