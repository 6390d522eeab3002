"""Verifier of a privacy model, and a model with its claimed parameters."""

from __future__ import annotations

import importlib
import importlib.util
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import pandas as pd

from engine.verification.claims import ModelClaim, ReleaseClaim
from engine.verification.classes import Classes, Ratios, Reference
from engine.verification.findings import UnverifiableError
from engine.verification.information import LabelLeaves
from engine.verification.plugged import plugged_judge, plugged_judges
from engine.verification.population import PopulationClasses
from engine.words import Translated, _

_LARGEST = Fraction(10**18)  # above any count and ratio, and within the range of floats


@dataclass(frozen=True)
class KeptPeople:
    """Kept records, for models of the whole release.

    Attributes
    ----------
    sizes : mapping of int to int
        Number of kept classes by size.
    least : mapping of int to int
        Number of persons by the size of the smallest class that each is in.
    people : Fraction or None
        Size of the population, if it is known.
    """

    sizes: Mapping[int, int]
    least: Mapping[int, int]
    people: Fraction | None = None

    @property
    def persons(self) -> int:
        """Number of persons with a kept record."""
        return sum(self.least.values())


@dataclass(frozen=True, kw_only=True)
class ModelVerifier:
    """Declaration and check of a privacy model; a file `<key>.py` defines it as `VERIFIER`.

    Attributes
    ----------
    title : str
        Title with parameters by name in braces.
    threshold : str
        Name of the parameter that is the threshold.
    words, counts, reals
        Names of further parameters: words with their valid values, integers, and other numbers.
    by_values : callable, optional
        Returns which classes meet the model by the values of its sensitive column, given its reference.
    by_size : callable, optional
        Returns which classes meet the model by their sizes.
    by_population : callable, optional
        Returns which classes meet the model by the population, given the codes of their labels and the
        number of records or persons of the input.
    by_weights : callable, optional
        Returns which classes meet the model, given the sums of the weights of their records.
    by_labels : callable, optional
        Returns which classes meet the model by the leaves of their labels and the population, given the codes
        of the labels.
    table_wide : callable, optional
        Returns whether the kept records together meet the model; None if rounding leaves it open.
    sets : callable, optional
        Returns the sets of columns that attackers know, given the parameters and all quasi-identifiers;
        groups by each set must have `threshold` records, `l` distinct values, and no value with a share above
        `confidence`.
    needs_all_members : callable
        Returns whether the model also requires the entire population in kept classes.
    unmet : callable
        Returns what the model requires of a claim and its released columns, besides classes, and is not met.
    unchecked : callable
        Returns what the model assumes and no file can show, as sentences.
    """

    title: str = Translated(None)  # type: ignore[assignment]
    threshold: str
    words: Mapping[str, Sequence[str]] = field(default_factory=dict)
    counts: tuple[str, ...] = ()
    reals: tuple[str, ...] = ()
    by_values: Callable[[Model, Classes, pd.Series[int], Reference], pd.Series[bool]] | None = None
    by_size: Callable[[Model, Classes], pd.Series[bool]] | None = None
    by_population: (
        Callable[[Model, PopulationClasses, Classes, pd.DataFrame, int], pd.Series[bool]] | None
    ) = None
    by_weights: Callable[[Model, Classes, Sequence[Fraction]], pd.Series[bool]] | None = None
    by_labels: (
        Callable[[Model, LabelLeaves, PopulationClasses, Classes, pd.DataFrame], pd.Series[bool]] | None
    ) = None
    table_wide: Callable[[Model, KeptPeople], bool | None] | None = None
    sets: Callable[[Mapping[str, Any], Sequence[str]], Sequence[tuple[str, ...]]] | None = None
    needs_all_members: Callable[[Model], bool] = lambda model: False
    unmet: Callable[[Model, ReleaseClaim, Sequence[str]], Iterable[str]] = lambda model, claim, released: ()
    unchecked: Callable[[Model], tuple[str, ...]] = lambda model: ()


