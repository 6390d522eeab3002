"""Whether the name of a column is one of the phrases that stand for something."""

from __future__ import annotations

from functools import cache

from engine.hierarchies.names import words_of
from engine.qi_detection.safe_harbor import PHRASES, STREETS, SafeHarbor

_NAMED_AFTER = {
    "first", "last", "full", "family", "given", "middle", "maiden", "patient", "user", "person", "subject",
    "customer", "client", "employee", "doctor", "physician", "provider", "contact", "employer",
    "mother", "father", "parent", "child", "spouse", "partner", "relative", "guardian", "nurse", "insured",
    "subscriber", "member",
}  # fmt: skip
# What ends so tells of the thing, not the thing itself: the type of a licence, how many photographs.
_ABOUT_IT = {
    "type",
    "kind",
    "count",
    "brand",
    "length",
    "size",
    "status",
    "used",
    "flag",
    "country",
    "result",
}
_NAME_WORDS = {"name", "names", "nome", "nombre", "nom", "noms"}


def names_identifier(name: str) -> SafeHarbor | None:
    """The identifier that a column's name stands for; the longest phrase decides.

    Examples
    --------
    >>> names_identifier("Home phone")
    <SafeHarbor.TELEPHONE: 'D'>
    """
    words = words_of(name)
    if is_persons_name(words):
        return SafeHarbor.NAMES
    if not words or words[-1] in _ABOUT_IT:
        return None
    if is_street(name):
        return SafeHarbor.GEOGRAPHY
    found = [
        (len(p.split()), kind) for kind, phrases in _phrases().items() for p in phrases if _has(words, p)
    ]
    return max(found, key=lambda entry: entry[0])[1] if found else None


def is_persons_name(words: list[str]) -> bool:
    """Whether the words of a column's name say that it holds names of people, not of countries or files."""
    if not words:
        return False
    if words[-1] in _NAME_WORDS:
        return len(words) == 1 or words[-2] in _NAMED_AFTER
    return words[0] in _NAME_WORDS and len(words) > 1 and words[-1] in {"paziente", "paciente", "patient"}


def is_street(name: str) -> bool:
    """Whether the name says that a column holds addresses of homes; not those of mail or computers."""
    words = words_of(name)
    if not words or words[-1] in _ABOUT_IT:
        return False
    if any(_has(words, p) for kind in _ELSEWHERE for p in _phrases()[kind]):
        return False
    return any(_has(words, phrase) for phrase in _split(STREETS))


_ELSEWHERE = (SafeHarbor.EMAIL, SafeHarbor.IP_ADDRESS, SafeHarbor.DEVICE, SafeHarbor.URL)


@cache
def _phrases() -> dict[SafeHarbor, tuple[str, ...]]:
    return {kind: _split(text) for kind, text in PHRASES.items()}


@cache
def _split(text: str) -> tuple[str, ...]:
    return tuple(phrase.strip() for phrase in text.split(","))


def _has(words: list[str], phrase: str) -> bool:
    """Whether a phrase occurs in a name, or is the name written as one word."""
    return f" {phrase} " in f" {' '.join(words)} " or "".join(words) == phrase.replace(" ", "")
