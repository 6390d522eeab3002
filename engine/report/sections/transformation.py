"""Transformation of the records: the node in words, and the rules for everything else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.findings.blocks import Block, Fact, Facts, Figure, FigureColumn, FigureTable, Paragraph, Shown
from engine.findings.format_value import level_words
from engine.frequency import Attribute
from engine.monitor import SILENT, Monitor
from engine.params import plain_values_of
from engine.recoding import recoding_methods
from engine.recoding.ruled import rule_of
from engine.recoding.rules import ColumnRule
from engine.recoding.transformation import BLANK, RULED
from engine.report.sections.hierarchies import used_levels
from engine.report.sections.material import ReportedRelease
from engine.words import _


def blocks(material: ReportedRelease, monitor: Monitor = SILENT) -> Iterator[Block]:
    """Yield the node in words, and the rest of the transformation."""
    release = material.release
    if release.method:
        method = recoding_methods[release.method]
        yield Paragraph(f"{method.title}: {method.summary} {method.weakness}")
    yield _node(material)
    yield from _identifying(material)
    yield from _ruled(material)
    yield Facts("transformation", "", tuple(_rules(material)))


def _node(material: ReportedRelease) -> FigureTable:
    columns = (
        FigureColumn("column", _("Quasi-identifying column")),
        FigureColumn("level", _("Level")),
        FigureColumn("height", _("Highest level")),
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


def _identifying(material: ReportedRelease) -> Iterator[FigureTable]:
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


def _ruled(material: ReportedRelease) -> Iterator[FigureTable]:
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
