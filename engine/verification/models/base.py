"""Verifier of a privacy model, and a model with its claimed parameters."""

from __future__ import annotations

import importlib
import importlib.util
import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from engine.verification.claims import ModelClaim, ReleaseClaim
from engine.verification.findings import UnverifiableError
from engine.verification.plugged import plugged_judge, plugged_judges
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


@dataclass(frozen=True)
class Known:
    """Distributions and counts that models compare classes with.

    Attributes
    ----------
    n_counted : int
        Persons of the original if persons count, else records.
    people : Fraction or None
        Size of the population.
    n_leaves : int
        Combinations of values that the labels of a class can cover.
    weight_of : mapping of int to Fraction
        Survey weights by their codes.
    """

    n_counted: int
    people: Fraction | None = None
    n_leaves: int = 1
    weight_of: Mapping[int, Fraction] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class ModelVerifier:
    """Declaration and check of a privacy model; a file `<key>.py` defines it as `VERIFIER`.

    Conditions are SQL, with parameters by name in braces. `quotient(a, b)` is the double that is nearest to
    a / b, `log_ratio(a, b)` the natural logarithm of a / b, without loss of digits if they are nearly equal.

    Attributes
    ----------
    title : str
        Title with parameters by name in braces.
    threshold : str
        Name of the parameter that is the threshold.
    words, counts, reals
        Names of further parameters: words with their valid values, integers, and other numbers.
    class_met : str or callable
        Condition of the columns of a class: its `size`, in persons if persons count, else in records, and
        `people`, persons of the population with its labels. A callable returns it for a model.
    values_met : str or callable
        Condition of the values of a sensitive column in a class, with aggregates of `n`, `holders`, `size`,
        `mass` and `whole`, as `engine.verification.classes.Parts` has them, and its words in braces.
    reads : callable
        Returns what `met` reads of a class: `size`, `people`, `weights` (pairs of the code of a survey
        weight and its number of records), `covered` (values below each label).
    met : callable, optional
        Returns whether a class meets the model by these, which SQL cannot compute.
    table_wide : callable, optional
        Returns whether the kept records together meet the model; None if rounding leaves it open.
    sets : callable, optional
        Returns the sets of columns that attackers know, given the parameters and all quasi-identifiers; rows
        that agree in the columns of a set then must meet both conditions.
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
    class_met: str | Callable[[Model], str] = ""
    values_met: str | Callable[[Model], str] = ""
    reads: Callable[[Model], Sequence[str]] = lambda model: ()
    met: Callable[..., bool] | None = None
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

    def holds(self, kept: KeptPeople) -> bool | None:
        """Return whether the kept classes together meet the model; None if rounding leaves it open.

        True if no record is kept.
        """
        assert self.verifier.table_wide is not None, "asked of models of a whole"
        return self.verifier.table_wide(self, kept) if kept.persons else True

    @property
    def distance(self) -> str:
        """Distance of t-closeness; empty for other models."""
        return self.words.get("distance", "")

    def condition(self, of: str | Callable[[Model], str], words: Mapping[str, str]) -> str:
        """Return a condition of the verifier with parameters and further words; empty if there is none."""
        text = of if isinstance(of, str) else of(self)
        reals = {self.verifier.threshold: self.threshold, **self.reals}
        doubles = {name: f"{float(number)!r}::DOUBLE" for name, number in reals.items()}
        return text.format_map({**doubles, **self.counts, **words})


def verifier_of(key: str) -> ModelVerifier:
    """Return the verifier of a model by the model's key; for a model of a plug-in, from the plug-in.

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
    names: Collection[str],
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
    column = str(typed.get("column")) if verifier.values_met else ""
    if verifier.sets is not None:
        column = str(typed.get("column") or "")
        for name in typed.get("known", ()):
            if name not in names:
                raise UnverifiableError(_("The original has no column '{name}'.").format(name=name))
    if column and (column not in sensitive or column not in names):
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
