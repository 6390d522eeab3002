"""Asks what is written into identifying columns: one rule for all, and others for single columns."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QFormLayout, QVBoxLayout, QWidget

from anonymizer_gui.forms import ParamForm
from anonymizer_gui.theming import Text, scaled
from anonymizer_gui.widgets.buttons import button_row, make_button
from anonymizer_gui.widgets.elided_combo_box import ElidedComboBox
from anonymizer_gui.widgets.error_banner import ErrorBanner
from anonymizer_gui.widgets.fitted_dialog import FittedDialog
from anonymizer_gui.widgets.labels import make_label
from engine.params import values_of
from engine.recoding.identifiers import IdentifierRule, identifier_rules

_WIDTH = 480
_ORDER = ("star", "drop", "constant", "pseudonym", "keyed_hash", "mask")
_AS_ALL = ""


class IdentifiersDialog(FittedDialog):
    """Stays open while something cannot be accepted; the form says what.

    Parameters
    ----------
    columns : tuple of str
        The identifying columns.
    usual : IdentifierRule
        The rule for all of them.
    own : mapping of str to IdentifierRule
        Rules of single columns, over that one.
    """

    rules_chosen = Signal(object, object)  # IdentifierRule, dict of str to IdentifierRule
    key_requested = Signal()  # a new key file is wanted

    def __init__(
        self,
        columns: tuple[str, ...],
        usual: IdentifierRule,
        own: Mapping[str, IdentifierRule],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("identifiersDialog")
        self.setWindowTitle(self.tr("Identifying columns"))
        self.setModal(True)
        self.setMinimumWidth(scaled(_WIDTH))
        self._usual, self._own = usual, {name: rule for name, rule in own.items() if name in columns}
        self._column = ""
        self.column_box: QComboBox = ElidedComboBox()
        self.column_box.setObjectName("identifierColumnBox")
        self.column_box.setAccessibleName(self.tr("Column"))
        self.column_box.addItem(self.tr("All without a rule of their own"), "")
        for name in columns:
            self.column_box.addItem(name, name)
        self.rule_box = QComboBox()
        self.rule_box.setObjectName("identifierRuleBox")
        self.rule_box.setAccessibleName(self.tr("Rule"))
        self._summary = make_label("", Text.CELL, "text_2", wraps=True)
        self._new_key = make_button(self.tr("Make a new key…"), small=True)
        self._new_key.setObjectName("newKeyButton")
        self._new_key.clicked.connect(self.key_requested)
        self.banner = ErrorBanner()
        self._form: ParamForm | None = None
        self._slot = QVBoxLayout()
        self.accept_button = make_button(self.tr("Apply"), kind="primary")
        self.accept_button.setObjectName("acceptButton")
        self.accept_button.setDefault(True)
        self.accept_button.clicked.connect(self._on_accept_clicked)
        cancel = make_button(self.tr("Cancel"))
        cancel.clicked.connect(self.reject)
        form = QFormLayout()
        form.setHorizontalSpacing(16)
        form.setVerticalSpacing(8)
        form.addRow(make_label(self.tr("Column")), self.column_box)
        form.addRow(make_label(self.tr("Written is")), self.rule_box)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 16)
        column.setSpacing(12)
        column.addLayout(form)
        column.addWidget(self._summary)
        column.addLayout(self._slot)
        column.addLayout(button_row(self._new_key))
        column.addWidget(self.banner)
        column.addStretch(1)
        column.addLayout(button_row(cancel, self.accept_button))
        self._show_column("")
        self.column_box.currentIndexChanged.connect(self._on_column_chosen)
        self.rule_box.currentIndexChanged.connect(self._on_rule_chosen)

    @property
    def form(self) -> ParamForm | None:
        """The parameters of the rule shown; None where the column goes with the others."""
        return self._form

    def show_key(self, path: Path) -> None:
        """Fill in the key that was made."""
        if self._form is not None:
            self._form.editor("key_file").set_value(str(path))
        self.banner.hide()

    def show_problem(self, problem: str, hint: str) -> None:
        """Say why no key was made."""
        self.banner.show_error(problem, hint)
        self.fit()

    def _show_column(self, name: str) -> None:
        self._column = name
        rule = self._own.get(name) if name else self._usual
        self.rule_box.blockSignals(True)
        self.rule_box.clear()
        if name:
            self.rule_box.addItem(self.tr("As for all ({0})").format(self._usual.title), _AS_ALL)
        for key in _ORDER:
            self.rule_box.addItem(identifier_rules[key].title, key)
        self.rule_box.setCurrentIndex(self.rule_box.findData(_AS_ALL if rule is None else rule.key))
        self.rule_box.blockSignals(False)
        self._show_rule(rule)

    def _show_rule(self, rule: IdentifierRule | None) -> None:
        if self._form is not None:
            self._slot.removeWidget(self._form)
            self._form.hide()
            self._form.deleteLater()
            self._form = None
        shown = rule or self._usual
        self._summary.setText(shown.summary)
        if rule is not None:
            self._form = ParamForm(type(rule), values_of(rule), shows_help=True)
            self._slot.addWidget(self._form)
        self._new_key.setVisible(rule is not None and rule.key == "keyed_hash")
        self.banner.hide()
        self.fit()

    def _keep(self) -> bool:
        """Keep what the form says of its column; False where it cannot be accepted."""
        if self._form is None:
            self._own.pop(self._column, None)
            return True
        rule = self._form.member()
        if rule is None:
            self.fit()  # what is wrong takes room of its own
            return False
        assert isinstance(rule, IdentifierRule)
        if self._column:
            self._own[self._column] = rule
        else:
            self._usual = rule
        return True

    def _on_column_chosen(self) -> None:
        if self._keep():
            self._show_column(self.column_box.currentData())
        else:
            self.column_box.blockSignals(True)
            self.column_box.setCurrentIndex(self.column_box.findData(self._column))
            self.column_box.blockSignals(False)

    def _on_rule_chosen(self) -> None:
        key = self.rule_box.currentData()
        self._show_rule(None if key == _AS_ALL else identifier_rules.create(key))

    def _on_accept_clicked(self) -> None:
        if self._keep():
            self.rules_chosen.emit(self._usual, dict(self._own))
            self.accept()
