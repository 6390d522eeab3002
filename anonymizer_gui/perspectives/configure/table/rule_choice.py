"""Choice of the rule by which the selected columns are released."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QWidget

from anonymizer_gui.forms.rule_form import AS_ALL, OfferedRules, RuleForm, rules_in_order
from anonymizer_gui.perspectives.configure.table.release_choice import TOOLTIP, ReleaseChoice
from anonymizer_gui.widgets.fitted_dialog import AskingDialog
from anonymizer_gui.widgets.labels import set_tone
from engine.recoding.rules import ColumnRule

_DIALOG_WIDTH = 440


@dataclass(frozen=True)
class RuleFacts:
    """Rule of the selected columns.

    Attributes
    ----------
    offered : OfferedRules
        Rules that fit all of the columns, and the choice without one.
    chosen : str or None
        Key of their rule, or `AS_ALL` for the choice without one; None if they differ.
    words : str
        Its parameters in short.
    is_lacking : bool
        Whether a parameter is missing that export requires.
    """

    offered: OfferedRules
    chosen: str | None = AS_ALL
    words: str = ""
    is_lacking: bool = False


class RuleChoice(ReleaseChoice):
    """List of the rules, with a button for the parameters of the chosen one."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("columnRuleBox", "columnRuleSettings", parent)
        self.settings_button.setToolTip(self.tr("Text that replaces the values"))

    def show_facts(self, facts: RuleFacts) -> None:
        """Show the choice of the selected columns."""
        with QSignalBlocker(self.box):
            self.box.clear()
            self.add_option(AS_ALL, facts.offered.none_title, facts.offered.none_summary)
            for key, kind in rules_in_order():
                if key in facts.offered.keys or key == facts.chosen:
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


class RuleDialog(AskingDialog):
    """Dialog for the parameters of a rule."""

    rule_chosen = Signal(object)  # ColumnRule, or None for the choice without one

    def __init__(
        self,
        title: str,
        rule: ColumnRule | None,
        offered: OfferedRules,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__("identifierDialog", title, self.tr("Apply"), _DIALOG_WIDTH, parent)
        self.setModal(True)
        self.rule = RuleForm()
        self.rule.show_choice(rule, offered)
        self.rule.fitted.connect(self.fit)
        self.lay_out(self.rule)

    def submit(self) -> bool:
        is_good, rule = self.rule.choice()
        if is_good:
            self.rule_chosen.emit(rule)
        return is_good
