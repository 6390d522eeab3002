"""Recognition of the 18 HIPAA Safe Harbor identifiers by name and values of a column."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import ceil

from engine.hierarchies.names import is_about_postal_codes, is_about_years, words_of
from engine.qi_detection.safe_harbor import SafeHarbor, is_street, names_identifier
from engine.qi_detection.value_forms import FORMS, Form, has_form
from engine.records import Column, Kind
from engine.words import N_

SAMPLE = 400  # values looked at
MOST = 0.9  # share of them that must have a form
AGES = N_("ages over 89")
OLDEST = 89  # years; ages up to here may stay
ZIP_DIGITS = 3  # so many digits of a ZIP code may stay where enough people live
OWN_VALUES = N_("values that are different in every record")
_FEW_VALUES = 20
_RARE_BY_CHANCE = 1e-3  # a form is not believed where as many values have it by chance with this probability
_BOTH, _VALUES, _NAME, _UNIQUE = 0.97, 0.92, 0.7, 0.6  # confidence by what speaks for it


@dataclass(frozen=True, slots=True)
class HipaaMatch:
    """An identifier that a column seems to hold.

    Attributes
    ----------
    by_name, by_values : bool
        What speaks for it.
    share : float
        Share of the records with a value looked at whose value has its form; 0 if none can be checked.
    confidence : float
        From 0, a guess, to 1.
    form : str
        What the values look like, in English words marked for translation; empty where only the
        name speaks for it.
    is_direct : bool
        Whether it identifies a person by itself, unlike a date or a town.
    """

    identifier: SafeHarbor
    by_name: bool
    by_values: bool
    share: float
    confidence: float
    form: str = ""
    is_direct: bool = True

    @property
    def text(self) -> str:
        """The identifier as people read it."""
        return f"{self.identifier.title} ({self.identifier.value})"


def hipaa_match(column: Column, n_records: int) -> HipaaMatch | None:
    """Return which of the 18 identifiers a column seems to contain; None if none.

    Parameters
    ----------
    n_records : int
        Of the table; a number or text of which each record has its own is an identifier (R).

    Notes
    -----
    Not everything the rule names can be seen: names of people are found by the name of the column only,
    and free text may mention anything. Postal codes of three digits, years and ages up to 89 are no
    identifiers of the rule.
    """
    named = names_identifier(column.name)
    values = sampled(column)
    form, share = _form_of(column, values, named)
    if form is not None:
        is_named = named is form.identifier or (
            named is SafeHarbor.FAX and form.identifier is SafeHarbor.TELEPHONE
        )
        identifier = named if is_named and named is not None else form.identifier
        confidence = _BOTH if is_named else _VALUES
        return HipaaMatch(
            identifier, is_named, True, share, confidence, form.title, _is_direct(identifier, form.title)
        )
    match named:
        case SafeHarbor.DATES | None:
            return _by_age(column) or _by_kind(column, named) or _by_count(column, n_records)
        case SafeHarbor.GEOGRAPHY:
            return _by_place(column, values)
        case SafeHarbor.NAMES if column.data_type.kind is not Kind.TEXT:
            return None
    if named is not SafeHarbor.NAMES and _is_category(column, n_records):
        return None
    if named is not SafeHarbor.NAMES and _is_unique(column, n_records):
        return HipaaMatch(named, True, True, 1.0, _BOTH, OWN_VALUES)
    return HipaaMatch(named, True, False, 0.0, _NAME)


def _is_category(column: Column, n_records: int) -> bool:
    """Return whether few values cover many records, such as "has a licence: yes or no"."""
    n_values = len(column.labels)
    return n_values <= 2 or (n_values <= _FEW_VALUES and n_values * 10 <= n_records)


def sampled(column: Column) -> list[str]:
    """An even sample of the different values, missing left out."""
    values = column.known_labels
    return list(values[:: max(1, len(values) // SAMPLE)][:SAMPLE])


def _share_of_records(column: Column, has_form: Callable[[str], bool]) -> float:
    """Return the share of records with a form, among records with a value of the sample."""
    n_values = len(column.labels) - column.has_missing
    counts = column.counts[: n_values : max(1, n_values // SAMPLE)][:SAMPLE]
    return float(counts[[has_form(text) for text in sampled(column)]].sum() / counts.sum())


def _form_of(column: Column, values: list[str], named: SafeHarbor | None) -> tuple[Form | None, float]:
    """The form that nearly all values have, and how many."""
    if not values or column.data_type.kind in (Kind.DATE, Kind.BOOLEAN, Kind.ORDERED, Kind.DECIMAL):
        return None, 0.0
    for form in FORMS:
        if form.identifier is SafeHarbor.DATES and is_about_years(column.name):
            continue
        n_matching = _n_matching(form, values)
        if n_matching and (named is form.identifier or form.by_chance**n_matching < _RARE_BY_CHANCE):
            return form, _share_of_records(column, partial(has_form, form))
    return None, 0.0


def _n_matching(form: Form, values: list[str]) -> int:
    """Return the number of values with a form; 0 as soon as too few can have it."""
    n_allowed = len(values) - ceil(MOST * len(values))
    n_other = 0
    for text in values:
        if not has_form(form, text):
            n_other += 1
            if n_other > n_allowed:
                return 0
    return len(values) - n_other


def _by_age(column: Column) -> HipaaMatch | None:
    """Return whether ages identify: only if someone is older than 89."""
    if "age" not in words_of(column.name) and not is_about_years(column.name):
        return None
    is_number = column.numbers == column.numbers  # not nan
    numbers, counts = column.numbers[is_number], column.counts[is_number]
    if column.data_type.is_numeric and len(numbers) and OLDEST < numbers.max() <= 130 and numbers.min() >= 0:
        share = float(counts[numbers > OLDEST].sum() / counts.sum())
        return HipaaMatch(SafeHarbor.DATES, True, True, share, _BOTH, AGES, False)
    return None


def _by_kind(column: Column, named: SafeHarbor | None) -> HipaaMatch | None:
    """Dates, unless their format has no more than the year; a name alone is not enough for years."""
    if column.data_type.kind is Kind.DATE:
        if not any(part in column.data_type.format for part in ("%d", "%m", "%b", "%B", "%j")):
            return None
        is_named = named is SafeHarbor.DATES
        return HipaaMatch(SafeHarbor.DATES, is_named, True, 1.0, _BOTH, "dates", False)
    if named is SafeHarbor.DATES and not is_about_years(column.name) and not _are_years(column):
        return HipaaMatch(SafeHarbor.DATES, True, False, 0.0, _NAME, "", False)
    return None


def _are_years(column: Column) -> bool:
    values = sampled(column)
    return all(len(text) == 4 and text.isdigit() for text in values)


def _by_count(column: Column, n_records: int) -> HipaaMatch | None:
    """A number or text of which every record has its own."""
    if _is_unique(column, n_records) and not is_about_years(column.name):
        return HipaaMatch(SafeHarbor.OTHER, False, True, 1.0, _UNIQUE, OWN_VALUES)
    return None


def _is_unique(column: Column, n_records: int) -> bool:
    """Return whether every record has a different text or whole number; measurements do not count."""
    if len(column.labels) != n_records or n_records < 10 or column.has_missing:
        return False
    kind = column.data_type.kind
    is_whole = kind is Kind.DECIMAL and bool((column.numbers == column.numbers.round()).all())
    return kind in (Kind.TEXT, Kind.INTEGER) or is_whole


def _by_place(column: Column, values: list[str]) -> HipaaMatch | None:
    """Places by the name of the column; postal codes may stay to their first three digits."""
    is_home = is_street(column.name)
    if is_about_postal_codes(column.name) and not is_home:
        digits = [sum(c.isdigit() for c in text) for text in values]
        if (
            digits
            and max(digits) <= ZIP_DIGITS
            and all(set(text) <= set("0123456789*xX ") for text in values)
        ):
            return None
        n_long, share = sum(n > ZIP_DIGITS for n in digits), 0.0
        if digits:
            share = _share_of_records(column, lambda text: sum(c.isdigit() for c in text) > ZIP_DIGITS)
        form = N_("postal codes") if digits and n_long >= MOST * len(digits) else ""
        return HipaaMatch(
            SafeHarbor.GEOGRAPHY, True, bool(form), share, _BOTH if form else _NAME, form, False
        )
    return HipaaMatch(SafeHarbor.GEOGRAPHY, True, False, 0.0, _NAME, "", is_home)


def _is_direct(identifier: SafeHarbor, form: str) -> bool:
    if identifier is SafeHarbor.GEOGRAPHY:
        return form in ("street addresses", "coordinates of places")
    return identifier is not SafeHarbor.DATES
