"""Window in another language: the choice of language, and that every `tr` uses the catalogue."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from gettext import NullTranslations
from io import BytesIO
from pathlib import Path

import pytest
from babel.messages.pofile import read_po, write_po
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
    monkeypatch.setattr(words, "languages", lambda: ("en", "pt_BR"))
    monkeypatch.setattr(QLocale, "uiLanguages", lambda _locale: ["pt-BR", "pt", "en"])
    assert language_of("system") == language_of("pt_BR") == "pt_BR"


def test_an_unknown_language_is_rejected(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parse(["--language", "tlh"], {"check": "Measure."})
    assert "unknown language 'tlh'; the languages are en" in capsys.readouterr().err
    assert parse(["--language", "en"], {"check": "Measure."}).language == "en"


ROOT = Path(__file__).resolve().parents[2]
SHOWN = """
import json
from PySide6.QtWidgets import QApplication, QMenuBar
from anonymizer_gui.language import use_language
from anonymizer_gui.session.preferences import LANGUAGES
from anonymizer_gui.wiring import Wiring
from engine.numbers import as_records
use_language(app := QApplication([]), "ar")
wired = Wiring(app, theme="light", is_for_picture=True, opens_at_once=True)
menus = [action.text() for action in wired.window.findChild(QMenuBar).actions()]
print(json.dumps([LANGUAGES, menus[:2], app.layoutDirection().name, as_records(3)]))
"""


@pytest.mark.thorough
def test_a_language_begun_by_one_command_is_offered_and_shown_as_far_as_it_is_translated(
    tmp_path: Path,
) -> None:
    for folder in ("engine", "anonymizer_gui", "resources", "tests"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("data", "pictures"))

    def run(*arguments: str) -> str:
        own = os.environ | {"PYTHONPATH": str(tmp_path), "QT_QPA_PLATFORM": "offscreen"}
        command = [sys.executable, *arguments]
        return subprocess.run(
            command, cwd=tmp_path, env=own, capture_output=True, text=True, check=True
        ).stdout

    assert "ar/LC_MESSAGES/anonymizer.po" in run("-m", "tests.catalogue", "--new", "ar")
    po = tmp_path / "resources" / "locale" / "ar" / "LC_MESSAGES" / "anonymizer.po"
    catalog = read_po(BytesIO(po.read_bytes()), locale="ar")
    catalog["&File"].string = "&ملف"
    catalog["{n} record"].string = tuple(f"{{n}} سجل {form}" for form in range(6))
    with po.open("wb") as file:
        write_po(file, catalog)
    run("-m", "tests.catalogue")
    assert json.loads(run("-c", SHOWN)) == [
        [["en", "English"], ["ar", "العربية"], ["de", "Deutsch"]],
        ["&ملف", "&Edit"],
        "RightToLeft",
        "\u20663\u2069 سجل 3",
    ]
