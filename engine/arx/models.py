"""ARX's privacy models in its own words, and the models of this program: the one table of both."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from re import Match
from typing import Any

from engine.arx.java_stream import JavaEnum, JavaObject, entries, plain
from engine.arx.settings import ArxSettings
from engine.errors import ParameterError
from engine.numbers import as_general
from engine.privacy import PrivacyModel
from engine.privacy.base import privacy_models
from engine.project.storage.opened_project import Loss
from engine.words import N_, _

_NUMBER = r"([-+0-9.eE]+)"
_COLUMN = r" for attribute '(?P<column>.*)'"
_SUMS = (
    r"(?:\[benefit=(?P<benefit>[-+0-9.eE]+), loss=(?P<loss>[-+0-9.eE]+), "
    r"gain=(?P<gain>[-+0-9.eE]+), cost=(?P<cost>[-+0-9.eE]+)\])?"
)
_ATTACKER = r"\((?P<attacker>prosecutor|journalist)\)"
_NOT_STATED = N_("ARX's file does not state it")
_ESTIMATORS = {"POISSON": "poisson", "ZERO_TRUNCATED_POISSON": "zero_truncated_poisson"}
INCLUSION = "Inclusion"  # the research sample alone, without a condition

Found = tuple[dict[str, Any], list[Loss]]


@dataclass(frozen=True)
class _Words:
    """Words of a model, and the parameters that they name.

    Attributes
    ----------
    key : str
        Of the model of this program.
    form : str
        Regular expression for the words; its groups are the parameters.
    parameters : callable
        From the match and the settings to parameters, and what has to be checked.
    """

    key: str
    form: str
    parameters: Callable[[Match[str], ArxSettings], Found]


def models_of(settings: ArxSettings) -> tuple[tuple[PrivacyModel, ...], list[Loss]]:
    """Return the privacy models of a project, and what could not be taken over of them."""
    models, losses = [], []
    for words in settings.models:
        if words == INCLUSION:
            continue
        for model, lost in _read(words, settings):
            losses += lost
            if model is not None:
                models.append(model)
    return tuple(models), losses


def _read(words: str, settings: ArxSettings) -> Iterator[tuple[PrivacyModel | None, list[Loss]]]:
    known = [(entry, found) for entry in _TABLE if (found := re.fullmatch(entry.form, words, re.DOTALL))]
    if not known:
        yield None, [_missing(words, _("this program has no such model"))]
    for entry, found in known:
        try:
            parameters, losses = entry.parameters(found, settings)
            yield privacy_models.create(entry.key, **parameters), losses
        except (ParameterError, ValueError) as error:
            yield None, [_missing(words, str(getattr(error, "problem", error)).rstrip("."))]


def suppressing_size(model: PrivacyModel) -> int | None:
    """Return a class size at which a model of the whole release is met, None for other models.

    ARX suppresses the records of the smallest classes until such a model is met.
    """
    if not model.is_table_wide:
        return None
    if model.key in ("sample_uniqueness", "population_uniqueness"):
        return 2
    threshold: float = getattr(model, "threshold", 1.0)
    return math.ceil(1 / max(threshold, 1e-9))


def _missing(words: str, why: str) -> Loss:
    return Loss(
        _("Privacy model “{words}”").format(words=words),
        why,
        _("Add a model that protects as much: without it less is required than in ARX."),
    )


def _plain_numbers(**names: type) -> Callable[[Match[str], ArxSettings], Found]:
    """Return a reader of parameters that the words state completely, in this order."""

    def read(found: Match[str], _settings: ArxSettings) -> Found:
        values: dict[str, Any] = {
            name: kind(float(text)) for (name, kind), text in zip(names.items(), found.groups(), strict=False)
        }
        if "column" in found.re.groupindex:
            values["column"] = found["column"]
        return values, []

    return read


def _fixed(read: Callable[[Match[str], ArxSettings], Found], **fixed: Any) -> Any:
    def with_fixed(found: Match[str], settings: ArxSettings) -> Found:
        values, losses = read(found, settings)
        return {**values, **fixed}, losses

    return with_fixed


def _entropy(found: Match[str], _settings: ArxSettings) -> Found:
    estimator = found["estimator"] or "shannon"
    return {"l": float(found["l"]), "estimator": estimator, "column": found["column"]}, []


def _k_map(found: Match[str], settings: ArxSettings) -> Found:
    values: dict[str, Any] = {"k": int(found["k"])}
    if found["estimator"] is None:
        return values, []
    values["estimator"] = _ESTIMATORS[found["estimator"]]
    losses = []
    stored = settings.criterion("KMap")
    significance = None if stored is None else stored.fields.get("significanceLevel")
    if isinstance(significance, float) and significance > 0:
        values["significance"] = significance
    else:
        losses.append(Loss(_("Significance of k-map"), _(_NOT_STATED), _("Check it; 0.01 is set.")))
    if found["estimator"] == "POISSON":
        losses.append(
            Loss(
                _("Estimate of k-map"),
                _("ARX requires one record more per class than the significance level does"),
                _("Add k-anonymity to require as many as ARX{derived}.").format(
                    derived="" if found["derived"] == "unknown" else f": {found['derived']}"
                ),
            )
        )
    return values, losses


def _differential_privacy(found: Match[str], settings: ArxSettings) -> Found:
    values: dict[str, Any] = {"epsilon": float(found[1]), "delta": float(found[2])}
    stored = settings.criterion("EDDifferentialPrivacy", "DataDependentEDDifferentialPrivacy")
    if stored is None:
        return values, [Loss(_("Degree of differential privacy"), _(_NOT_STATED), _("Choose the node."))]
    scheme = stored.fields.get("generalization")
    if not isinstance(scheme, JavaObject):
        why = _("ARX spends part of ε on the choice of the node, which this program does not")
        return values, [Loss(_("Budget of the search"), why, _("Choose how the node is determined."))]
    if entries(scheme.fields.get("levels")) or entries(scheme.fields.get("degrees")):
        why = _("levels or degrees of single columns")
        hint = _("Allow one level per column, and let the node follow from the allowed levels.")
        return values, [Loss(_("Node of differential privacy"), why, hint)]
    degree = scheme.fields.get("degree")
    values["node"] = degree.constant.lower() if isinstance(degree, JavaEnum) else "none"
    return values, []


def _disclosure(found: Match[str], _settings: ArxSettings) -> Found:
    delta = float(found[1]) * math.log(2)
    why = _("ARX measures δ in bits; {delta} is the same in natural logarithms").format(
        delta=as_general(delta)
    )
    values = {"delta": delta, "column": found["column"]}
    return values, [Loss(_("δ of “{words}”").format(words=found[0]), why, _("No action is needed."))]


def _average_risk(found: Match[str], _settings: ArxSettings) -> Found:
    return {"threshold": float(found[1])}, []


def _records_at_risk(found: Match[str], _settings: ArxSettings) -> Found:
    values = {"threshold": float(found[2]), "share": float(found[3])}
    why = _("ARX also counts records whose risk is exactly {risk}").format(
        risk=as_general(values["threshold"])
    )
    return values, [Loss(_("Records at risk"), why, _("Lower the threshold slightly to count them too."))]


def _profit(found: Match[str], settings: ArxSettings) -> Found:
    values, losses = sums_of(settings, found)
    values["attacker"] = found["attacker"]
    return values, losses


def _no_attack(found: Match[str], settings: ArxSettings) -> Found:
    values, losses = _profit(found, settings)
    return {name: values[name] for name in ("gain", "cost", "attacker") if name in values}, losses


def sums_of(settings: ArxSettings, found: Match[str] | None = None) -> Found:
    """Return the sums of money of ARX, and a hint to check them if its file does not state them."""
    names = ("benefit", "loss", "gain", "cost")
    if found is not None and found["benefit"] is not None:
        return {name: float(found[name]) for name in names}, []
    stored = settings.of_configuration("costBenefitConfiguration")
    if isinstance(stored, JavaObject):
        fields = ("publisherBenefit", "publisherLoss", "adversaryGain", "adversaryCost")
        sums = {name: plain(stored.fields.get(field)) for name, field in zip(names, fields, strict=True)}
        if all(isinstance(money, float) for money in sums.values()):
            return sums, []
    return {}, [Loss(_("Costs and benefits"), _(_NOT_STATED), _("Check the sums of money."))]


_TABLE = (
    _Words("k_anonymity", r"([0-9]+)-anonymity", _plain_numbers(k=int)),
    _Words(
        "k_map",
        r"\((?P<k>[0-9]+)\)-map"
        r"(?: estimated as \((?P<derived>-?[0-9]+|unknown)\)-anonymity "
        r"\((?P<estimator>POISSON|ZERO_TRUNCATED_POISSON)\))?",
        _k_map,
    ),
    _Words(
        "delta_presence", rf"\({_NUMBER},{_NUMBER}\)-presence", _plain_numbers(minimum=float, maximum=float)
    ),
    _Words("distinct_l_diversity", rf"distinct-([0-9]+)-diversity{_COLUMN}", _plain_numbers(l=int)),
    _Words(
        "entropy_l_diversity",
        rf"(?:(?P<estimator>shannon|grassberger)-)?entropy-(?P<l>[-+0-9.eE]+)-diversity{_COLUMN}",
        _entropy,
    ),
    _Words(
        "recursive_c_l_diversity",
        rf"recursive-\({_NUMBER},([0-9]+)\)-diversity{_COLUMN}",
        _plain_numbers(c=float, l=int),
    ),
    *(
        _Words(
            "t_closeness",
            rf"{_NUMBER}-closeness with {distance} distance{_COLUMN}",
            _fixed(_plain_numbers(t=float), distance=distance),
        )
        for distance in ("equal", "ordered", "hierarchical")
    ),
    _Words("delta_disclosure", rf"{_NUMBER}-disclosure privacy{_COLUMN}", _disclosure),
    _Words("basic_beta_likeness", rf"{_NUMBER}-basic likeness{_COLUMN}", _plain_numbers(beta=float)),
    _Words("enhanced_beta_likeness", rf"enhanced-{_NUMBER}-likeness{_COLUMN}", _plain_numbers(beta=float)),
    _Words(
        "average_risk",
        rf"\({_NUMBER}(?:, {_NUMBER}, {_NUMBER})?\)-avg-reidentification-risk",
        _average_risk,
    ),
    _Words(
        "records_at_risk", rf"\({_NUMBER}, {_NUMBER}, {_NUMBER}\)-avg-reidentification-risk", _records_at_risk
    ),
    _Words("sample_uniqueness", rf"\({_NUMBER}\)-sample-uniqueness", _plain_numbers(threshold=float)),
    *(
        _Words(
            "population_uniqueness",
            rf"\({_NUMBER}\)-population-uniqueness \({estimator}\)",
            _fixed(_plain_numbers(threshold=float), estimator=estimator),
        )
        for estimator in ("dankar", "pitman", "zayatz", "snb")
    ),
    _Words("profitability", rf"profitability {_ATTACKER}{_SUMS}", _profit),
    _Words("profitability_no_attack", rf"no-attack-profitability {_ATTACKER}{_SUMS}", _no_attack),
    _Words("differential_privacy", rf"\({_NUMBER},{_NUMBER}\)-DP", _differential_privacy),
)


def arx_words(model: PrivacyModel) -> str:
    """Return where ARX has a model, and its settings, in ARX's words; empty if ARX has none."""
    write = _WORDS.get(model.key)
    return "" if write is None else write(model)


