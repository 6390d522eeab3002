"""A report as PDF on A4: fonts embedded, the same bytes for the same content."""

from __future__ import annotations

import calendar
import io
import threading
import time
from collections.abc import Iterator, Sequence
from typing import Any

from engine.findings.blocks import (
    Block,
    Chart,
    Facts,
    Figure,
    FigureColumn,
    FigureTable,
    Paragraph,
    Signatures,
    Source,
)
from engine.findings.format_value import format_value, has_unit, shortened
from engine.monitor import SILENT, Monitor, PartMonitor
from engine.report import palette
from engine.report.charts import drawings_of
from engine.report.content import MARKS, ReportContent, Section
from engine.report.fonts import BOLD, REGULAR, visible
from engine.report.pdf_styles import paragraph_styles
from engine.report.typesetting.note import lacking_note
from engine.report.typesetting.paragraphs import Paragraphs
from engine.report.typesetting.typesetter import Typesetter
from engine.words import _

_MARGIN = 56.0  # points
_FOOT = 34.0
_NARROWEST, _WIDEST = 34.0, 210.0  # of a column of a table
_READABLE = 62.0  # so narrow a text is still read
_SAMPLED = 400  # rows by which columns are made as wide as they need
_LONGEST, _HIGHEST, _WIDE = 400, 50, 9.0  # characters and lines of a cell; the width of a wide character
_LONGEST_TITLE = 200  # characters
_GAP = 8.0  # beside a column
_ROOM = 120.0  # below a section's heading on its page, at least
_LINES = 40  # of a source that are laid out together
_PART = 500  # rows of a table that are laid out together
_LOCK = threading.Lock()  # reportlab keeps the parts of a font that a document uses in the font


def as_pdf(content: ReportContent, monitor: Monitor = SILENT) -> bytes:
    """Write a report as PDF."""
    with _LOCK:
        return _Printer(content, monitor).printed()


