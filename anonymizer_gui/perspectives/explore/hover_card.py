"""Card next to the pointer about the node under it, shared by lattice, map and list."""

from __future__ import annotations

from weakref import WeakSet

from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QFontMetrics,
    QHideEvent,
    QMouseEvent,
    QPen,
    QShowEvent,
)
from PySide6.QtWidgets import QApplication, QWidget

from anonymizer_gui.perspectives.explore.node_text import mark_of
from anonymizer_gui.theming import Text, font, scaled
from anonymizer_gui.theming.painter import ThemedPainter
from anonymizer_gui.widgets.drawn import Drawn
from anonymizer_gui.widgets.level_glyph import MIDDLE, SMALL, Glyph, draw_glyph, fitting, glyph_width
from anonymizer_gui.widgets.marks import MARK_SIZE, draw_mark

SHADOW = 12  # width in px around the card
_RADIUS, _PADDING, _GAP, _WIDEST = 8, 10, 2, 360
_REACH, _BESIDE = 8, 14  # px that the pointer may move, and distance of the card
_DARKEST = 11  # alpha of the shadow's innermost ring
_FLAGS = int(Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)

# Events that hide the card, because its text becomes outdated.
_ENDINGS = frozenset(
    {
        QEvent.Type.MouseButtonPress,
        QEvent.Type.MouseButtonDblClick,
        QEvent.Type.Wheel,
        QEvent.Type.KeyPress,
        QEvent.Type.WindowDeactivate,
    }
)


