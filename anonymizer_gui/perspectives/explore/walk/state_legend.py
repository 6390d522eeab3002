"""The marks of a walk with how many nodes carry each: legend and counters in one line."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from anonymizer_gui.perspectives.explore.walk.walk_words import state_name
from anonymizer_gui.theming import Text, Theme, current_theme, font, scaled, theme_manager
from anonymizer_gui.theming.type_scale import SEMI_BOLD
from anonymizer_gui.widgets.marks import draw_fails, draw_not_scored, draw_satisfies
from anonymizer_gui.widgets.numbers import as_exact_count
from engine.search.replay import State

_MARK, _GAP, _BETWEEN = 14, 4, 14
_SMALL = 7.0
_ORDER = tuple(reversed(State))


class StateLegend(QWidget):
    """Takes as many lines as its width asks for."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("walkLegend")
        self._counts: dict[State, int] = {}
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setAccessibleName(self.tr("Nodes by what is known of them"))
        theme_manager().theme_changed.connect(self.updateGeometry)

    @property
    def counts(self) -> Mapping[State, int]:
        """What is shown."""
        return self._counts

    def show_counts(self, counts: Mapping[State, int]) -> None:
        """Show other counts, in the order of the marks from checked to not reached."""
        is_other = set(counts) != set(self._counts)
        self._counts = {state: counts[state] for state in _ORDER if state in counts}
        if is_other:
            self.updateGeometry()
        self.update()

    def text(self) -> str:
        """The same in words."""
        return ", ".join(f"{as_exact_count(n)} {state_name(state)}" for state, n in self._counts.items())

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        places = self._places(width)
        return (places[-1][1] + 1 if places else 1) * self._line()

    def sizeHint(self) -> QSize:
        return QSize(scaled(420), self.heightForWidth(max(self.width(), scaled(320))))

    def minimumSizeHint(self) -> QSize:
        return QSize(scaled(200), self._line())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, line = current_theme(), self._line()
        painter = QPainter(self)
        count_font, name_font = font(Text.CAPTION, SEMI_BOLD), font(Text.CAPTION)
        items = zip(self._counts.items(), self._places(self.width()), strict=True)
        for (state, count), (x, row) in items:
            _draw_state(painter, QRectF(x, row * line, scaled(_MARK), line), state, theme)
            left = x + scaled(_MARK) + _GAP
            number = as_exact_count(count)
            painter.setFont(count_font)
            painter.setPen(theme.color("text"))
            place = QRectF(left, row * line, self.width(), line)
            flags = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
            painter.drawText(place, flags, number)
            place.setLeft(left + self._count_width() + _GAP)
            painter.setFont(name_font)
            painter.setPen(theme.color("text_2"))
            painter.drawText(place, flags, state_name(state))

    def _places(self, width: int) -> list[tuple[float, int]]:
        """Left edge and line of each entry; entries keep their places while counts grow."""
        metrics, places = QFontMetricsF(font(Text.CAPTION)), []
        x, row = 0.0, 0
        for state in self._counts:
            length = scaled(_MARK) + 2 * _GAP + self._count_width()
            length += metrics.horizontalAdvance(state_name(state))
            if x and x + length > width:
                x, row = 0.0, row + 1
            places.append((x, row))
            x += length + _BETWEEN
        return places

    def _count_width(self) -> float:
        """Room for the largest count there can be, as all nodes may come to be in one state."""
        metrics = QFontMetricsF(font(Text.CAPTION, SEMI_BOLD))
        return metrics.horizontalAdvance(as_exact_count(sum(self._counts.values())))

    def _line(self) -> int:
        return scaled(18)


def _draw_state(painter: QPainter, rect: QRectF, state: State, theme: Theme) -> None:
    """The mark of a state as the lattice draws it."""
    side = min(rect.width(), rect.height())
    mark = QRectF(0, 0, side, side)
    if state in (State.INFERRED_SATISFIES, State.INFERRED_FAILS):
        mark = QRectF(0, 0, scaled(_SMALL), scaled(_SMALL))
    mark.moveCenter(rect.center())
    if state in (State.CHECKED_SATISFIES, State.INFERRED_SATISFIES):
        draw_satisfies(painter, mark, theme)
    elif state is State.CHECKED_FAILS:
        draw_fails(painter, mark, theme)
    elif state is State.INFERRED_FAILS:
        painter.setPen(QPen(QColor(theme.fail_line), 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(QRectF(round(mark.x() + 1) + 0.5, round(mark.y() + 1) + 0.5, 4, 4))
    elif state is State.SET_ASIDE:
        draw_not_scored(painter, mark, theme)
    else:
        painter.fillRect(
            QRectF(round(mark.center().x()), round(mark.center().y()), 2, 2), QColor(theme.fail_line)
        )
