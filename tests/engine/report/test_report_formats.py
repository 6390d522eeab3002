"""A report says the same in every format, completely, and in the same bytes each time."""

from __future__ import annotations

import io
import json
import re
from base64 import b64decode
from dataclasses import replace
from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pypdf import PdfReader

from engine.errors import CancelledError, ExportError, InputError, ParameterError
from engine.findings.blocks import Chart, Fact, Facts, FigureColumn, FigureTable, Paragraph, Series, Source
from engine.findings.format_value import format_value
from engine.findings.given_table import given_table
from engine.findings.model_check import check
from engine.findings.settings import now_or_fixed
from engine.findings.subject import Subject
from engine.findings.utility.metrics import Metrics
from engine.records.opening.files import read_csv
from engine.report import (
    PUBLIC,
    ReportContent,
    ReportedFile,
    ReportedRelease,
    ReportSettings,
    Verification,
    rendered,
    report_of,
    write_report,
)
from engine.report.charts import ticks_for
from engine.report.sections.material import FileMark
from engine.verification import Verdict
from tests.conftest import ROOT
from tests.engine.report.reports import (
    DATE,
    figures_in,
    flowing,
    material_of,
    pages_of,
    people_recipe,
    report_on,
    squeezed,
    texts_of_html,
    with_blocks,
)
from tests.engine.report.schema import follows
from tests.stopping import Stopping

SCHEMA = ROOT / "resources" / "help" / "report.schema.json"


@pytest.fixture(scope="module")
def material(tmp_path_factory: pytest.TempPathFactory) -> ReportedRelease:
    return material_of(people_recipe(tmp_path_factory.mktemp("people")), ReportSettings(date=DATE))


@pytest.fixture(scope="module")
def content(material: ReportedRelease) -> ReportContent:
    return report_of(material)


@pytest.mark.parametrize("audience", ["internal", "public"])
def test_every_figure_of_the_json_is_in_the_pdf_and_in_the_html(
    material: ReportedRelease, audience: str
) -> None:
    settings = ReportSettings(audience=audience, date=DATE)
    content = report_of(replace(material, settings=settings))
    report = json.loads(rendered(content, ".json"))
    pdf = flowing(rendered(content, ".pdf"))
    page = squeezed(texts_of_html(rendered(content, ".html")))
    figures = {squeezed(figure) for figure in figures_in(report)}
    assert len(figures) > 100
    assert not [figure for figure in figures if figure not in pdf]
    assert not [figure for figure in figures if figure not in page]


@pytest.mark.parametrize("ending", [".pdf", ".html", ".json"])
def test_a_report_written_twice_has_the_same_bytes(material: ReportedRelease, ending: str) -> None:
    again = replace(material)
    assert rendered(report_of(material), ending) == rendered(report_of(again), ending)


def test_the_json_follows_the_published_schema(content: ReportContent, tmp_path: Path) -> None:
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    assert follows(json.loads(rendered(content, ".json")), schema) == []
    public = report_on(people_recipe(tmp_path), audience=PUBLIC)
    assert follows(json.loads(rendered(public, ".json")), schema) == []
    assert follows({"format": 1}, schema)  # the check sees what is missing


def test_the_json_has_figures_in_full_precision_and_words_for_what_no_number_can_say() -> None:
    facts = (
        Fact("third", "Third", 1 / 3),
        Fact("unbounded", "Unbounded", float("inf")),
        Fact("missing", "Missing", None),
        Fact("nan", "Not there", float("nan")),
    )
    block = json.loads(rendered(with_blocks(Facts("f", "", facts)), ".json"))["sections"][0]["blocks"][0]
    assert [fact["value"] for fact in block["facts"]] == [1 / 3, "inf", None, None]


