"""Hierarchies level by level, the transformation by them, and the rules for everything else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from engine.findings.blocks import Block, Fact, Facts, Figure, FigureColumn, FigureTable, Paragraph, Shown
from engine.findings.disclosure import WITHHELD
from engine.findings.format_value import format_value, level_words
from engine.frequency import Attribute
from engine.hierarchies.statistics import level_statistics
from engine.monitor import SILENT, Monitor
from engine.params import plain_values_of
from engine.project.project import AttributeHierarchy
from engine.recoding import recoding_methods
from engine.recoding.ruled import rule_of
from engine.recoding.rules import ColumnRule
from engine.recoding.transformation import BLANK, RULED
from engine.report.sections.material import ReportedRelease
from engine.words import _, pgettext

_MOST_LABELS = 200


def hierarchies(material: ReportedRelease, monitor: Monitor = SILENT) -> Iterator[Block]:
    """Yield the hierarchies in words and tables."""
    words = _(
        "Each quasi-identifying column is generalized along a hierarchy: level 0 has the "
        "original values, each higher level merges groups of the level below. The levels "
        "used are marked."
    )
    yield Paragraph(words)
    attributes = material.release.problem.attributes
    for number, attribute in enumerate(attributes):
        monitor.step(
            number, len(attributes), _("Describing the hierarchy of '{name}'").format(name=attribute.name)
        )
        yield from _hierarchy(material, attribute)


def _hierarchy(material: ReportedRelease, attribute: Attribute) -> Iterator[Block]:
    used = used_levels(material, attribute.name)
    yield _levels(material, attribute, used)
    if material.settings.is_public:
        return
    entry = material.project.hierarchies.get(attribute.name)
    if entry is not None:
        yield Paragraph(_origin(entry), "note")
    for level in used:
        if 0 < level < attribute.hierarchy.height:
            yield from _labels(attribute, level)


def used_levels(material: ReportedRelease, name: str) -> tuple[int, ...]:
    """The levels that kept records have in a column; none where cells are aggregates, or nothing is kept."""
    release = material.release
    place = release.problem.names.index(name)
    if name in release.aggregates or not release.n_classes:
        return ()
    if release.recoding is not None:
        hierarchy = release.problem.attributes[place].hierarchy
        levels = hierarchy.step_of[release.recoding.levels[material.subject.kept, place]]
        return tuple(np.unique(levels).tolist())
    return () if release.node is None else (release.node[place],)


def _levels(material: ReportedRelease, attribute: Attribute, used: tuple[int, ...]) -> FigureTable:
    hierarchy, disclosure = attribute.hierarchy, material.disclosure
    columns = [
        FigureColumn("level", _("Level")),
        FigureColumn("words", _("In words")),
        FigureColumn("use", pgettext("noun", "Use")),
        FigureColumn(
            "groups", _("Groups"), "groups", _("Number of groups that contain records of the input.")
        ),
        FigureColumn("smallest", _("Smallest group"), "records", _("By this column alone.")),
        FigureColumn("largest", _("Largest group"), "records"),
    ]
    rows: list[tuple[Figure, ...]] = []
    for found in level_statistics(hierarchy.steps, attribute.column):
        level = found.level
        if disclosure.hides_choice and level not in used:
            continue
        use = _("not allowed")
        if level in used:
            use = _("used")
        elif _is_allowed(attribute, level):
            use = _("allowed")
        words = level_words(attribute, level, is_public=disclosure.is_public)
        # How many values there are tells of single people where nearly each has its own.
        groups: Figure = None if disclosure.is_public and not level else found.n_groups
        smallest, largest, _unused = disclosure.sizes(found.smallest, found.largest)
        if disclosure.is_public and used != (level,):
            # What one level has more in its largest group than another could be a small group.
            smallest = largest = None
        if (disclosure.hides_classes or disclosure.hides_input) and level in used:
            groups = smallest = largest = WITHHELD  # of a single column its groups are the classes
        rows.append((level, words, use, groups, smallest, largest))
    return FigureTable(f"levels.{attribute.name}", attribute.name, tuple(columns), rows)


def _is_allowed(attribute: Attribute, level: int) -> bool:
    return attribute.minimum <= level <= attribute.maximum


def _origin(entry: AttributeHierarchy) -> str:
    leaves = _("{values}, height {height}.").format(
        values=format_value(entry.hierarchy.n_leaves, unit="values"), height=entry.hierarchy.height
    )
    if entry.path is not None:
        return _("Read from {name}: {leaves}").format(name=entry.path.name, leaves=leaves)
    if entry.builder is not None:
        return _("Built from the column with the builder '{title}': {leaves}").format(
            title=entry.builder.title, leaves=leaves
        )
    return _("Edited by hand: {leaves}").format(leaves=leaves)


def _labels(attribute: Attribute, level: int) -> Iterator[Block]:
    entry = attribute.hierarchy.levels[level]
    records = attribute.label_counts(level)
    rows = list(zip(entry.labels, entry.n_leaves.tolist(), records.tolist(), strict=True))
    columns = (
        FigureColumn("label", _("Group")),
        FigureColumn("values", _("Values"), "values", _("Values of the hierarchy that are in the group.")),
        FigureColumn("records", _("Records"), "records", _("Records of the input that are in the group.")),
    )
    title = _("'{name}': groups of level {level}").format(name=attribute.name, level=level)
    yield FigureTable(f"groups.{attribute.name}.{level}", title, columns, rows[:_MOST_LABELS])
    if len(rows) > _MOST_LABELS:
        more = format_value(len(rows) - _MOST_LABELS)
        yield Paragraph(
            _("And {more} further groups; see the file of the hierarchy or the recipe.").format(more=more),
            "note",
        )


def blocks(material: ReportedRelease, monitor: Monitor = SILENT) -> Iterator[Block]:
    """Yield the node in words, and the rest of the transformation."""
    release = material.release
    if release.method:
        method = recoding_methods[release.method]
        yield Paragraph(f"{method.title}: {method.summary} {method.weakness}")
    yield node(material)
    yield from identifying(material)
    yield from ruled(material)
    yield Facts("transformation", "", tuple(_rules(material)))


def node(material: ReportedRelease) -> FigureTable:
    """Return the remaining detail of each quasi-identifying column."""
    columns = (
        FigureColumn("column", _("Quasi-identifying column")),
        FigureColumn("level", _("Level")),
        FigureColumn("height", _("Highest level"), is_of_choice=True),
        FigureColumn("words", _("Remaining detail")),
    )
    rows = [_row(material, attribute) for attribute in material.release.problem.attributes]
    title = _("Remaining detail of the columns") if material.release.method else _("The node in words")
    return FigureTable("node", title, columns, rows)


def _row(material: ReportedRelease, attribute: Attribute) -> tuple[Figure, ...]:
    name, is_public = attribute.name, material.settings.is_public
    height = attribute.hierarchy.height
    if name in material.release.aggregates:
        function = material.release.aggregates[name]
        return (
            name,
            None,
            height,
            _("{title} of each class. {summary}").format(title=function.title, summary=function.summary),
        )
    levels = used_levels(material, name)
    words = [level_words(attribute, level, is_public=is_public) for level in levels]
    if len(levels) == 1:
        return (name, str(levels[0]), height, words[0])
    if not levels:
        return (name, "", height, _("no record is kept"))
    text = _("{first} to {last}").format(first=levels[0], last=levels[-1])
    return (name, text, height, "; ".join(words))


def identifying(material: ReportedRelease) -> Iterator[FigureTable]:
    """Yield the rules of the identifying columns."""
    project = material.project
    if not project.identifying:
        return
    columns: Sequence[Shown[tuple[str, ColumnRule]]] = (
        (FigureColumn("column", _("Identifying column")), lambda pair: pair[0]),
        (FigureColumn("rule", _("Rule")), lambda pair: pair[1].title),
        (FigureColumn("meaning", _("Written text")), lambda pair: pair[1].statement(project.person)),
        (FigureColumn("parameters", _("Parameters"), is_internal=True), lambda pair: _parameters(pair[1])),
    )
    rules = [(name, project.transformation.identifier_rule(name)) for name in project.identifying]
    yield FigureTable.of_items("identifying", _("Identifying columns"), columns, rules)


def _parameters(rule: ColumnRule) -> str:
    values = {key: value for key, value in plain_values_of(rule).items() if key not in rule.paths}
    return ", ".join(f"{key} = {value}" for key, value in values.items())


def ruled(material: ReportedRelease) -> Iterator[FigureTable]:
    """Yield the sensitive and insensitive columns with a rule: what was done, and what stays open."""
    project = material.project
    rules = [
        (name, rule)
        for name in project.table.names
        if project.role(name) in RULED and (rule := rule_of(project, name)) is not None
    ]
    if not rules:
        return
    coded = _("Cells that the limit replaces.")
    columns: Sequence[Shown[tuple[str, ColumnRule]]] = (
        (FigureColumn("column", _("Column")), lambda pair: pair[0]),
        (FigureColumn("rule", _("Rule")), lambda pair: pair[1].title),
        (FigureColumn("statement", _("Result")), lambda pair: pair[1].statement(project.person)),
        (FigureColumn("unprotected", _("Not protected")), lambda pair: pair[1].unprotected),
        (FigureColumn("parameters", _("Parameters"), is_internal=True), lambda pair: _parameters(pair[1])),
        (
            FigureColumn("coded", _("Cells coded"), "records", coded, is_internal=True),
            lambda pair: pair[1].n_coded(project.records.column(pair[0])),
        ),
    )
    yield FigureTable.of_items("rules", _("Columns released by a rule"), columns, rules)


def _rules(material: ReportedRelease) -> list[Fact]:
    transformation = material.release.transformation
    removes = transformation.suppressed_records == "remove"
    written = _("removed") if removes else _("written as * in the quasi-identifying columns")
    facts = [Fact("suppressed_records", _("Suppressed records"), written)]
    if not removes:
        blank = _("written as *") if material.release.cells == BLANK else _("released unchanged")
        facts.append(Fact("blank_suppressed", _("Their other cells"), blank))
    order = _("shuffled") if transformation.shuffle else _("as in the input")
    facts.append(Fact("order", _("Order of the records"), order))
    explanation = _("Seed of everything that is random; anyone who knows it and the input can repeat it.")
    seed = str(transformation.seed)
    facts.append(Fact("seed", _("Seed"), seed, explanation=explanation, is_internal=True))
    return facts