@dataclass(frozen=True)
class Model:
    """Model with its threshold as an exact fraction, and further parameters by name."""

    key: str
    verifier: ModelVerifier
    threshold: Fraction
    title: str
    column: str = ""
    words: Mapping[str, str] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    reals: Mapping[str, Fraction] = field(default_factory=dict)
    parameters: Mapping[str, Any] = field(default_factory=dict)
    values: tuple[int, ...] = ()  # codes of the values whose share is limited; all if empty
    is_said_to_hold: bool = True  # claimed of the whole release, if classes alone do not decide

    @property
    def is_table_wide(self) -> bool:
        """Return whether it is a model of the whole release, which every single class meets."""
        return self.verifier.table_wide is not None

    @property
    def reads_weights(self) -> bool:
        """Return whether the weights of records decide."""
        is_estimated = "estimator" in self.words and self.words["estimator"] != "weights"
        return self.verifier.by_weights is not None and not is_estimated

    def holds(self, classes: Classes, people: Fraction | None) -> bool | None:
        """Return whether the kept classes together meet the model; None if rounding leaves it open."""
        counted = classes.sizes.value_counts()
        sizes = dict(zip(map(int, counted.index.tolist()), map(int, counted.tolist()), strict=True))
        return self.holds_of(KeptPeople(sizes, classes.by_least_class(), people))

    def holds_of(self, kept: KeptPeople) -> bool | None:
        """Return the same for given class sizes; true if no record is kept."""
        assert self.verifier.table_wide is not None, "asked of models of a whole"
        return self.verifier.table_wide(self, kept) if kept.persons else True

    @property
    def distance(self) -> str:
        """Distance of t-closeness; empty for other models."""
        return self.words.get("distance", "")

    def met_by(
        self,
        classes: Classes,
        values: pd.DataFrame,
        references: Mapping[str, Reference],
        labels: pd.DataFrame,
        *,
        others_as_qi: bool = False,
    ) -> pd.Series[bool]:
        """Return whether each class meets the model; `values` are the sensitive codes of the same records,
        and `labels` the codes of their labels.

        With `others_as_qi`, a class meets it if all its parts that agree in the other sensitive columns
        do; its size is still that of the class.
        """
        if len(classes) and self.verifier.sets is not None:
            met = classes.sizes >= 1
            for columns in self.verifier.sets(self.parameters, list(labels.columns)):
                known = classes.known_by(labels[list(columns)])
                met &= classes.where_all(known, self._met_by_known(known, values, others_as_qi=others_as_qi))
            return met
        if len(classes) and self.verifier.by_size is not None:
            return self.verifier.by_size(self, classes)
        if not len(classes) or self.verifier.by_values is None:
            return classes.sizes >= 1
        parts = classes.split_by(values.drop(columns=self.column)) if others_as_qi else classes
        met = self.verifier.by_values(self, parts, values[self.column], references[self.column])
        if others_as_qi:
            met = classes.where_all(parts, met)
        return met & (classes.sizes >= self.counts["k"]) if "k" in self.counts else met

    def _met_by_known(self, classes: Classes, values: pd.DataFrame, *, others_as_qi: bool) -> pd.Series[bool]:
        """Return whether each class of an attacker is large enough, with sensitive values as required."""
        met = classes.sizes >= math.ceil(self.threshold)
        if not self.column:
            return met
        parts = classes.split_by(values.drop(columns=self.column)) if others_as_qi else classes
        own = values[self.column]
        right = parts.diversity(own) >= self.counts["l"]
        shares = Ratios(parts.most_holders(own, self.values), parts.sizes)
        right &= shares.at_most(self.reals["confidence"])
        return met & (classes.where_all(parts, right) if others_as_qi else right)


