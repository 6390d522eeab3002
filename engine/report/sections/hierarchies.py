"""Hierarchy of each quasi-identifier, level by level, and the levels used."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from engine.findings.blocks import Block, Figure, FigureColumn, FigureTable, Paragraph
from engine.findings.disclosure import WITHHELD
from engine.findings.format_value import format_value, level_words
from engine.frequency import Attribute
from engine.hierarchies.statistics import level_statistics
from engine.monitor import SILENT, Monitor
from engine.project.project import AttributeHierarchy
from engine.report.sections.material import ReportedRelease
from engine.words import _, pgettext

_MOST_LABELS = 200


def blocks(material: ReportedRelease, monitor: Monitor = SILENT) -> Iterator[Block]:
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
        return tuple(np.unique(release.recoding.levels[material.subject.kept, place]).tolist())
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
    for found in level_statistics(hierarchy, attribute.column):
        level = found.level
        use = "used" if level in used else "allowed" if _is_allowed(attribute, level) else _("not allowed")
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
