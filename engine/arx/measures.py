"""ARX's utility measures in its own words, and the metrics of this program: the one table of both."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine.arx.java_stream import JavaEnum, JavaObject, plain
from engine.arx.models import sums_of
from engine.arx.settings import ArxSettings
from engine.errors import ParameterError
from engine.numbers import as_general
from engine.params import describe
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
    key : str
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
