"""Blocks of a report as pieces of a given width, of which the pages of a PDF are made."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Sequence
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
from engine.findings.format_value import format_tile, format_value, has_unit, shortened
from engine.report import charts, palette
from engine.report.content import MARKS
from engine.report.fonts import BOLD, REGULAR
from engine.report.typesetting.scripts import segments
from engine.report.typesetting.typesetter import Direction, Line, Typesetter
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


STYLES = {  # tones of paragraphs are among them
    "title": Style(26, 30, BOLD, after=4),
    "page": Style(20, 25, BOLD, after=4),
    "section": Style(13, 18, BOLD, before=16, after=4),
    "heading": Style(10, 13, BOLD, before=8, after=3),
    "plain": Style(9, 13, after=4),
    "strong": Style(10, 14, BOLD, after=4),
    "clause": Style(13, 17, BOLD),
    "basis": Style(10, 14, colour=palette.TEXT_2, after=5),
    "note": Style(8, 11, colour=palette.TEXT_3, after=4),
    "figure": Style(22, 26, BOLD),
    "caption": Style(9, 13, colour=palette.TEXT_2),
    "label": Style(8, 11, colour=palette.TEXT_3),
    "fact": Style(9, 13, BOLD),
    "row": Style(9, 13),
    "lost": Style(9, 13, BOLD),
    "cell": Style(8, 10),
    "value": Style(8, 10, BOLD),
    "about": Style(8, 10, colour=palette.TEXT_3),
    "head": Style(8, 10, BOLD, palette.TEXT_2),
    "source": Style(8, 10),
    "foot": Style(8, 10, colour=palette.TEXT_3),
    "sign": Style(9, 12, colour=palette.TEXT_2),
}
_MARK = 19.0  # width of the mark beside a clause
_NARROWEST, _WIDEST = 24.0, 210.0  # of a column of a table
_SAMPLED = 400  # rows by which columns are made as wide as they need
_LONGEST, _HIGHEST, _WIDE = 400, 50, 9.0  # characters and lines of a cell; the width of a wide character
_LONGEST_TITLE = 200  # characters
_LONGEST_WORD = 110.0  # points by which a longer word does not widen a column any more
_GAP = 6.0  # beside a column, and below a table or chart
_ABOVE, _BELOW = 2.0, 2.5  # a row of a table
_READABLE = 8.0  # least size of a font
_SIGNING = 48.0  # above a line for a signature
_FIRST_ROWS = 2  # of a table, which stay with its heading
_BOX, _RADIUS = 10.0, 6.0  # inside a box, and its corners
_GLYPH, _BAR = 24.0, 150.0  # widths of the columns with a level and a bar


@dataclass
class Piece:
    """Part of a page that is not divided.

    Attributes
    ----------
    draw : callable
        Draws it from its upper left corner, with the distances from left and top.
    before : float
        Left free above, but not on top of a column.
    keeps : bool
        Whether it is not the last one of its column.
    head : Piece or None
        Repeated above it on top of a column.
    """

    height: float
    draw: Callable[[float, float], None]
    before: float = 0.0
    keeps: bool = False
    head: Piece | None = None


class _Text(NamedTuple):
    """Lines with their styles, flush with the left or right end of a width."""

    lines: tuple[tuple[Line, Style], ...]
    width: float
    is_right: bool = False

    @property
    def height(self) -> float:
        return sum(style.leading for _line, style in self.lines)


_Row = Sequence[tuple[float, _Text]]  # texts with their distances from the left margin


class PieceMaker:
    """Makes the pieces of blocks.

    Attributes
    ----------
    references : list of (int, float, float, str)
        Page, right end, baseline and section of the references drawn so far, whose page is not yet known.
    tightness : float
        Factor of heights and large sizes, by which a section fits its page.
    """

    def __init__(self, typesetter: Typesetter) -> None:
        self._typesetter, self._document = typesetter, typesetter.document
        self.references: list[tuple[int, float, float, str]] = []
        self.tightness = 1.0

    def _look(self, name: str) -> Style:
        look, by = STYLES[name], self.tightness
        if by == 1:
            return look
        size = max(look.size * by, min(look.size, _READABLE))
        leading, before, after = (length * by for length in (look.leading, look.before, look.after))
        return replace(look, size=size, leading=max(leading, size * 1.15), before=before, after=after)

    def pieces(self, block: Block, room: float) -> list[Piece]:
        """Return a block as pieces of a width."""
        match block:
            case Paragraph(refers=str(refers)) if refers:
                return [self._box(block, room)]
            case Paragraph() if block.tone in MARKS:
                return self._clause(block, room)
            case Paragraph():
                return list(self.paragraph(block.text, block.tone, room))
            case Facts() if block.look != "list":
                return self._tiles(block, room)
            case Facts():
                return [*self._heading(block.title, room), *self._facts(block, room)]
            case FigureTable():
                return [*self._heading(block.title, room), *self._table(block, room)]
            case Chart():
                return list(self._chart(block, room))
            case Source():
                return [*self._heading(block.title, room), *self._source(block.text, room)]
            case Signatures():
                return [self._signatures(block.people, room)]

    def is_wide(self, block: Block, room: float) -> bool:
        """Return whether a block needs more than a column of a width."""
        return isinstance(block, FigureTable) and sum(least for least, _width in self._widths(block)) > room

    def paragraph(self, text: str, style: str, room: float) -> Iterator[Piece]:
        """Yield a text of the program, which may quote values; its letters in Latin script lead it."""
        look = self._look(style)
        has_latin = any(unicodedata.bidirectional(character) == "L" for character in text)
        words = self._text(text, look, room, "ltr" if has_latin else _direction(text))
        last = len(words.lines) - 1
        for i, line in enumerate(words.lines):
            own = _Text((line,), room)
            yield Piece(
                look.leading + (look.after if i == last else 0.0),
                lambda x, y, own=own: self._draw(own, x, y),  # type: ignore[misc]  # bound now
                look.before if i == 0 else 0.0,
                keeps=i != last and i in (0, last - 1),  # no line stands alone
            )

    def _clause(self, block: Paragraph, room: float) -> list[Piece]:
        """Return a clause of the verdict with its mark, and what it rests on."""
        look = replace(self._look("clause"), colour=getattr(palette, block.tone.upper()))
        mark = self._text(MARKS[block.tone], look, _MARK, "ltr")
        text = self._text(block.text, self._look("clause"), room - _MARK, "ltr")
        basis = self._text(block.basis, self._look("basis"), room - _MARK, "ltr").lines if block.basis else ()
        words = _Text(text.lines + basis, room - _MARK)

        def draw(x: float, y: float) -> None:
            self._draw(mark, x, y)
            self._draw(words, x + _MARK, y)

        return [Piece(words.height + self._look("basis").after, draw)]

    def _box(self, block: Paragraph, room: float) -> Piece:
        """Return a sentence in a box, with the page on which its reasons are."""
        colour, width = getattr(palette, block.tone.upper()), room - 2 * _BOX - _MARK
        mark = self._text(MARKS[block.tone], replace(self._look("clause"), colour=colour), _MARK, "ltr")
        text = self._text(block.text, self._look("strong"), width, "ltr")
        words = _Text(
            text.lines + self._text(block.basis, self._look("caption"), width - 60, "ltr").lines, width
        )
        height = words.height + 2 * _BOX * self.tightness

        def draw(x: float, y: float) -> None:
            self._document.set_fill_color(palette.SOFT[block.tone])
            self._document.rect(x, y, room, height, style="F", round_corners=True, corner_radius=_RADIUS)
            self._draw(mark, x + _BOX, y + _BOX)
            self._draw(words, x + _BOX + _MARK, y + _BOX)
            place = (x + room - _BOX, y + height - _BOX)
            self.references.append((self._document.page, *place, block.refers))

        return Piece(height + _GAP, draw, _GAP)

    def _tiles(self, facts: Facts, room: float) -> list[Piece]:
        """Return facts next to each other: large values with captions, or small ones below their names."""
        is_large, width = facts.look == "tiles", room / max(len(facts.facts), 1)
        parts = []
        for fact in facts.facts:
            if is_large:
                value, look = format_tile(fact), self._look("figure")
                while look.size > 10 and self._typesetter.width(value, look.font, look.size) > width - _GAP:
                    look = replace(look, size=look.size - 1)
                first = self._text(value, look, width - _GAP, "ltr").lines
                lines = first + self._text(fact.title, self._look("caption"), width - _GAP, "ltr").lines
            else:
                lines = self._text(fact.title, self._look("label"), width - _GAP, "ltr").lines
                own = shortened(str(fact.value).replace("\n", " "), _LONGEST_TITLE)
                lines += self._text(own, self._look("fact"), width - _GAP, _direction(own)).lines
            parts.append(_Text(lines, width - _GAP))
        height = max((part.height for part in parts), default=0.0) + 2 * _BOX * self.tightness

        def draw(x: float, y: float) -> None:
            for i, part in enumerate(parts):
                self._draw(part, x + i * width, y + _BOX)
            if is_large:
                self._rule(x, y, room, palette.BORDER, 0.6)
            colour, thickness = (palette.BORDER, 0.6) if is_large else (palette.TEXT, 1.2)
            self._rule(x, y + height, room, colour, thickness)

        return [Piece(height + _GAP, draw)]

    def _text(self, text: str, style: Style, room: float, base: Direction) -> _Text:
        words = self._typesetter.readable(text)
        lines = self._typesetter.lines(words, style.font, style.size, room, base)
        return _Text(tuple((line, style) for line in lines), room)

    def _draw(self, text: _Text, x: float, y: float) -> None:
        """Draw lines from an upper left corner."""
        for line, style in text.lines:
            left = text.width - self._typesetter.width_of_line(line, style.size) if text.is_right else 0.0
            self._document.set_text_color(style.colour)
            baseline = y + (style.leading + style.size) / 2 - style.size * 0.12
            self._typesetter.draw(line, x + left, baseline, style.size)
            y += style.leading

    def _words(self, text: str, style: str, width: float, unit: str = "", *, is_right: bool = False) -> _Text:
        """Return a text for a cell, in the direction of its first letter, with a unit below."""
        look, room, base = self._look(style), width - _GAP, _direction(text)
        found = self._text(self._that_fits(text, width), look, room, base)
        if base == "rtl" and not is_right:  # flush right, in a block that begins where others begin
            widest = max(self._typesetter.width_of_line(line, look.size) for line, _look in found.lines)
            return found._replace(width=widest, is_right=True)
        below = self._text(unit, replace(look, colour=palette.TEXT_3), room, "ltr").lines if unit else ()
        return _Text(found.lines + below, room, is_right)

    def _heading(self, title: str, room: float) -> Iterator[Piece]:
        if title:
            for piece in self.paragraph(one_line(title), "heading", room):
                yield replace(piece, keeps=True)

    def _facts(self, facts: Facts, room: float) -> Iterator[Piece]:
        first = room * 0.42
        for fact in facts.facts:
            value = format_value(fact.value, is_share=fact.is_share, unit=fact.unit)
            title, own = self._words(fact.title, "cell", first), self._words(value, "value", room - first)
            row: _Row = [(0.0, title), (first, own)]
            if fact.explanation:
                below = self._words(fact.explanation, "about", room)
                height = max(title.height, own.height)
                yield self._row(row, room, palette.GRID, 0.4, below=(height, below))
            else:
                yield self._row(row, room, palette.GRID, 0.4)

    def _table(self, table: FigureTable, room: float) -> Iterator[Piece]:
        if not table.rows:
            yield from self.paragraph(_("No rows."), "note", room)
            return
        widths = _fitted(self._widths(table), room)
        for places in _pages_of_columns(widths, room):
            is_text = [_is_text(table, i) for i in places]
            rooms = _spread([widths[i] for i in places], is_text, room)
            lefts = [sum(rooms[:i]) for i in range(len(rooms))]
            columns = list(zip(places, is_text, lefts, rooms, strict=True))
            head = self._row(
                [(x, self._head(table.columns[i], text, wide)) for i, text, x, wide in columns],
                room,
                palette.AXIS,
                0.6,
            )
            yield replace(head, keeps=True)
            for number, row in enumerate(table.rows):
                cells = [(x, self._cell(table, row, number, i, text, wide)) for i, text, x, wide in columns]
                piece = self._row(
                    [(x, cell) for x, cell in cells if isinstance(cell, _Text)], room, palette.GRID, 0.4
                )
                drawn = [(x, cell) for x, cell in cells if not isinstance(cell, _Text)]
                is_last = number == len(table.rows) - 1
                yield Piece(
                    piece.height + (_GAP if is_last else 0.0),
                    self._with(piece, drawn, self._tints(table, number, columns)),
                    keeps=not is_last and number < _FIRST_ROWS - 1,
                    head=head,
                )

    def _with(
        self,
        piece: Piece,
        drawn: list[tuple[float, Callable[[float, float, float], None]]],
        tints: list[tuple[float, float, str]],
    ) -> Callable[[float, float], None]:
        """Return what draws a row with the tints of its cells, and its glyphs and bars."""

        def draw(x: float, y: float) -> None:
            for left, width, colour in tints:
                self._document.set_fill_color(colour)
                self._document.rect(x + left - 3, y + 0.5, width, piece.height - 1, style="F")
            piece.draw(x, y)
            for left, own in drawn:
                own(x + left, y, piece.height)

        return draw

    def _tints(
        self, table: FigureTable, number: int, columns: list[tuple[int, bool, float, float]]
    ) -> list[tuple[float, float, str]]:
        if not table.changes:
            return []
        changes = table.changes[number]
        return [(x, wide - 3, palette.CHANGES[changes[i]]) for i, _text, x, wide in columns if changes[i]]

    def _row(
        self, row: _Row, width: float, colour: str, thickness: float, below: tuple[float, _Text] | None = None
    ) -> Piece:
        """Return texts next to each other, perhaps one below them, with a line below."""
        high = max((text.height for _x, text in row), default=0.0)
        height = high + (below[1].height if below else 0.0) + _ABOVE + _BELOW

        def draw(x: float, y: float) -> None:
            for left, text in row:
                self._draw(text, x + left, y + _ABOVE)
            if below is not None:
                self._draw(below[1], x, y + _ABOVE + below[0])
            self._rule(x, y + height, width, colour, thickness)

        return Piece(height, draw)

    def _rule(self, x: float, y: float, width: float, colour: str, thickness: float) -> None:
        self._document.set_draw_color(colour)
        self._document.set_line_width(thickness)
        self._document.line(x, y, x + width, y)

    def _head(self, column: FigureColumn, is_text: bool, width: float) -> _Text:
        if column.look in ("steps", "height"):
            return _Text((), 0.0)
        unit = _(column.unit) if has_unit(column) else ""
        return self._words(column.title, "head", width, unit, is_right=not is_text)

    def _cell(
        self, table: FigureTable, row: Sequence[Figure], number: int, place: int, is_text: bool, width: float
    ) -> _Text | Callable[[float, float, float], None]:
        """Return the text of a cell, or what draws it with the height of its row."""
        value, column = row[place], table.columns[place]
        is_large = any(own.look not in ("", "times") for own in table.columns)
        if column.look == "steps":
            height = row[place + 1]
            steps = (value, height) if isinstance(value, int) and isinstance(height, int) else (0, 1)
            return lambda x, y, high: self.glyph(x, y + (high - 12) / 2, 12, (steps,))
        if column.look == "height":
            return _Text((), 0.0)
        text = format_value(value, is_share=column.is_share)
        if column.look == "bar" and isinstance(value, float):
            text = format_tile(value)
            return lambda x, y, high: self._bar(x, y + high / 2, width - _GAP, value, text)
        if isinstance(value, str):
            is_kept = table.changes and number and not table.changes[number][place]
            is_name = is_large and table.columns[place - 1].look == "height"
            own = (
                "fact"
                if is_name
                else "row"
                if is_large
                else "value"
                if table.changes and number and not is_kept
                else "cell"
            )
            return self._words(text, own, width, is_right=column.look == "bar")
        style = self._look("row" if is_large else "cell")
        line = self._typesetter.line(text, style.font)
        return _Text(((line, style),), width - _GAP, is_right=not is_text)

    def glyph(self, x: float, y: float, height: float, columns: Sequence[tuple[int, int]]) -> None:
        """Draw levels as columns of steps, of which the lowest ones are filled."""
        width = height * 0.26
        for number, (level, steps) in enumerate(columns):
            gap = 1.0 if steps * 3 <= height else 0.0
            own = (height - gap * (steps - 1)) / max(steps, 1)
            for step in range(steps):
                self._document.set_fill_color(palette.STEP if step < level else palette.NO_STEP)
                top = y + height - (step + 1) * own - step * gap
                self._document.rect(x + number * width * 1.4, top, width, own, style="F")

    def _bar(self, x: float, middle: float, width: float, share: float, text: str) -> None:
        """Draw a share as a bar with its number."""
        style = self._look("lost")
        line = self._typesetter.line(text, style.font)
        long = width - 40
        for colour, part in ((palette.SUNKEN, 1.0), (palette.SERIES["release"], min(max(share, 0.0), 1.0))):
            if part:
                self._document.set_fill_color(colour)
                is_round, at = part * long > 5, (x, middle - 2.5, part * long, 5)
                self._document.rect(*at, style="F", round_corners=is_round, corner_radius=2)
        left = width - self._typesetter.width_of_line(line, style.size)
        self._document.set_text_color(style.colour)
        self._typesetter.draw(line, x + left, middle + style.size * 0.36, style.size)

    def _that_fits(self, text: str, width: float) -> str:
        """Return a text for a cell of a table, cut so that no row is higher than a page."""
        longest = min(_LONGEST, max(int(_HIGHEST * (width - _GAP) / _WIDE), 1))
        return shortened(self._typesetter.readable(text.replace("\n", " ")), longest)

    def _widths(self, table: FigureTable) -> list[tuple[float, float]]:
        """Return the least and the preferred width of each column, in points: no word is broken."""
        found = []
        for i, column in enumerate(table.columns):
            if column.look in ("steps", "height", "bar"):
                fixed = {"steps": _GLYPH, "height": 0.0, "bar": _BAR}[column.look]
                found.append((fixed, fixed))
                continue
            texts = [format_value(row[i], is_share=column.is_share)[:80] for row in table.rows[:_SAMPLED]]
            words = [*column.title.split(), *(_(column.unit).split() if has_unit(column) else ())]
            wide = max((self._width(text, REGULAR) for text in texts), default=0.0)
            head = max((self._width(word, BOLD) for word in words), default=0.0)
            parts = (part.rstrip() for text in dict.fromkeys(texts) for part in segments(text))
            least = max((self._width(part, REGULAR) for part in parts), default=0.0)
            least, head = min(least * 1.04, _LONGEST_WORD), min(head, 90.0)  # some are written bold
            least = max(least, head, _NARROWEST - _GAP) + _GAP + 1
            found.append((least, min(max(wide + _GAP + 1, least), max(_WIDEST, least))))
        return found

    def _width(self, text: str, font: str) -> float:
        """Return the width of any text in a table."""
        return self._typesetter.width(self._typesetter.readable(text), font, self._look("cell").size)

    def _chart(self, chart: Chart, room: float) -> Iterator[Piece]:
        yield from self._heading(chart.title, room)
        reading = list(self.paragraph(chart.reading, "note", room)) if chart.reading else []
        drawings = charts.drawings_of(chart, self._typesetter, room, self.tightness)
        for drawing in drawings:

            def draw(x: float, y: float, drawing: charts.Drawing = drawing) -> None:
                for shape in drawing.shapes:
                    self._shape(shape, x, y + drawing.height)

            is_last = drawing is drawings[-1]
            gap = _GAP if is_last and not reading else 0.0
            yield Piece(drawing.height + gap, draw, keeps=is_last and bool(reading))
        yield from reading

    def _shape(self, shape: charts.Shape, left: float, bottom: float) -> None:
        """Draw one of the shapes that charts are drawn of, which count from below."""
        document = self._document
        match shape:
            case charts.Path():
                document.set_draw_color(shape.colour)
                document.set_line_width(shape.width)
                document.set_dash_pattern(*shape.dash)
                points = [(left + x, bottom - y) for x, y in shape.points]
                if shape.filling:
                    document.set_fill_color(shape.filling)
                document.polyline(points, style="DF" if shape.filling else "D")
                document.set_dash_pattern()
            case charts.Dots():
                document.set_fill_color(shape.colour)
                half = shape.size / 2
                for x, y in shape.points:
                    document.rect(left + x - half, bottom - y - half, shape.size, shape.size, style="F")
            case charts.Bar():
                document.set_draw_color(shape.colour)
                document.set_fill_color(shape.filling)
                document.set_line_width(0.6)
                top = bottom - shape.y - shape.height
                document.rect(left + shape.x, top, shape.width, shape.height, style="DF")
            case charts.Label():
                line = self._typesetter.line(shape.text, shape.font)
                width = self._typesetter.width_of_line(line, charts.LABEL_SIZE)
                offset = {"start": 0.0, "middle": width / 2, "end": width}[shape.anchor]
                document.set_text_color(shape.colour)
                self._typesetter.draw(line, left + shape.x - offset, bottom - shape.y, charts.LABEL_SIZE)

    def _source(self, text: str, room: float) -> Iterator[Piece]:
        """Yield lines unchanged."""
        style = self._look("source")
        for row in text.expandtabs(4).split("\n"):
            for line in self._wrapped(row, style, room):
                own = _Text(((line, style),), room)
                yield Piece(style.leading, lambda x, y, own=own: self._draw(own, x, y))  # type: ignore[misc]

    def _wrapped(self, row: str, style: Style, room: float) -> Iterator[Line]:
        """Yield the parts of a line of a source that fit a width, divided at spaces where there are some."""
        typeset = self._typesetter
        rest = typeset.readable(row)
        while typeset.width(rest, style.font, style.size) > room:
            end = max(1, min(len(rest) - 1, int(room / 3.2)))
            while end > 1 and typeset.width(rest[:end], style.font, style.size) > room:
                end -= 1
            indent = len(rest) - len(rest.lstrip())
            end = max(rest.rfind(" ", indent + 1, end) + 1, 0) or end
            yield typeset.line(rest[:end].rstrip(), style.font)
            rest = "    " + rest[end:]
        yield typeset.line(rest, style.font)

    def _signatures(self, people: Sequence[str], room: float) -> Piece:
        """Return lines to sign on, next to each other."""
        width = (room + 2 * _GAP) / max(len(people), 1) - 2 * _GAP
        words = [_("{name}, date").format(name=one_line(person)) for person in people]
        texts = [self._words(text, "sign", width) for text in words]

        def draw(x: float, y: float) -> None:
            for i, text in enumerate(texts):
                left = x + i * (width + 2 * _GAP)
                self._rule(left, y + _SIGNING * self.tightness, width, palette.TEXT_2, 0.8)
                self._draw(text, left, y + _SIGNING * self.tightness + 3)

        return Piece(_SIGNING * self.tightness + max((text.height for text in texts), default=0.0) + 3, draw)

    def write(
        self, text: str, style: str, x: float, y: float, width: float, *, is_right: bool = False
    ) -> None:
        """Write a text that ends at a height, flush with the left or right end of a width."""
        words = self._text(text, self._look(style), width, "ltr")
        self._draw(words._replace(is_right=is_right), x, y - words.height)


def _direction(text: str) -> Direction:
    """Return the direction of the first letter that has one."""
    from fpdf.bidi import auto_detect_base_direction
    from fpdf.enums import TextDirection

    return "rtl" if auto_detect_base_direction(text) == TextDirection.RTL else "ltr"


def _spread(widths: list[float], is_text: list[bool], room: float) -> list[float]:
    """Give what room is left to the texts."""
    left = room - sum(widths)
    n_texts = sum(is_text)
    if left <= 0 or not n_texts:
        return widths
    extra = min(left / n_texts, 120.0)
    return [width + extra if text and width else width for width, text in zip(widths, is_text, strict=True)]


def _pages_of_columns(widths: list[float], room: float) -> Iterator[list[int]]:
    """Yield the columns of each part if not all fit: the first is repeated with each further part."""
    places = list(range(len(widths)))
    if sum(widths) <= room + 0.5:
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


def _fitted(widths: list[tuple[float, float]], room: float) -> list[float]:
    """Take from the columns that have more than they need at least, each by its share, so that all fit."""
    least, wide = ([one[i] for one in widths] for i in (0, 1))
    beyond = sum(wide) - room
    spare = sum(wide) - sum(least)
    if beyond <= 0 or spare <= 0:
        return wide
    taken = min(beyond / spare, 1.0)
    return [high - taken * (high - low) for low, high in zip(least, wide, strict=True)]


def _is_text(table: FigureTable, place: int) -> bool:
    values = (row[place] for row in table.rows if row[place] is not None)
    return table.columns[place].look == "" and isinstance(next(values, ""), str)


def one_line(text: str) -> str:
    """A title, which may hold the name of a column of any length."""
    return shortened(text.replace("\n", " "), _LONGEST_TITLE)
