"""Form for the rule of an identifying column, its parameters and a new key if it needs one."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QComboBox, QFormLayout, QVBoxLayout, QWidget

from anonymizer_gui.forms.param_form import ParamForm
from anonymizer_gui.theming import Text
from anonymizer_gui.widgets.buttons import button_row, make_button
from anonymizer_gui.widgets.error_banner import ErrorBanner
from anonymizer_gui.widgets.file_dialogs import ask_save
from anonymizer_gui.widgets.labels import make_label
from anonymizer_gui.widgets.layouts import named, vbox
from engine.errors import ExportError
from engine.params import values_of
from engine.recoding.identifiers import IdentifierRule, identifier_rules
from engine.recoding.identifiers.keyed_hash import make_key

AS_ALL = ""  # choice of the default rule
_ORDER = ("star", "drop", "constant", "pseudonym", "keyed_hash", "mask")


def rules_in_order() -> tuple[tuple[str, type[IdentifierRule]], ...]:
    """Return the rules in display order: strongest protection first, then other registered ones."""
    keys = (*_ORDER, *(key for key in identifier_rules if key not in _ORDER))
    return tuple((key, identifier_rules[key]) for key in keys)


class IdentifierForm(QWidget):
    """Form for one choice; emits `fitted` when its height changes, so that a dialog can resize.

    Parameters
    ----------
    first : tuple of str and QWidget, optional
        A row above the rule, with its label.
    """

    fitted = Signal()

    def __init__(self, first: tuple[str, QWidget] | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._usual: IdentifierRule | None = None
        self.rule_box = named(QComboBox(), "identifierRuleBox", self.tr("Rule"))
        self._summary = make_label("", Text.CELL, "text_2", wraps=True)
        self._new_key = named(make_button(self.tr("Create a new key…"), small=True), "newKeyButton")
        self._new_key.clicked.connect(self._on_new_key_clicked)
        self.banner = ErrorBanner()
        self.form: ParamForm | None = None
        self._slot = QVBoxLayout()
        rows = QFormLayout()
        rows.setHorizontalSpacing(16)
        rows.setVerticalSpacing(8)
        if first is not None:
            rows.addRow(make_label(first[0]), first[1])
        rows.addRow(make_label(self.tr("Result")), self.rule_box)
        vbox(
            rows,
            self._summary,
            self._slot,
            button_row(self._new_key),
            self.banner,
            spacing=12,
            margins=0,
            of=self,
        )
        self.rule_box.currentIndexChanged.connect(self._on_rule_chosen)

    def show_choice(self, rule: IdentifierRule | None, usual: IdentifierRule | None = None) -> None:
        """Show a rule; if `usual` is given, None stands for that default of all columns."""
        self._usual = usual
        with QSignalBlocker(self.rule_box):
            self.rule_box.clear()
            if usual is not None:
                self.rule_box.addItem(self.tr("Default ({title})").format(title=usual.title), AS_ALL)
            for key, kind in rules_in_order():
                self.rule_box.addItem(kind.title, key)
            self.rule_box.setCurrentIndex(self.rule_box.findData(AS_ALL if rule is None else rule.key))
        self._show_rule(rule)

    def choice(self) -> tuple[bool, IdentifierRule | None]:
        """Return whether the input is valid, and the rule or None for the default of all columns."""
        if self.form is None:
            return True, None
        rule = self.form.member()
        if rule is None:
            self.fitted.emit()  # the error text needs room
            return False, None
        assert isinstance(rule, IdentifierRule)
        return True, rule

    def _show_rule(self, rule: IdentifierRule | None) -> None:
        if self.form is not None:
            self._slot.removeWidget(self.form)
            self.form.hide()
            self.form.deleteLater()
            self.form = None
        shown = rule or self._usual
        self._summary.setText("" if shown is None else shown.summary)
        if rule is not None:
            self.form = ParamForm(type(rule), values_of(rule), shows_help=True)
            self._slot.addWidget(self.form)
        self._new_key.setVisible(rule is not None and rule.key == "keyed_hash")
        self.banner.hide()
        self.fitted.emit()

    def _on_rule_chosen(self) -> None:
        key = self.rule_box.currentData()
        self._show_rule(None if key == AS_ALL else identifier_rules.create(key))

    def _on_new_key_clicked(self) -> None:
        filters = self.tr("Keys (*.key)")
        path = ask_save(self, self.tr("Create a new key"), filters, "identifiers.key", "key")
        if path is None or self.form is None:
            return
        try:
            make_key(path)
        except ExportError as error:
            self.banner.show_error(error.problem, error.hint)
            self.fitted.emit()
            return
        self.form.editor("key_file").set_value(str(path))
        self.banner.hide()
