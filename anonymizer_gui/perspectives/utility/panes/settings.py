"""Settings of a release as a list of names and values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from anonymizer_gui.models.measured_text import limit_text
from anonymizer_gui.models.node_name import own_name
from anonymizer_gui.theming import Text
from anonymizer_gui.widgets.labels import make_label
from anonymizer_gui.widgets.layouts import STRETCH, vbox
from anonymizer_gui.widgets.scroll_body import scrolled
from engine.frequency.counted import PEOPLE, RECORDS, either
from engine.hierarchies.words import describe_level
from engine.numbers import as_exact_count, as_percent, as_saved_moment
from engine.recoding import recoding_methods
from engine.utility import utility_metrics
from engine.words import _

if TYPE_CHECKING:
    from engine.assessment import Subject
    from engine.project import Project
    from engine.recoding import Release


class SettingsView(QWidget):
    """Names at the left, values wrapped at the right, under headings."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._labels: list[QLabel] = []
        self._shown: list[SettingGroup] = []
        self._grid = QGridLayout()
        self._grid.setContentsMargins(12, 8, 12, 8)
        self._grid.setHorizontalSpacing(12)
        self._grid.setVerticalSpacing(3)
        self._grid.setColumnStretch(1, 1)
        vbox(scrolled(vbox(self._grid, STRETCH, margins=0)), margins=0, of=self)

    def show_groups(self, groups: list[SettingGroup]) -> None:
        """Show other settings."""
        if groups == self._shown:
            return
        self._shown = groups
        for label in self._labels:
            label.hide()
            self._grid.removeWidget(label)
            label.deleteLater()
        self._labels = []
        row = 0
        for group in groups:
            title = make_label(group.title, Text.SECTION, "text_2")
            title.setContentsMargins(0, 8 if row else 0, 0, 0)
            self._add(title, row, 0, 2)
            row += 1
            for setting in group.settings:
                self._add(make_label(setting.name, Text.CELL, "text_2", wraps=True), row, 0, 1)
                value = make_label(setting.value, Text.CELL, "text", wraps=True)
                value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
                self._add(value, row, 1, 1)
                row += 1

    def texts(self) -> list[tuple[str, str]]:
        """Return names and values."""
        return [(line.name, line.value) for group in self._shown for line in group.settings]

    def _add(self, label: QLabel, row: int, column: int, span: int) -> None:
        self._grid.addWidget(label, row, column, 1, span, Qt.AlignmentFlag.AlignTop)
        self._labels.append(label)


@dataclass(frozen=True)
class Setting:
    """One line: name and value; without a name it continues the line above."""

    name: str
    value: str


@dataclass(frozen=True)
class SettingGroup:
    """Lines under a heading."""

    title: str
    settings: tuple[Setting, ...]


def groups_of(subject: Subject, made_at: str, stale: str) -> list[SettingGroup]:
    """Return all settings of the release.

    Parameters
    ----------
    subject : Subject
    made_at : str
        Date and time of the run; empty if unknown.
    stale : str
        Difference from the current settings; empty without one.
    """
    project, release = subject.project, subject.release
    return [
        SettingGroup(_("Release"), tuple(_release(project, release, made_at, stale))),
        SettingGroup(_("Levels"), tuple(_levels(release))),
        SettingGroup(_("Requirement"), tuple(_requirement(release))),
        SettingGroup(_("Metric and weights"), tuple(_metric(project))),
        SettingGroup(_("Population"), tuple(_population(subject))),
    ]


def figures_of(groups: list[SettingGroup]) -> list[tuple[str, str, str]]:
    """Return the same as rows of group, name and value."""
    return [(group.title, line.name, line.value) for group in groups for line in group.settings]


def _release(project: Project, release: Release, made_at: str, stale: str) -> list[Setting]:
    lines = [Setting(_("Project"), project.name)]
    file = project.file
    source = project.database or (file.name if file is not None else _("stored in the project"))
    lines.append(Setting(_("Table"), source))
    kept = release.n_records - release.n_suppressed
    words = _("{kept} of {n_records} kept, {n_suppressed} suppressed ({n_suppressed_2})").format(
        kept=as_exact_count(kept),
        n_records=as_exact_count(release.n_records),
        n_suppressed=as_exact_count(release.n_suppressed),
        n_suppressed_2=as_percent(release.n_suppressed / max(release.n_records, 1)),
    )
    lines.append(Setting(_("Records"), words))
    how = _("written as *") if release.transformation.suppressed_records == "star" else _("removed")
    lines.append(Setting(_("Suppressed records"), how))
    lines.append(Setting(_("Created"), as_saved_moment(made_at) or _("before this project was opened")))
    lines.append(Setting(_("Current settings"), stale or _("the same")))
    return lines


