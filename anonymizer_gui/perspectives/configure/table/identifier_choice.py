"""Choice of the released replacement for identifiers in the selected columns."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QWidget

from anonymizer_gui.forms.identifier_form import AS_ALL, IdentifierForm, rules_in_order
from anonymizer_gui.perspectives.configure.table.release_choice import TOOLTIP, ReleaseChoice
from anonymizer_gui.widgets.fitted_dialog import AskingDialog
from anonymizer_gui.widgets.labels import set_tone
from engine.recoding.identifiers import IdentifierRule

_DIALOG_WIDTH = 440


@dataclass(frozen=True)
class IdentifierFacts:
    """Replacement rule of the selected columns.

    Attributes
    ----------
    usual : str
        Title of the default rule.
    chosen : str or None
        Key of their rule, or `AS_ALL` for the default; None if they differ.
    words : str
        Its parameters in short.
    is_lacking : bool
        Whether a parameter is missing that export requires.
    """

    usual: str
    chosen: str | None = AS_ALL
    words: str = ""
    is_lacking: bool = False


class IdentifierChoice(ReleaseChoice):
    """List of the rules, with a button for the parameters of the chosen one."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("columnRuleBox", "columnRuleSettings", parent)
        self.settings_button.setToolTip(self.tr("Text that replaces the values"))

    def show_facts(self, facts: IdentifierFacts) -> None:
        """Show the choice of the selected columns."""
        with QSignalBlocker(self.box):
            self.box.clear()
            usual = self.tr("Default ({usual})").format(usual=facts.usual)
            self.add_option(AS_ALL, usual, self.tr("The rule for columns without their own rule"))
            for key, kind in rules_in_order():
                self.add_option(key, kind.title, kind.summary)
            self.box.setCurrentIndex(-1 if facts.chosen is None else self.box.findData(facts.chosen))
        self.box.setPlaceholderText(self.tr("Several"))
        self.box.setToolTip(
            self.tr("The columns have different rules")
            if facts.chosen is None
            else f"{self.box.currentText()}: {self.box.currentData(TOOLTIP)}"
        )
        self._words.setText(facts.words)
        set_tone(self._words, "warn" if facts.is_lacking else "text_3")


class IdentifierDialog(AskingDialog):
    """Dialog for the parameters of a rule."""

    rule_chosen = Signal(object)  # IdentifierRule, or None for the default rule

    def __init__(
        self,
        title: str,
        rule: IdentifierRule | None,
        usual: IdentifierRule,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__("identifierDialog", title, self.tr("Apply"), _DIALOG_WIDTH, parent)
        self.setModal(True)
        self.rule = IdentifierForm()
        self.rule.show_choice(rule, usual)
        self.rule.fitted.connect(self.fit)
        self.lay_out(self.rule)

    def submit(self) -> bool:
        is_good, rule = self.rule.choice()
        if is_good:
            self.rule_chosen.emit(rule)
        return is_good
