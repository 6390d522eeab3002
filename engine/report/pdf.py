"""A report as PDF on A4: fonts embedded, the same bytes for the same content."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

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
from engine.monitor import SILENT, Monitor
from engine.numbers import as_exact_count
from engine.report import charts, palette
from engine.report.content import MARKS, ReportContent, Section
from engine.report.fonts import BOLD, REGULAR, visible
from engine.report.typesetting.scripts import script_title
from engine.report.typesetting.typesetter import Direction, Line, Typesetter, typesetting
from engine.words import _


@dataclass(frozen=True)
class Style:
    """Look of a text; lengths are points, `before` and `after` are left free, `before` not on top."""

    size: float
    leading: float
    font: str = REGULAR
    colour: str = palette.TEXT
    before: float = 0.0
    after: float = 0.0


_STYLES = {  # tones of paragraphs are among them
    "title": Style(18, 23, BOLD, after=4),
    "section": Style(13, 17, BOLD, before=18, after=6),
    "heading": Style(9.5, 13, BOLD, before=8, after=4),
    "plain": Style(9, 13, after=5),
    "strong": Style(10.5, 15, BOLD, after=6),
    "ok": Style(10.5, 15, BOLD, palette.OK, after=6),
    "warn": Style(10.5, 15, BOLD, palette.WARN, after=6),
    "danger": Style(10.5, 15, BOLD, palette.DANGER, after=6),
    "note": Style(8, 11, colour=palette.TEXT_3, after=6),
    "cell": Style(8, 10),
    "value": Style(8, 10, BOLD),
    "about": Style(8, 10, colour=palette.TEXT_3),
    "head": Style(8, 10, BOLD, palette.TEXT_2),
    "source": Style(7.5, 10),
    "foot": Style(7.5, 10, colour=palette.TEXT_3),
}


_NAMED = 3  # code points per script


def lacking_note(letters: Iterable[str]) -> str:
    """Return which letters are shown as code points, by script, and the remedy."""
    scripts: defaultdict[str, list[str]] = defaultdict(list)
    for letter in letters:
        scripts[script_title(letter)].append(f"U+{ord(letter):04X}")
    listed = "; ".join(f"{script} {_points(points)}" for script, points in sorted(scripts.items()))
    return _(
        "Letters without an installed font are shown as code points: {scripts}. "
        "Install fonts for these scripts, such as Noto Sans, and write the report again."
    ).format(scripts=listed)


def _points(points: list[str]) -> str:
    named = ", ".join(points[:_NAMED]) + (", …" if len(points) > _NAMED else "")
    return f"{as_exact_count(len(points))} ({named})"


_WIDTH, _HEIGHT = 595.28, 841.89  # points of A4
_MARGIN = 56.0
_BOTTOM = _HEIGHT - _MARGIN
_ROOM = _WIDTH - 2 * _MARGIN
_FOOT = _HEIGHT - 34.0
_NARROWEST, _WIDEST = 34.0, 210.0  # of a column of a table
_READABLE = 62.0  # so narrow a text is still read
_SAMPLED = 400  # rows by which columns are made as wide as they need
_LONGEST, _HIGHEST, _WIDE = 400, 50, 9.0  # characters and lines of a cell; the width of a wide character
_LONGEST_TITLE = 200  # characters
_GAP = 8.0  # beside a column, and below a table or chart
_ABOVE, _BELOW = 2.0, 2.5  # a row of a table
_BELOW_HEADING, _BELOW_SECTION = 120.0, 168.0  # on the same page, at least
_SIGNING = 44.0  # above a line for a signature


class _Text(NamedTuple):
    """Lines with their styles, flush with the left or right end of a width."""

    lines: tuple[tuple[Line, Style], ...]
    width: float
    is_right: bool = False

    @property
    def height(self) -> float:
        return sum(style.leading for _line, style in self.lines)


_Row = Sequence[tuple[float, _Text]]  # texts with their distances from the left margin


def as_pdf(content: ReportContent, monitor: Monitor = SILENT) -> bytes:
    """Write a report as PDF."""
    with typesetting(content.texts()) as typesetter:
        return _Printer(content, typesetter).printed(monitor)


class _Printer:
    """Lays out one report from top to bottom."""

    def __init__(self, content: ReportContent, typesetter: Typesetter) -> None:
        self._content, self._typesetter = content, typesetter
        self._document = document = typesetter.document
        document.set_auto_page_break(False)
        document.set_display_mode("default")
        document.c_margin = 0
        document.set_title(visible(content.title))
        document.set_author(visible(content.settings.author) or _("not named"))
        document.set_subject(visible(content.settings.purpose) or _("Report on an anonymized table"))
        document.set_keywords(f"anonymization, {content.settings.audience}")
        document.set_creator(content.program)
        document.set_producer(content.program)
        document.set_lang(content.settings.language)
        document.set_creation_date(content.date)
        self._new_page()

    def printed(self, monitor: Monitor) -> bytes:
        """Return the file."""
        content = self._content
        self._paragraph(_one_line(content.title), "title")
        self._paragraph(f"{content.subtitle} · {content.date_text} · {content.program}", "note")
        if lacking := self._typesetter.lacking():
            self._paragraph(lacking_note(lacking), "note")
        done, total = 0, sum(len(section.blocks) for section in content.sections)
        for section in content.sections:
            self._begin_section(section)
            for block in section.blocks:
                monitor.step(done, total, _("Drawing: {title}").format(title=section.title))
                self._block(block)
                done += 1
        self._feet()
        return bytes(self._document.output())

    def _new_page(self) -> None:
        self._document.add_page()
        self._y = _MARGIN

    def _need(self, height: float) -> bool:
        """Begin a page if this one has no room; return whether one was begun."""
        is_new = self._y > _MARGIN and self._y + height > _BOTTOM
        if is_new:
            self._new_page()
        return is_new

    def _begin_section(self, section: Section) -> None:
        # Nobody signs on a page of its own.
        people = [len(block.people) for block in section.blocks if isinstance(block, Signatures)]
        self._need(_BELOW_SECTION + (_SIGNING + 2 * _STYLES["cell"].leading) * sum(people))
        self._document.set_y(self._y)
        self._document.start_section(visible(section.title))
        self._paragraph(section.title, "section")

    def _block(self, block: Block) -> None:
        match block:
            case Paragraph():
                mark = MARKS.get(block.tone, "")
                self._paragraph(f"{mark} {block.text}" if mark else block.text, block.tone)
            case Facts():
                self._heading(block.title)
                self._facts(block)
            case FigureTable():
                self._heading(block.title)
                self._table(block)
            case Chart():
                self._chart(block)
            case Source():
                self._heading(block.title)
                self._source(block.text)
            case Signatures():
                self._signatures(block.people)

    def _paragraph(self, text: str, style: str) -> None:
        """Draw a text of the program, which may quote values; its letters in Latin script lead it."""
        look = _STYLES[style]
        has_latin = any(unicodedata.bidirectional(character) == "L" for character in text)
        words = self._text(text, look, _ROOM, "ltr" if has_latin else _direction(text))
        self._need(look.before + min(len(words.lines), 2) * look.leading)  # no first line stands alone
        self._y += look.before if self._y > _MARGIN else 0.0
        for line in words.lines:
            self._need(look.leading)
            self._draw(_Text((line,), _ROOM), _MARGIN, self._y)
            self._y += look.leading
        self._y += look.after

    def _text(self, text: str, style: Style, room: float, base: Direction) -> _Text:
        words = self._typesetter.readable(text)
        lines = self._typesetter.lines(words, style.font, style.size, room, base)
        return _Text(tuple((line, style) for line in lines), room)

    def _draw(self, text: _Text, x: float, y: float) -> None:
        """Draw lines from an upper left corner."""
        for line, style in text.lines:
            left = text.width - self._typesetter.width_of_line(line, style.size) if text.is_right else 0.0
            self._document.set_text_color(style.colour)
            self._typesetter.draw(line, x + left, y + style.size, style.size)
            y += style.leading

    def _words(self, text: str, style: str, width: float, unit: str = "", *, is_right: bool = False) -> _Text:
        """Return a text for a cell, in the direction of its first letter, with a unit below."""
        look, room, base = _STYLES[style], width - _GAP, _direction(text)
        found = self._text(self._that_fits(text, width), look, room, base)
        if base == "rtl" and not is_right:  # flush right, in a block that begins where others begin
            widest = max(self._typesetter.width_of_line(line, look.size) for line, _look in found.lines)
            return found._replace(width=widest, is_right=True)
        below = self._text(unit, replace(look, colour=palette.TEXT_3), room, "ltr").lines if unit else ()
        return _Text(found.lines + below, room, is_right)

    def _heading(self, title: str) -> None:
        if title:
            self._need(_BELOW_HEADING)
            self._paragraph(_one_line(title), "heading")

    def _facts(self, facts: Facts) -> None:
        first, second, third = (_ROOM * share for share in (0.28, 0.3, 0.42))
        rows = []
        for fact in facts.facts:
            value = format_value(fact.value, is_share=fact.is_share, unit=fact.unit)
            room = second if fact.explanation else second + third
            row = [(0.0, self._words(fact.title, "cell", first)), (first, self._words(value, "value", room))]
            if fact.explanation:
                row.append((first + second, self._words(fact.explanation, "about", third)))
            rows.append(row)
        self._rows(rows, _ROOM)

    def _table(self, table: FigureTable) -> None:
        if not table.rows:
            self._paragraph(_("No rows."), "note")
            return
        widths = _narrowed(self._widths(table), _ROOM)
        for places in _pages_of_columns(widths, _ROOM):
            is_text = [_is_text(table, i) for i in places]
            rooms = _spread([widths[i] for i in places], is_text)
            lefts = [sum(rooms[:i]) for i in range(len(rooms))]
            columns = list(zip(places, is_text, lefts, rooms, strict=True))
            head = [(x, self._head(table.columns[i], text, room)) for i, text, x, room in columns]
            rows = (
                [(x, self._cell(row[i], table.columns[i], text, room)) for i, text, x, room in columns]
                for row in table.rows
            )
            self._rows(rows, sum(rooms), head)

    def _rows(self, rows: Iterable[_Row], width: float, head: _Row = ()) -> None:
        """Draw rows with a line below each; the head is repeated on each page."""
        is_headed = False
        for row in rows:
            height = _height(row)
            if self._need(height if is_headed else height + _height(head)) or not is_headed:
                self._row(head, width, palette.AXIS, 0.6)
                is_headed = True
            self._row(row, width, palette.GRID, 0.4)
        self._y += _GAP

    def _row(self, row: _Row, width: float, colour: str, thickness: float) -> None:
        if row:
            for x, text in row:
                self._draw(text, _MARGIN + x, self._y + _ABOVE)
            self._y += _height(row)
            self._rule(_MARGIN, self._y, width, colour, thickness)

    def _rule(self, x: float, y: float, width: float, colour: str, thickness: float) -> None:
        self._document.set_draw_color(colour)
        self._document.set_line_width(thickness)
        self._document.line(x, y, x + width, y)

    def _head(self, column: FigureColumn, is_text: bool, width: float) -> _Text:
        unit = _(column.unit) if has_unit(column) else ""
        return self._words(column.title, "head", width, unit, is_right=not is_text)

    def _cell(self, value: Figure, column: FigureColumn, is_text: bool, width: float) -> _Text:
        text = format_value(value, is_share=column.is_share)
        if isinstance(value, str):
            return self._words(text, "cell", width)
        style = _STYLES["cell"]
        line = self._typesetter.line(text, style.font)
        return _Text(((line, style),), width - _GAP, is_right=not is_text)

    def _that_fits(self, text: str, width: float) -> str:
        """Return a text for a cell of a table, cut so that no row is higher than a page."""
        longest = min(_LONGEST, int(_HIGHEST * (width - _GAP) / _WIDE))
        return shortened(self._typesetter.readable(text.replace("\n", " ")), longest)

    def _widths(self, table: FigureTable) -> list[float]:
        """Return the preferred width of each column, in points."""
        found = []
        for i, column in enumerate(table.columns):
            texts = [format_value(row[i], is_share=column.is_share)[:80] for row in table.rows[:_SAMPLED]]
            words = [*column.title.split(), *(_(column.unit).split() if has_unit(column) else ())]
            wide = max((self._width(text, REGULAR) for text in texts), default=0.0)
            head = max((self._width(word, BOLD) for word in words), default=0.0)
            found.append(min(max(wide, min(head, 90.0), _NARROWEST - 10) + 10, _WIDEST))
        return found

    def _width(self, text: str, font: str) -> float:
        """Return the width of any text in a table."""
        return self._typesetter.width(self._typesetter.readable(text), font, _STYLES["cell"].size)

    def _chart(self, chart: Chart) -> None:
        first, *others = charts.drawings_of(chart, self._typesetter)
        self._need(_STYLES["heading"].before + 2 * _STYLES["heading"].leading + first.height)
        self._paragraph(_one_line(chart.title), "heading")
        for drawing in (first, *others):
            self._need(drawing.height)
            for shape in drawing.shapes:
                self._shape(shape, self._y + drawing.height)
            self._y += drawing.height
        if chart.reading:
            self._paragraph(chart.reading, "note")
        self._y += _GAP

    def _shape(self, shape: charts.Path | charts.Bar | charts.Label, bottom: float) -> None:
        """Draw one of the shapes that charts are drawn of, which count from below."""
        document = self._document
        match shape:
            case charts.Path():
                document.set_draw_color(shape.colour)
                document.set_line_width(shape.width)
                document.set_dash_pattern(*shape.dash)
                document.polyline([(_MARGIN + x, bottom - y) for x, y in shape.points])
                document.set_dash_pattern()
            case charts.Bar():
                document.set_draw_color(shape.colour)
                document.set_fill_color(shape.filling)
                document.set_line_width(0.6)
                top = bottom - shape.y - shape.height
                document.rect(_MARGIN + shape.x, top, shape.width, shape.height, style="DF")
            case charts.Label():
                line = self._typesetter.line(shape.text, shape.font)
                width = self._typesetter.width_of_line(line, charts.LABEL_SIZE)
                left = {"start": 0.0, "middle": width / 2, "end": width}[shape.anchor]
                document.set_text_color(shape.colour)
                self._typesetter.draw(line, _MARGIN + shape.x - left, bottom - shape.y, charts.LABEL_SIZE)

    def _source(self, text: str) -> None:
        """Draw lines unchanged."""
        style = _STYLES["source"]
        for row in text.expandtabs(4).split("\n"):
            for line in self._wrapped(row, style):
                self._need(style.leading)
                self._draw(_Text(((line, style),), _ROOM), _MARGIN, self._y)
                self._y += style.leading

    def _wrapped(self, row: str, style: Style) -> Iterator[Line]:
        """Yield the parts of a line of a source that fit the width of the page."""
        typeset = self._typesetter
        rest = typeset.readable(row)
        while typeset.width(rest, style.font, style.size) > _ROOM:
            end = max(1, min(len(rest) - 1, int(_ROOM / 3.2)))
            while end > 1 and typeset.width(rest[:end], style.font, style.size) > _ROOM:
                end -= 1
            yield typeset.line(rest[:end], style.font)
            rest = "    " + rest[end:]
        yield typeset.line(rest, style.font)

    def _signatures(self, people: Sequence[str]) -> None:
        for person in people:
            row = [
                (0.0, self._words(_one_line(person), "cell", _ROOM * 0.6)),
                (_ROOM * 0.65, self._words(_("Date"), "cell", _ROOM * 0.35)),
            ]
            self._need(_SIGNING + _height(row))
            self._y += _SIGNING
            self._rule(_MARGIN, self._y, _ROOM * 0.6, palette.TEXT_2, 0.6)
            self._rule(_MARGIN + _ROOM * 0.65, self._y, _ROOM * 0.35, palette.TEXT_2, 0.6)
            for x, text in row:
                self._draw(text, _MARGIN + x, self._y + _ABOVE)
            self._y += _height(row)

    def _feet(self) -> None:
        """Number the pages of how many there are."""
        style = _STYLES["foot"]
        title = self._typesetter.readable(shortened(_one_line(self._content.title), 70))
        line = self._typesetter.line(title, style.font)
        n_pages = self._document.pages_count
        for number in range(1, n_pages + 1):
            self._document.page = number
            self._document.current_font_is_set_on_page = False  # but on the last page
            words = self._typesetter.line(
                _("Page {number} of {n}").format(number=number, n=n_pages), style.font
            )
            self._draw(_Text(((line, style),), _ROOM), _MARGIN, _FOOT - style.size)
            self._draw(_Text(((words, style),), _ROOM, is_right=True), _MARGIN, _FOOT - style.size)


def _height(row: _Row) -> float:
    return max((text.height for _x, text in row), default=-_ABOVE - _BELOW) + _ABOVE + _BELOW


def _direction(text: str) -> Direction:
    """Return the direction of the first letter that has one."""
    from fpdf.bidi import auto_detect_base_direction
    from fpdf.enums import TextDirection

    return "rtl" if auto_detect_base_direction(text) == TextDirection.RTL else "ltr"


def _spread(widths: list[float], is_text: list[bool]) -> list[float]:
    """Give what room is left to the texts."""
    left = _ROOM - sum(widths)
    n_texts = sum(is_text)
    if left <= 0 or not n_texts:
        return widths
    extra = min(left / n_texts, 120.0)
    return [width + extra if text else width for width, text in zip(widths, is_text, strict=True)]


def _pages_of_columns(widths: list[float], room: float) -> Iterator[list[int]]:
    """Yield the columns of each part if not all fit: the first is repeated with each further part."""
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
    """Make wide columns narrower, the widest first, while texts can still be read, so that all fit."""
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