class _Printer:
    """Lays out one report."""

    def __init__(self, content: ReportContent, monitor: Monitor) -> None:
        from reportlab.lib.pagesizes import A4
        from reportlab.platypus import BaseDocTemplate, Frame, PageTemplate

        self._monitor = monitor
        self._content = content
        self._typesetter = Typesetter(content.texts())
        self._styles = paragraph_styles()
        self._paragraphs = Paragraphs(self._typesetter, self._styles)
        self._width = A4[0] - 2 * _MARGIN
        self._file = io.BytesIO()
        self._document = BaseDocTemplate(
            self._file,
            pagesize=A4,
            leftMargin=_MARGIN,
            rightMargin=_MARGIN,
            topMargin=_MARGIN,
            bottomMargin=_MARGIN,
            title=visible(content.title),
            author=visible(content.settings.author) or _("not named"),
            subject=visible(content.settings.purpose) or _("Report on an anonymized table"),
            keywords=["anonymization", content.settings.audience],
            creator=content.program,
            producer=content.program,
            lang=content.settings.language,
            invariant=1,
            pageCompression=1,
        )
        frame = Frame(_MARGIN, _MARGIN, self._width, A4[1] - 2 * _MARGIN, 0, 0, 0, 0)
        self._document.addPageTemplates(PageTemplate("page", [frame]))

    def printed(self) -> bytes:
        """Return the file."""
        with self._typesetter.registered():
            return self._printed()

    def _printed(self) -> bytes:
        story = list(self._story())
        steps = PartMonitor(self._monitor, 1, 2)

        def laid_out(kind: str, value: Any) -> None:
            if kind == "PROGRESS":
                steps.step(min(int(value), len(story)), len(story), _("Formatting the report"))

        self._document.setProgressCallBack(laid_out)
        self._document.build(story, canvasmaker=_canvas_kind(self._content, self._typesetter))
        return self._file.getvalue()

    def _story(self) -> Iterator[Any]:
        content = self._content
        yield self._paragraph(_one_line(content.title), "title")
        line = f"{content.subtitle} · {content.date_text} · {content.program}"
        yield self._paragraph(line, "note")
        if lacking := self._typesetter.lacking():
            yield self._paragraph(lacking_note(lacking), "note")
        steps = PartMonitor(self._monitor, 0, 2)
        for number, section in enumerate(content.sections):
            steps.step(number, len(content.sections), _("Drawing: {title}").format(title=section.title))
            yield from self._section(section)

    def _section(self, section: Section) -> Iterator[Any]:
        from reportlab.platypus import CondPageBreak, KeepTogether

        kind = _marked(section.title, f"section-{section.key}")
        heading = self._paragraphs.sentence(section.title, "section", self._width, kind)
        parts = [flowable for block in section.blocks for flowable in self._block(block)]
        if any(isinstance(block, Signatures) for block in section.blocks):
            yield KeepTogether([heading, *parts])  # nobody signs on a page of its own
        else:
            yield from (CondPageBreak(1.4 * _ROOM), heading, *parts)

    def _block(self, block: Block) -> Iterator[Any]:
        match block:
            case Paragraph():
                mark = MARKS.get(block.tone, "")
                yield self._paragraph(f"{mark} {block.text}" if mark else block.text, block.tone)
            case Facts():
                yield from self._heading(block.title)
                yield from self._facts(block)
            case FigureTable():
                yield from self._heading(block.title)
                yield from self._table(block)
            case Chart():
                yield from self._chart(block)
            case Source():
                yield from self._heading(block.title)
                yield from self._source(block.text)
            case Signatures():
                yield from self._signatures(block.people)

    def _paragraph(self, text: str, style: str) -> Any:
        return self._paragraphs.sentence(text, style, self._width)

    def _words(self, text: str, style: str, width: float, unit: str = "") -> Any:
        """Return a text for a cell of a table."""
        return self._paragraphs.cell(self._that_fits(text, width), style, width - _GAP, unit)

    def _heading(self, title: str) -> Iterator[Any]:
        from reportlab.platypus import CondPageBreak

        if title:
            yield CondPageBreak(_ROOM)
            yield self._paragraph(_one_line(title), "heading")

    def _facts(self, facts: Facts) -> Iterator[Any]:
        rows, style, widths = [], [], [self._width * share for share in (0.28, 0.3, 0.42)]
        for number, fact in enumerate(facts.facts):
            value = format_value(fact.value, is_share=fact.is_share, unit=fact.unit)
            cells = [(fact.title, "cell"), (value, "value"), (fact.explanation, "about")]
            rooms = widths if fact.explanation else [widths[0], widths[1] + widths[2], widths[2]]
            rows.append(
                [self._words(text, name, room) for (text, name), room in zip(cells, rooms, strict=True)]
            )
            if not fact.explanation:
                style.append(("SPAN", (1, number), (2, number)))
        yield from self._parts([], rows, widths, style)

    def _table(self, table: FigureTable) -> Iterator[Any]:
        if not table.rows:
            yield self._paragraph(_("No rows."), "note")
            return
        widths = _narrowed(self._widths(table), self._width)
        for places in _pages_of_columns(widths, self._width):
            columns = [table.columns[i] for i in places]
            is_text = [_is_text(table, i) for i in places]
            room = self._spread([widths[i] for i in places], is_text)
            head = [self._head(*one) for one in zip(columns, is_text, room, strict=True)]
            rows = [
                [
                    self._cell(row[i], column, width)
                    for i, column, width in zip(places, columns, room, strict=True)
                ]
                for row in table.rows
            ]
            right = [("ALIGN", (i, 0), (i, -1), "RIGHT") for i, text in enumerate(is_text) if not text]
            yield from self._parts(head, rows, room, right)

    def _parts(
        self, head: list[Any], rows: list[list[Any]], widths: list[float], more: list[Any]
    ) -> Iterator[Any]:
        """Tables of some hundred rows each: laying out a long one takes more than in proportion."""
        from reportlab.lib.colors import HexColor
        from reportlab.platypus import Spacer, Table

        style = [
            ("VALIGN", (0, 0), (-1, -1), "TOP"),
            ("LINEBELOW", (0, 0), (-1, -1), 0.4, HexColor(palette.GRID)),
            ("LEFTPADDING", (0, 0), (-1, -1), 0),
            ("RIGHTPADDING", (0, 0), (-1, -1), _GAP),
            ("TOPPADDING", (0, 0), (-1, -1), 2),
            ("BOTTOMPADDING", (0, 0), (-1, -1), 2.5),
            ("FONT", (0, 0), (-1, -1), REGULAR, 8, 10),
            ("TEXTCOLOR", (0, 0), (-1, -1), HexColor(palette.TEXT)),
            *more,
        ]
        if head:
            style.append(("LINEBELOW", (0, 0), (-1, 0), 0.6, HexColor(palette.AXIS)))
        for first in range(0, len(rows), _PART):
            part = rows[first : first + _PART]
            yield Table(
                [head, *part] if head else part,
                colWidths=widths,
                repeatRows=1 if head else 0,
                style=style,
                hAlign="LEFT",
            )
        yield Spacer(1, 8)

    def _head(self, column: FigureColumn, is_text: bool, width: float) -> Any:
        unit = _(column.unit) if has_unit(column) else ""
        return self._words(column.title, "head" if is_text else "head right", width, unit)

    def _cell(self, value: Figure, column: FigureColumn, width: float) -> Any:
        text = format_value(value, is_share=column.is_share)
        return self._words(text, "cell", width) if isinstance(value, str) else text

    def _that_fits(self, text: str, width: float) -> str:
        """Return a text for a cell of a table, cut so that no row is higher than a page."""
        longest = min(_LONGEST, int(_HIGHEST * (width - _GAP) / _WIDE))
        return shortened(self._typesetter.readable(text.replace("\n", " ")), longest)

    def _widths(self, table: FigureTable) -> list[float]:
        """What each column would like to have, in points."""
        width = self._typesetter.width_of
        found = []
        for i, column in enumerate(table.columns):
            texts = [format_value(row[i], is_share=column.is_share)[:80] for row in table.rows[:_SAMPLED]]
            words = [*column.title.split(), *(_(column.unit).split() if has_unit(column) else ())]
            wide = max((width(text, REGULAR, 8) for text in texts), default=0.0)
            head = max((width(word, BOLD, 8) for word in words), default=0.0)
            found.append(min(max(wide, min(head, 90.0), _NARROWEST - 10) + 10, _WIDEST))
        return found

    def _spread(self, widths: list[float], is_text: list[bool]) -> list[float]:
        """Give what room is left to the texts."""
        left = self._width - sum(widths)
        n_texts = sum(is_text)
        if left <= 0 or not n_texts:
            return widths
        extra = min(left / n_texts, 120.0)
        return [width + extra if text else width for width, text in zip(widths, is_text, strict=True)]

    def _chart(self, chart: Chart) -> Iterator[Any]:
        from reportlab.platypus import KeepTogether, Spacer

        first, *others = drawings_of(chart, self._typesetter)
        yield KeepTogether([self._paragraph(_one_line(chart.title), "heading"), first])
        yield from others
        if chart.reading:
            yield self._paragraph(chart.reading, "note")
        yield Spacer(1, 8)

    def _source(self, text: str) -> Iterator[Any]:
        from reportlab.platypus import Spacer

        style, wrapped = self._styles["source"], self._paragraphs.wrapped
        rows = text.expandtabs(4).split("\n")
        lines = [part for row in rows for part in wrapped(row, "source", self._width)]
        for first in range(0, len(lines), _LINES):
            part = lines[first : first + _LINES]
            # reportlab leaves empty lines at both ends of a text out.
            filled = [i for i, line in enumerate(part) if line.strip()] or [len(part)]
            yield Spacer(1, filled[0] * style.leading)
            if filled[0] < len(part):
                yield self._paragraphs.source(part[filled[0] : filled[-1] + 1], "source")
                yield Spacer(1, (len(part) - 1 - filled[-1]) * style.leading)

    def _signatures(self, people: Sequence[str]) -> Iterator[Any]:
        from reportlab.lib.colors import HexColor
        from reportlab.platypus import Spacer, Table

        for person in people:
            name = self._paragraphs.cell(_one_line(person), "cell", self._width * 0.6 - _GAP)
            yield Spacer(1, 44)
            yield Table(
                [[name, "", self._paragraph(_("Date"), "cell")]],
                colWidths=[self._width * 0.6, self._width * 0.05, self._width * 0.35],
                style=[
                    ("LINEABOVE", (0, 0), (0, 0), 0.6, HexColor(palette.TEXT_2)),
                    ("LINEABOVE", (2, 0), (2, 0), 0.6, HexColor(palette.TEXT_2)),
                    ("LEFTPADDING", (0, 0), (-1, -1), 0),
                ],
                hAlign="LEFT",
            )


