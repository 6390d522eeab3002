"""Second page of a report: why this release, and not another."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from engine.findings.blocks import Block, Chart, Paragraph, Series
from engine.findings.format_value import asked, level_words
from engine.kernels.arrays import BoolArray, FloatArray
from engine.lattice import Node
from engine.monitor import SILENT, Monitor
from engine.numbers import as_exact_count, as_risk_limit
from engine.project.compile import objective_of
from engine.records.opening import memory_of
from engine.report.sections.material import ReportedRelease
from engine.report.sections.risks import class_sizes
from engine.scoring.in_parts import evaluated_parts
from engine.scoring.prices import Prices, prices_of, prices_over
from engine.utility import utility_metrics
from engine.words import _, ngettext

_MOST_NODES = 200_000  # that are scored once more for a report
_MOST_PRICES = 10
_GRID = 320  # nodes that fall on one point of the map are one point of it


def blocks(material: ReportedRelease, monitor: Monitor = SILENT) -> Iterator[Block]:
    """Yield the map of all nodes, the prices of more detail, and the records by the size of their class."""
    if why := why_not(material):
        yield Paragraph(why)
    else:
        scored = _scored(material, monitor)
        yield Paragraph(_how(material, scored))
        yield _map(material, scored)
        yield from _prices(material, scored)
    yield from class_sizes(material)


def why_not(material: ReportedRelease) -> str:
    """Return why nodes cannot be compared; empty if they can."""
    search, release = material.search, material.release
    if material.settings.is_public:
        return _(
            "The internal report compares this release with all others. Their values are withheld here, "
            "because small groups could be counted by subtraction."
        )
    if release.method:
        return _("The levels of this release vary by record, so it is not a node and has no place on a map.")
    if release.node is None or search is None or release.requirement.sampling is not None:
        return _("The search was not recorded, so this release is not compared with others.")
    if search.nodes_checked < search.nodes_total or search.nodes_total > _MOST_NODES:
        words = _(
            "{n} of {total} nodes of the lattice were evaluated, so this release is not compared with all "
            "others."
        )
        return words.format(n=as_exact_count(search.nodes_checked), total=as_exact_count(search.nodes_total))
    return ""


@dataclass(frozen=True, eq=False)
class _Scored:
    """All nodes: share of suppressed records and metric, shape (n_nodes,), and the prices of all levels."""

    shares: FloatArray
    values: FloatArray
    satisfies: BoolArray
    prices: Prices


def _scored(material: ReportedRelease, monitor: Monitor) -> _Scored:
    project, problem = material.project, material.release.problem
    metric, requirement = project.search.metric, material.release.requirement
    n_levels = [attribute.hierarchy.height + 1 for attribute in problem.attributes]
    memory, objective = memory_of(project.options), objective_of(project, problem)
    shares, values, satisfies, prices = [], [], [], []
    for part in evaluated_parts(problem, requirement, objective, memory, monitor):
        nodes = np.arange(part.lattice.n_nodes)
        shares.append(part.suppressed_at(nodes) / problem.n_records)
        values.append(part.metric_at(metric, nodes))
        satisfies.append(np.array(part.satisfies))
        prices.append(prices_of(part, metric, n_levels))
        del part  # its memory is for the next one
    return _Scored(
        np.concatenate(shares), np.concatenate(values), np.concatenate(satisfies), prices_over(prices)
    )


def _how(material: ReportedRelease, scored: _Scored) -> str:
    requirement = material.release.requirement
    words = _(
        "A node sets one level for each quasi-identifying column. All {n} nodes were scored exactly; "
        "{satisfying} satisfy the requirement ({models}, at most {limit} suppressed). The star is this "
        "release."
    )
    return words.format(
        n=as_exact_count(len(scored.values)),
        satisfying=as_exact_count(int(scored.satisfies.sum())),
        models=", ".join(map(asked, requirement.models)) or _("no model"),
        limit=as_risk_limit(requirement.suppression_limit),
    )


def _map(material: ReportedRelease, scored: _Scored) -> Chart:
    metric = utility_metrics[material.project.search.metric]
    release = material.release
    own = float(material.subject.recoded.metric(material.project.search.metric)[0])
    limit = release.requirement.suppression_limit
    series = (
        _dots(_("fails"), "fails", scored, ~scored.satisfies),
        _dots(_("satisfies"), "satisfies", scored, scored.satisfies),
        _front(scored),
        Series(_("this release"), (own,), "release", (release.n_suppressed / release.n_records,)),
    )
    return Chart(
        "nodes",
        "",
        "dots",
        _("suppressed records (square-root scale)"),
        metric.title,
        series,
        marks=((limit, _("limit {limit}").format(limit=as_risk_limit(limit))),),
    )


def _dots(title: str, side: str, scored: _Scored, wanted: BoolArray) -> Series:
    """Return nodes as points, of those that nearly coincide the first one."""
    shares, values = scored.shares[wanted], scored.values[wanted]
    known = ~np.isnan(values)
    shares, values = shares[known], values[known]
    top = float(np.nanmax(scored.values, initial=0.0)) or 1.0
    places = np.rint(np.sqrt(shares) * _GRID) * (4 * _GRID) + np.rint(values / top * _GRID)
    first = np.sort(np.unique(places, return_index=True)[1])
    return Series(title, tuple(values[first].tolist()), side, tuple(shares[first].tolist()))


def _front(scored: _Scored) -> Series:
    """Return the nodes that satisfy of which no other one has less of both."""
    places = np.flatnonzero(scored.satisfies & ~np.isnan(scored.values))
    order = places[np.lexsort((scored.values[places], scored.shares[places]))]
    least, front = math.inf, list[int]()
    for place in order.tolist():
        if scored.values[place] < least:
            least = scored.values[place]
            front.append(place)
    shares, values = scored.shares[front], scored.values[front]
    return Series(_("least of both"), tuple(values.tolist()), "front", tuple(shares.tolist()))


def _prices(material: ReportedRelease, scored: _Scored) -> Iterator[Block]:
    """Yield the cheapest and the dearest finer level of each generalized column."""
    node = material.release.node
    assert node is not None, "there is none without a node"
    found, impossible = _finer(material, node, scored.prices)
    if not found and not impossible:
        return
    title = _("What more detail would have cost")
    if found:
        labels, prices = zip(*found[:_MOST_PRICES], strict=True)
        words, metric = (
            _("Extra loss of the best node with this level, the other columns free."),
            material.project.search.metric,
        )
        if metric != "loss":
            words = _(
                "{metric} of the best node with this level, the other columns free, beyond the optimum."
            )
            words = words.format(metric=utility_metrics[metric].title)
        yield Chart(
            "prices",
            title,
            "rows",
            words,
            _("level"),
            (Series(_("price"), prices, "price"),),
            labels=labels,
            is_relative=True,
        )
    if impossible:
        words = ngettext(
            "No node satisfies with this level: {levels}.",
            "No node satisfies with any of these levels: {levels}.",
            len(impossible[:_MOST_PRICES]),
        )
        yield Paragraph(words.format(levels="; ".join(impossible[:_MOST_PRICES])), "note")


def _finer(
    material: ReportedRelease, node: Node, prices: Prices
) -> tuple[list[tuple[str, float]], list[str]]:
    """Return the prices of at most two finer levels per column, and levels with which no node satisfies."""
    found, impossible = list[tuple[str, float]](), list[str]()
    for column, (attribute, own) in enumerate(zip(material.release.problem.attributes, node, strict=True)):
        of_levels = prices.of(column)[:own]
        labels = [
            _("{column}, {level}").format(
                column=attribute.name,
                level=level_words(attribute, level, is_public=False) if level else _("unchanged"),
            )
            for level in range(own)
        ]
        possible = [level for level in range(own) if math.isfinite(of_levels[level])]
        impossible += [labels[level] for level in range(own) if level not in possible][-1:]
        if possible:
            ends = {possible[int(choose(of_levels[possible]))] for choose in (np.argmin, np.argmax)}
            found += [(labels[level], float(of_levels[level])) for level in sorted(ends, reverse=True)]
    return found, impossible
