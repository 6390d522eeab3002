"""Form for the rule of a column, its parameters, a new key if it needs one, and what it does to cells."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QFormLayout, QVBoxLayout, QWidget

from anonymizer_gui.forms.param_form import ParamForm
from anonymizer_gui.theming import Text
from anonymizer_gui.widgets.buttons import button_row, make_button
from anonymizer_gui.widgets.elided_combo_box import offer
from anonymizer_gui.widgets.error_banner import ErrorBanner
from anonymizer_gui.widgets.file_dialogs import ask_save
from anonymizer_gui.widgets.labels import make_label
from anonymizer_gui.widgets.layouts import named, vbox
from engine.errors import ExportError, ParameterError
from engine.params import describe, values_of
from engine.recoding.rules import ColumnRule, column_rules
from engine.recoding.rules.keyed_hash import make_key

AS_ALL = ""  # choice of the default rule, or of none
_ORDER = ("star", "drop", "constant", "pseudonym", "keyed_hash", "mask")
_SHOWN = 4  # examples
# Cells before and after, or why there are none.
Preview = Callable[[ColumnRule], Sequence[tuple[str, str]] | str]


def rules_in_order() -> tuple[tuple[str, type[ColumnRule]], ...]:
    """Return the rules in display order: those that hide values first, strongest protection first."""
    hiding = [key for key in column_rules if column_rules[key].hides_values and key not in _ORDER]
    others = [key for key in column_rules if not column_rules[key].hides_values]
    return tuple((key, column_rules[key]) for key in (*_ORDER, *hiding, *others))


def hiding_rules() -> tuple[str, ...]:
    """Return the keys of the rules that fit every column, and so can be the default of all."""
    return tuple(key for key, kind in rules_in_order() if kind.hides_values)


@dataclass(frozen=True)
class OfferedRules:
    """Rules offered for a column.

    Attributes
    ----------
    keys : tuple of str
        Rules that fit it.
    none_title : str
        Title of the choice without a rule of its own.
    none_summary : str
        What it does.
    preview : callable or None
        Given a rule, some cells before and after it, or why there are none.
    suggested : callable or None
        Given a key, the rule with parameters that suit the column.
    """

    keys: tuple[str, ...]
    none_title: str = ""
    none_summary: str = ""
    preview: Preview | None = None
    suggested: Callable[[str], ColumnRule] | None = None


class RuleForm(QWidget):
    """Form for one choice; emits `fitted` when its height changes, so that a dialog can resize.

    Parameters
    ----------
    first : tuple of str and QWidget, optional
        A row above the rule, with its label.
    """

    fitted = Signal()

    def __init__(self, first: tuple[str, QWidget] | None = None) -> None:
        super().__init__()
        self._offered = OfferedRules(hiding_rules())
        self.rule_box = named(QComboBox(), "identifierRuleBox", self.tr("Rule"))
        self._summary = make_label("", Text.CELL, "text_2", wraps=True)
        self.unprotected = named(make_label("", Text.CELL, "warn", wraps=True), "ruleUnprotected")
        self.examples = named(make_label("", Text.CELL, "text_2", wraps=True), "ruleExamples")
        self._new_key = make_button(self.tr("Create a new key…"), "newKeyButton", small=True)
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
            self.unprotected,
            self._slot,
            button_row(self._new_key),
            self.examples,
            self.banner,
            spacing=12,
            margins=0,
            of=self,
        )
        self.rule_box.currentIndexChanged.connect(self._on_rule_chosen)

    def show_choice(self, rule: ColumnRule | None, offered: OfferedRules) -> None:
        """Show one of the offered rules; None stands for the choice without one."""
        self._offered = offered
        chosen = AS_ALL if rule is None else rule.key
        rules = [(key, kind.title) for key, kind in rules_in_order() if key in (*offered.keys, chosen)]
        offer(
            self.rule_box, [*([(AS_ALL, offered.none_title)] if offered.none_title else []), *rules], chosen
        )
        self._show_rule(rule)

    def choice(self) -> tuple[bool, ColumnRule | None]:
        """Return whether the input is valid, and the rule or None for the choice without one."""
        if self.form is None:
            return True, None
        rule = self.form.member()
        if rule is None:
            self.fitted.emit()  # the error text needs room
            return False, None
        assert isinstance(rule, ColumnRule)
        return True, rule

    def _show_rule(self, rule: ColumnRule | None) -> None:
        if self.form is not None:
            self._slot.removeWidget(self.form)
            self.form.hide()
            self.form.deleteLater()
            self.form = None
        self._summary.setText(self._offered.none_summary if rule is None else rule.summary)
        words = "" if rule is None else self.tr("Not protected: {words}").format(words=rule.unprotected)
        self.unprotected.setText(words)
        self.unprotected.setVisible(bool(words))
        if rule is not None:
            self.form = ParamForm(type(rule), values_of(rule), shows_help=True)
            self.form.changed.connect(self._show_examples)
            self._slot.addWidget(self.form)
        self._new_key.setVisible(rule is not None and any(d.name == "key_file" for d in describe(type(rule))))
        self._show_examples()
        self.banner.hide()
        self.fitted.emit()

    def _show_examples(self) -> None:
        """Show some cells as the rule with the parameters of the form writes them."""
        rule = None if self.form is None or self._offered.preview is None else self._in_form()
        words = ""
        if rule is not None and self._offered.preview is not None:
            found = self._offered.preview(rule)
            if isinstance(found, str):
                words = found
            else:
                words = "\n".join(f"{before or '–'} → {after or '–'}" for before, after in found[:_SHOWN])
        self.examples.setText(words)
        self.examples.setVisible(bool(words))
        self.fitted.emit()

    def _in_form(self) -> ColumnRule | None:
        """Return the rule with the parameters of the form; None while one of them is invalid."""
        assert self.form is not None
        try:
            rule = column_rules.create(self.rule_box.currentData(), **self.form.values())
        except ParameterError:
            return None
        return rule

    def _on_rule_chosen(self) -> None:
        key, suggested = self.rule_box.currentData(), self._offered.suggested
        if key == AS_ALL:
            self._show_rule(None)
        else:
            self._show_rule(column_rules.create(key) if suggested is None else suggested(key))

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
        self._show_examples()
