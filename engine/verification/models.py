"""The privacy models the judge knows: which classes meet one, and what they are called."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import pandas as pd

from engine.verification.claims import ModelClaim
from engine.verification.classes import Classes, Reference
from engine.verification.findings import UnjudgeableError
from engine.verification.spreads import (
    disclosure_at_most,
    gains_at_most,
    grassberger_at_least,
    largest_share_at_most,
    shannon_at_least,
    tail_ratio_below,
)
from engine.verification.whole import WHOLE, at_most, holds

DISTANCES = ("equal", "ordered", "hierarchical")
_LARGEST = Fraction(10**18)  # above any count and ratio, and floats have an end


@dataclass(frozen=True)
class _Kind:
    """What a model asks for: its title, the name of its threshold, and its further parameters."""

    title: str
    threshold: str
    words: Mapping[str, Sequence[str]] = field(default_factory=dict)
    counts: tuple[str, ...] = ()
    reals: tuple[str, ...] = ()
    of_column: bool = True


_KINDS = {
    "k_anonymity": _Kind("k-anonymity with k = {k}", "k", of_column=False),
    "alpha_k_anonymity": _Kind(
        "(alpha, k)-anonymity of '{column}' with alpha = {alpha}, k = {k}", "alpha", counts=("k",)
    ),
    "distinct_l_diversity": _Kind("distinct l-diversity of '{column}' with l = {l}", "l"),
    "entropy_l_diversity": _Kind(
        "entropy l-diversity of '{column}' with l = {l} ({estimator})",
        "l",
        words={"estimator": ("shannon", "grassberger")},
    ),
    "recursive_c_l_diversity": _Kind(
        "recursive (c, l)-diversity of '{column}' with c = {c}, l = {l}", "c", counts=("l",)
    ),
    "t_closeness": _Kind(
        "t-closeness of '{column}' with t = {t} ({distance} distance)", "t", words={"distance": DISTANCES}
    ),
    "basic_beta_likeness": _Kind("basic beta-likeness of '{column}' with beta = {beta}", "beta"),
    "enhanced_beta_likeness": _Kind("enhanced beta-likeness of '{column}' with beta = {beta}", "beta"),
    "highest_risk": _Kind("highest risk of {threshold}", "threshold", of_column=False),
    "average_risk": _Kind("average risk of {threshold}", "threshold", of_column=False),
    "records_at_risk": _Kind(
        "at most {share} of the records with a risk above {threshold}",
        "share",
        reals=("threshold",),
        of_column=False,
    ),
    "sample_uniqueness": _Kind("at most {threshold} of the records unique", "threshold", of_column=False),
    "population_uniqueness": _Kind(
        "at most {threshold} of the population unique ({estimator})",
        "threshold",
        words={"estimator": ("dankar", "pitman", "zayatz", "snb")},
        of_column=False,
    ),
    "k_map": _Kind(
        "k-map with k = {k} ({estimator})",
        "k",
        words={"estimator": ("table", "poisson", "zero_truncated_poisson")},
        reals=("significance",),
        of_column=False,
    ),
    "delta_presence": _Kind(
        "delta-presence from {minimum} to {maximum}", "maximum", reals=("minimum",), of_column=False
    ),
    "delta_disclosure": _Kind("delta-disclosure privacy of '{column}' with delta = {delta}", "delta"),
}


@dataclass(frozen=True)
class Model:
    """A model with its threshold as an exact fraction, and its further parameters by name."""

    key: str
    threshold: Fraction
    title: str
    column: str = ""
    words: Mapping[str, str] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    reals: Mapping[str, Fraction] = field(default_factory=dict)
    is_said_to_hold: bool = True  # of the kept records as a whole, where classes alone do not decide

    @property
    def is_whole(self) -> bool:
        """Whether it judges the kept records as a whole; then every class meets it by itself."""
        return self.key in WHOLE

    def holds(self, classes: Classes, people: Fraction | None) -> bool | None:
        """Whether kept classes meet it together; None where rounding leaves it open."""
        counted = classes.sizes.value_counts()
        sizes = dict(zip(map(int, counted.index.tolist()), map(int, counted.tolist()), strict=True))
        return holds(
            self.key,
            self.threshold,
            sizes,
            least=classes.by_least_class(),
            risk=self.reals.get("threshold"),
            estimator=self.words.get("estimator", ""),
            people=people,
        )

    @property
    def distance(self) -> str:
        """The distance it compares by; empty for other models than t-closeness."""
        return self.words.get("distance", "")

    def met_by(
        self,
        classes: Classes,
        values: pd.DataFrame,
        references: Mapping[str, Reference],
        *,
        others_as_qi: bool = False,
    ) -> pd.Series[bool]:
        """Whether each class meets the model, `values` being the sensitive codes of the same records.

        Where others are quasi-identifying too, a class meets it if all its parts that are alike in the
        other sensitive columns do; its size stays that of the whole.
        """
        if not len(classes) or self.is_whole:
            return classes.sizes >= 1
        if self.key == "highest_risk":
            return classes.sizes.map(lambda size: at_most(Fraction(1, int(size)), self.threshold)).astype(
                bool
            )
        if self.key == "k_anonymity":
            return classes.sizes >= math.ceil(self.threshold)
        parts = classes.split_by(values.drop(columns=self.column)) if others_as_qi else classes
        met = self._met_by_values(parts, values, references)
        if others_as_qi:
            met = classes.where_all(parts, met)
        return met & (classes.sizes >= self.counts["k"]) if "k" in self.counts else met

    def _met_by_values(
        self, classes: Classes, values: pd.DataFrame, references: Mapping[str, Reference]
    ) -> pd.Series[bool]:
        own, reference, bound = values[self.column], references[self.column], self.threshold
        match self.key:
            case "alpha_k_anonymity":
                return largest_share_at_most(classes, own, bound)
            case "distinct_l_diversity":
                return classes.diversity(own) >= math.ceil(bound)
            case "entropy_l_diversity":
                is_shannon = self.words["estimator"] == "shannon"
                return (shannon_at_least if is_shannon else grassberger_at_least)(classes, own, bound)
            case "recursive_c_l_diversity":
                return tail_ratio_below(classes, own, bound, self.counts["l"])
            case "t_closeness":
                return classes.distances(own, reference, self.distance).at_most(bound)
            case "basic_beta_likeness" | "enhanced_beta_likeness":
                is_capped = self.key == "enhanced_beta_likeness"
                return gains_at_most(classes, own, reference, bound, capped=is_capped)
            case _:
                return disclosure_at_most(classes, own, reference, bound)


def model_of(
    claim: ModelClaim, sensitive: Sequence[str], original: pd.DataFrame, order_types: Mapping[str, object]
) -> Model:
    """Understand a claimed model.

    Raises
    ------
    UnjudgeableError
        If the model is unknown, or lacks a column or a parameter that makes sense.
    """
    if claim.key not in _KINDS:
        raise UnjudgeableError(f"The model '{claim.key}' cannot be judged.")
    kind, typed = _KINDS[claim.key], dict(claim.parameters)
    threshold = min(fraction(typed.get(kind.threshold), f"the {kind.threshold} of {claim.key}"), _LARGEST)
    column = str(typed.get("column")) if kind.of_column else ""
    if column and (column not in sensitive or column not in original.columns):
        raise UnjudgeableError(f"The model '{claim.key}' speaks of '{column}', which is no sensitive column.")
    usual = {"distance": usual_distance(column, order_types), "estimator": "shannon"}
    words = {name: str(typed.get(name) or usual[name]) for name in kind.words}
    reals = {name: fraction(typed.get(name), f"the {name} of {claim.key}") for name in kind.reals}
    for name, word in words.items():
        if word not in kind.words[name]:
            raise UnjudgeableError(f"The {name} '{word}' of '{column}' cannot be judged.")
    counts = {
        name: math.ceil(min(fraction(typed.get(name), f"the {name} of {claim.key}"), _LARGEST))
        for name in kind.counts
    }
    title = kind.title.format_map(typed | words)
    return Model(claim.key, threshold, title, column, words, counts, reals, claim.holds)


def usual_distance(column: str, order_types: Mapping[str, object]) -> str:
    """The distance of a column where none is named."""
    return "ordered" if column in order_types else "equal"


def fraction(typed: object, what: str) -> Fraction:
    """A number exactly as typed; a float counts as its shortest decimal.

    Raises
    ------
    UnjudgeableError
        If it is no number, or below 0.
    """
    try:
        number = Fraction(str(typed))
    except (ValueError, ZeroDivisionError):
        raise UnjudgeableError(f"As {what}, {typed!r} is no number.") from None
    if number < 0:
        raise UnjudgeableError(f"As {what}, {typed!r} is below 0.")
    return number
