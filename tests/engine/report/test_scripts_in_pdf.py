"""Other scripts in PDF reports: fonts, shapes, direction, line breaks, and letters without a font."""

from __future__ import annotations

import io
import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pypdf
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QFontDatabase, QGuiApplication, QTextLayout, QTextOption

from engine.findings.blocks import Chart, Fact, Facts, FigureColumn, FigureTable, Paragraph, Series, Source
from engine.report import rendered
from engine.report.content import ReportContent
from engine.report.fonts import BOLD, REGULAR
from engine.report.typesetting.bidi import first_direction, level_runs, levels_of
from engine.report.typesetting.glyph_font import FIRST_CODE
from engine.report.typesetting.typesetter import Typesetter
from tests.conftest import ROOT
from tests.engine.report.reports import pages_of, with_blocks

FONTS = ROOT / "tests" / "data" / "fonts"
HEBREW, ARABIC, HINDI, CHINESE, JAPANESE, KOREAN = (
    "קורונה",
    "القاهرة",
    "हृदय रोग क्षेत्र",
    "北京大学医学部",
    "インフルエンザ",
    "고혈압",
)
ALL = (HEBREW, ARABIC, HINDI, CHINESE, JAPANESE, KOREAN)


@pytest.fixture
def fonts_of_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.report.typesetting.typesetter.font_folders", lambda: (FONTS,))


@pytest.fixture
def no_fonts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("engine.report.typesetting.typesetter.font_folders", lambda: (tmp_path,))


@pytest.fixture
def typesetter(fonts_of_tests: None) -> Iterator[Typesetter]:
    made = Typesetter(ALL)
    with made.registered():
        yield made


def n_shapes(line: str) -> int:
    return sum(c >= FIRST_CODE for c in line)


def content_of(words: str) -> ReportContent:
    """Return a report with a text in every kind of block."""
    columns = (FigureColumn("c", words), FigureColumn("n", "Count"))
    rows = Chart("r", words, "rows", "Records", words, (Series(words, (3.0,)),), (words,))
    bars = Chart("b", words, "bars", "Records", words, (Series(words, (3.0,)),), (words,))
    blocks = (
        Paragraph(f"The column {words!r} is released unchanged."),
        Facts("f", words, (Fact("k", words, words, explanation=words),)),
        FigureTable("t", words, columns, [(words, 3)]),
        rows,
        bars,
        Source("s", words, f'name = "{words}"'),
    )
    return replace(with_blocks(*blocks), title=f"Report on {words}")


@pytest.mark.parametrize("words", ALL)
def test_a_report_shows_every_script_as_text_that_can_be_copied(fonts_of_tests: None, words: str) -> None:
    data = rendered(content_of(words), ".pdf")
    text = "".join("".join(pages_of(data)).split())
    assert "[U+" not in text
    assert "Letterswithout" not in text
    # each letter of the title, paragraph, facts, table, charts and source, in whichever order it is drawn
    for letter in set(words) - {" "}:
        assert text.count(letter) >= 8 * words.count(letter), letter


def test_letters_without_a_font_are_code_points_and_a_note_names_them(no_fonts: None) -> None:
    text = " ".join(" ".join(pages_of(rendered(content_of("中文 ש"), ".pdf"))).split())
    assert "[U+4E2D][U+6587]" in text
    assert "Letters without an installed font are shown as code points:" in text
    assert "CJK 2 (U+4E2D, U+6587); Hebrew 1 (U+05E9)." in text


def test_reports_in_latin_letters_read_no_installed_font(monkeypatch: pytest.MonkeyPatch) -> None:
    def none() -> tuple[Path, ...]:
        raise AssertionError("installed fonts are searched")

    monkeypatch.setattr("engine.report.typesetting.typesetter.font_folders", none)
    text = "".join(pages_of(rendered(content_of("Ždánská Ελλάδα Кирилл"), ".pdf")))
    assert "Ždánská" in text


def test_a_report_in_many_scripts_has_the_same_bytes_twice(fonts_of_tests: None) -> None:
    content = content_of(" ".join(ALL))
    assert rendered(content, ".pdf") == rendered(content, ".pdf")


