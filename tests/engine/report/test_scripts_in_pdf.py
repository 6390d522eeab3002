"""Other scripts in PDF reports: fonts, shapes, direction, line breaks, and letters without a font."""

from __future__ import annotations

import io
import random
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from fontTools.fontBuilder import FontBuilder
from fontTools.misc.psCharStrings import T2CharString
from fontTools.ttLib import TTFont
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QFontDatabase, QGuiApplication, QTextLayout, QTextOption

from engine.findings.blocks import Chart, Fact, Facts, FigureColumn, FigureTable, Paragraph, Series, Source
from engine.report import rendered
from engine.report.content import ReportContent
from engine.report.fonts import BOLD, REGULAR
from engine.report.typesetting.face import Face
from engine.report.typesetting.typesetter import Direction, Line, Typesetter, typesetting
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


FOLDERS = "engine.report.typesetting.typesetter.font_folders"


@pytest.fixture(scope="module", autouse=True)
def fonts_of_tests() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(FOLDERS, lambda: (FONTS,))
        yield


@pytest.fixture(scope="module")
def typesetter(fonts_of_tests: None) -> Iterator[Typesetter]:
    with typesetting(ALL) as made:
        yield made


def visual(line: Line) -> str:
    """Return the letters of a line from the left."""
    return "".join(run.text[::-1] if run.direction == "rtl" else run.text for run in line)


def shapes(typesetter: Typesetter, text: str, base: Direction = "ltr") -> list[int]:
    """Return the glyphs of a text in one font of letters."""
    (run,) = next(typesetter.lines(typesetter.readable(text), REGULAR, 9, 500, base))
    shaped, font = typesetter._shaped(run, 9), typesetter.document.fonts[run.font]
    return [glyph["mapped_char"] for glyph in font.shape_text(run.text, 9, shaped.text_shaping_parameters)]


def content_of(words: str) -> ReportContent:
    """Return a report with a text in every kind of block."""
    columns = (FigureColumn("c", words), FigureColumn("n", "Count"))
    series = (Series(words, (3.0,)),)
    charts = (Chart(kind, words, kind, "Records", words, series, (words,)) for kind in ("rows", "bars"))
    blocks = (
        Paragraph(f"The column {words!r} is released unchanged."),
        Facts("f", words, (Fact("k", words, words, explanation=words),)),
        FigureTable("t", words, columns, [(words, 3)]),
        *charts,
        Source("s", words, f'name = "{words}"'),
    )
    return replace(with_blocks(*blocks), title=f"Report on {words}")


@pytest.mark.parametrize("words", ALL)
def test_a_report_shows_every_script_as_text_that_can_be_copied(words: str) -> None:
    data = rendered(content_of(words), ".pdf")
    text = "".join("".join(pages_of(data)).split())
    assert "[U+" not in text
    assert "Letterswithout" not in text
    # each letter of the title, paragraph, facts, table, charts and source, in whichever order it is drawn
    for letter in set(words) - {" "}:
        assert text.count(letter) >= 8 * words.count(letter), letter


def test_reports_in_latin_letters_read_no_installed_font(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FOLDERS, None)
    text = "".join(pages_of(rendered(content_of("Ždánská Ελλάδα Кирилл"), ".pdf")))
    assert "Ždánská" in text


def test_a_report_in_many_scripts_has_the_same_bytes_twice() -> None:
    content = content_of(" ".join(ALL))
    assert rendered(content, ".pdf") == rendered(content, ".pdf")


def fonts_of(texts: Iterable[str]) -> dict[str, bytes]:
    """Return the font of each letter in bold texts."""
    with typesetting(texts) as made:
        return {c: (made._folder / f"{name}.otf").read_bytes() for c, name in made._fonts[BOLD].items()}


def test_only_used_shapes_are_embedded() -> None:
    assert max(map(len, fonts_of([CHINESE]).values())) < 4_000