def _levels(release: Release) -> list[Setting]:
    lines = []
    if release.node is not None:
        lines.append(Setting(_("Node"), own_name(release.node, release.problem)))
    if release.recoding is not None:
        method = recoding_methods.get(release.method)
        title = method.title if method is not None else release.method
        lines.append(Setting(_("Recoding"), _("{title}: levels vary by record").format(title=title)))
    for place, attribute in enumerate(release.problem.attributes):
        if release.recoding is not None:
            levels = release.recoding.levels[~release.suppressed, place]
            low, high = (int(levels.min()), int(levels.max())) if len(levels) else (0, 0)
        else:
            assert release.node is not None, "what is no recoding is a node"
            low = high = release.node[place]
        data_type = attribute.column.data_type
        words = describe_level(attribute.hierarchy, low, data_type, attribute.name)
        if low != high:
            most = describe_level(attribute.hierarchy, high, data_type, attribute.name)
            words = _("{words} to {most}").format(words=words, most=most)
        if attribute.name in release.aggregates:
            words = release.aggregates[attribute.name].title
        level = f"{low}" if low == high else f"{low}\u2013{high}"
        of = _("level {level} of {height}").format(level=level, height=attribute.hierarchy.height)
        lines.append(Setting(attribute.name, f"{words} ({of})"))
    return lines


def _requirement(release: Release) -> list[Setting]:
    lines = []
    for model in release.requirement.models:
        name = " · ".join([release.problem.counted.worded(model, "title"), *model.columns])
        lines.append(Setting(name, f"{model.symbol} = {limit_text(model)}"))
    if release.requirement.sampling is not None:
        return [*lines, Setting(_("Differential privacy"), release.requirement.sampling.covers)]
    limit = as_percent(release.requirement.suppression_limit)
    counts = PEOPLE if release.losses.are_people else RECORDS
    return [
        *lines,
        Setting(
            _("Suppression limit"),
            either(counts, _("{share} of the records"), _("{share} of the people")).format(share=limit),
        ),
    ]


def _metric(project: Project) -> list[Setting]:
    kind = utility_metrics.get(project.search.metric)
    lines = [Setting(_("Metric"), kind.title if kind is not None else project.search.metric)]
    lines += [Setting(str(name), str(value)) for name, value in project.search.metric_options.items()]
    weights = {name: project.search.weights.get(name, 1.0) for name in project.quasi_identifying}
    if len(set(weights.values())) <= 1:
        return [*lines, Setting(_("Weights"), _("all columns have the same weight"))]
    words = ", ".join(f"{name} {weight:g}" for name, weight in weights.items())
    return [*lines, Setting(_("Weights"), words)]


def _population(subject: Subject) -> list[Setting]:
    project, lines = subject.project, []
    population, n_records = project.population, subject.n_records
    if project.subset is not None:
        n_people = project.table.n_records
        share = as_percent(n_records / max(n_people, 1))
        words = _("{n_records} of {n_people} records ({share}); the whole table is the population")
        text = words.format(
            n_records=as_exact_count(n_records), n_people=as_exact_count(n_people), share=share
        )
        lines.append(Setting(_("Subset") if project.subset.draw is None else _("Drawn at random"), text))
        if project.subset.filter:
            lines.append(Setting(_("Condition"), project.subset.filter))
    elif population is None:
        lines.append(Setting(_("People"), _("not given: the table is used as the population")))
    else:
        size = as_exact_count(population.size_for(n_records))
        share = as_percent(population.fraction_for(n_records))
        how = _("from a population table") if population.table is not None else _("as given")
        lines.append(Setting(_("People"), _("{size}, {how}").format(size=size, how=how)))
        lines.append(Setting(_("Sampling fraction"), share))
    target = project.target_column
    if target is not None:
        lines.append(Setting(_("Target"), target))
    return lines
