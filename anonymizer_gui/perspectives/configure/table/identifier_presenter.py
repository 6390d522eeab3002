"""Turns the chosen replacement of identifiers into an edit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject

from anonymizer_gui.forms.identifier_form import AS_ALL
from anonymizer_gui.perspectives.configure.table.identifier_choice import (
    IdentifierChoice,
    IdentifierDialog,
    IdentifierFacts,
)
from anonymizer_gui.session import Session
from engine.params import FilePath, describe, values_of
from engine.project import Project, edits
from engine.recoding.identifiers import IdentifierRule, identifier_rules
from engine.table import Role
from engine.words import _, within_sentence


class IdentifierPresenter(QObject):
    """Listener of the choice of the selected identifying columns."""

    def __init__(
        self,
        session: Session,
        choice: IdentifierChoice,
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
        rules = {name: project.transformation.identifiers.get(name) for name in names}
        # Columns that have the rule already keep its parameters.
        wanted = None if key == AS_ALL else identifier_rules.create(key)
        self._set(project, {n: (r if r is not None and r.key == key else wanted) for n, r in rules.items()})

    def _on_settings_requested(self) -> None:
        project, names = self._session.project, self._selected()
        if project is None or not names:
            return
        rules = [project.transformation.identifiers.get(name) for name in names]
        rule = rules[0] if all(other == rules[0] for other in rules) else None
        title = names[0] if len(names) == 1 else self.tr("{n} columns").format(n=len(names))
        dialog = IdentifierDialog(title, rule, project.transformation.usual_rule, self._choice.window())
        dialog.rule_chosen.connect(lambda chosen: self._on_rule_chosen(names, chosen))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _on_rule_chosen(self, names: Sequence[str], rule: IdentifierRule | None) -> None:
        if (project := self._session.project) is not None:
            self._set(project, dict.fromkeys(names, rule))

    def _set(self, project: Project, rules: dict[str, IdentifierRule | None]) -> None:
        """Set the rules of the columns that are still identifying, as one step."""
        rules = {name: rule for name, rule in rules.items() if project.role(name) is Role.IDENTIFYING}
        now = project.transformation.identifiers
        kept = {name: rule for name, rule in now.items() if name not in rules}
        own = kept | {name: rule for name, rule in rules.items() if rule is not None}
        if own == dict(now):
            return
        named = next(iter(rules)) if len(rules) == 1 else self.tr("{n} columns").format(n=len(rules))
        after = edits.set_transformation(project, replace(project.transformation, identifiers=own))
        self._session.edit(self.tr("Set what replaces {named}").format(named=named), after)


def identifier_facts(project: Project, names: Sequence[str]) -> IdentifierFacts | None:
    """Return the rule of columns, or None if one of them is not identifying."""
    if not names or any(project.role(name) is not Role.IDENTIFYING for name in names):
        return None
    transformation = project.transformation
    rules = [transformation.identifiers.get(name) for name in names]
    keys = {AS_ALL if rule is None else rule.key for rule in rules}
    held = [transformation.rule_of(name) for name in names]
    is_same = all(rule == held[0] for rule in held)
    return IdentifierFacts(
        transformation.usual_rule.title,
        keys.pop() if len(keys) == 1 else None,
        rule_words(held[0]) if is_same else "",
        is_same and _lacks_file(held[0]),
    )


def rule_words(rule: IdentifierRule) -> str:
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


def _lacks_file(rule: IdentifierRule) -> bool:
    declared = (d for d in describe(type(rule)) if isinstance(d, FilePath))
    return any(getattr(rule, descriptor.name) is None for descriptor in declared)
