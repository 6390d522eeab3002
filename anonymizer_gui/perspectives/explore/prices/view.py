"""The price table: a row per column, a cell per level with its price; a click insists on a level."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import isfinite

from PySide6.QtCore import QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QFocusEvent,
    QFontMetrics,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPixmap,
)

from anonymizer_gui.perspectives.explore.hover_card import show_hover_card
from anonymizer_gui.perspectives.explore.prices.layout import (
    ONE_LINE,
    ONLY_PRICE,
    TWO_LINES,
    Place,
    PriceLayout,
    needed_height,
)
from anonymizer_gui.perspectives.explore.prices.rows import Kind, PriceCell, PriceRow
from anonymizer_gui.theming import Text, font, paint_icon, scaled
from anonymizer_gui.theming.motion import Motion, Movement
from anonymizer_gui.theming.painter import ThemedPainter, paint_text
from anonymizer_gui.theming.type_scale import SEMI_BOLD
from anonymizer_gui.widgets.accessible import PRESS, SHOW_MENU, Accessible, Part, Path, Role, value_changed
from anonymizer_gui.widgets.marks import draw_optimum
from anonymizer_gui.widgets.painted_view import PaintedView
from engine.words import _

LEAST_SCALE = 0.02  # price of a whole bar, at least
_RADIUS, _PADDING, _STAR, _PIN, _TICK = 5, 8, 14, 13, (1.5, 8)
_BAR, _LOW_BAR = 4, 2
_MOST_PICTURES = 500
_WIDE_CELL = 190  # px from which a cell has the number of its nodes
_STEPS = {
    Qt.Key.Key_Left: (0, -1),
    Qt.Key.Key_Right: (0, 1),
    Qt.Key.Key_Up: (-1, 0),
    Qt.Key.Key_Down: (1, 0),
}


class PriceView(PaintedView):
    """Shows rows; knows no project. Cells are named by column and level."""

    insist_requested = Signal(int, int)
    release_requested = Signal()  # of all levels
    open_requested = Signal(int, int)  # select the best node of a cell, and show it in the lattice
    explanation_requested = Signal(int, int)
    menu_requested = Signal(int, int, QPoint)
    cell_focused = Signal(int, int)  # answered by `describe`
    rows_changed = Signal()  # another number of rows

    has_focus_frame = False
    # Qt asks for the present cell before the constructor has ended.
    rows: tuple[PriceRow, ...] = ()
    _at: Place = (0, 0)

    def __init__(self) -> None:
        super().__init__("priceTable", self.tr("Prices of levels"))
        self._hovered: Place | None = None
        self._pressed: Place | None = None
        self._explained_at = QPoint()
        self._scale = LEAST_SCALE
        self._ghosts: Mapping[Place, float] = {}  # prices before a knob was turned, by column and level
        self._before: Mapping[Place, float] = {}  # prices from which bars slide
        self._share = 1.0  # of the slide
        self._movement = Movement(Motion.ZOOM, self)
        self._pictures: dict[object, QPixmap] = {}

    # -- display -------------------------------------------------------------------------------

    def show_rows(
        self, rows: Sequence[PriceRow], scale: float, ghosts: Mapping[Place, float], *, slides: bool = False
    ) -> None:
        """Show prices.

        Parameters
        ----------
        scale : float
            Price of a bar as wide as its cell.
        ghosts : mapping of (column, level) to float
            Earlier prices that stay marked while a knob is held.
        slides : bool
            Whether bars slide from their last lengths.
        """
        if not rows:
            self._pictures = {}  # of another lattice
        self._before = self._prices() if slides else {}
        self.rows, self._scale, self._ghosts = tuple(rows), max(scale, LEAST_SCALE), ghosts
        row = min(self._at[0], max(len(self.rows) - 1, 0))
        self._at = (row, min(self._at[1], len(self.rows[row].cells) - 1) if self.rows else 0)
        if self.minimumHeight() != self.least_height():
            self.setMinimumHeight(self.least_height())
            self.rows_changed.emit()
        if slides:
            self._movement.start(self._slide)
        else:
            self._movement.stop()
            self._share = 1.0
        self.update()
        self._say()

    def least_height(self) -> int:
        """Return the height of the smallest rows; in a lower view they scroll."""
        return needed_height(self._n_cells, self._n_upper)

    def wanted_height(self, pitch: tuple[int, int]) -> int:
        """Return the height of the rows at a pitch."""
        return needed_height(self._n_cells, self._n_upper, pitch)

    def refit(self) -> None:
        self._pictures = {}
        super().refit()

    def sizeHint(self) -> QSize:
        return QSize(scaled(600), self.least_height())

    @property
    def geometry_shown(self) -> PriceLayout:
        """Places of rows and cells."""
        at = self._at if self.hasFocus() else None
        chosen = [
            (row, cell)
            for row, shown in enumerate(self.rows)
            for cell, entry in enumerate(shown.cells)
            if entry.is_chosen
        ]
        opened = frozenset([*chosen, *(place for place in (self._hovered, at) if place is not None)])
        return PriceLayout(self.width(), self.height(), self._n_cells, self._n_upper, opened)

    @property
    def current(self) -> Place:
        """Row and place of the cell that keys act on."""
        return self._at

    def rect_of(self, column: int, level: int) -> QRectF:
        """Return the place of a cell."""
        row = next(place for place, row in enumerate(self.rows) if row.column == column)
        return self.geometry_shown.place((row, self.rows[row].place_of(level)))

    @property
    def _n_cells(self) -> tuple[int, ...]:
        return tuple(len(row.cells) for row in self.rows)

    @property
    def _n_upper(self) -> int:
        return sum(row.is_upper for row in self.rows)

    def _prices(self) -> dict[Place, float]:
        return {(row.column, cell.level): cell.price for row in self.rows for cell in row.cells}

    def _slide(self, share: float) -> None:
        self._share = share
        self.update()

    def _cell(self, at: Place) -> PriceCell:
        return self.rows[at[0]].cells[at[1]]

    def _named(self, at: Place) -> Place:
        """Return column and level of a cell."""
        return self.rows[at[0]].column, self._cell(at).level

    # -- drawing -------------------------------------------------------------------------------

    def draw(self, painter: ThemedPainter) -> None:
        painter.fill(self.rect(), "surface")
        if not self.rows:
            return
        layout = self.geometry_shown
        painter.setRenderHint(painter.RenderHint.Antialiasing)
        self._draw_head(painter, layout)
        for row, shown in enumerate(self.rows):
            self._draw_name(painter, layout, layout.name(row), shown)
            for cell, place in enumerate(layout.cells(row)):
                self._draw_cell(painter, layout, (row, cell), place)
        if layout.rule is not None:
            painter.ink("border")
            painter.drawLine(QPointF(0, layout.rule), QPointF(self.width(), layout.rule))
        if self.hasFocus():
            place = layout.place(self._at).adjusted(-2, -2, 2, 2)
            painter.outline(place, "accent", 2, _RADIUS + 2)

    def _draw_head(self, painter: ThemedPainter, layout: PriceLayout) -> None:
        first = layout.cells(0)
        head = QRectF(first[0].left(), 0, first[-1].right() - first[0].left(), layout.row_top(0) - 4)
        finest, hidden = _("finest"), _("hidden")
        paint_text(painter, head, finest, Text.CAPTION, "text_3")
        paint_text(painter, head, hidden, Text.CAPTION, "text_3", is_right=True)
        metrics = painter.fontMetrics()
        painter.ink("border")
        y = head.center().y()
        left = head.left() + metrics.horizontalAdvance(finest) + _PADDING
        painter.drawLine(
            QPointF(left, y), QPointF(head.right() - metrics.horizontalAdvance(hidden) - _PADDING, y)
        )

    def _draw_name(self, painter: ThemedPainter, layout: PriceLayout, room: QRectF, row: PriceRow) -> None:
        def draw(own: ThemedPainter, box: QRectF) -> None:
            if layout.cell_height < ONE_LINE or not row.now:
                paint_text(own, box, row.name, Text.TITLE)
                return
            line = scaled(8)
            upper = QRectF(box.left(), box.center().y() - 2 * line, box.width(), 2 * line)
            paint_text(own, upper, row.name, Text.TITLE)
            paint_text(own, upper.translated(0, 2 * line), row.now, Text.CAPTION, "text_3")

        self._draw_kept(painter, room, (row.name, row.now, layout.cell_height), draw)

    def _draw_cell(self, painter: ThemedPainter, layout: PriceLayout, at: Place, place: QRectF) -> None:
        cell, height = self._cell(at), layout.cell_height
        is_narrow = layout.is_long(at[0]) and place.width() < scaled(2 * _WIDE_CELL // 3)
        is_bare = height <= ONLY_PRICE or is_narrow
        self._draw_ground(painter, place, at, height, is_bare=is_bare)
        inside = place.adjusted(_PADDING, 0, -_PADDING, 0)
        if is_bare:
            tone = "text_3" if cell.kind is Kind.IMPOSSIBLE else "text" if cell.is_chosen else "text_2"
            painter.style(Text.CELL, tone, SEMI_BOLD if cell.is_chosen else None)
            shown = painter.elided(cell.brief, place.width() - 4)
            painter.drawText(place, Qt.AlignmentFlag.AlignCenter, shown)
        elif height <= ONE_LINE:
            end = inside.adjusted(0, 0, -_star_room(cell), 0)
            if not (cell.is_free and cell.is_optimum):
                painter.style(Text.CELL, _tone(cell), SEMI_BOLD)
                words = _fitting(painter, cell, end.width())
                paint_text(painter, end, words, Text.CELL, _tone(cell), is_right=True, weight=SEMI_BOLD)
        else:
            line = _second_line(place, height)
            self._draw_price(painter, line.adjusted(_PADDING, 0, -_PADDING, 0), cell)
            if cell.kind in (Kind.PRICED, Kind.AT_MOST):
                thick = scaled(_BAR if height > TWO_LINES else _LOW_BAR)
                self._draw_bar(painter, at, QRectF(inside.left(), line.bottom() + 2, inside.width(), thick))

    def _draw_ground(
        self, painter: ThemedPainter, place: QRectF, at: Place, height: int, *, is_bare: bool
    ) -> None:
        """Draw frame, marks and title: of many turns of a knob they are the same, and kept as pictures."""
        cell, is_hovered = self._cell(at), at == self._hovered
        width = self._price_width(cell) if height <= ONE_LINE else 0
        is_impossible = cell.kind is Kind.IMPOSSIBLE
        marks = cell.is_chosen, cell.is_insisted, cell.is_optimum, cell.is_selected
        states = (*marks, is_impossible, is_hovered, is_bare)

        def draw(own: ThemedPainter, box: QRectF) -> None:
            self._draw_frame(own, box, cell, is_hovered=is_hovered)
            if not is_bare:
                inside = box.adjusted(_PADDING, 0, -_PADDING, 0)
                left = self._draw_marks(own, inside, cell)
                room = inside if height <= ONE_LINE else _first_line(inside, height)
                self._draw_title(own, room.adjusted(left, 0, -_star_room(cell) - width, 0), cell)

        self._draw_kept(painter, place, (self._named(at), width, height, states), draw)

    def _draw_kept(
        self,
        painter: ThemedPainter,
        place: QRectF,
        key: object,
        draw: Callable[[ThemedPainter, QRectF], None],
    ) -> None:
        """Draw what many turns of a knob leave as it is, from a picture that is kept by its key."""
        ratio = self.devicePixelRatioF()
        picture = self._pictures.get((key, place.width(), ratio))
        if picture is None:
            if len(self._pictures) > _MOST_PICTURES:
                self._pictures.clear()
            picture = self._pictures[key, place.width(), ratio] = QPixmap(place.size().toSize() * ratio)
            picture.setDevicePixelRatio(ratio)
            picture.fill(painter.theme.color("surface"))
            own = ThemedPainter(picture)
            own.setRenderHint(own.RenderHint.Antialiasing)
            draw(own, QRectF(0, 0, place.width(), place.height()))
            own.end()
        painter.drawPixmap(place.topLeft(), picture)

    def _price_width(self, cell: PriceCell) -> int:
        """Return the room that a price takes beside its title."""
        if cell.is_free and cell.is_optimum:
            return 0
        return QFontMetrics(font(Text.CELL, SEMI_BOLD)).horizontalAdvance(cell.words) + _PADDING

    def _draw_frame(
        self, painter: ThemedPainter, place: QRectF, cell: PriceCell, *, is_hovered: bool
    ) -> None:
        if cell.is_insisted:
            painter.outline(place.adjusted(1, 1, -1, -1), "accent", 2, _RADIUS, "accent_soft")
        elif cell.is_chosen:
            painter.outline(place.adjusted(1, 1, -1, -1), "ink", 2, _RADIUS, "surface")
        elif cell.kind is Kind.IMPOSSIBLE:
            painter.ink("fail_line", 1, (3, 2))
            painter.tint("hover" if is_hovered else "surface")
            painter.drawRoundedRect(place.adjusted(0.5, 0.5, -0.5, -0.5), _RADIUS, _RADIUS)
        elif is_hovered or cell.is_selected:
            painter.outline(place.adjusted(1, 1, -1, -1), "accent", 2, _RADIUS, "surface_2")
        else:
            painter.outline(place.adjusted(0.5, 0.5, -0.5, -0.5), "border", 1, _RADIUS, "surface_2")

    def _draw_marks(self, painter: ThemedPainter, inside: QRectF, cell: PriceCell) -> float:
        """Draw pin and star; return the width that the pin takes."""
        is_high = inside.height() > scaled(ONE_LINE)
        line = _first_line(inside, TWO_LINES) if is_high else inside
        if cell.is_optimum:
            box = QRectF(0, 0, scaled(_STAR), scaled(_STAR))
            box.moveCenter(QPointF(inside.right() - box.width() / 2, line.center().y() + 2 * is_high))
            draw_optimum(painter, box, painter.theme)
        if not cell.is_insisted:
            return 0.0
        box = QRectF(inside.left(), line.center().y() - scaled(_PIN) / 2, scaled(_PIN), scaled(_PIN))
        paint_icon(painter, box, "pin", painter.theme.accent)
        return box.width() + 4

    def _draw_title(self, painter: ThemedPainter, room: QRectF, cell: PriceCell) -> None:
        tone = "text_3" if cell.kind is Kind.IMPOSSIBLE else "text"
        weight = SEMI_BOLD if cell.is_chosen or cell.is_insisted else None
        painter.style(Text.CELL, tone, weight)
        fits = painter.fontMetrics().horizontalAdvance(cell.title) <= room.width()
        paint_text(painter, room, cell.title if fits else cell.short, Text.CELL, tone, weight=weight)

    def _draw_price(self, painter: ThemedPainter, room: QRectF, cell: PriceCell) -> None:
        """Write price, share and number of nodes, the last ones where there is room.

        They change with every turn of a knob in all cells, so each is measured once and written at a point.
        """
        weight = None if cell.kind is Kind.IMPOSSIBLE else SEMI_BOLD
        painter.style(Text.CELL, _tone(cell), weight)
        metrics = painter.fontMetrics()
        base = room.center().y() + (metrics.ascent() - metrics.descent()) / 2
        words = _fitting(painter, cell, room.width())
        width = metrics.horizontalAdvance(words)
        painter.drawText(QPointF(room.left(), base), words)
        left, right = room.left() + width + _PADDING, room.right()
        if cell.nodes and room.width() + 2 * _PADDING >= scaled(_WIDE_CELL):
            painter.style(Text.CAPTION, "text_3")
            nodes = painter.fontMetrics().horizontalAdvance(cell.nodes)
            if right - left > nodes + _PADDING:
                painter.drawText(QPointF(right - nodes, base), cell.nodes)
                right -= nodes + _PADDING
        if cell.share:
            painter.style(Text.CELL, "text_2")
            if painter.fontMetrics().horizontalAdvance(cell.share) <= right - left:
                painter.drawText(QPointF(left, base), cell.share)

    def _draw_bar(self, painter: ThemedPainter, at: Place, track: QRectF) -> None:
        cell, name = self._cell(at), self._named(at)
        painter.fill(track, "sunken", radius=2)
        price = self._moved(name, cell.price)
        common = min(price, self._moved_chosen())
        for length, token in ((price, "series_4"), (common, "border_strong")):
            if (width := min(length / self._scale, 1.0) * track.width()) > 0:
                painter.fill(
                    QRectF(track.left(), track.top(), max(width, 2.0), track.height()), token, radius=2
                )
        ghost = self._ghosts.get(name)
        if ghost is not None and isfinite(ghost):
            x = track.left() + min(ghost / self._scale, 1.0) * track.width()
            width, height = _TICK
            painter.fill(QRectF(x - width / 2, track.center().y() - height / 2, width, height), "text_3")

    def _moved(self, name: Place, price: float) -> float:
        before = self._before.get(name, price)
        return price if not isfinite(before) else before + (price - before) * self._share

    def _moved_chosen(self) -> float:
        """Return the price of the chosen node, which all cells have in common."""
        prices = (cell.price for row in self.rows for cell in row.cells if cell.is_chosen)
        return min(prices, default=0.0)

    # -- pointer -------------------------------------------------------------------------------

    def hover(self, position: QPointF | None) -> None:
        at = None if position is None else self.geometry_shown.cell_at(position)
        if at != self._hovered:
            self._hovered = at
            self.update()

    def explain(self, position: QPoint, place: QPoint) -> None:
        at = self.geometry_shown.cell_at(QPointF(position))
        if at is None:
            show_hover_card(self, place, "")
            return
        below = self.geometry_shown.place(at).bottomLeft().toPoint()
        self._explained_at = self.mapToGlobal(QPoint(position.x(), below.y()))  # beside its own row
        self.explanation_requested.emit(*self._named(at))

    def show_explanation(self, text: str) -> None:
        """Answer `explanation_requested`."""
        show_hover_card(self, self._explained_at, text)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._pressed = self.geometry_shown.cell_at(event.position())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self.hover(event.position())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        at, pressed = self.geometry_shown.cell_at(event.position()), self._pressed
        self._pressed = None
        if at is not None and at == pressed:
            self._go_to(at)
            self.insist_requested.emit(*self._named(at))

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        at = self.geometry_shown.cell_at(event.position())
        if at is not None and event.button() == Qt.MouseButton.LeftButton:
            self.open_requested.emit(*self._named(at))

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        is_by_key = event.reason() == QContextMenuEvent.Reason.Keyboard
        at = self._at if is_by_key else self.geometry_shown.cell_at(QPointF(event.pos()))
        if at is not None and self.rows:
            self._request_menu(at)

    def _request_menu(self, at: Place) -> None:
        place = self.geometry_shown.place(at).center().toPoint()
        self.menu_requested.emit(*self._named(at), self.mapToGlobal(place))

    # -- keyboard ------------------------------------------------------------------------------

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        act = self._answer(key, event.modifiers()) if self.rows else None
        if event.matches(QKeySequence.StandardKey.Copy):
            QGuiApplication.clipboard().setText(self.as_text())
        elif act is None:
            super().keyPressEvent(event)
        else:
            act()

    def _answer(self, key: Qt.Key, modifiers: Qt.KeyboardModifier) -> Callable[[], object] | None:
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            opens = modifiers & Qt.KeyboardModifier.ControlModifier and key != Qt.Key.Key_Space
            signal = self.open_requested if opens else self.insist_requested
            return lambda: signal.emit(*self._named(self._at))
        if key == Qt.Key.Key_Escape:
            return self.release_requested.emit
        if key in (Qt.Key.Key_Home, Qt.Key.Key_End):
            last = len(self.rows[self._at[0]].cells) - 1
            return lambda: self._go_to((self._at[0], 0 if key == Qt.Key.Key_Home else last))
        if key in _STEPS:
            return lambda: self._go_to(self._next(*_STEPS[key]))
        return None

    def _next(self, down: int, right: int) -> Place:
        """Return the next cell in a direction; in another row the one at the nearest relative place."""
        row, cell = self._at
        if not down:
            return row, min(max(cell + right, 0), len(self.rows[row].cells) - 1)
        other = min(max(row + down, 0), len(self.rows) - 1)
        share = (cell + 0.5) / len(self.rows[row].cells)
        return other, min(int(share * len(self.rows[other].cells)), len(self.rows[other].cells) - 1)

    def _go_to(self, at: Place) -> None:
        self._at = at
        self.update()
        self._say()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.update()

    # -- text and screen readers ---------------------------------------------------------------

    def as_text(self) -> str:
        """Return the table as text, cells separated by tabs."""
        lines = []
        for row in self.rows:
            cells = [f"{cell.title}: {cell.words}" for cell in row.cells]
            lines.append("\t".join([row.name, row.now, *cells]))
        return "\n".join(lines)

    def spoken(self, at: Place) -> str:
        """Return what a screen reader says of a cell; what gives way follows as its description."""
        row, cell = self.rows[at[0]], self._cell(at)
        states = [
            (cell.is_chosen, _("selected")),
            (cell.is_insisted, _("insisted on")),
            (cell.is_optimum, _("optimum")),
        ]
        title = _("{column}, {level}: {price}").format(column=row.name, level=cell.title, price=cell.words)
        said = [title, cell.share, cell.nodes, *(word for is_so, word in states if is_so)]
        return ". ".join(filter(None, said))

    def as_accessible(self) -> Accessible:
        if not self.rows:
            return Accessible(Role.Table)
        cell = self._cell(self._at)
        actions = {
            PRESS: lambda: self.insist_requested.emit(*self._named(self._at)),
            SHOW_MENU: lambda: self._request_menu(self._at),
        }
        states = {"selected": cell.is_chosen, "checked": cell.is_insisted}
        return Accessible(Role.Table, self.spoken(self._at), actions=actions, states=states)

    def n_accessible_parts(self, path: Path) -> int:
        """Return the number of rows, or of cells in a row with its header."""
        return len(self.rows) if not path else len(self.rows[path[0]].cells) + 1 if len(path) == 1 else 0

    def accessible_part(self, path: Path) -> Part:
        """Return a row, its header with the present level, or a cell with its price."""
        layout, row = self.geometry_shown, self.rows[path[0]]
        name, cells = layout.name(path[0]), layout.cells(path[0])
        if len(path) == 1:
            return Part(Role.Row, row.name, name.united(cells[-1] if cells else name).toAlignedRect())
        if not path[1]:
            return Part(Role.RowHeader, ". ".join(filter(None, (row.name, row.now))), name.toAlignedRect())
        at = (path[0], path[1] - 1)
        cell = self._cell(at)
        states = {
            "selectable": True,
            "selected": cell.is_chosen,
            "checkable": True,
            "checked": cell.is_insisted,
            "disabled": cell.kind is Kind.IMPOSSIBLE,
        }
        return Part(Role.Cell, self.spoken(at), cells[at[1]].toAlignedRect(), states)

    def _say(self) -> None:
        if self.hasFocus() and self.rows:
            value_changed(self)
            self.cell_focused.emit(*self._named(self._at))


def _star_room(cell: PriceCell) -> int:
    return scaled(_STAR) + 4 if cell.is_optimum else 0


def _first_line(place: QRectF, height: int) -> QRectF:
    """Return the place of the title in a cell of two lines."""
    is_large = height > TWO_LINES
    line, top = scaled(17 if is_large else 15), scaled(5 if is_large else 2)
    return QRectF(place.left(), place.top() + top, place.width(), line)


def _second_line(place: QRectF, height: int) -> QRectF:
    """Return the place of the price below it."""
    first = _first_line(place, height)
    return first.translated(0, first.height())


def _fitting(painter: ThemedPainter, cell: PriceCell, width: float) -> str:
    """Return the price in words, or in a few signs where they would be cut."""
    return cell.words if painter.fontMetrics().horizontalAdvance(cell.words) <= width else cell.brief


def _tone(cell: PriceCell) -> str:
    """Return the colour of a price."""
    if cell.kind in (Kind.IMPOSSIBLE, Kind.NOT_SCORED):
        return "text_3"
    return "ok" if cell.is_free else "warn"
