"""Turns the chosen rule of columns into an edit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from PySide6.QtCore import QObject

from anonymizer_gui.forms.rule_form import AS_ALL, OfferedRules, rules_in_order
from anonymizer_gui.perspectives.configure.table.rule_choice import (
    RuleChoice,
    RuleDialog,
    RuleFacts,
)
from anonymizer_gui.session import Session
from engine.errors import ExportError, InputError
from engine.params import FilePath, describe, values_of
from engine.project import Project, edits
from engine.recoding.ruled import rule_context, rule_of
from engine.recoding.rules import ColumnRule, column_rules
from engine.recoding.transformation import RULED
from engine.table import Role
from engine.words import _, within_sentence


class RulePresenter(QObject):
    """Listener of the choice of the selected columns."""

    def __init__(
        self,
        session: Session,
        choice: RuleChoice,
        selected_columns: Callable[[], tuple[str, ...]],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._session, self._choice, self._selected = session, choice, selected_columns
        choice.option_requested.connect(self._on_rule_requested)
        choice.settings_requested.connect(self._on_settings_requested)

    def _on_rule_requested(self, key: str) -> None:
        project, names = self._session.project, self._selected()
        if project is None:
            return
        rules = {}
        for name in names:
            own = _own_rule(project, name)
            # Columns that have the rule already keep its parameters.
            is_kept = own is not None and own.key == key
            rules[name] = own if is_kept else suggested_rule(project, name, key)
        self._set(project, rules)

    def _on_settings_requested(self) -> None:
        project, names = self._session.project, self._selected()
        facts = None if project is None else rule_facts(project, names)
        if project is None or facts is None:
            return
        rules = [_own_rule(project, name) for name in names]
        rule = rules[0] if all(other == rules[0] for other in rules) else None
        title = names[0] if len(names) == 1 else self.tr("{n} columns").format(n=len(names))
        dialog = RuleDialog(title, rule, facts.offered, self._choice.window())
        dialog.rule_chosen.connect(lambda chosen: self._on_rule_chosen(names, chosen))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _on_rule_chosen(self, names: Sequence[str], rule: ColumnRule | None) -> None:
        if (project := self._session.project) is not None:
            self._set(project, dict.fromkeys(names, rule))

    def _set(self, project: Project, rules: dict[str, ColumnRule | None]) -> None:
        """Set the rules of the columns whose role still has some, as one step."""
        rules = {name: rule for name, rule in rules.items() if project.role(name) in _RULED}
        after = edits.set_rules(project, rules)
        if after is project:
            return
        named = next(iter(rules)) if len(rules) == 1 else self.tr("{n} columns").format(n=len(rules))
        self._session.edit(self.tr("Set what replaces {named}").format(named=named), after)


_RULED = (*RULED, Role.IDENTIFYING)
_LOOKED_AT = 200  # records for examples


def _own_rule(project: Project, name: str) -> ColumnRule | None:
    """Return the rule of a column alone; None for the default of identifying columns, or unchanged."""
    transformation = project.transformation
    is_identifying = project.role(name) is Role.IDENTIFYING
    return (transformation.identifiers if is_identifying else transformation.rules).get(name)


def suggested_rule(project: Project, name: str, key: str) -> ColumnRule | None:
    """Return the rule of a key with parameters that suit a column; None without a key."""
    return None if key == AS_ALL else column_rules[key].suggested(project.table.column(name))


def rule_facts(project: Project, names: Sequence[str]) -> RuleFacts | None:
    """Return the rule of columns, or None if one is quasi-identifying or not all are of one kind."""
    roles = {project.role(name) for name in names}
    if not names or not (roles == {Role.IDENTIFYING} or roles <= set(RULED)):
        return None
    rules = [_own_rule(project, name) for name in names]
    keys = {AS_ALL if rule is None else rule.key for rule in rules}
    held = [rule_of(project, name) for name in names]
    first = held[0]
    is_same = all(rule == first for rule in held)
    return RuleFacts(
        _offered(project, names, is_identifying=roles == {Role.IDENTIFYING}),
        keys.pop() if len(keys) == 1 else None,
        rule_words(first) if is_same and first is not None else "",
        is_same and first is not None and _lacks_file(first),
    )


def _offered(project: Project, names: Sequence[str], *, is_identifying: bool) -> OfferedRules:
    """Return the rules that fit all of some columns."""
    columns = [project.table.column(name) for name in names]
    hierarchies = [
        entry.hierarchy if (entry := project.hierarchies.get(name)) is not None else None for name in names
    ]
    keys = tuple(
        key
        for key, kind in rules_in_order()
        if all(kind.fits(*pair) for pair in zip(columns, hierarchies, strict=True))
    )
    title, summary = _("Unchanged"), _("The values of the table.")
    if is_identifying:
        usual = project.transformation.usual_rule
        title = _("Default ({usual})").format(usual=usual.title)
        summary = _("The rule for columns without their own rule")
    return OfferedRules(
        keys,
        title,
        summary,
        lambda rule: examples(project, names[0], rule),
        lambda key: suggested_rule(project, names[0], key) or column_rules.create(key),
    )


def examples(project: Project, name: str, rule: ColumnRule) -> list[tuple[str, str]] | str:
    """Return cells of the first records before and after a rule, changed ones first, or why not."""
    try:
        rule.refuse_unready(name)
    except ExportError as error:
        return error.hint
    head = project.table.take(np.arange(min(_LOOKED_AT, project.table.n_records)))
    column = head.column(name)
    try:
        written = rule.apply(column, replace(rule_context(project), records=head))
    except (InputError, ExportError) as error:
        return error.problem
    if written is None:
        return ""
    texts, codes = written
    pairs = ((column.text(i), texts[int(codes[i])]) for i in range(head.n_records))
    return sorted(dict.fromkeys(pairs), key=lambda pair: pair[0] == pair[1])


def rule_words(rule: ColumnRule) -> str:
    """Return the parameters of a rule in short; file names for files."""
    parts = []
    for descriptor in describe(type(rule)):
        value = getattr(rule, descriptor.name)
        label = within_sentence(descriptor.label)
        if isinstance(descriptor, FilePath):
            none = _("no {setting} yet").format(setting=label)
            parts.append(none if value is None else Path(value).name)
        elif value != values_of(type(rule)())[descriptor.name]:
            parts.append(f"{label} {value!r}" if isinstance(value, str) else f"{label} {value}")
    return ", ".join(parts) or rule.summary


def _lacks_file(rule: ColumnRule) -> bool:
    declared = (d for d in describe(type(rule)) if isinstance(d, FilePath))
    return any(getattr(rule, descriptor.name) is None for descriptor in declared)
