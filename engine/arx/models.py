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
from engine.params import Choice, Integer, Param, Real, describe, values_of
from engine.privacy import PrivacyModel
from engine.privacy.base import privacy_models
from engine.project.storage.opened_project import Loss
from engine.words import N_, _

_NUMBER = r"[-+0-9.eE]+"
_COLUMN = " for attribute '{column}'"
_SUMS = (
    rf"(?:\[benefit=(?P<benefit>{_NUMBER}), loss=(?P<loss>{_NUMBER}), "
    rf"gain=(?P<gain>{_NUMBER}), cost=(?P<cost>{_NUMBER})\])?"
)
_ATTACKER = r"\((?P<attacker>prosecutor|journalist)\)"
_NOT_STATED = N_("ARX's file does not state it")
_ESTIMATORS = {"POISSON": "poisson", "ZERO_TRUNCATED_POISSON": "zero_truncated_poisson"}
INCLUSION = "Inclusion"  # the research sample alone, without a condition

Found = tuple[dict[str, Any], list[Loss]]


def _as_stated(values: dict[str, Any], _settings: ArxSettings, _words: str) -> Found:
    return values, []


@dataclass(frozen=True)
class _Words:
    """Words of a model, which state its parameters.

    Attributes
    ----------
    key : str
        Of the model of this program.
    words : str
        Their written form, with parameters by name in braces; empty if they are not.
    form : str
        Regular expression for the words that are read, if they vary; its groups are the parameters.
    read : callable
        From what the words state, by parameter, the settings, and the words to parameters, and what has to
        be checked.
    write : callable
        From a model to written parameters; None if ARX has no such setting.
    """

    key: str
    words: str = ""
    form: str = ""
    read: Callable[[dict[str, Any], ArxSettings, str], Found] = _as_stated
    write: Callable[[Any], Mapping[str, Any] | None] = values_of

    def stated(self, words: str) -> dict[str, Any] | None:
        """Return what words state, by parameter; None if they are of another model."""
        kinds = {descriptor.name: descriptor for descriptor in describe(privacy_models[self.key])}

        def group(found: Match[str]) -> str:
            return f"(?P<{found[1]}>{_pattern(kinds[found[1]])})"

        form = self.form or re.sub(r"\\{(\w+)\\}", group, re.escape(self.words))
        if (found := re.fullmatch(form, words, re.DOTALL)) is None:
            return None
        return {name: _read(kinds.get(name), text) for name, text in found.groupdict().items() if text}


def _pattern(descriptor: Param) -> str:
    match descriptor:
        case Integer():
            return "[0-9]+"
        case Real():
            return _NUMBER
        case Choice():
            return "|".join(key for key, _title in descriptor.options)
    return ".*"


def _read(descriptor: Param | None, text: str) -> Any:
    if isinstance(descriptor, Integer):
        return int(text)
    return float(text) if isinstance(descriptor, Real) else text


def models_of(settings: ArxSettings) -> tuple[tuple[PrivacyModel, ...], list[Loss]]:
    """Return the privacy models of a project, and what could not be taken over of them."""
    models, losses = [], []
    for words in settings.models:
        if words == INCLUSION:
            continue
        for model, lost in _models(words, settings):
            losses += lost
            if model is not None:
                models.append(model)
    return tuple(models), losses


def _models(words: str, settings: ArxSettings) -> Iterator[tuple[PrivacyModel | None, list[Loss]]]:
    is_known = False
    for entry in _TABLE:
        try:
            if (values := entry.stated(words)) is None:
                continue
            is_known = True
            parameters, losses = entry.read(values, settings, words)
            yield privacy_models.create(entry.key, **parameters), losses
        except (ParameterError, ValueError) as error:
            yield None, [_missing(words, str(getattr(error, "problem", error)).rstrip("."))]
    if not is_known:
        yield None, [_missing(words, _("this program has no such model"))]


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


def _k_map(stated: dict[str, Any], settings: ArxSettings, _words: str) -> Found:
    values = {"k": stated["k"]}
    if "estimator" not in stated:
        return values, []
    values["estimator"] = _ESTIMATORS[stated["estimator"]]
    losses = []
    stored = settings.criterion("KMap")
    significance = None if stored is None else stored.fields.get("significanceLevel")
    if isinstance(significance, float) and significance > 0:
        values["significance"] = significance
    else:
        losses.append(Loss(_("Significance of k-map"), _(_NOT_STATED), _("Check it; 0.01 is set.")))
    if stated["estimator"] == "POISSON":
        losses.append(
            Loss(
                _("Estimate of k-map"),
                _("ARX requires one record more per class than the significance level does"),
                _("Add k-anonymity to require as many as ARX{derived}.").format(
                    derived="" if stated["derived"] == "unknown" else f": {stated['derived']}"
                ),
            )
        )
    return values, losses


def _differential_privacy(values: dict[str, Any], settings: ArxSettings, _words: str) -> Found:
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


