"""The words of the program in another language: constants, classes, parameters, plurals, threads."""

from __future__ import annotations

from collections.abc import Iterator
from gettext import NullTranslations
from threading import Thread

import pytest

from engine import words
from engine.params import Integer, Param, describe, param
from engine.privacy import privacy_models
from engine.words import N_, _, lazy, ngettext, pgettext


class Shouted(NullTranslations):
    """Every text in capitals: a language that needs no catalogue."""

    def gettext(self, message: str) -> str:
        return message.upper()

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return (msgid1 if n == 1 else msgid2).upper()

    def pgettext(self, context: str, message: str) -> str:
        return f"{message} ({context})".upper()


@pytest.fixture
def shouted() -> Iterator[None]:
    words.use(Shouted())
    yield
    words.use(NullTranslations())


class Declared:
    title = lazy("a title")


def test_texts_are_english_until_a_language_is_used(shouted: None) -> None:
    assert (_("text"), pgettext("verb", "open"), ngettext("one", "many", 2)) == (
        "TEXT",
        "OPEN (VERB)",
        "MANY",
    )
    words.use(NullTranslations())
    assert (_("text"), pgettext("verb", "go"), ngettext("one", "many", 2)) == ("text", "go", "many")


def test_a_constant_keeps_its_english_text(shouted: None) -> None:
    assert N_("text") == "text"


def test_no_text_stays_no_text(shouted: None) -> None:
    assert _("") == ""  # catalogues keep their own head there


def test_a_class_attribute_is_read_in_the_language_of_the_moment(shouted: None) -> None:
    assert (Declared.title, Declared().title) == ("A TITLE", "A TITLE")
    words.use(NullTranslations())
    assert (Declared.title, Declared().title) == ("a title", "a title")


def test_parameters_are_read_in_the_language_of_the_moment(shouted: None) -> None:
    first = describe(privacy_models["k_anonymity"])[0]
    assert first.help == first.help.upper()
    words.use(NullTranslations())
    again = describe(privacy_models["k_anonymity"])[0]
    assert again.help != again.help.upper()
    assert again.name == "k"


def test_parameters_of_the_same_texts_are_equal() -> None:
    assert Integer(label="k", ways=("a", "b")) == Integer(label="k", ways=("a", "b"))
    assert Integer(label="k") != Integer(label="l")
    assert Param().help == ""
    assert param(3, Integer(label="k")).default == 3


def test_another_language_for_a_block_only_and_this_thread_only(shouted: None) -> None:
    elsewhere: list[str] = []
    with words.speaking(words.ENGLISH):
        other = Thread(target=lambda: elsewhere.append(_("text")))
        other.start()
        other.join()
        assert _("text") == "text"
    assert (_("text"), elsewhere) == ("TEXT", ["TEXT"])


def test_a_language_without_a_catalogue_is_english() -> None:
    assert words.catalogue("tlh").gettext("text") == "text"
    assert words.languages()[0] == words.ENGLISH