class HoverCard(Drawn, QWidget):
    """One card per window, shown by `show_hover_card`; it takes neither focus nor clicks."""

    def __init__(self, window: QWidget) -> None:
        flags = Qt.WindowType.ToolTip | Qt.WindowType.FramelessWindowHint
        super().__init__(window, flags | Qt.WindowType.NoDropShadowWindowHint)
        self.setObjectName("hoverCard")
        self.setAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._view: QWidget | None = None
        self._at = QPoint()
        self._text = ""
        self.glyph: Glyph | None = None  # levels shown beside the title

    @property
    def text(self) -> str:
        """Text shown; empty while the card is hidden."""
        return self._text if self.isVisible() else ""

    def show_text(self, view: QWidget, position: QPoint, text: str, glyph: Glyph | None = None) -> None:
        """Show a text next to a global position; the first line is its title, with the levels next to it."""
        self.glyph = None if glyph is None else fitting(glyph, scaled(_WIDEST) / 2, (MIDDLE, SMALL))[0]
        self._view, self._at, self._text = view, position, text
        self.setAccessibleName(text)
        self.resize(self.sizeHint())
        self.move(self._place(position))
        self.show()
        self.update()

    def sizeHint(self) -> QSize:
        places = self._places()
        around = 2 * (SHADOW + scaled(_PADDING))
        width = max((place.right() + 1 for place, _, _ in places), default=0)
        if places and (beside := self._beside()):
            width = max(width, places[0][0].right() + 1 + beside)
        height = max((place.bottom() + 1 for place, _, _ in places), default=0)
        return QSize(width + around, height + around)

    def _places(self) -> list[tuple[QRect, Text, str]]:
        """Return the position of each line, relative to the corner within the padding."""
        mark, places, y = mark_of(self._text), [], 0
        for number, line in enumerate(self._text.split("\n")):
            use = Text.TITLE if number == 0 else Text.CELL
            left = 0
            if mark is not None and number == 1:
                use, left = Text.CELL_STRONG, scaled(MARK_SIZE) + 6
            metrics = QFontMetrics(font(use))
            room = scaled(_WIDEST) - left - (0 if number else self._beside())
            rect = metrics.boundingRect(QRect(0, 0, room, 10_000), _FLAGS, line)
            height = rect.height() if number or not self.glyph else max(rect.height(), scaled(MIDDLE.height))
            places.append((QRect(left, y, rect.width() + 2, height), use, line))
            y += height + (_GAP if line and number else 2 * _GAP)
        return places

    def _beside(self) -> int:
        """Return the width of the glyph with its distance from the title."""
        return 0 if self.glyph is None else glyph_width(len(self.glyph.levels), MIDDLE) + 2 * _BESIDE

    def _place(self, position: QPoint) -> QPoint:
        """Return a position below right of the pointer, or on its other sides at the edge of the screen."""
        screen = QApplication.screenAt(position) or QApplication.primaryScreen()
        room, size = screen.availableGeometry(), self.size()
        x, y = position.x() + _BESIDE - SHADOW, position.y() + _BESIDE - SHADOW
        if x + size.width() - SHADOW > room.right():
            x = position.x() - _BESIDE + SHADOW - size.width()
        if y + size.height() - SHADOW > room.bottom():
            y = position.y() - _BESIDE + SHADOW - size.height()
        return QPoint(max(x, room.left() - SHADOW), max(y, room.top() - SHADOW))

    # -- leaving -------------------------------------------------------------------------------

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if kind in _ENDINGS or (watched is self._view and kind in (QEvent.Type.Leave, QEvent.Type.Hide)):
            self.hide()
        elif kind == QEvent.Type.MouseMove and isinstance(event, QMouseEvent):
            moved = event.globalPosition().toPoint() - self._at
            if moved.manhattanLength() > _REACH:
                self.hide()
        return False

    def showEvent(self, event: QShowEvent) -> None:
        _shown.add(self)
        if (app := QApplication.instance()) is not None:
            app.installEventFilter(self)

    def hideEvent(self, event: QHideEvent) -> None:
        _shown.discard(self)
        if (app := QApplication.instance()) is not None:
            app.removeEventFilter(self)
        self._view = None

    # -- drawing -------------------------------------------------------------------------------

    def draw(self, painter: ThemedPainter) -> None:
        theme = painter.theme
        card = QRectF(self.rect()).adjusted(SHADOW, SHADOW, -SHADOW, -SHADOW)
        painter.setPen(Qt.PenStyle.NoPen)
        shade = QColor(theme.halo if theme.is_dark else theme.ink)
        for reach in range(SHADOW, 0, -2):  # alpha values of the rings add up towards the card
            shade.setAlpha(_DARKEST - reach // 2)
            painter.setBrush(shade)
            painter.drawRoundedRect(
                card.adjusted(-reach, 3 - reach, reach, reach), _RADIUS + reach, _RADIUS + reach
            )
        painter.setPen(QPen(QColor(theme.border), 1))
        painter.setBrush(QColor(theme.surface))
        painter.drawRoundedRect(card.adjusted(0.5, 0.5, -0.5, -0.5), _RADIUS, _RADIUS)
        painter.translate(card.topLeft() + QPoint(scaled(_PADDING), scaled(_PADDING)))
        painter.setPen(theme.color("text"))
        if self.glyph is not None:
            right = self.width() - 2 * (SHADOW + scaled(_PADDING))
            left = right - glyph_width(len(self.glyph.levels), MIDDLE)
            draw_glyph(painter, QPointF(left, 0), self.glyph, MIDDLE, theme)
        for place, use, line in self._places():
            if place.left() and (mark := mark_of(self._text)) is not None:
                box = QRectF(0, 0, scaled(MARK_SIZE), scaled(MARK_SIZE))
                box.moveCenter(QRectF(0, place.y(), box.width(), place.height()).center())
                draw_mark(painter, box, theme, mark)
            painter.setFont(font(use))
            painter.drawText(place, _FLAGS, line)


_shown: WeakSet[HoverCard] = WeakSet()


def show_hover_card(view: QWidget, position: QPoint, text: str, glyph: Glyph | None = None) -> None:
    """Show the description of a node at a global position; an empty text hides the card.

    It closes when the pointer leaves the view or moves on, on a click, a key press and the wheel.
    """
    if not text:
        hide_hover_card()
        return
    window = view.window()
    card = window.findChild(HoverCard, options=Qt.FindChildOption.FindDirectChildrenOnly)
    (card or HoverCard(window)).show_text(view, position, text, glyph)


def hide_hover_card() -> None:
    """Hide the card, because its text may be outdated."""
    for card in tuple(_shown):
        card.hide()