def _disclosure(values: dict[str, Any], _settings: ArxSettings, words: str) -> Found:
    delta = values["delta"] * math.log(2)
    why = _("ARX measures δ in bits; {delta} is the same in natural logarithms").format(
        delta=as_general(delta)
    )
    lost = Loss(_("δ of “{words}”").format(words=words), why, _("No action is needed."))
    return {**values, "delta": delta}, [lost]


def _records_at_risk(values: dict[str, Any], _settings: ArxSettings, _words: str) -> Found:
    why = _("ARX also counts records whose risk is exactly {risk}").format(
        risk=as_general(values["threshold"])
    )
    return values, [Loss(_("Records at risk"), why, _("Lower the threshold slightly to count them too."))]


def _profit(stated: dict[str, Any], settings: ArxSettings, _words: str) -> Found:
    values, losses = sums_of(settings, stated)
    return {**values, "attacker": stated["attacker"]}, losses


def _no_attack(stated: dict[str, Any], settings: ArxSettings, words: str) -> Found:
    values, losses = _profit(stated, settings, words)
    return {name: values[name] for name in ("gain", "cost", "attacker") if name in values}, losses


def sums_of(settings: ArxSettings, stated: Mapping[str, Any] | None = None) -> Found:
    """Return the sums of money of ARX, and a hint to check them if its file does not state them."""
    names = ("benefit", "loss", "gain", "cost")
    if stated and "benefit" in stated:
        return {name: float(stated[name]) for name in names}, []
    stored = settings.of_configuration("costBenefitConfiguration")
    if isinstance(stored, JavaObject):
        fields = ("publisherBenefit", "publisherLoss", "adversaryGain", "adversaryCost")
        sums = {name: plain(stored.fields.get(field)) for name, field in zip(names, fields, strict=True)}
        if all(isinstance(money, float) for money in sums.values()):
            return sums, []
    return {}, [Loss(_("Costs and benefits"), _(_NOT_STATED), _("Check the sums of money."))]


_RISK = r"-avg-reidentification-risk"
_TABLE = (
    _Words("k_anonymity", "{k}-anonymity"),
    _Words(
        "k_map",
        "({k})-map",
        r"\((?P<k>[0-9]+)\)-map"
        r"(?: estimated as \((?P<derived>-?[0-9]+|unknown)\)-anonymity "
        r"\((?P<estimator>POISSON|ZERO_TRUNCATED_POISSON)\))?",
        _k_map,
        lambda model: {"k": model.k} if model.estimator in ("table", *_ESTIMATORS.values()) else None,
    ),
    _Words("delta_presence", "({minimum},{maximum})-presence"),
    _Words("distinct_l_diversity", f"distinct-{{l}}-diversity{_COLUMN}"),
    _Words(
        "entropy_l_diversity",
        f"{{estimator}}-entropy-{{l}}-diversity{_COLUMN}",
        rf"(?:(?P<estimator>shannon|grassberger)-)?entropy-(?P<l>{_NUMBER})-diversity"
        r" for attribute '(?P<column>.*)'",
        lambda values, _settings, _words: ({"estimator": "shannon", **values}, []),
    ),
    _Words("recursive_c_l_diversity", f"recursive-({{c}},{{l}})-diversity{_COLUMN}"),
    _Words(
        "t_closeness",
        f"{{t}}-closeness with {{distance}} distance{_COLUMN}",
        write=lambda model: {"distance": "equal", **values_of(model)},
    ),
    _Words(
        "delta_disclosure",
        f"{{delta}}-disclosure privacy{_COLUMN}",
        read=_disclosure,
        write=lambda model: {**values_of(model), "delta": f"{model.delta / math.log(2):.6g}"},
    ),
    _Words("basic_beta_likeness", f"{{beta}}-basic likeness{_COLUMN}"),
    _Words("enhanced_beta_likeness", f"enhanced-{{beta}}-likeness{_COLUMN}"),
    _Words(
        "average_risk",
        f"({{threshold}}){_RISK}",
        rf"\((?P<threshold>{_NUMBER})(?:, {_NUMBER}, {_NUMBER})?\){_RISK}",
    ),
    _Words(
        "records_at_risk",
        form=rf"\({_NUMBER}, (?P<threshold>{_NUMBER}), (?P<share>{_NUMBER})\){_RISK}",
        read=_records_at_risk,
    ),
    _Words("sample_uniqueness", "({threshold})-sample-uniqueness"),
    _Words("population_uniqueness", "({threshold})-population-uniqueness ({estimator})"),
    _Words(
        "profitability",
        "profitability ({attacker})[benefit={benefit}, loss={loss}, gain={gain}, cost={cost}]",
        f"profitability {_ATTACKER}{_SUMS}",
        _profit,
    ),
    _Words("profitability_no_attack", form=f"no-attack-profitability {_ATTACKER}{_SUMS}", read=_no_attack),
    _Words("differential_privacy", "({epsilon},{delta})-DP", read=_differential_privacy),
)


def arx_words(model: PrivacyModel) -> str:
    """Return where ARX has a model, and its settings, in ARX's words; empty if ARX has none."""
    entry = next((entry for entry in _TABLE if entry.key == model.key), _Words(""))
    values = entry.write(model)
    return "" if values is None else entry.words.format_map(values)
