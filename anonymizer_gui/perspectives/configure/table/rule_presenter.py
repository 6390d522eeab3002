"""Turns the chosen rule or aggregate of columns into an edit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from anonymizer_gui.forms import ParamForm
from anonymizer_gui.forms.rule_form import AS_ALL, OfferedRules, RuleForm, rules_in_order
from anonymizer_gui.perspectives.configure.table.column_panel import ReleaseChoice, ReleaseFacts
from anonymizer_gui.session import Session
from anonymizer_gui.theming import Text
from anonymizer_gui.widgets.fitted_dialog import AskingDialog
from anonymizer_gui.widgets.labels import make_label
from engine.errors import ExportError, InputError
from engine.params import FilePath, describe, values_of
from engine.project import Project, edits
from engine.recoding.aggregation import AggregateFunction, aggregate_functions
from engine.recoding.ruled import rule_context, rule_of
from engine.recoding.rules import ColumnRule, column_rules
from engine.recoding.transformation import RULED
from engine.records import Role
from engine.words import _, within_sentence


class _ReleasePresenter(QObject):
    """Listener of the choice of the selected columns."""

    def __init__(
        self, session: Session, choice: ReleaseChoice, selected_columns: Callable[[], tuple[str, ...]]
    ) -> None:
        super().__init__(choice)
        self._session, self._choice, self._selected = session, choice, selected_columns
        choice.box.data_chosen.connect(self._on_option_requested)
        choice.settings_button.clicked.connect(self._on_settings_requested)

    def _on_option_requested(self, key: str) -> None:
        raise NotImplementedError

    def _on_settings_requested(self) -> None:
        raise NotImplementedError


class RulePresenter(_ReleasePresenter):
    """Listener of the choice among rules."""

    def _on_option_requested(self, key: str) -> None:
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
        if project is None or not _are_alike(project, names):
            return
        rules = [_own_rule(project, name) for name in names]
        rule = rules[0] if all(other == rules[0] for other in rules) else None
        title = names[0] if len(names) == 1 else self.tr("{n} columns").format(n=len(names))
        dialog = RuleDialog(title, rule, _offered(project, names), self._choice.window())
        dialog.rule_chosen.connect(lambda chosen: self._on_rule_chosen(names, chosen))
        dialog.ask()

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


def _are_alike(project: Project, names: Sequence[str]) -> bool:
    """Return whether columns can have a rule together: all are identifying, or none is nor is known."""
    roles = {project.role(name) for name in names}
    return bool(names) and (roles == {Role.IDENTIFYING} or roles <= set(RULED))


def rule_facts(project: Project, names: Sequence[str]) -> ReleaseFacts | None:
    """Return the rule of columns, or None if one is quasi-identifying or not all are of one kind."""
    if not _are_alike(project, names):
        return None
    rules = [_own_rule(project, name) for name in names]
    keys = {AS_ALL if rule is None else rule.key for rule in rules}
    chosen = keys.pop() if len(keys) == 1 else None
    offered = _offered(project, names)
    options = {AS_ALL: (offered.none_title, offered.none_summary)}
    options |= {
        key: (kind.title, kind.summary)
        for key, kind in rules_in_order()
        if key in offered.keys or key == chosen
    }
    first, *others = [rule_of(project, name) for name in names]
    shown = first if all(rule == first for rule in others) else None
    return ReleaseFacts(
        tuple((key, *words) for key, words in options.items()),
        chosen,
        _("The columns have different rules") if chosen is None else ": ".join(options[chosen]),
        "" if shown is None else rule_words(shown),
        "warn" if shown is not None and _lacks_file(shown) else "text_3",
    )


def _offered(project: Project, names: Sequence[str]) -> OfferedRules:
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
    if project.role(names[0]) is Role.IDENTIFYING:
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


_RULE_WIDTH = 440


class RuleDialog(AskingDialog):
    """Dialog for the parameters of a rule."""

    rule_chosen = Signal(object)  # ColumnRule, or None for the choice without one

    def __init__(
        self, title: str, rule: ColumnRule | None, offered: OfferedRules, parent: QWidget | None = None
    ) -> None:
        super().__init__("identifierDialog", title, self.tr("Use"), _RULE_WIDTH, parent)
        self.rule = RuleForm()
        self.rule.show_choice(rule, offered)
        self.rule.fitted.connect(self.fit)
        self.lay_out(self.rule)

    def submit(self) -> bool:
        is_good, rule = self.rule.choice()
        if is_good:
            self.rule_chosen.emit(rule)
        return is_good


LABELS = ""  # key of generalized values


class AggregatePresenter(_ReleasePresenter):
    """Listener of the choice of one column."""

    def _on_option_requested(self, key: str) -> None:
        project, names = self._session.project, self._selected()
        if project is None or len(names) != 1:
            return
        before = project.microaggregation.get(names[0])
        if key == (before.key if before is not None else LABELS):
            return
        function = None
        if key != LABELS:
            # Parameters common to both functions keep their values.
            known = [descriptor.name for descriptor in describe(aggregate_functions[key])]
            kept = values_of(before) if before is not None else {}
            function = aggregate_functions.create(key, **{n: v for n, v in kept.items() if n in known})
        self._set(names[0], function)

    def _on_settings_requested(self) -> None:
        project, names = self._session.project, self._selected()
        if project is None or len(names) != 1 or names[0] not in project.microaggregation:
            return
        name = names[0]
        dialog = AggregateDialog(name, project.microaggregation[name], self._choice.window())
        dialog.function_chosen.connect(lambda function: self._set(name, function))
        dialog.ask()

    def _set(self, name: str, function: AggregateFunction | None) -> None:
        text = (
            self.tr("Release labels of {name}")
            if function is None
            else self.tr("Release an aggregate of {name}")
        )
        self._session.change(text.format(name=name), edits.set_aggregate, name, function)


_AGGREGATE_WIDTH = 420


class AggregateDialog(AskingDialog):
    """Dialog for the parameters of an aggregate; the form reports invalid values."""

    function_chosen = Signal(object)  # AggregateFunction

    def __init__(self, column: str, function: AggregateFunction, parent: QWidget | None = None) -> None:
        title = self.tr("{column}: {title}").format(column=column, title=within_sentence(function.title))
        super().__init__("aggregateDialog", title, self.tr("Use"), _AGGREGATE_WIDTH, parent)
        self.form = ParamForm(type(function), values_of(function), shows_help=True)
        self.lay_out(
            make_label(function.title, Text.HEADING),
            make_label(function.summary, Text.CELL, "text_2", wraps=True),
            self.form,
        )

    def submit(self) -> bool:
        if (member := self.form.member()) is not None:
            self.function_chosen.emit(member)
        return member is not None
