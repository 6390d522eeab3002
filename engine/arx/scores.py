"""ARX's own scores of nodes, with which the settings that were taken over are checked."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engine.arx.archive import ArxArchive
from engine.arx.settings import ArxSettings
from engine.errors import AnonymizerError, ProjectFileError
from engine.pipeline import evaluate_node
from engine.project import Project
from engine.project.compile import compile_problem
from engine.utility.base import utility_metrics

SCORES = "lattice.xml"
MOST_BYTES = 1 << 28
CHECKED = 5  # nodes
_NEAR = 1e-8  # ARX rounds losses to ten decimals
_NODE = re.compile(
    rb"<t>\[([0-9, ]{1,2000})\]</t>\s*<a>([A-Z_]{1,40})</a>\s*<c>(true|false)</c>"
    rb"(?:\s*<[ps]>[0-9,]*</[ps]>)*\s*<l>\s*<u>([-+0-9.eE]{1,40})</u>\s*<f>([-+0-9.eE]{1,40})</f>"
)


@dataclass(frozen=True)
class ArxNode:
    """A node that ARX evaluated: its levels in table order, its score, and whether it satisfies."""

    levels: tuple[int, ...]
    score: float
    is_anonymous: bool


def nodes_of(archive: ArxArchive) -> tuple[ArxNode, ...]:
    """Return the evaluated nodes with an exact score, the best first; none if ARX has not searched yet."""
    if SCORES not in archive:
        return ()
    try:
        text = archive.read(SCORES, MOST_BYTES)
    except ProjectFileError:
        return ()
    found = []
    for levels, status, checked, high, low in _NODE.findall(text):
        if checked == b"true" and high == low and math.isfinite(score := float(high)):
            node = tuple(int(level) for level in levels.split(b","))
            found.append(ArxNode(node, score, status == b"ANONYMOUS"))
    found.sort(key=lambda node: (not node.is_anonymous, node.score))
    return tuple(found)


def disagreeing(project: Project, nodes: Sequence[ArxNode], settings: ArxSettings) -> int | None:
    """Return how many of some nodes have another score here than in ARX.

    None if they cannot be compared: there are none, or the lattice has other columns.
    """
    chosen = [*nodes[:2], *nodes[2 :: max(1, len(nodes) // (CHECKED - 2))]][:CHECKED]
    if not chosen:
        return None
    try:
        problem = compile_problem(project)
        free = [
            q
            for q, attribute in enumerate(problem.attributes)
            if attribute.name not in project.microaggregation
            or project.microaggregation[attribute.name].grouping
        ]
        if any(len(node.levels) != len(free) for node in chosen):
            return None
        n_wrong = 0
        for node in chosen:
            levels = list(problem.lattice.maximum)
            for q, level in zip(free, node.levels, strict=True):
                levels[q] = level
            evaluation = evaluate_node(project, problem, tuple(levels))
            score = float(evaluation.metric(project.search.metric)[0])
            score = as_in_arx(score, project, settings.weights_of(problem.names))
            n_wrong += not math.isclose(score, node.score, rel_tol=_NEAR, abs_tol=_NEAR)
        return n_wrong
    except AnonymizerError:
        return None


def as_in_arx(score: float, project: Project, weights: Mapping[str, float]) -> float:
    """Return a score as ARX scales it: by weights of at most 1, which it does not divide by their sum.

    Entropy-based loss is that of all records.
    """
    if project.search.metric == "entropy_loss":
        return score * project.records.n_records
    largest = max(weights.values(), default=0.0)
    if len(set(weights.values())) < 2:
        return score
    scaled = [weight / largest for weight in weights.values()]
    metric = utility_metrics.create(project.search.metric, **project.search.metric_options)
    aggregate = getattr(metric, "aggregate", "")
    if aggregate == "geometric_mean":  # weights were not taken over
        return (score + 1) * math.exp(math.fsum(map(_log, scaled)) / len(scaled)) - 1
    if aggregate == "arithmetic_mean":
        return score * sum(scaled) / len(scaled)
    return score / largest if aggregate else score


def _log(weight: float) -> float:
    return math.log(weight) if weight > 0 else -math.inf