def _canvas_kind(content: ReportContent, typesetter: Typesetter) -> Any:
    """A canvas that dates the file as the content is dated, and numbers its pages of how many there are."""
    from reportlab.lib.colors import HexColor
    from reportlab.pdfgen.canvas import Canvas

    class _Pages(Canvas):  # type: ignore[misc]  # reportlab ships no types
        def __init__(self, *arguments: Any, **settings: Any) -> None:
            super().__init__(*arguments, **settings)
            self._done: list[dict[str, Any]] = []
            stamp = self._doc._timeStamp
            stamp.t = float(calendar.timegm(content.date.utctimetuple()))
            stamp.lt = tuple(time.gmtime(stamp.t))
            stamp.YMDhms, stamp.dhh, stamp.dmm, stamp.tzname = stamp.lt[:6], 0, 0, "UTC"

        def showPage(self) -> None:  # noqa: N802  reportlab's name
            self._done.append(dict(self.__dict__))
            self._startPage()

        def save(self) -> None:
            for number, page in enumerate(self._done, start=1):
                self.__dict__.update(page)
                self._foot(number)
                super().showPage()
            super().save()

        def _foot(self, number: int) -> None:
            title = typesetter.readable(shortened(_one_line(content.title), 70))
            line = typesetter.line(title, REGULAR)
            self.setFont(typesetter.font_name(line, REGULAR), 7.5)
            self.setFillColor(HexColor(palette.TEXT_3))
            self.drawString(_MARGIN, _FOOT, line)
            self.setFont(REGULAR, 7.5)
            width = self._pagesize[0]
            self.drawRightString(
                width - _MARGIN, _FOOT, _("Page {number} of {n}").format(number=number, n=len(self._done))
            )

    return _Pages


