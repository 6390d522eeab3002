"""A report as PDF on A4 or Letter: two pages to decide by, then the appendix in two columns."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import groupby, zip_longest

from engine.findings.blocks import Chart, Paragraph
from engine.monitor import SILENT, Monitor
from engine.numbers import as_exact_count
from engine.report.content import ReportContent, Section
from engine.report.fonts import visible
from engine.report.pdf_blocks import Piece, PieceMaker, one_line
from engine.report.typesetting.scripts import script_title
from engine.report.typesetting.typesetter import Typesetter, typesetting
from engine.words import _

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


_MARGIN, _FOOT = 48.0, 30.0  # points; the line of the page number is this far above the edge
_BETWEEN = 20.0  # the two columns of the appendix
_GLYPH = 28.0  # height of the glyph above the title
_MOST_COLUMNS = 12  # of the glyph
_TIGHTNESS = (1.0, 0.95, 0.9, 0.85, 0.8)  # tried until a section fits its page
_STEP = 6.0  # by which two columns are made equally high
_Group = list[Piece]  # pieces that stay in one column


def as_pdf(content: ReportContent, monitor: Monitor = SILENT) -> bytes:
    """Write a report as PDF; the same content gives the same bytes."""
    with typesetting(content.texts(), content.settings.paper) as typesetter:
        return _Printer(content, typesetter).printed(monitor)


class _Printer:
    """Lays out one report from top to bottom."""

    def __init__(self, content: ReportContent, typesetter: Typesetter) -> None:
        self._content, self._typesetter = content, typesetter
        self._maker = PieceMaker(typesetter)
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
        self._room, self._bottom = document.w - 2 * _MARGIN, document.h - _MARGIN
        self._column = (self._room - _BETWEEN) / 2
        self._pages: dict[str, int] = {}  # on which sections begin
        self._feet: dict[int, str] = {}  # of pages with a text of their own
        self._new_page()

    def printed(self, monitor: Monitor) -> bytes:
        """Return the file."""
        content = self._content
        self._begin()
        done, total = 0, sum(len(section.blocks) for section in content.sections)
        appendix: list[tuple[bool, list[Piece]]] = []
        for section in content.sections:
            if section.is_page:
                self._page(section)
            found: list[tuple[bool, list[Piece]]] = []
            for block, following in zip_longest(section.blocks, section.blocks[1:]):
                monitor.step(done, total, _("Drawing: {title}").format(title=section.title))
                done += 1
                if section.is_page:
                    continue
                is_wide = self._maker.is_wide(block, self._column)
                pieces = self._maker.pieces(block, self._room if is_wide else self._column)
                if isinstance(block, Paragraph) and block.tone == "plain" and isinstance(following, Chart):
                    pieces[-1] = replace(pieces[-1], keeps=True)  # it speaks of the chart
                found.append((is_wide, pieces))
            if found:
                found[0] = (found[0][0], [*self._title(section, is_wide=found[0][0]), *found[0][1]])
                appendix += found
        self._appendix(appendix)
        self._write_feet()
        return bytes(self._document.output())

    def _new_page(self) -> None:
        self._document.add_page()
        self._y = _MARGIN

    def _begin(self) -> None:
        """Draw the glyph, what the report is and its title."""
        content, maker = self._content, self._maker
        levels = content.levels
        if len(levels) > _MOST_COLUMNS:
            levels = tuple(own for own in levels if own[0])[:_MOST_COLUMNS]
        maker.glyph(_MARGIN, _MARGIN, _GLYPH, levels)
        facts = f"{content.subtitle} · {content.date_text} · {content.program}"
        maker.write(facts, "label", _MARGIN + 130, _MARGIN + _GLYPH, self._room - 130, is_right=True)
        self._y += _GLYPH + 10
        self._flow(list(maker.paragraph(one_line(content.title), "title", self._room)))
        if lacking := self._typesetter.lacking():
            self._flow(list(maker.paragraph(lacking_note(lacking), "note", self._room)))

    def _page(self, section: Section) -> None:
        """Draw a section as a page of its own, the first one below the title of the report."""
        is_first, maker, pieces = not self._pages, self._maker, list[Piece]()
        if is_first:
            self._mark(section, self._y)
        else:
            self._new_page()
        self._feet[self._document.page] = section.foot
        for maker.tightness in _TIGHTNESS:
            title = [] if is_first else self._title(section, is_wide=True, style="page")
            pieces = [*title, *(p for block in section.blocks for p in maker.pieces(block, self._room))]
            if _height(pieces, is_first=True) <= self._bottom - self._y:
                break
        maker.tightness = 1.0
        self._flow(pieces)

    def _title(self, section: Section, *, is_wide: bool, style: str = "section") -> list[Piece]:
        """Return the title of a section; where it is drawn, the section begins."""
        first, *others = self._maker.paragraph(section.title, style, self._room if is_wide else self._column)

        def draw(x: float, y: float) -> None:
            self._mark(section, y)
            first.draw(x, y)

        return [replace(piece, keeps=True) for piece in (replace(first, draw=draw), *others)]

    def _mark(self, section: Section, y: float) -> None:
        self._document.set_y(y)
        self._document.start_section(visible(section.title))
        self._pages[section.key] = self._document.page

    def _appendix(self, parts: list[tuple[bool, list[Piece]]]) -> None:
        """Draw all other sections: blocks in two columns, and those that are wider across both."""
        if parts and self._pages:
            self._new_page()
            self._flow(list(self._maker.paragraph(_("Appendix"), "page", self._room)))
        for is_wide, run in groupby(parts, key=lambda part: part[0]):
            pieces = [piece for _is_wide, own in run for piece in own]
            if is_wide:
                self._flow(pieces)
            else:
                self._in_columns(_grouped(pieces))

    def _flow(self, pieces: list[Piece]) -> None:
        """Draw pieces one below the other."""
        groups = _grouped(pieces)
        while groups:
            n = _fitting(groups, self._bottom - self._y, is_on_top=self._y <= _MARGIN)
            self._y = self._draw(groups[:n], _MARGIN, self._y)
            groups = groups[n:]
            if groups:
                self._new_page()

    def _in_columns(self, groups: list[_Group]) -> None:
        """Draw pieces in two columns, equally high on their last page."""
        lefts = (_MARGIN, _MARGIN + self._column + _BETWEEN)
        while groups:
            top, is_on_top = self._y, self._y <= _MARGIN
            room = _balanced(groups, self._bottom - top)
            for left in lefts:
                n = _fitting(groups, room, is_on_top=is_on_top)
                self._y = max(self._y, self._draw(groups[:n], left, top))
                groups = groups[n:]
            if groups:
                self._new_page()

    def _draw(self, groups: Sequence[_Group], x: float, y: float) -> float:
        """Draw pieces in a column and return where they end; on its top, a table repeats its head."""
        is_first = True
        for group in groups:
            for piece in group:
                if is_first and piece.head is not None:
                    piece.head.draw(x, y)
                    y += piece.head.height
                y += 0.0 if is_first else piece.before
                piece.draw(x, y)
                y += piece.height
                is_first = False
        return y

    def _write_feet(self) -> None:
        """Number the pages of how many there are, and name those on which something else is."""
        title = one_line(self._content.title)[:70]
        n_pages, foot = self._document.pages_count, self._document.h - _FOOT
        for number in range(1, n_pages + 1):
            self._turn_to(number)
            words = _("Page {number} of {n}").format(number=number, n=n_pages)
            self._maker.write(self._feet.get(number) or title, "foot", _MARGIN, foot, self._room - 80)
            self._maker.write(words, "foot", _MARGIN, foot, self._room, is_right=True)
        for number, x, y, key in self._maker.references:
            if key in self._pages:
                self._turn_to(number)
                words = _("record on page {n}").format(n=self._pages[key])
                self._maker.write(words, "label", x - 120, y, 120, is_right=True)

    def _turn_to(self, number: int) -> None:
        self._document.page = number
        self._document.current_font_is_set_on_page = False  # but on the last page


def _grouped(pieces: list[Piece]) -> list[_Group]:
    """Return pieces in groups that stay together."""
    groups: list[_Group] = []
    is_kept = False
    for piece in pieces:
        if is_kept:
            groups[-1].append(piece)
        else:
            groups.append([piece])
        is_kept = piece.keeps
    return groups


def _height(group: _Group, *, is_first: bool) -> float:
    head = group[0].head
    on_top = (head.height if head is not None else 0.0) - group[0].before if is_first else 0.0
    return sum(piece.before + piece.height for piece in group) + on_top


def _fitting(groups: Sequence[_Group], room: float, *, is_on_top: bool) -> int:
    """Return how many groups fit a height; at least one on top of a page, where no other has more room."""
    used = 0.0
    for n, group in enumerate(groups):
        used += _height(group, is_first=n == 0)
        if used > room and (n or not is_on_top):
            return n
    return len(groups)


def _balanced(groups: Sequence[_Group], room: float) -> float:
    """Return the least height of two columns that hold all groups; the room if it is too small for them."""
    height = sum(_height(group, is_first=False) for group in groups) / 2
    while height < room:
        n = _fitting(groups, height, is_on_top=False)
        if n + _fitting(groups[n:], height, is_on_top=False) == len(groups):
            break
        height += _STEP
    return min(height, room)
