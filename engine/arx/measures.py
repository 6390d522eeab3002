"""ARX's utility measures and their names, the metrics of this program, and ARX's stored scores."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.arx.archive import ArxArchive
from engine.arx.java_stream import JavaEnum, JavaObject, plain
from engine.arx.models import sums_of
from engine.arx.settings import ArxSettings
from engine.errors import AnonymizerError, ParameterError, ProjectFileError
from engine.numbers import as_general
from engine.params import describe
from engine.pipeline import evaluate_node
from engine.project import Project
from engine.project.compile import compile_problem
from engine.project.storage.opened_project import Loss
from engine.utility.base import utility_metrics
from engine.words import N_, _

_AGGREGATES = {
    "SUM": "sum",
    "MAXIMUM": "maximum",
    "ARITHMETIC_MEAN": "arithmetic_mean",
    "GEOMETRIC_MEAN": "geometric_mean",
    "RANK": "rank",
}
_IGNORES = N_("ARX's monotonic variant excludes suppressed records; here they count as fully generalized")
_USUAL = "loss"


@dataclass(frozen=True)
class _Words:
    """Words of a measure, and the metric; `is_monotonic` if ARX excludes suppressed records from it."""

    key: str
    form: str
    is_monotonic: bool = False


_TABLE = (
    _Words("loss", r"Loss(?: \((?P<coding>[0-9.eE-]+)/[0-9.eE-]+/[0-9.eE-]+\))?"),
    _Words("precision", r"(?:Non-monotonic )?precision"),
    _Words("precision", r"Monotonic precision", is_monotonic=True),
    _Words("non_uniform_entropy", r"Non-monotonic non-uniform entropy"),
    _Words("non_uniform_entropy", r"(?:Monotonic )?non-uniform entropy", is_monotonic=True),
    _Words("normalized_entropy", r"Normalized non-uniform entropy"),
    _Words("height", r"Height"),
    _Words("discernibility", r"Non-monotonic discernability"),
    _Words("discernibility", r"Monotonic discernability(?: \(DM\*\))?", is_monotonic=True),
    _Words("aecs", r"Average equivalence class size"),
    _Words("ambiguity", r"Ambiguity"),
    _Words("kl_divergence", r"KL[- ]divergence"),
    _Words("entropy_loss", r"Entropy-?based ?information ?loss"),
    _Words("payout", r"PublisherBenefit \((?P<attacker>Prosecutor|Journalist)(?:, Benefit=[0-9.eE+-]+)?\)"),
    _Words("classification", r"Classification accuracy"),
)
# Measures of ARX that count the share of the domain in a group, and those that only count records of classes.
BY_SHARE = frozenset({"loss", "ambiguity", "kl_divergence", "entropy_loss", "payout"})
BY_CLASS = frozenset({"discernibility", "aecs", "classification"})
ARX_NAMES = {
    "loss": "Loss",
    "precision": "Precision",
    "non_uniform_entropy": "Non-uniform entropy",
    "normalized_entropy": "Normalized non-uniform entropy",
    "height": "Height",
    "discernibility": "Discernability",
    "aecs": "Average equivalence class size",
    "ambiguity": "Ambiguity",
    "kl_divergence": "KL-Divergence",
    "entropy_loss": "Entropy-based information loss",
    "payout": "Publisher payout",
    "classification": "Classification accuracy",
}
"""Names of the measures in ARX's window, by metric."""


@dataclass(frozen=True)
class Measure:
    """A metric with its settings.

    Attributes
    ----------
    options : mapping of str to value
        Settings that differ from the defaults.
    losses : list of Loss
        What could not be taken over.
    is_known : bool
        Whether ARX's own scores should come out.
    """

    key: str
    options: Mapping[str, Any]
    losses: list[Loss]
    is_known: bool = True


def measure_of(settings: ArxSettings) -> Measure:
    """Return the utility measure of a project."""
    for words in _TABLE:
        if found := re.fullmatch(words.form, settings.measure, re.IGNORECASE):
            break
    else:
        why = _("this program has no such measure")
        hint = _("Loss is set; choose another utility metric if it is not what you need.")
        what = _("Utility measure “{words}”").format(words=settings.measure)
        return Measure(_USUAL, {}, [Loss(what, why, hint)], is_known=False)
    metric = utility_metrics[words.key]
    names = {descriptor.name for descriptor in describe(metric)}
    options: dict[str, Any] = {}
    losses: list[Loss] = []
    stored = settings.measure_object
    if "aggregate" in names:
        aggregate = _aggregate(stored)
        if aggregate is None:
            usual = metric().aggregate  # type: ignore[attr-defined]  # it has that field
            losses.append(
                Loss(
                    _("Aggregate of the utility measure"),
                    _("ARX's file does not state it"),
                    _("Check it: ARX's default is set ({usual}).").format(usual=usual.replace("_", " ")),
                )
            )
        else:
            options["aggregate"] = aggregate
    if "coding" in names:
        coding = found.groupdict().get("coding")
        given = float(coding) if coding else _coding(stored)
        if given is None:
            hint = _("Check it: the default 0.5 is set.")
            losses.append(Loss(_("Coding model"), _("ARX's file does not state it"), hint))
        elif given != metric().coding:  # type: ignore[attr-defined]  # it has that field
            options["coding"] = given
    if words.key == "payout":
        sums, lost = sums_of(settings)
        options |= {**sums, "attacker": found["attacker"].lower()}
        losses += lost
    is_known = not (words.is_monotonic and settings.limit > 0)
    if not is_known:
        losses.append(Loss(_("Monotonic variant of the measure"), _(_IGNORES)))
    return _within_bounds(words.key, options, losses, is_known=is_known)


def _within_bounds(key: str, options: dict[str, Any], losses: list[Loss], *, is_known: bool) -> Measure:
    """Leave out settings that this program does not allow; the rest are those that differ from defaults."""
    metric = utility_metrics[key]
    kept = {}
    for name, value in options.items():
        try:
            member = metric(**{name: value})
        except ParameterError as error:
            what = _("Setting “{name}” of the measure").format(name=name)
            losses.append(Loss(what, error.problem.rstrip(".")))
            is_known = False
            continue
        if getattr(member, name) != getattr(metric(), name):
            kept[name] = value
    return Measure(key, kept, losses, is_known)


def _aggregate(stored: JavaObject | None) -> str | None:
    found = None if stored is None else stored.fields.get("function")
    return _AGGREGATES.get(found.constant) if isinstance(found, JavaEnum) else None


def _coding(stored: JavaObject | None) -> float | None:
    """Return the coding model of a measure; that of the one it wraps, whose own is a default."""
    if stored is None:
        return None
    inner = stored.fields.get("defaultMetric")
    found = plain((inner if isinstance(inner, JavaObject) else stored).fields.get("gsFactor"))
    return float(found) if isinstance(found, float) else None


def weighs(measure: Measure) -> bool:
    """Return whether weights change the order of nodes in ARX; its geometric mean multiplies by them."""
    aggregate = measure.options.get("aggregate")
    if aggregate is None:
        aggregate = getattr(utility_metrics[measure.key](), "aggregate", "")
    return bool(aggregate) and aggregate != "geometric_mean"


def words_of_weights(weights: Mapping[str, float]) -> str:
    """Return weights as a text."""
    return ", ".join(f"{column} {as_general(weight)}" for column, weight in weights.items())


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
