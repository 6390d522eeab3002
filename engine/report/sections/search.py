"""Search that found the release, and the scored part of the lattice."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from engine.errors import InputError
from engine.findings.base import analysis_of
from engine.findings.blocks import Block, Fact, Facts, Figure, FigureColumn, FigureTable, Paragraph
from engine.findings.disclosure import WITHHELD
from engine.findings.utility.metrics import MetricsFound
from engine.monitor import SILENT, Monitor
from engine.numbers import as_risk
from engine.project.node_comparison import why_not_comparable
from engine.project.pins_and_runs import Pin
from engine.project.project import AFTERWARDS, BY_SIZE, CHECK
from engine.project.run_settings import records_of
from engine.recoding import make_release, recoding_methods
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
    if material.settings.is_public and material.release.requirement.sensitive_part.models:
        yield Paragraph(_of_choice(material))
        if material.disclosure.hides_choice:
            return
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
    yield from alternatives(material, monitor)


def alternatives(material: ReportedRelease, monitor: Monitor = SILENT) -> Iterator[FigureTable]:
    """Yield the pinned nodes with their values, for readers who may see the input."""
    if not material.pins or material.settings.is_public:
        return
    problem, metric = material.release.problem, utility_metrics[material.project.search.metric]
    columns = (
        FigureColumn("node", _("Node")),
        FigureColumn("value", metric.title, metric.unit),
        FigureColumn("suppressed", _("Suppressed"), "records"),
        FigureColumn("k", _("Smallest class (k)"), material.subject.counted.unit),
        FigureColumn("remark", _("Remark")),
    )
    rows: list[tuple[Figure, ...]] = []
    for number, pin in enumerate(material.pins):
        monitor.step(number, len(material.pins), _("Comparing"))
        node, why = pin.choice.node, why_not_comparable(problem, pin.choice)
        if node is None or why:
            rows.append((_named(pin), None, None, None, why))
            continue
        project = replace(material.project, requirement=pin.choice.requirement)
        release = make_release(project, problem, node)
        value = float(records_of(project, problem, release).metric(metric.key)[0])
        is_own = node == material.release.node and not material.release.method
        remark = pin.note or (_("this release") if is_own else "")
        rows.append((_named(pin), _existing(value), release.n_suppressed, release.k, remark))
    yield FigureTable("alternatives", _("Alternatives considered"), columns, rows)


def _named(pin: Pin) -> str:
    node = pin.choice.node
    if node is None:
        return _("levels vary by record")
    return ", ".join(f"{name} {level}" for name, level in zip(pin.choice.columns, node, strict=True))


def _existing(value: float) -> float | None:
    return None if math.isnan(value) else value


def _of_choice(material: ReportedRelease) -> str:
    """Return what readers learn about single records from the choice of the node."""
    found = material.selection_leak
    gain = None if found.selection_gain is None else as_risk(found.selection_gain)
    if not material.disclosure.hides_choice:
        words = _("Knowing how the node was chosen, readers gain at most {gain} about a value of any record.")
        return words.format(gain=gain)
    if gain is None:
        return _(
            "What readers gain by knowing how the node was chosen is not measured, so metric, limit, "
            "thresholds of sensitive columns, unused levels and other nodes are withheld."
        )
    words = _(
        "Knowing how the node was chosen, readers may gain {gain} about a value of a record, so metric, "
        "limit, thresholds of sensitive columns, unused levels and other nodes are withheld."
    )
    return words.format(gain=gain)


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
    value_text = _reportable(material, _existing(value), monitor)
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
