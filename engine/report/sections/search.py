"""Search that found the release, and the scored part of the lattice."""

from __future__ import annotations

import math
from collections.abc import Iterator

from engine.errors import InputError
from engine.findings.base import analysis_of
from engine.findings.blocks import Block, Fact, Facts, Figure, Paragraph
from engine.findings.disclosure import WITHHELD
from engine.findings.utility.metrics import MetricsFound
from engine.monitor import SILENT, Monitor
from engine.project.project import AFTERWARDS, BY_SIZE, CHECK
from engine.recoding import recoding_methods
from engine.report.sections.material import ReportedRelease, SearchFacts
from engine.search import search_algorithms
from engine.utility import utility_metrics
from engine.words import N_, _

_ENFORCED = {
    AFTERWARDS: N_(
        "The search only used the models of class sizes; records that fail the others were suppressed "
        "afterwards."
    ),
    BY_SIZE: N_("Only classes that are too small are suppressed; a node with another failing class fails."),
    CHECK: N_("The search only used the models of class sizes; the others were only checked."),
}
_GUARANTEES = {
    "optimal": N_("Proven optimum: no satisfying node has a smaller value of the metric."),
    "best_known": N_("Best so far: no evaluated and satisfying node has a smaller value of the metric."),
    "none": N_("No claim: the node satisfies the requirement; others may have a smaller value."),
}


def blocks(material: ReportedRelease, monitor: Monitor = SILENT) -> Iterator[Block]:
    """Yield the search and its completeness."""
    settings = material.project.search
    algorithm, metric = search_algorithms[settings.algorithm], utility_metrics[settings.metric]
    facts = [
        Fact("metric", _("Metric of the search"), metric.title, explanation=metric.meaning),
        *_objective(material, monitor),
    ]
    found = material.search
    if found is None:
        yield Paragraph(
            _(
                "The search that found this node was not recorded, so the report makes no claim about other "
                "nodes."
            ),
            "note",
        )
    else:
        yield Paragraph(_claim(material, found))
        if material.release.node is not None:  # else no node was looked for
            facts += _lattice(material, found)
        if material.release.node is not None and found.given is None:
            how = Fact("algorithm", _("Algorithm"), algorithm.title, explanation=algorithm.summary)
            facts.insert(0, how)
    if weights := settings.weights:
        text = ", ".join(f"{name}: {weight:g}" for name, weight in weights.items())
        facts.append(Fact("weights", _("Weights"), text, explanation=_("Columns not listed have weight 1.")))
    yield Facts("search", "", tuple(facts))
    if found is not None:
        yield from (Paragraph(note, "note") for note in found.notes)
    if settings.enforce in _ENFORCED:
        yield Paragraph(_(_ENFORCED[settings.enforce]), "note")


def _claim(material: ReportedRelease, found: SearchFacts) -> str:
    if material.release.method:
        method = recoding_methods[material.release.method]
        return _(
            "The release was made by the recoding method '{title}', in which levels vary by "
            "record; the report makes no claim that no other release loses less."
        ).format(title=method.title)
    if found.given is not None:
        return _("The node was chosen by hand; the report makes no claim that no other node loses less.")
    if found.nodes_checked == found.nodes_total:
        whole = _("Every node of the lattice was scored exactly.")
    else:
        whole = _("A part of the lattice was scored, each node of it exactly.")
    return f"{_(_GUARANTEES[found.guarantee])} {whole}"


def _objective(material: ReportedRelease, monitor: Monitor) -> list[Fact]:
    key = material.project.search.metric
    try:
        value = float(material.subject.recoded.metric(key)[0])
    except InputError:
        value = math.nan  # the metric does not exist for such a release
    metric = utility_metrics[key]
    value_text = _reportable(material, None if math.isnan(value) else value, monitor)
    return [Fact("value", _("{title} of the release").format(title=metric.title), value_text, metric.unit)]


def _reportable(material: ReportedRelease, value: float | None, monitor: Monitor = SILENT) -> Figure:
    """A natural value of the metric that decides."""
    if value is None or not material.settings.is_public:
        return value
    found = material.found(analysis_of("metrics"), monitor)
    if material.disclosure.hides_classes or not isinstance(found, MetricsFound):
        return WITHHELD
    scale = found.metric(material.project.search.metric)
    return material.disclosure.lost(value, scale.low, scale.high)


def _lattice(material: ReportedRelease, found: SearchFacts) -> list[Fact]:
    return [
        Fact("nodes_total", _("Nodes of the lattice"), found.nodes_total, "nodes"),
        Fact("nodes_checked", _("Nodes evaluated"), found.nodes_checked, "nodes"),
        *_proved(material, found),
    ]


def _proved(material: ReportedRelease, found: SearchFacts) -> list[Fact]:
    if found.guarantee != "best_known" or not found.bound > 0:
        return []
    explanation = _("No satisfying node has a value below this bound.")
    return [Fact("bound", _("Proven bound"), _reportable(material, found.bound), "", explanation)]
