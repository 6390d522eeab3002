"""Texts in the language of the reader: one gettext catalogue for the engine and the window.

English is what the code says, and what commands, recipes, saved files, JSON and logs always use. The window
calls `use` with the language of the user; a report is written under `speaking` with a language of its own.
A text is marked where it is written: `_` and `ngettext` in functions, `lazy` on classes, `N_` in constants
that are translated by `_` when they are shown.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from gettext import GNUTranslations, NullTranslations, translation
from typing import Any, cast

from engine.shipped import resources_path

DOMAIN = "anonymizer"
_CONTEXT = "\x04"  # between a text and its context, as in catalogues
ENGLISH = "en"
LOCALE = resources_path() / "locale"

_user: NullTranslations = NullTranslations()
_language: str = ENGLISH
_speaking: ContextVar[NullTranslations | None] = ContextVar("speaking", default=None)


def _(text: str) -> str:
    """Return `text` in the current language; placeholders in braces are filled afterwards by `str.format`."""
    context, has_context, own = text.rpartition(_CONTEXT)
    return current().pgettext(context, own) if has_context else current().gettext(text) if text else ""


def pgettext(context: str, text: str) -> str:
    """Return `text` in the current language; `context` says which of its meanings is meant."""
    return current().pgettext(context, text)


def ngettext(one: str, many: str, n: int) -> str:
    """Return the form of a text for a number of things, such as "{n} record" or "{n} records"."""
    return current().ngettext(one, many, n)


def npgettext(context: str, one: str, many: str, n: int) -> str:
    """Return the form of a text for a number of things, where `context` says which of its forms is meant."""
    return current().npgettext(context, one, many, n)


def N_(text: str, context: str = "") -> str:  # noqa: N802  # the name that gettext users expect
    """Mark a text of a constant for the catalogue, and return it with its context for `_`."""
    return f"{context}{_CONTEXT}{text}" if context else text


def lazy(text: str) -> str:
    """Return a class attribute that reads as `text` in the language of the moment it is read."""
    return cast("str", _Lazy(text))


class _Lazy:
    """The descriptor that `lazy` returns."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def __get__(self, instance: object, owner: type) -> str:
        return _(self._text)


def english(owner: object, name: str) -> str:
    """Return the English text of an attribute of a class, or of an instance of it, for keys and files."""
    kind = owner if isinstance(owner, type) else type(owner)
    found = next((vars(base)[name] for base in kind.__mro__ if name in vars(base)), None)
    return found._text if isinstance(found, _Lazy) else str(getattr(owner, name))


class Translated:
    """A field of a dataclass without slots whose texts are translated whenever they are read.

    The field may hold a text, a tuple of texts, or a tuple of pairs of a key and a text, each text marked by
    `N_`. Copying an instance copies the English texts; `dataclasses.replace` would keep the translated ones.
    """

    def __init__(self, default: str | tuple[Any, ...] | None = "") -> None:
        """None stands for no default: the field must be given."""
        self._default = default

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, instance: object, owner: type) -> Any:
        held = self._default if instance is None else instance.__dict__[self._name]
        if held is None:
            raise AttributeError(self._name)
        if isinstance(held, tuple):
            return tuple((entry[0], _(entry[1])) if isinstance(entry, tuple) else _(entry) for entry in held)
        return _(held)

    def __set__(self, instance: object, value: str | tuple[Any, ...]) -> None:
        instance.__dict__[self._name] = value


def within_sentence(title: str) -> str:
    """Return a title as words of a sentence: in lower case, or kept where the language writes nouns so."""
    keeps = pgettext("titles within a sentence: lower or kept", "lower") == "kept"
    return title if keeps else title.lower()


def languages() -> tuple[str, ...]:
    """List the languages that have a catalogue, English first."""
    return (ENGLISH, *sorted(path.parent.parent.name for path in LOCALE.glob(f"*/LC_MESSAGES/{DOMAIN}.mo")))


def catalogue(language: str) -> NullTranslations:
    """Return the texts of a language; English texts if it has none."""
    if language == ENGLISH:
        return NullTranslations()
    return translation(DOMAIN, LOCALE, [language], GNUTranslations, fallback=True)


def use(texts: NullTranslations, language: str = ENGLISH) -> None:
    """Make `texts` the language of the program, in all its threads."""
    global _user, _language  # one program speaks one language
    _user, _language = texts, language


def language_in_use() -> str:
    """Return the code of the language that `use` was given."""
    return _language


def is_right_to_left() -> bool:
    """Return whether the current language is written from right to left, as its catalogue says."""
    return current().pgettext("direction of the language: ltr or rtl", "ltr") == "rtl"


def isolates_figures() -> bool:
    """Return whether figures need isolates: in such a window, but not in reports."""
    return _speaking.get() is None and is_right_to_left()


@contextmanager
def speaking(language: str) -> Iterator[None]:
    """Use another language for texts written inside of the block, in this thread."""
    token = _speaking.set(catalogue(language))
    try:
        yield
    finally:
        _speaking.reset(token)


def current() -> NullTranslations:
    """Return the texts of the current language."""
    return _speaking.get() or _user