def test_only_used_shapes_are_embedded(fonts_of_tests: None) -> None:
    reader = pypdf.PdfReader(io.BytesIO(rendered(content_of(CHINESE), ".pdf")))
    shapes: set[str] = set()
    for page in reader.pages:
        for font in page["/Resources"]["/Font"].values():  # type: ignore[index,union-attr]
            if font.get_object()["/Subtype"] == "/Type3":
                shapes |= {f"{font}{name}" for name in font.get_object()["/CharProcs"]}
    assert 0 < len(shapes) <= 2 * len(set(CHINESE))  # regular and bold


def test_arabic_letters_join(typesetter: Typesetter) -> None:
    alone = [typesetter.line(letter, REGULAR) for letter in "قهر"]
    joined = typesetter.line("قهر", REGULAR, base=1)
    assert n_shapes(joined) == 3
    assert not set(alone).intersection(joined)


def test_devanagari_forms_conjuncts(typesetter: Typesetter) -> None:
    assert n_shapes(typesetter.line("क्ष", REGULAR)) == 1
    assert n_shapes(typesetter.line("त्र", REGULAR)) == 1
    assert n_shapes(typesetter.line("हृदय", REGULAR)) == 3


def test_hebrew_is_drawn_from_right_to_left(typesetter: Typesetter) -> None:
    first, second = (typesetter.line(letter, REGULAR) for letter in "קו")
    assert typesetter.line("קו", REGULAR, base=1) == second + first
    assert typesetter.line("a קו b", REGULAR) == f"a {second}{first} b"
    assert typesetter.line("(קו)", REGULAR, base=1) == f"({second}{first})"
    assert typesetter.line("קו 12", REGULAR, base=1) == f"12 {second}{first}"


def test_lines_are_no_wider_than_the_room_and_no_line_begins_with_a_full_stop(typesetter: Typesetter) -> None:
    text = "北京大学、医学部。" * 12
    for room in (40.0, 55.0, 90.0, 200.0):
        lines = list(typesetter.lines(text, REGULAR, 9, room))
        assert all(typesetter._fonts[REGULAR].stringWidth(line, 9) <= room for line in lines)
        assert sum(map(len, lines)) == len(text)
        stops = {typesetter.line(mark, REGULAR) for mark in "、。"}
        assert not [line for line in lines if line[0] in stops]


def test_the_font_of_a_script_does_not_depend_on_the_order_of_letters(fonts_of_tests: None) -> None:
    letters = list("".join(ALL))
    random.Random(3).shuffle(letters)
    first, second = Typesetter(ALL), Typesetter(["".join(letters)])
    for weight in (REGULAR, BOLD):
        assert {c: (f.path, f.index) for c, f in first._faces[weight].items()} == {
            c: (f.path, f.index) for c, f in second._faces[weight].items()
        }


def test_html_isolates_values_of_other_scripts(fonts_of_tests: None) -> None:
    page = rendered(content_of(HEBREW), ".html").decode("utf-8")
    assert f"<bdi>{HEBREW}</bdi></td>" in page
    assert f"<bdi>{HEBREW}</bdi></th>" in page


@pytest.fixture(scope="module")
def shown_by_qt(qapp: QGuiApplication) -> QFont:
    """Return a font with Hebrew letters, one glyph for each character."""
    number = QFontDatabase.addApplicationFont(str(FONTS / "NotoSansHebrew-Regular.ttf"))
    font = QFont(QFontDatabase.applicationFontFamilies(number)[0])
    font.setPixelSize(20)
    return font


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet="אבגד ab12.,-+%()[]:/", min_size=1, max_size=14), st.booleans())
def test_the_order_of_mixed_lines_is_that_of_qt(shown_by_qt: QFont, text: str, is_turned: bool) -> None:
    base = first_direction(text, int(is_turned))
    layout = QTextLayout(text, shown_by_qt)
    option = QTextOption()
    option.setTextDirection(Qt.LayoutDirection.RightToLeft if base else Qt.LayoutDirection.LeftToRight)
    layout.setTextOption(option)
    layout.beginLayout()
    line = layout.createLine()
    line.setLineWidth(10_000)
    layout.endLayout()
    runs = level_runs(text, levels_of(text, base), base)
    order = [i for a, b, level in runs for i in (reversed(range(a, b)) if level % 2 else range(a, b))]
    places = {i: layout.glyphRuns(i, 1)[0].positions()[0].x() for i in order if not text[i].isspace()}
    assert list(places) == sorted(places, key=places.__getitem__)