def test_outlines_of_a_postscript_font_are_numbered_as_pdf_needs_it(tmp_path: Path) -> None:
    letters = [".notdef", "alef"]
    builder = FontBuilder(1000, isTTF=False)
    builder.setupGlyphOrder(letters)
    builder.setupCharacterMap({ord("א"): "alef"})
    outline = T2CharString(program=[600, 50, 700, "rmoveto", 350, -700, "rlineto", "endchar"])
    builder.setupCFF("Test", {}, dict.fromkeys(letters, outline), {})
    builder.setupHorizontalMetrics(dict.fromkeys(letters, (600, 50)))
    builder.setupHorizontalHeader(ascent=800, descent=-200)
    builder.setupNameTable({"familyName": "Test", "styleName": "Regular", "fullName": "Test"})
    builder.setupOS2()
    builder.setupPost()
    builder.save(tmp_path / "font.otf")
    part = TTFont(io.BytesIO(Face(str(tmp_path / "font.otf")).part("א", 600)))
    assert part["CFF "].cff.topDictIndex[0].ROS
    assert set(part.getBestCmap()) == {ord("א")}


def test_arabic_letters_join(typesetter: Typesetter) -> None:
    alone = [shape for letter in "قهر" for shape in shapes(typesetter, letter, "rtl")]
    joined = shapes(typesetter, "قهر", "rtl")
    assert len(joined) == 3
    assert not set(alone).intersection(joined)
    assert {*shapes(typesetter, "قه", "rtl")} <= {*shapes(typesetter, "ق\u200dه", "rtl")}


def test_devanagari_forms_conjuncts(typesetter: Typesetter) -> None:
    assert len(shapes(typesetter, "क्ष")) == 1
    assert len(shapes(typesetter, "त्र")) == 1
    assert len(shapes(typesetter, "हृदय")) == 3


def test_joiners_stay_with_their_letters(typesetter: Typesetter) -> None:
    assert [run.text for run in typesetter.line("a قه\u200cقه b", REGULAR)] == ["a ", "قه\u200cقه", " b"]


def test_lines_are_no_wider_than_the_room_and_no_line_begins_with_a_full_stop(typesetter: Typesetter) -> None:
    text = "北京大学、医学部。" * 12
    for room in (40.0, 55.0, 90.0, 200.0):
        lines = list(typesetter.lines(text, REGULAR, 9, room))
        assert all(typesetter.width_of_line(line, 9) <= room for line in lines)
        assert "".join(map(visual, lines)) == text
        assert not [line for line in lines if visual(line)[0] in "、。"]


def test_the_font_of_a_letter_does_not_depend_on_the_order_of_letters() -> None:
    letters = list("".join(ALL))
    random.Random(3).shuffle(letters)
    assert fonts_of(ALL) == fonts_of(["".join(letters)])


def test_html_isolates_values_of_other_scripts() -> None:
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
@given(st.text(alphabet="אבגד ab12.,-+%()[]:/", min_size=1, max_size=14), st.sampled_from(["ltr", "rtl"]))
def test_the_order_of_mixed_lines_is_that_of_qt(
    typesetter: Typesetter, shown_by_qt: QFont, text: str, base: Direction
) -> None:
    layout = QTextLayout(text, shown_by_qt)
    option = QTextOption()
    option.setTextDirection(
        {"ltr": Qt.LayoutDirection.LeftToRight, "rtl": Qt.LayoutDirection.RightToLeft}[base]
    )
    layout.setTextOption(option)
    layout.beginLayout()
    layout.createLine().setLineWidth(10_000)
    layout.endLayout()
    places = {i: layout.glyphRuns(i, 1)[0].positions()[0].x() for i, c in enumerate(text) if not c.isspace()}
    (line,) = typesetter.lines(typesetter.readable(text), REGULAR, 9, 10_000, base)
    assert visual(line).replace(" ", "") == "".join(text[i] for i in sorted(places, key=places.__getitem__))