def verifier_of(key: str) -> ModelVerifier:
    """Return the verifier of a model by the model's key; that of a model of a plug-in is the plug-in's own.

    Raises
    ------
    UnverifiableError
        The key is unknown, or its plug-in offers no verifier.
    """
    if is_own(key):
        verifier: ModelVerifier = importlib.import_module(f"{__package__}.{key}").VERIFIER
    else:
        verifier = plugged_judge(key, is_own, ModelVerifier)
    return verifier


def plugged_verifiers() -> Mapping[str, ModelVerifier]:
    """Return the verifiers of all plug-ins by the key of their model."""
    return plugged_judges(is_own, ModelVerifier)


def is_own(key: str) -> bool:
    """Return whether the program itself has the verifier of a model."""
    return (
        key.isidentifier() and key != "base" and importlib.util.find_spec(f"{__package__}.{key}") is not None
    )


def model_of(
    claim: ModelClaim,
    sensitive: Sequence[str],
    original: pd.DataFrame,
    order_types: Mapping[str, object],
    code_of: Callable[[str, str], int] | None = None,
) -> Model:
    """Return a claimed model with its parameters checked.

    `code_of` gives the code of a value, by its column and text.

    Raises
    ------
    UnverifiableError
        If the model is unknown, or its column or a parameter is missing or invalid.
    """
    verifier, typed = verifier_of(claim.key), dict(claim.parameters)
    threshold = min(
        fraction(typed.get(verifier.threshold), f"the {verifier.threshold} of {claim.key}"), _LARGEST
    )
    column = str(typed.get("column")) if verifier.by_values is not None else ""
    if verifier.sets is not None:
        column = str(typed.get("column") or "")
        for name in typed.get("known", ()):
            if name not in original.columns:
                raise UnverifiableError(_("The original has no column '{name}'.").format(name=name))
    if column and (column not in sensitive or column not in original.columns):
        raise UnverifiableError(
            _("The model '{key}' uses '{column}', which is not a sensitive column.").format(
                key=claim.key, column=column
            )
        )
    usual = {"distance": usual_distance(column, order_types), "estimator": "shannon", "exact": "False"}
    words = {name: str(typed.get(name) or usual[name]) for name in verifier.words}
    reals = {name: fraction(typed.get(name), f"the {name} of {claim.key}") for name in verifier.reals}
    for name, word in words.items():
        if word not in verifier.words[name]:
            raise UnverifiableError(
                _("Unknown {name} '{word}' of '{column}'.").format(name=name, word=word, column=column)
            )
    counts = {
        name: math.ceil(min(fraction(typed.get(name), f"the {name} of {claim.key}"), _LARGEST))
        for name in verifier.counts
    }
    values: tuple[int, ...] = ()
    if verifier.sets is not None and typed.get("values") and code_of is not None:
        values = tuple(code_of(column, text) for text in typed["values"])
    listed = {
        name: ", ".join(entry) or _("all") for name, entry in typed.items() if isinstance(entry, list | tuple)
    }
    return Model(
        claim.key,
        verifier,
        threshold,
        verifier.title.format_map(typed | words | listed),
        column,
        words,
        counts,
        reals,
        typed,
        values,
        claim.holds,
    )


def at_most(share: Fraction, bound: Fraction) -> bool:
    """Return whether a share is at most a bound, both as the nearest doubles."""
    return float(share) <= float(bound)


def usual_distance(column: str, order_types: Mapping[str, object]) -> str:
    """Return the default distance of a column."""
    return "ordered" if column in order_types else "equal"


def fraction(typed: object, what: str) -> Fraction:
    """Return a number exactly as typed; a float counts as its shortest decimal.

    Raises
    ------
    UnverifiableError
        If the text is not a number, or below 0.
    """
    try:
        number = Fraction(str(typed))
    except (ValueError, ZeroDivisionError):
        raise UnverifiableError(
            _("Invalid number {typed!r} for {what}.").format(what=what, typed=typed)
        ) from None
    if number < 0:
        raise UnverifiableError(
            _("Invalid number {typed!r} for {what}: it is below 0.").format(what=what, typed=typed)
        )
    return number
