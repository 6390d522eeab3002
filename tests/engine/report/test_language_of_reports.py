"""A report has a language of its own, whatever the language of the program."""

from __future__ import annotations

import re
from collections.abc import Iterator
from gettext import NullTranslations
from pathlib import Path

import pytest

from engine import words
from engine.cli import main
from engine.errors import ParameterError
from engine.findings.blocks import Chart, Facts, FigureTable, Paragraph
from engine.findings.format_value import UNITS
from engine.report import PUBLIC, ReportContent, ReportSettings, rendered
from tests.engine.report.reports import pages_of, people_recipe, report_on, texts_of_html
from tests.pseudo_language import PseudoLanguage

# Names of columns and values, programs, methods and laws, which no language translates.
NAMES = """
    people csv age sex illness name person released Anonymizer sha UTC HIPAA GDPR WP29 El Emam Dankar Sweeney
    SHA recipe toml utf male female
"""


@pytest.fixture
def pseudo(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the language "xx" be the pseudo-language."""
    known, catalogue = words.languages(), words.catalogue
    monkeypatch.setattr("engine.findings.settings.languages", lambda: (*known, "xx"))
    monkeypatch.setattr(
        words, "catalogue", lambda code: PseudoLanguage() if code == "xx" else catalogue(code)
    )


def test_a_german_report_of_an_english_program(tmp_path: Path) -> None:
    recipe = people_recipe(tmp_path)
    german, english = (report_on(recipe, language=code) for code in ("de", "en"))
    page = rendered(german, ".html")
    assert b'<html lang="de">' in page
    assert ": Bericht zur Freigabe" in texts_of_html(page)
    units = set(re.findall('class="unit">([^<]+)<', page.decode("utf-8")))
    assert "Datensätze" in units
    assert not units & set(UNITS)
    assert "Datensätze" in " ".join(pages_of(rendered(german, ".pdf")))
    assert [section.key for section in german.sections] == [section.key for section in english.sections]
    assert b'<html lang="en">' in rendered(english, ".html")


def test_the_language_of_the_program_is_the_default_and_does_not_change(tmp_path: Path) -> None:
    words.use(words.catalogue("de"), "de")
    try:
        assert ReportSettings().language == "de"
        report = report_on(people_recipe(tmp_path), language="en")
        assert b": release report" in rendered(report, ".html")
        assert words._("{name}: release report") != "{name}: release report"
    finally:
        words.use(NullTranslations())


def test_a_report_in_a_language_without_a_catalogue_is_refused() -> None:
    with pytest.raises(ParameterError, match="Unknown language 'tlh'"):
        ReportSettings(language="tlh")


@pytest.mark.parametrize("audience", ["internal", PUBLIC])
def test_every_sentence_of_a_report_is_translated(pseudo: None, tmp_path: Path, audience: str) -> None:
    report = report_on(people_recipe(tmp_path), language="xx", audience=audience)
    with words.speaking("xx"):  # titles are translated when they are read
        found = (text.replace("A university", "") for text in sentences(report))  # as the user wrote it
        english = [text for text in found if is_english(text)]
    assert english == [], english


def sentences(report: ReportContent) -> Iterator[str]:
    yield from (report.title, report.subtitle)
    for section in report.sections:
        yield section.title
        for block in section.blocks:
            match block:
                case Paragraph():
                    yield block.text
                case Facts():
                    yield from (text for fact in block.facts for text in (fact.title, fact.explanation))
                case FigureTable():
                    yield block.title
                    yield from (
                        text for column in block.columns for text in (column.title, column.explanation)
                    )
                case Chart():
                    yield from (block.title, block.x_title, block.y_title, block.reading)


def is_english(text: str) -> bool:
    """Return whether a text has a sentence of words without accents."""
    plain = re.sub(r"'[^']*'|“[^”]*”", "", text)
    return any(word not in NAMES for word in re.findall(r"[A-Za-z]{4,}", plain))


def test_the_command_writes_a_report_in_a_language(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recipe, out = people_recipe(tmp_path), tmp_path / "report.html"
    assert main(["report", str(recipe), "--out", str(out), "--language", "de", "--quiet"]) == 0
    assert '<html lang="de">' in out.read_text(encoding="utf-8")
    assert main(["report", str(recipe), "--out", str(tmp_path / "r.json"), "--language", "de"]) == 2
    assert "A report in JSON is always English." in capsys.readouterr().err