def _for(model: Any, words: str) -> str:
    return f"{words} for attribute '{model.column}'"


_WORDS: Mapping[str, Callable[[Any], str]] = {
    "k_anonymity": lambda m: f"{m.k}-anonymity",
    "k_map": lambda m: f"({m.k})-map" if m.estimator in ("table", *_ESTIMATORS.values()) else "",
    "delta_presence": lambda m: f"({m.minimum},{m.maximum})-presence",
    "distinct_l_diversity": lambda m: _for(m, f"distinct-{m.l}-diversity"),
    "entropy_l_diversity": lambda m: _for(m, f"{m.estimator}-entropy-{m.l}-diversity"),
    "recursive_c_l_diversity": lambda m: _for(m, f"recursive-({m.c},{m.l})-diversity"),
    "t_closeness": lambda m: _for(m, f"{m.t}-closeness with {m.distance or 'equal'} distance"),
    "delta_disclosure": lambda m: _for(m, f"{m.delta / math.log(2):.6g}-disclosure privacy"),
    "basic_beta_likeness": lambda m: _for(m, f"{m.beta}-basic likeness"),
    "enhanced_beta_likeness": lambda m: _for(m, f"enhanced-{m.beta}-likeness"),
    "average_risk": lambda m: f"({m.threshold})-avg-reidentification-risk",
    "sample_uniqueness": lambda m: f"({m.threshold})-sample-uniqueness",
    "population_uniqueness": lambda m: f"({m.threshold})-population-uniqueness ({m.estimator})",
    "profitability": lambda m: (
        f"profitability ({m.attacker})[benefit={m.benefit}, loss={m.loss}, gain={m.gain}, cost={m.cost}]"
    ),
    "differential_privacy": lambda m: f"({m.epsilon},{m.delta})-DP",
}
