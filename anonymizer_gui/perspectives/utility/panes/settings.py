"""Settings of a release, as findings that the generic view shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from anonymizer_gui.models.node_name import own_name
from engine.findings.blocks import Block, Fact, Facts, FigureColumn, FigureTable, Findings, Statement
from engine.numbers import as_exact_count, as_percent, as_saved_moment
from engine.utility import utility_metrics
from engine.words import N_, _

if TYPE_CHECKING:
    from engine.findings.subject import Subject
    from engine.project import Project
    from engine.recoding import Release


@dataclass(frozen=True)
class ReleaseSettings(Findings):
    """Settings of a release.

    Attributes
    ----------
    made_at : str
        Date and time of the run; empty if unknown.
    stale : str
        Difference from the current settings; empty without one.
    """

    subject: Subject
    made_at: str
    stale: str

    def statement(self) -> Statement:
        return Statement(self.stale or _("These settings are the current ones."))

    def blocks(self) -> tuple[Block, ...]:
        """Return the settings in groups, those of levels and requirement as a report has them."""
        from engine.report import ReportedRelease, ReportSettings
        from engine.report.sections import requirement, transformation

        project, release = self.subject.project, self.subject.release
        material = ReportedRelease(self.subject, ReportSettings())
        return (
            Facts("release", _("Release"), tuple(_release(project, release, self.made_at))),
            *transformation.blocks(material),
            *requirement.blocks(material),
            Facts("metric", _("Metric and weights"), tuple(_metric(project))),
            Facts("population", _("Population"), tuple(_population(self.subject))),
        )

    def tables(self) -> tuple[FigureTable, ...]:
        """Return the facts as one table, then the other tables."""
        blocks = self.blocks()
        groups = [block for block in blocks if isinstance(block, Facts)]
        rows = [(group.title, fact.title, fact.value) for group in groups for fact in group.facts]
        facts = FigureTable("settings", _("Settings of the release"), _COLUMNS, rows)
        return (facts, *(block for block in blocks if isinstance(block, FigureTable)))


_COLUMNS = (
    FigureColumn("group", N_("Group")),
    FigureColumn("name", N_("Setting")),
    FigureColumn("value", N_("Value")),
)


def _release(project: Project, release: Release, made_at: str) -> list[Fact]:
    lines = [Fact("project", _("Project"), project.name)]
    file = project.file
    source = project.database or (file.name if file is not None else _("stored in the project"))
    lines.append(Fact("table", _("Table"), source))
    kept = release.n_records - release.n_suppressed
    words = _("{kept} of {n_records} kept, {n_suppressed} suppressed ({n_suppressed_2})").format(
        kept=as_exact_count(kept),
        n_records=as_exact_count(release.n_records),
        n_suppressed=as_exact_count(release.n_suppressed),
        n_suppressed_2=as_percent(release.n_suppressed / max(release.n_records, 1)),
    )
    lines.append(Fact("records", _("Records"), words))
    if release.node is not None:
        lines.append(Fact("node", _("Node"), own_name(release.node, release.problem)))
    lines.append(
        Fact("created", _("Created"), as_saved_moment(made_at) or _("before this project was opened"))
    )
    return lines


def _metric(project: Project) -> list[Fact]:
    kind = utility_metrics.get(project.search.metric)
    lines = [Fact("metric", _("Metric"), kind.title if kind is not None else project.search.metric)]
    lines += [Fact(str(name), str(name), str(value)) for name, value in project.search.metric_options.items()]
    weights = {name: project.search.weights.get(name, 1.0) for name in project.quasi_identifying}
    if len(set(weights.values())) <= 1:
        return [*lines, Fact("weights", _("Weights"), _("all columns have the same weight"))]
    words = ", ".join(f"{name} {weight:g}" for name, weight in weights.items())
    return [*lines, Fact("weights", _("Weights"), words)]


def _population(subject: Subject) -> list[Fact]:
    project, lines = subject.project, []
    population, n_records = project.population, subject.n_records
    if project.subset is not None:
        n_people = project.table.n_records
        share = as_percent(n_records / max(n_people, 1))
        words = _("{n_records} of {n_people} records ({share}); the whole table is the population")
        text = words.format(
            n_records=as_exact_count(n_records), n_people=as_exact_count(n_people), share=share
        )
        lines.append(
            Fact("subset", _("Subset") if project.subset.draw is None else _("Drawn at random"), text)
        )
        if project.subset.filter:
            lines.append(Fact("condition", _("Condition"), project.subset.filter))
    elif population is None:
        lines.append(Fact("people", _("People"), _("not given: the table is used as the population")))
    else:
        size = as_exact_count(population.size_for(n_records))
        share = as_percent(population.fraction_for(n_records))
        how = _("from a population table") if population.table is not None else _("as given")
        lines.append(Fact("people", _("People"), _("{size}, {how}").format(size=size, how=how)))
        lines.append(Fact("sampling_fraction", _("Sampling fraction"), share))
    target = project.target_column
    if target is not None:
        lines.append(Fact("target", _("Target"), target))
    return lines
