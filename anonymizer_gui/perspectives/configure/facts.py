"""Texts and values that the panels of Configure show for a project."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from anonymizer_gui.models.column_summary import (
    ColumnSummary,
    describe_values,
    distribution,
    summarize_column,
)
from anonymizer_gui.perspectives.configure.requirement.panel import ModelFacts
from anonymizer_gui.perspectives.configure.table.column_panel import (
    HOUSEHOLDS,
    PERSONS,
    WEIGHTS,
    ColumnFacts,
    ReleaseFacts,
)
from anonymizer_gui.perspectives.configure.table.rule_presenter import LABELS, rule_facts
from engine.advice.requirement import WEAK_EPSILON
from engine.frequency import SensitiveAttribute
from engine.hierarchies import Hierarchy
from engine.hierarchies.words import LevelWords, is_kept_or_hidden, level_words
from engine.monitor import SILENT, Monitor
from engine.numbers import as_columns, as_exact_count, as_records, localized
from engine.params import describe, values_of
from engine.privacy import PrivacyModel
from engine.privacy.base import Group
from engine.privacy.differential_privacy import DifferentialPrivacy
from engine.privacy.measured_text import limit_text
from engine.project import AttributeHierarchy, Project
from engine.project.edits import why_not_of_survey
from engine.recoding.aggregation import AggregateFunction, aggregate_functions
from engine.records import NO_ROLE, Column, Role, Table
from engine.words import _, ngettext, within_sentence

_MOST_NAMED = 4  # levels named in one line
_MOST_COUNTED = 2_000_000  # cells counted in the GUI thread, in about 10 ms
_LONGEST_SYMBOL = 2  # letters that fit into a chip
_GROUP_ICONS = {
    Group.CLASS_SIZES: "shield",
    Group.SENSITIVE_VALUES: "lock",
    Group.ATTACKERS: "user-search",
    Group.RISK: "shield",
    Group.POPULATION: "user-search",
    Group.COST: "chart-column",
    Group.SAMPLING: "shield",
}
_SHARED = frozenset(descriptor.name for descriptor in describe(AggregateFunction))


def table_facts(project: Project) -> str:
    """Return the caption of the table: "adult.csv · 30 162 records · 10 columns", or its place."""
    name = project.source.name if project.source is not None else project.name
    n_records, n_columns = project.table.n_records, len(project.table.columns)
    return " · ".join([name, as_records(n_records), project.place or as_columns(n_columns)])


def summaries(project: Project, *, with_bars: bool = True) -> tuple[ColumnSummary, ...]:
    """Return the header of every column."""
    return tuple(
        summarize_column(
            column,
            project.role(column.name),
            is_target=column.name == project.target,
            with_bars=with_bars or _has_counts(column),
        )
        for column in project.table.columns
    )


def is_counted(table: Table) -> bool:
    """Return whether the values of all columns are counted, or can be counted without delay."""
    missing = sum(not _has_counts(column) for column in table.columns)
    return missing * table.n_records <= _MOST_COUNTED


def count_values(table: Table, monitor: Monitor = SILENT) -> Table:
    """Count the values of all columns, which caches the counts, and return the table."""
    for done, column in enumerate(table.columns):
        monitor.step(done, len(table.columns), _("Counting values"))
        _unused = distribution(column)
    return table


def _has_counts(column: Column) -> bool:
    return "counts" in vars(column)


def column_facts(project: Project, names: Sequence[str]) -> ColumnFacts:
    """Return the values shown for the selected columns."""
    columns = [project.table.column(name) for name in names if name in project.table.names]
    only = columns[0] if len(columns) == 1 else None
    entry = project.hierarchies.get(only.name) if only is not None else None
    meanings = words_of_levels(only, entry) if only is not None and entry is not None else ()
    caption = describe_values(only) if only is not None else ""
    if only is not None and only.name == project.target:
        caption += " · target"
    if only is not None and only.name == project.person:
        caption += _(" · one person per value")
    if only is not None and only.name == project.weight:
        caption += _(" · survey weights")
    if only is not None and only.name == project.household:
        caption += _(" · households")
    uses = {}
    if only is not None and project.role(only.name) is Role.IDENTIFYING:
        uses[PERSONS] = only.name == project.person
    if only is not None and not why_not_of_survey(only.name, project.role(only.name)):
        uses[HOUSEHOLDS] = only.name == project.household
        if only.data_type.is_numeric:
            uses[WEIGHTS] = only.name == project.weight
    if only is not None and project.role(only.name) is None:
        caption += f" · {NO_ROLE}"
    return ColumnFacts(
        names=tuple(column.name for column in columns),
        roles=frozenset(project.role(column.name) for column in columns),
        kinds=frozenset(column.data_type.kind for column in columns),
        caption=caption,
        column=only,
        hierarchy=entry,
        levels=tuple(words.text for words in meanings),
        levels_in_short="" if entry is None else _in_short(entry.hierarchy, meanings),
        n_without=sum(column.name not in project.hierarchies for column in columns),
        aggregate=aggregate_facts(project, only.name) if only is not None else None,
        rule=rule_facts(project, [column.name for column in columns]),
        uses=uses,
    )


def aggregate_facts(project: Project, name: str) -> ReleaseFacts | None:
    """Return the aggregate of a column, or None if the column is not quasi-identifying."""
    if project.role(name) is not Role.QUASI_IDENTIFYING:
        return None
    column, chosen = project.table.column(name), project.microaggregation.get(name)
    options = (
        (key, kind.title, kind.summary)
        for key, kind in aggregate_functions.items()
        if not kind().why_not(column) or (chosen is not None and key == chosen.key)
    )
    return ReleaseFacts(
        ((LABELS, _("Generalized value"), ""), *options),
        chosen.key if chosen else LABELS,
        chosen.summary if chosen else _("The label of the value in the hierarchy"),
        _aggregate_words(chosen) if chosen else "",
        has_settings=chosen is not None,
    )


def _aggregate_words(function: AggregateFunction) -> str:
    """Return how classes are formed for an aggregate, and the parameters that differ from the default."""
    parts = [_("forms classes") if function.grouping else _("forms no classes")]
    usual = values_of(type(function)())
    for descriptor in describe(type(function)):
        value = getattr(function, descriptor.name)
        if descriptor.name not in _SHARED and value != usual[descriptor.name]:
            parts.append(f"{within_sentence(descriptor.label)} {value}")
    if not function.ignore_missing:
        parts.append(_("missing is a value"))
    return ", ".join(parts)


def _in_short(hierarchy: Hierarchy, meanings: Sequence[LevelWords]) -> str:
    """Return the number of levels, and what those between the values and the top mean."""
    n_levels = len(meanings)
    between = range(1, n_levels)
    named = joined([meanings[level] for level in between if not is_kept_or_hidden(hierarchy, level)])
    words = ngettext("{n} level", "{n} levels", n_levels).format(n=n_levels)
    return f"{words}: {named}" if named else words


def joined(levels: Sequence[LevelWords]) -> str:
    """Return levels in one line, equal ones combined: "5, 10 and 20-year bands"."""
    words, kinds = [level.text for level in levels], {level.kind for level in levels}
    if len(words) > 1 and len(kinds) == 1 and levels[0].figure:
        *first, last = [level.figure for level in levels]
        width = _("{first} and {last}").format(first=", ".join(first), last=last)
        kind = {"years": _("{width}-year bands"), "bands": _("bands of {width}")}
        return kind.get(kinds.pop(), _("{width} groups")).format(width=width)
    more = ", …" if len(words) > _MOST_NAMED else ""
    return ", ".join(words[:_MOST_NAMED]) + more


def words_of_levels(column: Column, entry: AttributeHierarchy) -> tuple[LevelWords, ...]:
    """Return a description of each level."""
    hierarchy = entry.hierarchy
    levels = range(hierarchy.height + 1)
    return tuple(level_words(hierarchy, level, column.data_type, column.name) for level in levels)


def levels_in_words(column: Column, entry: AttributeHierarchy) -> str:
    """Return each level above the values with its number of groups: "5-year bands (16) · hidden"."""
    parts = []
    for level, words in enumerate(words_of_levels(column, entry)[1:], start=1):
        n_labels, text = len(entry.hierarchy.levels[level].labels), words.text
        if n_labels > 1 and words.kind not in ("labels", "counted", "groups"):
            text += f" ({as_exact_count(n_labels)})"
        parts.append(text)
    return " · ".join(parts)


def example_of(column: Column, hierarchy: Hierarchy) -> str:
    """Return the most frequent value and its label on each level; empty for a column without values."""
    n_known = len(column.known_labels)
    if not n_known:
        return ""
    value = column.labels[int(np.argmax(column.counts[:n_known]))]
    return " → ".join(hierarchy.label(value, level) for level in range(hierarchy.height + 1))


def sampling_words(model: DifferentialPrivacy, n_records: int) -> str:
    """Return the class size of differential privacy, the records it draws, and what to reconsider."""
    words = [
        _("β = {beta}, k = {k}; about {n} of {total} records are drawn.").format(
            beta=localized(f"{model.beta:.4g}"),
            k=as_exact_count(model.required_k),
            n=as_exact_count(round(model.beta * n_records)),
            total=as_exact_count(n_records),
        )
    ]
    if model.epsilon > WEAK_EPSILON:
        words.append(_("Little is guaranteed with ε above 3."))
    if model.delta * n_records >= 1:
        words.append(_("δ should be well below 1 / records."))
    return " ".join([*words, model.covers])


def model_facts(project: Project, model: PrivacyModel) -> ModelFacts:
    """Return a privacy model as a row."""
    title, meaning = project.counted.worded(model, "title"), project.counted.worded(model, "meaning")
    column = model.columns[0] if model.columns else ""
    if model.is_of_attackers:  # who it is tells more than what all attackers have in common
        title, meaning = model.details or title, ", ".join(getattr(model, "known", ())) or meaning
    elif hasattr(model, "distance") and column:
        default = SensitiveAttribute(project.table.column(column)).default_distance
        title = f"{title}, {_(model.distance or default)}"
    elif model.details:
        title = f"{title}, {model.details}"
    icon = _GROUP_ICONS[model.group] if len(model.symbol) > _LONGEST_SYMBOL else ""
    return ModelFacts(
        model.symbol,
        title,
        meaning,
        column,
        model.relation.value,
        limit_text(model),
        model.threshold_parameter(),
        model.limit,
        icon,
    )
