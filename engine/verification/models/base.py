"""How a file is judged by a privacy model: what its judge declares, and the model as it is claimed."""

from __future__ import annotations

import importlib
import importlib.util
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import pandas as pd

from engine.verification.claims import ModelClaim
from engine.verification.classes import Classes, Reference
from engine.verification.findings import UnjudgeableError
from engine.verification.population import PopulationClasses
from engine.words import Translated, _

_LARGEST = Fraction(10**18)  # above any count and ratio, and floats have an end


@dataclass(frozen=True)
class KeptPeople:
    """The kept records, for judges that look at them as a whole.

    Attributes
    ----------
    sizes : mapping of int to int
        Number of kept classes by size.
    least : mapping of int to int
        How many persons have a class of each size as the smallest they are in.
    people : Fraction or None
        Size of the population, if it is known.
    """

    sizes: Mapping[int, int]
    least: Mapping[int, int]
    people: Fraction | None = None

    @property
    def persons(self) -> int:
        """How many persons have a kept record."""
        return sum(self.least.values())


@dataclass(frozen=True, kw_only=True)
class Judge:
    """What a model asks for, and one function that says what meets it; a file `<key>.py` holds it as `JUDGE`.

    Attributes
    ----------
    title : str
        In words, with parameters by name in braces.
    threshold : str
        Name of the parameter that is the threshold.
    words, counts, reals
        Names of further parameters: words with those that are known, whole numbers, and other numbers.
    by_values : callable, optional
        Which classes meet it by the values of its sensitive column, given the column's reference.
    by_size : callable, optional
        Which classes meet it by their sizes.
    by_population : callable, optional
        Which classes meet it by the population; given the codes of their labels, and how many records or
        persons the input has.
    whole : callable, optional
        Whether the kept records meet it together; None where rounding leaves it open.
    wants_everybody : callable
        Whether it asks beside that all of the population is in kept classes.
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
    whole: Callable[[Model, KeptPeople], bool | None] | None = None
    wants_everybody: Callable[[Model], bool] = lambda model: False


@dataclass(frozen=True)
class Model:
    """A model with its threshold as an exact fraction, and its further parameters by name."""

    key: str
    judge: Judge
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
        return self.judge.whole is not None

    def holds(self, classes: Classes, people: Fraction | None) -> bool | None:
        """Whether kept classes meet it together; None where rounding leaves it open."""
        counted = classes.sizes.value_counts()
        sizes = dict(zip(map(int, counted.index.tolist()), map(int, counted.tolist()), strict=True))
        return self.holds_of(KeptPeople(sizes, classes.by_least_class(), people))

    def holds_of(self, kept: KeptPeople) -> bool | None:
        """The same of persons that are counted; where nobody is kept it holds."""
        assert self.judge.whole is not None, "asked of models of a whole"
        return self.judge.whole(self, kept) if kept.persons else True

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
        if len(classes) and self.judge.by_size is not None:
            return self.judge.by_size(self, classes)
        if not len(classes) or self.judge.by_values is None:
            return classes.sizes >= 1
        parts = classes.split_by(values.drop(columns=self.column)) if others_as_qi else classes
        met = self.judge.by_values(self, parts, values[self.column], references[self.column])
        if others_as_qi:
            met = classes.where_all(parts, met)
        return met & (classes.sizes >= self.counts["k"]) if "k" in self.counts else met


def judge_of(key: str) -> Judge:
    """The judge of a model, by the model's key.

    Raises
    ------
    UnjudgeableError
        There is none.
    """
    name = f"{__package__}.{key}"
    if not key.isidentifier() or key == "base" or importlib.util.find_spec(name) is None:
        raise UnjudgeableError(_("Unknown model '{key}'.").format(key=key))
    judge: Judge = importlib.import_module(name).JUDGE
    return judge


def model_of(
    claim: ModelClaim, sensitive: Sequence[str], original: pd.DataFrame, order_types: Mapping[str, object]
) -> Model:
    """Understand a claimed model.

    Raises
    ------
    UnjudgeableError
        If the model is unknown, or lacks a column or a parameter that makes sense.
    """
    judge, typed = judge_of(claim.key), dict(claim.parameters)
    threshold = min(fraction(typed.get(judge.threshold), f"the {judge.threshold} of {claim.key}"), _LARGEST)
    column = str(typed.get("column")) if judge.by_values is not None else ""
    if column and (column not in sensitive or column not in original.columns):
        raise UnjudgeableError(
            _("The model '{key}' uses '{column}', which is not a sensitive column.").format(
                key=claim.key, column=column
            )
        )
    usual = {"distance": usual_distance(column, order_types), "estimator": "shannon"}
    words = {name: str(typed.get(name) or usual[name]) for name in judge.words}
    reals = {name: fraction(typed.get(name), f"the {name} of {claim.key}") for name in judge.reals}
    for name, word in words.items():
        if word not in judge.words[name]:
            raise UnjudgeableError(
                _("Unknown {name} '{word}' of '{column}'.").format(name=name, word=word, column=column)
            )
    counts = {
        name: math.ceil(min(fraction(typed.get(name), f"the {name} of {claim.key}"), _LARGEST))
        for name in judge.counts
    }
    title = judge.title.format_map(typed | words)
    return Model(claim.key, judge, threshold, title, column, words, counts, reals, claim.holds)


def at_most(share: Fraction, bound: Fraction) -> bool:
    """Whether a share is at most a bound, both as the nearest doubles."""
    return float(share) <= float(bound)


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
        raise UnjudgeableError(
            _("Invalid number {typed!r} for {what}.").format(what=what, typed=typed)
        ) from None
    if number < 0:
        raise UnjudgeableError(
            _("Invalid number {typed!r} for {what}: it is below 0.").format(what=what, typed=typed)
        )
    return number