class Elements(HTMLParser):
    """What an HTML file consists of."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in ("meta", "br", "rect", "line", "polyline", "path", "polygon", "circle"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in self.open:
            assert self.open.pop() == tag


def test_the_html_is_whole_runs_nothing_and_fetches_nothing(content: ReportContent) -> None:
    text = rendered(content, ".html").decode("utf-8")
    elements = Elements()
    elements.feed(text)
    assert elements.open == []
    assert not {"script", "link", "img", "iframe", "object", "embed", "form"} & set(elements.tags)
    assert elements.tags.count("svg") > 3
    assert not [name for name, _ in elements.attributes if name.startswith("on")]
    targets = [value for name, value in elements.attributes if name in ("href", "src", "xlink:href")]
    assert all(str(target).startswith("#") for target in targets)
    assert "http://" not in text
    assert "https://" not in text
    assert text.count("url(") == text.count("url(data:font/woff2;base64,") == 2
    fonts = re.findall(r"base64,([^)]+)\)", text)
    assert sum(len(b64decode(font)) for font in fonts) < 130_000
    assert "default-src 'none'; style-src 'unsafe-inline'; font-src data:;" in text


def test_what_people_typed_is_text_in_every_format_and_never_markup() -> None:
    nasty = "</p><script>alert(1)</script><img src=x> & <b>bold</b>"
    table = FigureTable("t", nasty, (FigureColumn("c", nasty),), [(nasty,)])
    content = with_blocks(Paragraph(nasty), Facts("f", nasty, (Fact("k", nasty, nasty),)), table)
    page = rendered(content, ".html").decode("utf-8")
    assert "<script" not in page
    assert "<img" not in page
    assert squeezed(nasty) in squeezed("".join(pages_of(rendered(content, ".pdf"))))


def test_characters_the_fonts_lack_are_shown_as_code_points(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("engine.report.typesetting.typesetter.font_folders", lambda: (tmp_path,))
    words = "Ždánská Ελλάδα Кирилл 中文 \u202eabc\u0007 \udcff"
    settings = ReportSettings(author=words, purpose=words)
    content = replace(with_blocks(Paragraph(words)), title=f"Report on {words}", settings=settings)
    assert json.loads(rendered(content, ".json"))["author"] == words
    text = "".join(pages_of(rendered(content, ".pdf")))
    assert "Ždánská" in text
    assert "Ελλάδα" in text
    assert "Кирилл" in text
    assert "[U+4E2D][U+6587]" in text
    assert "[U+202E]abc[U+0007]" in text
    note = "Letters without an installed font are shown as code points: CJK 2 (U+4E2D, U+6587)."
    assert note in " ".join(text.split())
    page = rendered(content, ".html").decode("utf-8")
    assert "中文" in page  # a browser has fonts of its own
    assert "[U+202E]abc" in page


def test_a_pdf_names_itself_embeds_its_fonts_and_numbers_its_pages(content: ReportContent) -> None:
    data = rendered(content, ".pdf")
    reader = PdfReader(io.BytesIO(data))
    metadata = reader.metadata
    assert metadata.title == content.title
    assert metadata.creation_date == DATE
    fonts = [font.get_object() for page in reader.pages for font in page["/Resources"]["/Font"].values()]
    assert fonts
    assert all("/FontFile2" in font["/DescendantFonts"][0]["/FontDescriptor"] for font in fonts)
    assert pages_of(data)[0].count(f"Page 1 of {len(reader.pages)}") == 1
    assert [entry["/Title"] for entry in reader.outline] == [s.title for s in content.sections]
    width, height = reader.pages[0].mediabox.width, reader.pages[0].mediabox.height
    assert (round(float(width)), round(float(height))) == (595, 842)


def test_wide_and_long_tables_lose_no_cell() -> None:
    columns = tuple(FigureColumn(f"c{i}", f"Column {i} of a long name") for i in range(200))
    wide = FigureTable(
        "wide", "Wide", columns, [tuple(f"w{row}x{i}" for i in range(200)) for row in range(3)]
    )
    long = FigureTable("long", "Long", columns[:2], [(f"row {i}", i) for i in range(1200)])
    pages = squeezed("".join(pages_of(rendered(with_blocks(wide, long), ".pdf"))))
    assert all(f"w{row}x{i}" in pages for row in range(3) for i in range(200))
    assert all(f"row{i}" in pages for i in range(1200))


def test_texts_of_any_length_leave_the_layout_whole() -> None:
    name = "a very\nlong name " * 1000
    rows = Chart("c", name, "rows", name, name, (Series(name, (1.0,)),), (name,))
    cells = [("word " * 20_000,), ("x" * 100_000,), ("line\n" * 300,)]
    table = FigureTable("t", name, (FigureColumn("c", "Text" * 60),), cells)
    content = replace(with_blocks(rows, table, Paragraph(name)), title=name)
    assert "".join(pages_of(rendered(content, ".pdf"))).count("characters)") > len(cells)
    long_name = with_blocks(Facts("f", "", (Fact("k", "name" * 100, "value" * 500),)))
    assert len(pages_of(rendered(long_name, ".pdf"))) == 1


def test_the_report_has_the_nine_models_as_they_are_measured_of_the_file(
    material: ReportedRelease, content: ReportContent
) -> None:
    raw = material.project.source
    before = check(raw, ["age", "sex"], "illness")
    table = next(b for b in content.blocks() if isinstance(b, FigureTable) and b.key == "models")
    measured = {str(row[0]): row[3] for row in table.rows}
    assert len(before.models) == 9
    for model in before.models:
        assert measured[model.kind.title] == model.value
    released = raw.parent / "released.csv"
    after = check(released, ["age", "sex"], "illness", leave_out_suppressed=True)
    k_row = next(row for row in table.rows if row[2] == "k")
    assert k_row[5] == after.k


def test_the_verification_record_holds_what_was_recomputed_from_the_file(
    material: ReportedRelease, content: ReportContent
) -> None:
    section = next(section for section in content.sections if section.key == "verification")
    verification = material.verification
    facts = next(block for block in section.blocks if isinstance(block, Facts))
    assert {fact.value for fact in facts.facts} >= {"released.csv", verification.file.sha256}
    table = next(block for block in section.blocks if isinstance(block, FigureTable))
    rows = {(row[0], row[1]): row[2:] for row in table.rows}
    release = material.release
    assert rows["Smallest class (k)", ""] == (release.k, release.k)
    assert rows["Distinct values in a class (l)", "illness"] == (release.l["illness"],) * 2
    claimed, recomputed = rows["Distance from the whole table (t)", "illness"]
    assert recomputed == pytest.approx(claimed, rel=1e-9)


def test_a_file_that_does_not_hold_what_is_claimed_is_called_so(material: ReportedRelease) -> None:
    verdict = Verdict(False, ("Cell 3 is wrong.",), {})
    bad = replace(material, verification=Verification(material.verification.file, verdict))
    text = rendered(report_of(bad), ".json").decode("utf-8")
    assert "it must not be used" in text
    assert "Cell 3 is wrong." in text
    public = replace(bad, settings=ReportSettings(audience=PUBLIC))
    assert "Cell 3 is wrong." not in rendered(report_of(public), ".json").decode("utf-8")


def test_an_analysis_that_has_no_answer_costs_its_own_figures_alone(
    material: ReportedRelease, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise InputError("More records have 'Person 7' than there are.")

    monkeypatch.setattr(Metrics, "run", refuse)
    for audience, says in (
        ("internal", "Person 7"),
        (PUBLIC, "Some of these values do not exist for such a release."),
    ):
        settings = ReportSettings(audience=audience, threshold=2)
        content = report_of(replace(material, settings=settings))
        utility = next(section for section in content.sections if section.key == "utility")
        said = [block.text for block in utility.blocks if isinstance(block, Paragraph)]
        assert any(says in text for text in said)
        assert any(isinstance(block, Chart) for block in utility.blocks)
        assert ("Person 7" in str(utility.blocks)) == (audience == "internal")


def test_a_hierarchy_edited_by_hand_is_in_the_report_under_its_name(
    material: ReportedRelease,
) -> None:
    project = material.project
    entry = replace(project.hierarchies["age"], builder=None, path=None)
    edited = replace(project, hierarchies={**project.hierarchies, "age": entry})
    content = report_of(replace(material, subject=Subject(edited, material.release)))
    sources = {block.key: block.text for block in content.blocks() if isinstance(block, Source)}
    assert 'path = "files/age.csv"' in sources["recipe"]
    assert sources["hierarchy.age"].split("\n")[0].startswith("20;20-29;")


def test_a_release_that_was_not_written_is_said_not_to_be_verified(material: ReportedRelease) -> None:
    unwritten = replace(material, verification=None, search=None)
    text = rendered(report_of(unwritten), ".json").decode("utf-8")
    assert "nothing was verified" in text
    assert (
        "The search that found this node was not recorded, so the report makes no claim about other nodes."
    ) in text


def test_a_report_of_a_given_file_tells_its_models_risks_and_what_was_lost(material: ReportedRelease) -> None:
    raw = material.project.source
    path = raw.parent / "released.csv"
    given_file = given_table(path, ["age", "sex"], "illness")
    mark = FileMark.of(path)
    settings = ReportSettings(date=DATE)
    content = report_of(ReportedFile(given_file, mark, settings, read_csv(raw), mark))
    keys = [section.key for section in content.sections]
    assert keys == [
        *(
            "decision",
            "purpose",
            "summary",
            "data",
            "roles",
            "models",
            "unchanged",
            "risks",
            "attacks",
            "utility",
        ),
        "reproduction",
    ]
    report = json.loads(rendered(content, ".json"))
    utility = next(section for section in report["sections"] if section["key"] == "utility")
    facts = {fact["key"]: fact["value"] for fact in utility["blocks"][0]["facts"]}
    sizes = given_file.classes.measured.sizes
    blank = given_file.n_blank  # records of the original that are suppressed
    assert blank > 0
    assert facts["discernibility"] == int(sizes @ sizes) + blank * (given_file.n_records + blank)
    assert facts["classes"] == len(sizes)
    assert facts["c_avg"] == given_file.n_records / (len(sizes) * sizes.min())


def test_a_report_is_written_whole_or_not_at_all(content: ReportContent, tmp_path: Path) -> None:
    path = tmp_path / "report.PDF"
    write_report(content, path)
    assert path.read_bytes() == rendered(content, ".pdf")
    with pytest.raises(ExportError, match=r"\.pdf, \.html, \.json"):
        write_report(content, tmp_path / "report.doc")
    assert [entry.name for entry in tmp_path.iterdir()] == ["report.PDF"]


def test_the_date_is_that_of_the_environment_where_it_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    assert now_or_fixed() == datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "9" * 30)
    assert now_or_fixed().year > 2024


@pytest.mark.parametrize(
    "wrong", [{"audience": "publik"}, {"threshold": 1}, {"accepted_risk": 0}, {"accepted_risk": 1.5}]
)
def test_settings_that_mean_nothing_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ParameterError):
        ReportSettings(**wrong)


@pytest.mark.parametrize(("ending", "after"), [(".pdf", 8), (".pdf", 60), (".html", 8), (".json", 1)])
def test_drawing_stops_where_it_is_asked_to_and_leaves_no_file(
    content: ReportContent, tmp_path: Path, ending: str, after: int
) -> None:
    with pytest.raises(CancelledError):
        write_report(content, tmp_path / f"report{ending}", Stopping(after))
    assert list(tmp_path.iterdir()) == []


def test_writing_tells_how_far_it_is_and_may_be_stopped(material: ReportedRelease) -> None:
    with pytest.raises(CancelledError):
        report_of(replace(material), Stopping(12))


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "–"),
        (12_960, "12\u202f960"),
        (-3, "−3"),
        (0.123456, "0.1235"),
        (2.5e-7, "2.5e−07"),
        (1234.5, "1\u202f234"),
        (float("inf"), "without limit"),
        ("fewer than 5", "fewer than 5"),
    ],
)
def test_figures_are_shown_as_people_read_them(value: Any, words: str) -> None:
    assert format_value(value) == words


@pytest.mark.parametrize(
    ("share", "words"),
    [
        (0.2, "20\u202f%"),
        (1 / 3, "33.33\u202f%"),
        (1e-6, "below 0.01\u202f%"),
        (0.99999, "above 99.99\u202f%"),
    ],
)
def test_shares_are_percentages_and_never_rounded_to_none_or_all(share: float, words: str) -> None:
    assert format_value(share, is_share=True) == words


def test_a_single_record_is_no_plural() -> None:
    assert (format_value(1, unit="records"), format_value(2, unit="records")) == ("1 record", "2 records")


@pytest.mark.parametrize("largest", [0.0, 1e-9, 0.37, 1.0, 7.0, 99.0, 123456.0])
def test_an_axis_begins_at_zero_and_ends_at_a_round_number_beyond_the_largest(largest: float) -> None:
    ticks = ticks_for(largest)
    assert ticks[0] == 0
    assert ticks[-1] >= largest * (1 - 1e-9)
    assert 2 <= len(ticks) <= 6
    assert np.allclose(np.diff(ticks), ticks[1])


def test_colours_of_reports_stand_in_one_file() -> None:
    files = [path for path in (ROOT / "engine").rglob("*.py") if path.name != "palette.py"]
    literal = re.compile(r"""["']#[0-9A-Fa-f]{6}["']""")
    assert [path.name for path in files if literal.search(path.read_text(encoding="utf-8"))] == []


def test_a_chart_without_values_and_one_of_many_are_drawn() -> None:
    empty = Chart("e", "Empty", "bars", "x", "records", (Series("Input", (), "input"),))
    labels, values = tuple(map(str, range(60))), tuple(map(float, range(60)))
    many = Chart("m", "Many", "rows", "x", "y", (Series("Release", values),), labels)
    steps = Chart("s", "Steps", "steps", "x", "y", (Series("Input", (1.0, 0.0)),), positions=(0.0, 0.2))
    assert pages_of(rendered(with_blocks(empty, many, steps), ".pdf"))