def _marked(title: str, key: str) -> type:
    """Return a kind of paragraph that is also an entry of the outline."""
    from reportlab.platypus import Paragraph as Flowing

    class Marked(Flowing):  # type: ignore[misc]  # reportlab ships no types
        def draw(self) -> None:
            self.canv.bookmarkPage(key)
            self.canv.addOutlineEntry(visible(title), key, 0, 0)
            super().draw()

    return Marked


def _pages_of_columns(widths: list[float], room: float) -> Iterator[list[int]]:
    """Which columns stand together where not all fit: the first is repeated with each further part."""
    places = list(range(len(widths)))
    if sum(widths) <= room:
        yield places
        return
    first = min(widths[0], room / 2)
    part, used = [0], first
    for place in places[1:]:
        if used + widths[place] > room and len(part) > 1:
            yield part
            part, used = [0], first
        part.append(place)
        used += widths[place]
    yield part


def _narrowed(widths: list[float], room: float) -> list[float]:
    """Make wide columns narrower, the widest first, as far as texts can still be read, so that all fit."""
    widths = list(widths)
    while sum(widths) > room:
        widest = max(widths)
        if widest <= _READABLE:
            break
        places = [i for i, width in enumerate(widths) if width == widest]
        next_one = max((width for width in widths if width < widest), default=_READABLE)
        least = max(next_one, _READABLE, widest - (sum(widths) - room) / len(places))
        for i in places:
            widths[i] = least
    return widths


def _is_text(table: FigureTable, place: int) -> bool:
    values = (row[place] for row in table.rows if row[place] is not None)
    return isinstance(next(values, ""), str)


def _one_line(text: str) -> str:
    """A title, which may hold the name of a column of any length."""
    return shortened(text.replace("\n", " "), _LONGEST_TITLE)
