"""Suggest a role for every column from its name, its type and its values, each with the reason."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from engine.hierarchies.names import is_about_postal_codes, words_of
from engine.table import Column, Kind, Role, Table

_SAMPLE = 400  # values looked at where their form matters
_MOST = 0.9  # share of the sample that must have the form
_FEW_VALUES = 60  # so many values people can still know of each other
_LONG_TEXT = 40  # characters from which texts are taken for free text

_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
_PHONE = re.compile(r"\+?(?=(?:\D*\d){7,15}\D*$)[\d\s()/.-]*[\s()/-][\d\s()/.-]*")
_IDENTIFIER_WORDS = {
    "id", "ids", "identifier", "uuid", "guid", "ssn", "passport", "iban", "mrn", "nhs", "email", "mail",
    "phone", "telephone", "mobile", "fax", "surname", "lastname", "firstname", "fullname", "forename",
    "username", "login", "address", "street", "url", "ip", "codicefiscale", "matricola",
}  # fmt: skip
_NAMED_AFTER = {"first", "last", "full", "family", "given", "middle", "maiden", "patient", "user", "person"}
_KNOWN_WORDS = {
    "age": "How old somebody is can be known or guessed by others.",
    "sex gender": "It can be seen.",
    "birth birthday birthdate dob yob born": "Birthdays are widely known.",
    "city town village municipality county district region state province country residence": (
        "Where somebody lives is known to others."
    ),
    "race ethnicity ethnic nationality native citizenship origin": "It can be seen or is known to others.",
    "marital married spouse household children family": "Family circumstances are known to others.",
    "education degree school schooling university": "Where and how long somebody learned is known to others.",
    "occupation profession job work workclass employer employment industry title": (
        "What somebody does for a living is known to others."
    ),
    "language height weight bmi eye hair": "It can be seen or heard.",
    "insurance": "Somebody's kind of insurance is known to those around them.",
}
_SENSITIVE_WORDS = {
    "diagnosis diagnoses disease illness condition disorder icd symptom symptoms": (
        "It tells about somebody's health."
    ),
    "medication drug drugs treatment therapy surgery procedure hiv test result stay blood": (
        "It tells about somebody's health."
    ),
    "religion belief politics political party union": "Beliefs are protected by law in many places.",
    "sexual orientation": "It is protected by law in many places.",
    "income salary wage wages earnings debt credit loan capital wealth balance hours": (
        "It tells about somebody's work or money."
    ),
    "crime offence offense conviction verdict": "A record of offences harms whom it is linked to.",
    "grade score mark": "It tells how somebody was judged.",
}


@dataclass(frozen=True)
class RoleSuggestion:
    """A role for a column, and one sentence why."""

    column: str
    role: Role
    reason: str


def suggest_roles(table: Table) -> tuple[RoleSuggestion, ...]:
    """Suggest a role for every column, in table order.

    Rules of thumb, tried in this order: form of the values and names that identify, names of what
    should not be learned, names of what others know, dates and postal codes, then how many different
    values there are. A person decides; the reason says what the suggestion rests on.
    """
    return tuple(suggest_role(column, table.n_records) for column in table.columns)


def suggest_role(column: Column, n_records: int) -> RoleSuggestion:
    """Suggest the role of one column."""
    for rule in (_by_form, _by_identifying_name, _by_count, _by_name, _by_type, _by_variety):
        found = rule(column, n_records)
        if found is not None:
            return RoleSuggestion(column.name, *found)
    return RoleSuggestion(
        column.name,
        Role.INSENSITIVE,
        "Neither its name nor its values tell who somebody is or what they hide.",
    )


Found = tuple[Role, str] | None


def _by_form(column: Column, n_records: int) -> Found:
    if column.data_type.kind is not Kind.TEXT:
        return None
    if _mostly(column, lambda text: _EMAIL.fullmatch(text) is not None):
        return Role.IDENTIFYING, "Its values look like e-mail addresses."
    if _mostly(column, lambda text: _PHONE.fullmatch(text) is not None):
        return Role.IDENTIFYING, "Its values look like telephone numbers."
    return None


def _by_identifying_name(column: Column, n_records: int) -> Found:
    words = words_of(column.name)
    is_name = words and words[-1] in ("name", "names") and (len(words) == 1 or words[-2] in _NAMED_AFTER)
    if is_name and column.data_type.kind is Kind.TEXT:
        return Role.IDENTIFYING, "Names tell directly who somebody is."
    found = _IDENTIFIER_WORDS.intersection([*words, "".join(words)])
    if found and len(column.labels) > 2:
        return Role.IDENTIFYING, f"Its name says that it identifies: '{sorted(found)[0]}'."
    return None


def _by_count(column: Column, n_records: int) -> Found:
    n_values = len(column.labels)
    if n_values <= 1:
        return Role.INSENSITIVE, "Every record has the same value, so it tells nothing apart."
    kind = column.data_type.kind
    is_unique = n_values == n_records and n_records >= 10 and not column.has_missing
    if is_unique and kind in (Kind.TEXT, Kind.INTEGER) and _by_name(column, n_records) is None:
        return Role.IDENTIFYING, "Every record has a value of its own."
    return None


def _by_name(column: Column, n_records: int) -> Found:
    words = set(words_of(column.name))
    for role, table in ((Role.SENSITIVE, _SENSITIVE_WORDS), (Role.QUASI_IDENTIFYING, _KNOWN_WORDS)):
        for names, reason in table.items():
            if not words.isdisjoint(names.split()):
                return role, reason
    return None


def _by_type(column: Column, n_records: int) -> Found:
    if is_about_postal_codes(column.name):
        return Role.QUASI_IDENTIFYING, "Where somebody lives is known to others."
    if column.data_type.kind is Kind.DATE:
        return Role.QUASI_IDENTIFYING, "When something happened can be known to others."
    return None


def _by_variety(column: Column, n_records: int) -> Found:
    n_values = len(column.labels)
    if column.data_type.kind is Kind.DECIMAL:
        return None
    if column.data_type.kind is Kind.TEXT and _mostly(column, lambda text: len(text) >= _LONG_TEXT):
        return Role.IDENTIFYING, "Its long texts may name people; nobody can check them all."
    if n_values <= _FEW_VALUES and 2 * n_values <= max(n_records, 4):
        return (
            Role.QUASI_IDENTIFYING,
            f"Its {n_values} values are few enough for others to know; take it back if they cannot.",
        )
    return None


def _mostly(column: Column, has_form: Callable[[str], bool]) -> bool:
    """Whether nearly all of an even sample of the values have a form."""
    values = column.labels[:-1] if column.has_missing else column.labels
    if not values:
        return False
    sample: Iterable[str] = values[:: max(1, len(values) // _SAMPLE)][:_SAMPLE]
    results = [has_form(text) for text in sample]
    return sum(results) >= _MOST * len(results)
