"""Lines of the inspector: names, bars, numbers and marks in columns, which each part declares."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPen
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from anonymizer_gui.theming import Text
from anonymizer_gui.theming.painter import ThemedPainter
from anonymizer_gui.widgets.accessible import Accessible, Role
from anonymizer_gui.widgets.buttons import make_button
from anonymizer_gui.widgets.drawn import Drawn, IconLabel
from anonymizer_gui.widgets.labels import ElidedLabel, make_label, set_tone
from anonymizer_gui.widgets.layouts import gridbox, hbox
from anonymizer_gui.widgets.meter import Meter
from engine.words import _

RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


@dataclass(frozen=True, slots=True)
class Item:
    """Content of one place of a line.

    Attributes
    ----------
    text, caption, hint : str
        Text, what follows it in a lighter tone, and the tooltip of both; the caption of a bar or a mark is
        its accessible name.
    tone : str
        Token of the colour, or empty for that of the column.
    share, tick : float or None
        Of a bar, as fractions of its width; without a share there is no bar.
    level : tuple of int
        Level and height, for boxes.
    is_met : bool
        For a mark.
    """

    text: str = ""
    hint: str = ""
    caption: str = ""
    tone: str = ""
    share: float | None = None
    tick: float | None = None
    level: tuple[int, int] = (0, 0)
    is_met: bool = True


def name(use: Text = Text.CELL, tone: str = "text") -> Callable[[], QWidget]:
    """Return a column of texts that are elided."""
    return partial(ElidedLabel, "", use, tone)


def number(use: Text = Text.CELL_STRONG, tone: str = "text") -> Callable[[], QWidget]:
    """Return a column of numbers, aligned right."""

    def made() -> QWidget:
        label = make_label("", use, tone)
        label.setAlignment(RIGHT)
        return label

    return made


def note() -> QWidget:
    """Return a remark after a number."""
    return make_label("", Text.CAPTION, "text_3")


def bar() -> QWidget:
    """Return a small bar."""
    return Meter("", 24)


class LineGrid(QWidget):
    """Lines whose widgets are made when they are first needed.

    Widgets other than those of this module show what they are given with a method `show_item`.

    Parameters
    ----------
    *columns : callable
        Make the widget of a column.
    stretched : int
        Column that takes the remaining width.
    spacing : tuple of int
        Between columns and between lines, in px.
    head : sequence of str
        Title over the first columns, and captions over the last ones; it is hidden while there are no lines.
    first : int, optional
        Lines shown until the user requests all.
    what : str
        What all of them are, for the button that shows them.
    """

    lines_added = Signal()

    def __init__(
        self,
        *columns: Callable[[], QWidget],
        stretched: int,
        spacing: tuple[int, int] = (6, 0),
        head: Sequence[str] = (),
        first: int | None = None,
        what: str = "",
    ) -> None:
        super().__init__()
        self._columns, self._has_head, self._first, self._what = columns, bool(head), first, what
        self._lines: list[tuple[QWidget, ...]] = []
        self._items: Sequence[Sequence[Any]] = ()
        self._shows_all = False
        self.more = make_button("", kind="quiet", small=True)
        self.more.clicked.connect(self._on_more)
        self.more.setParent(self)
        self.more.hide()
        self.grid = grid = gridbox(spacing=(spacing[0], spacing[1]), margins=0, stretched=stretched, of=self)
        for place, text in enumerate(head):
            label = ElidedLabel(text, *((Text.CAPTION, "text_3") if place else (Text.SECTION, "text_2")))
            if place:
                label.setAlignment(RIGHT)
            n_before = len(columns) - len(head)  # columns below the title, besides the first
            grid.addWidget(label, 0, place + n_before if place else 0, 1, 1 if place else 1 + n_before)

    def show_lines(self, lines: Sequence[Sequence[Any]]) -> None:
        """Show other lines, with an item per column."""
        self._items = lines
        self._fill()

    def texts(self) -> list[tuple[str, ...]]:
        """Return texts and captions of the lines shown."""
        return [tuple(f"{item.text} {item.caption}".strip() for item in line) for line in self._shown()]

    def widgets(self, *, hidden: bool = True) -> list[Any]:
        """Return the widgets of all lines, or of the shown ones."""
        n_shown = len(self._lines) if hidden else len(self._shown())
        return [widget for line in self._lines[:n_shown] for widget in line]

    def column(self, place: int) -> list[QWidget]:
        """Return the widgets of a column, hidden ones too."""
        return [line[place] for line in self._lines]

    def _shown(self) -> Sequence[Sequence[Any]]:
        return self._items if self._shows_all else self._items[: self._first]

    def _fill(self) -> None:
        shown, n_before = self._shown(), len(self._lines)
        for row in range(n_before, len(shown)):
            self._lines.append(tuple(make() for make in self._columns))
            for column, widget in enumerate(self._lines[-1]):
                self.grid.addWidget(widget, row + self._has_head, column)
        for row, line in enumerate(self._lines):
            for column, widget in enumerate(line):
                widget.setVisible(row < len(shown))
                if row < len(shown):
                    show_item(widget, shown[row][column])
        if self._has_head:
            self.setVisible(bool(shown))
        if self._first is not None:
            self._place_more(self._first)
        if len(self._lines) > n_before:
            self.lines_added.emit()

    def _place_more(self, n_first: int) -> None:
        words = _("Show fewer {what}") if self._shows_all else _("Show all {n_rows} {what}")
        self.more.setText(words.format(n_rows=len(self._items), what=self._what))
        row = len(self._lines) + self._has_head
        self.grid.addWidget(self.more, row, 0, 1, len(self._columns), Qt.AlignmentFlag.AlignLeft)
        self.more.setVisible(len(self._items) > n_first)

    def _on_more(self) -> None:
        self._shows_all = not self._shows_all
        self._fill()


def show_item(widget: QWidget, item: Any) -> None:
    """Show an item in the widget of its column."""
    match widget:
        case ElidedLabel():
            widget.setText(item.text)
            widget.set_hint(item.hint)
        case QLabel():
            widget.setText(item.text)
            widget.setToolTip(item.hint)
            if item.tone:
                set_tone(widget, item.tone)
        case Meter():
            widget.setAccessibleName(item.caption or item.hint)
            widget.setToolTip(item.hint)
            widget.show_share(item.share or 0.0, item.tick)
            widget.setVisible(item.share is not None)
        case IconLabel():
            widget.set_icon(*(("check", "ok") if item.is_met else ("x", "danger")))
            widget.setAccessibleName(item.caption)
        case _:
            own: Any = widget
            own.show_item(item)


class CaptionedName(QWidget):
    """Name, and what it is about in a lighter tone."""

    def __init__(self) -> None:
        super().__init__()
        self._name, self._about = make_label("", Text.CELL), ElidedLabel("", Text.CELL, "text_3")
        hbox(self._name, (self._about, 1), spacing=6, margins=0, of=self)

    def show_item(self, item: Item) -> None:
        """Show the name of another line."""
        self._name.setText(item.text)
        self._name.setToolTip(item.hint)
        self._about.setText(item.caption)
        self._about.set_hint(item.hint)


class LevelDots(Drawn, QWidget):
    """One box per level above the input, filled up to the node's level."""

    def __init__(self) -> None:
        super().__init__()
        self._level, self._height = 0, 1
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def show_item(self, item: Item) -> None:
        """Show another level."""
        self._level, self._height = item.level
        words = self.tr("level {level} of {height}")
        self.setAccessibleName(words.format(level=self._level, height=self._height))
        self.updateGeometry()
        self.update()

    def as_accessible(self) -> Accessible:
        return Accessible(Role.Graphic)

    def sizeHint(self) -> QSize:
        return QSize(max(self._height, 1) * 9 + 1, 12)  # not scaled: the meaning beside it needs the room

    def draw(self, painter: ThemedPainter) -> None:
        theme = painter.theme
        for i in range(self._height):
            filled = i < self._level
            painter.setPen(QPen(QColor(theme.accent if filled else theme.border_strong), 1))
            painter.setBrush(QColor(theme.accent if filled else theme.surface))
            painter.drawRoundedRect(QRectF(i * 9 + 0.5, 1.5, 6, 8), 1.5, 1.5)
