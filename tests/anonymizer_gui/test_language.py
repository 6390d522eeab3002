"""Window in another language: the choice of language, and that every `tr` uses the catalogue."""

from __future__ import annotations

from collections.abc import Iterator
from gettext import NullTranslations

import pytest
from PySide6.QtCore import QCoreApplication, QLocale
from PySide6.QtWidgets import QApplication, QWidget

from anonymizer_gui.arguments import parse
from anonymizer_gui.language import language_of, use_catalogue
from engine import words


class Capitals(NullTranslations):
    """Language in capitals that lacks one text."""

    def gettext(self, message: str) -> str:
        return message if message == "lacking" else message.upper()

    def pgettext(self, context: str, message: str) -> str:
        return f"{message} {context}".upper()


@pytest.fixture
def capitals(qapp: QApplication) -> Iterator[None]:
    translator = use_catalogue(qapp, Capitals())
    yield
    qapp.removeTranslator(translator)
    words.use(NullTranslations())


def test_every_text_of_the_window_comes_from_the_catalogue(capitals: None) -> None:
    widget = QWidget()
    assert widget.tr("some text") == "SOME TEXT"
    assert widget.tr("open", "verb") == "OPEN VERB"
    assert QCoreApplication.translate("Any", "some text") == "SOME TEXT"


def test_a_text_missing_in_the_catalogue_stays_english(capitals: None) -> None:
    assert QWidget().tr("lacking") == "lacking"


def test_the_language_is_the_one_chosen_or_that_of_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(words, "languages", lambda: ("en", "de"))
    monkeypatch.setattr(QLocale, "uiLanguages", lambda _locale: ["fr-CA", "fr", "de-CH", "de", "en"])
    assert language_of("de") == "de"
    assert language_of("system") == "de"  # the first system language with a catalogue
    assert language_of("en") == "en"
    assert language_of("xx") == "en"


def test_an_unknown_language_is_rejected(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parse(["--language", "tlh"], {"check": "Measure."})
    assert "unknown language 'tlh'; the languages are en" in capsys.readouterr().err
    assert parse(["--language", "en"], {"check": "Measure."}).language == "en"
