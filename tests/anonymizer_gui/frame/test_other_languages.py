"""Every perspective and dialog at 1280 x 720 in German and in a longer pseudo-language."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from gettext import NullTranslations
from pathlib import Path

import pytest
from PySide6.QtCore import QLocale
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from anonymizer_gui.help.library import HelpLibrary
from anonymizer_gui.language import use_catalogue
from engine import words
from engine.records import Table
from engine.records.opening.files import read_csv
from engine.shipped import program_version
from tests.anonymizer_gui.look_checks import clipped_texts, overlapping_siblings
from tests.anonymizer_gui.shown_texts import shown_texts, words_of
from tests.conftest import ROOT
from tests.pseudo_language import PseudoLanguage
from tests.screens import screens
from tests.window_driver import Driver

EXAMPLES = ROOT / "resources" / "examples"
# Texts that no language translates: names of programs, people, formats, keys, and the examples themselves.
NAMES = """
    Adult Clinic Hospital clinic hospital csv recipe toml anonymized anonymizer Anonymizer latin shift jis utf
    Deutsch English Pitman Zayatz SNB Ctrl postgresql mysql sqlite host database SQL CSV Parquet Excel JSON
    quarter values none other public OLA Data fly Sweeney config hierarchies vis pos ins regions region
    entropy enhanced ordered months quarters PostgreSQL MySQL MariaDB Server Oracle
"""  # the last lines: names and labels of the example's hierarchies, short column names, methods and folders


@contextmanager
def speaking(app: QApplication, texts: NullTranslations, language: str) -> Iterator[None]:
    """Show the window in a language."""
    before = QLocale()
    translator = use_catalogue(app, texts, language)
    QLocale.setDefault(QLocale(language))
    try:
        yield
    finally:
        app.removeTranslator(translator)
        QLocale.setDefault(before)
        words.use(NullTranslations())


def walk(qtbot: QtBot, app: QApplication, folder: Path, *, finds_english: bool) -> list[str]:
    """Return the defects of all screens: clipped or overlapping texts, and words without accents."""
    shutil.copytree(EXAMPLES, folder, dirs_exist_ok=True)
    known = set(words_of(NAMES)) | words_of_table(read_csv(folder / "clinic" / "clinic.csv"))
    known |= words_of_table(read_csv(folder / "hospital" / "hospital.csv")) | set(words_of(str(folder)))
    known |= set(words_of(program_version()))
    library = HelpLibrary()  # pages are written in English first
    known |= {word for name in library.names for word in words_of(library.page(name).title)}
    driver = Driver(qtbot, app, theme_of_pictures="light")
    defects: dict[str, str] = {}
    try:
        for name, shown in screens(driver, folder):
            for defect in [*clipped_texts(shown), *overlapping_siblings(shown)]:
                defects.setdefault(defect, name)
            for place, text in shown_texts(shown) if finds_english else ():
                if unknown := [word for word in words_of(text) if word not in known]:
                    defects.setdefault(f"{place}: {unknown} in '{text[:80]}'", name)
    finally:
        driver.close()
    return [f"{name}: {defect}" for defect, name in defects.items()]


def words_of_table(table: Table) -> set[str]:
    """Return the words of names and values of a table."""
    texts = [*table.names, *(label for column in table.columns for label in column.labels)]
    return set(re.findall(r"[A-Za-z]{3,}", " ".join(texts)))


@pytest.mark.thorough  # the other test has longer texts
def test_no_text_is_clipped_in_german(qtbot: QtBot, qapp: QApplication, tmp_path: Path) -> None:
    with speaking(qapp, words.catalogue("de"), "de"):
        defects = walk(qtbot, qapp, tmp_path / "examples", finds_english=False)
    assert defects == [], "\n".join(defects)


def test_every_text_is_translated_and_has_room_for_a_longer_language(
    qtbot: QtBot, qapp: QApplication, tmp_path: Path
) -> None:
    with speaking(qapp, PseudoLanguage(), "xx"):
        defects = walk(qtbot, qapp, tmp_path / "examples", finds_english=True)
    assert defects == [], "\n".join(defects)
