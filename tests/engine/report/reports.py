"""Releases to report on: a little one of people, and one in which every cell is a text of its own."""

from __future__ import annotations

import html
import io
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from pypdf import PdfReader
from pypdf.generic import StreamObject

from engine.findings.format_value import format_tile, format_value
from engine.findings.subject import Subject
from engine.pipeline import anonymize, export_release
from engine.project.recipe.files import read_recipe
from engine.report import (
    ReportContent,
    ReportedRelease,
    ReportSettings,
    SearchFacts,
    Verification,
    report_of,
)
from engine.report.content import Section

DATE = datetime(2026, 3, 1, 12, 30, tzinfo=UTC)
N_PEOPLE, N_MARKED = 120, 60
MARK = "Zqxmark"  # every cell of the marked table begins so, and no word of a report has it

PEOPLE = """
format = 1
[data]
path = "people.csv"
[roles]
identifying = ["name"]
quasi_identifying = ["age", "sex"]
sensitive = ["illness"]
[hierarchies."age"]
builder = "intervals"
width = 10
origin = 0
merge = [2, 2]
[hierarchies."sex"]
builder = "suppress"
[[privacy]]
model = "k_anonymity"
k = 5
[[privacy]]
model = "distinct_l_diversity"
column = "illness"
l = 2
[transformation]
suppression_limit = 0.2
"""

MARKED = """
format = 1
[data]
path = "marked.csv"
[roles]
identifying = ["person"]
quasi_identifying = ["street", "trade"]
sensitive = ["ailment"]
insensitive = ["remark"]
target = "ailment"
[hierarchies."street"]
path = "street.csv"
[hierarchies."trade"]
path = "trade.csv"
[[privacy]]
model = "k_anonymity"
k = 3
[transformation]
suppression_limit = 0.3
"""


def people_recipe(folder: Path) -> Path:
    """A recipe of 120 people; the few oldest are suppressed."""
    illnesses = ("cold", "flu", "cough", "gout")
    rows = [
        f"Person {i},{20 + i % 47 if i % 40 else 90 + i // 40},{'fm'[i % 2]},{illnesses[i * 7 % 11 % 4]}"
        for i in range(N_PEOPLE)
    ]
    (folder / "people.csv").write_text("\n".join(["name,age,sex,illness", *rows]) + "\n", encoding="utf-8")
    path = folder / "people.toml"
    path.write_text(PEOPLE, encoding="utf-8")
    return path


def marks(column: str) -> list[str]:
    """The cells of a column of the marked table, no two alike."""
    return [f"{MARK}{column}{i:03d}" for i in range(N_MARKED)]


def marked_recipe(folder: Path) -> Path:
    """A recipe in whose table, and in whose hierarchies, every text is a mark of its own."""
    names = ("person", "street", "trade", "ailment", "remark")
    columns = [marks(name[:2]) for name in names]
    rows = [",".join(row) for row in zip(*columns, strict=True)]
    (folder / "marked.csv").write_text("\n".join([",".join(names), *rows]) + "\n", encoding="utf-8")
    for name in ("street", "trade"):
        # Groups of seven; the last four records are a group of their own.
        lines = [
            f"{value};{MARK}{name[:2]}group{min(i, N_MARKED - 5) // 7 if i < 56 else 'last'};*"
            for i, value in enumerate(marks(name[:2]))
        ]
        (folder / f"{name}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    path = folder / "marked.toml"
    path.write_text(MARKED, encoding="utf-8")
    return path


def material_of(recipe: Path, settings: ReportSettings) -> ReportedRelease:
    """All that a report on the optimum of a recipe is written of."""
    project = read_recipe(recipe)
    outcome = anonymize(project)
    released = recipe.parent / "released.csv"
    verdict = export_release(project, outcome.release, released)
    return ReportedRelease(
        Subject(project, outcome.release),
        settings,
        SearchFacts.of_outcome(outcome),
        Verification.of(released, verdict),
        recipe.parent,
    )


def report_on(recipe: Path, **settings: Any) -> ReportContent:
    """The report on the optimum of a recipe, at a fixed date."""
    given = {"purpose": "Research", "recipient": "A university", "author": "Ada Ždánská", "date": DATE}
    return report_of(material_of(recipe, ReportSettings(**given | settings)))


def with_blocks(*blocks: Any) -> ReportContent:
    """Return a report of one section."""
    section = Section("one", "One", blocks)
    return ReportContent("A report", "", ReportSettings(), DATE, "Anonymizer", (section,))


@cache
def pages_of(pdf: bytes) -> tuple[str, ...]:
    """The texts of the pages of a PDF."""
    return tuple(page.extract_text() for page in PdfReader(io.BytesIO(pdf)).pages)


def squeezed(text: str) -> str:
    """A text without white space: lines break where there is no room."""
    return re.sub(r"\s+", "", text)


def flowing(pdf: bytes) -> str:
    """The text of a PDF without white space and without the feet of its pages."""
    pages = pages_of(pdf)
    feet = (rf"\n.*Page {number} of {len(pages)}\s*$" for number in range(1, len(pages) + 1))
    return squeezed("".join(re.sub(foot, "", page) for page, foot in zip(pages, feet, strict=True)))


def texts_of_html(data: bytes) -> str:
    """What an HTML file shows."""
    text = data.decode("utf-8")
    body = text[text.index("<body>") :]
    return html.unescape(re.sub(r"<[^>]*>", " ", body))


def everything_in(pdf: bytes) -> str:
    """Everything a PDF holds, as text: its pages, its properties, and all its streams unpacked."""
    reader = PdfReader(io.BytesIO(pdf))
    parts = [*pages_of(pdf), str(reader.metadata), str(reader.outline), pdf.decode("latin-1")]
    for number in range(1, len(reader.xref[0]) + 1 if 0 in reader.xref else 1):
        found = reader.get_object(number)
        if isinstance(found, StreamObject):
            parts.append(found.get_data().decode("latin-1"))
        parts.append(str(found))
    return "\n".join(parts)


def figures_in(report: dict[str, Any]) -> Iterator[str]:
    """Every figure and text of a report's JSON as people read it."""
    for section in report["sections"]:
        if section["key"] != "decision":  # the title of its page is that of the report
            yield section["title"]
        for block in section["blocks"]:
            if block.get("key") in ("figures", "changed"):  # read at a glance
                values = block.get("rows") or [[fact["value"] for fact in block["facts"]]]
                yield from (
                    format_tile(v) if isinstance(v, float) else _shown(v) for row in values for v in row
                )
                continue
            match block["type"]:
                case "paragraph":
                    yield block["text"]
                case "facts":
                    for fact in block["facts"]:
                        yield fact["title"]
                        yield _shown(fact["value"], is_share=fact["share"], unit=fact["unit"])
                case "table":
                    for row in block["rows"]:
                        for column, value in zip(block["columns"], row, strict=True):
                            yield _shown(value, is_share=column["share"])


def _shown(value: Any, *, is_share: bool = False, unit: str = "") -> str:
    return format_value(float("inf") if value == "inf" else value, is_share=is_share, unit=unit)
