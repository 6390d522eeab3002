"""The marks of a walk with how many nodes carry each: legend and counters in one."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from anonymizer_gui.perspectives.explore.walk.words import state_name
from anonymizer_gui.theming import Text, Theme, current_theme, font, scaled, theme_manager
from anonymizer_gui.theming.type_scale import SEMI_BOLD
from anonymizer_gui.widgets.marks import draw_fails, draw_not_scored, draw_satisfies
from anonymizer_gui.widgets.numbers import as_exact_count
from engine.search.replay import State

_MARK, _GAP, _BETWEEN = 14, 4, 14
_SMALL, _LINE = 7.0, 18
_ORDER = tuple(reversed(State))


class StateLegend(QWidget):
    """Takes as many lines as its width asks for."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("walkLegend")
        self._counts: dict[State, int] = {}
        self._n_minimal: int | None = None
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setAccessibleName(self.tr("Nodes by what is known of them"))
        theme_manager().theme_changed.connect(self.updateGeometry)

    @property
    def counts(self) -> Mapping[State, int]:
        """What is shown."""
        return self._counts

    def show_counts(self, counts: Mapping[State, int], n_minimal: int | None = None) -> None:
        """Show other counts, from checked to not reached; minimal nodes where they are marked."""
        before = (set(self._counts), self._n_minimal is None)
        self._counts = {state: counts[state] for state in _ORDER if state in counts}
        self._n_minimal = n_minimal
        if before != (set(self._counts), n_minimal is None):
            self.updateGeometry()
        self.update()

    def text(self) -> str:
        """The same in words."""
        return ", ".join(f"{as_exact_count(count)} {name}" for _, count, name in self._entries())

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        places = self._places(width)
        return (places[-1][1] + 1 if places else 1) * scaled(_LINE)

    def sizeHint(self) -> QSize:
        return QSize(scaled(420), self.heightForWidth(max(self.width(), scaled(320))))

    def minimumSizeHint(self) -> QSize:
        return QSize(scaled(200), self.heightForWidth(max(self.width(), scaled(200))))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, line, column = current_theme(), scaled(_LINE), self._count_width()
        painter = QPainter(self)
        left, right = (
            int(side | Qt.AlignmentFlag.AlignVCenter)
            for side in (Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignRight)
        )
        entries = zip(self._entries(), self._places(self.width()), strict=True)
        for (state, count, name), (x, row) in entries:
            _draw_state(painter, QRectF(x, row * line, scaled(_MARK), line), state, theme)
            place = QRectF(x + scaled(_MARK) + _GAP, row * line, column, line)
            painter.setFont(font(Text.CAPTION, SEMI_BOLD))
            painter.setPen(theme.color("text"))
            painter.drawText(place, right, as_exact_count(count))
            painter.setFont(font(Text.CAPTION))
            painter.setPen(theme.color("text_2"))
            painter.drawText(QRectF(place.right() + _GAP, place.y(), self.width(), line), left, name)

    def _entries(self) -> list[tuple[State | None, int, str]]:
        """Marks, counts and names; no state stands for minimal nodes."""
        entries: list[tuple[State | None, int, str]] = [
            (state, count, state_name(state)) for state, count in self._counts.items()
        ]
        if self._n_minimal is not None:
            entries.append((None, self._n_minimal, self.tr("minimal")))
        return entries

    def _places(self, width: int) -> list[tuple[float, int]]:
        """Left edge and line of each entry; entries keep their places while counts grow."""
        metrics, places = QFontMetricsF(font(Text.CAPTION)), []
        x, row, least = 0.0, 0, scaled(_MARK) + 2 * _GAP + self._count_width()
        for _, _, name in self._entries():
            length = least + metrics.horizontalAdvance(name)
            if x and x + length > width:
                x, row = 0.0, row + 1
            places.append((x, row))
            x += length + _BETWEEN
        return places

    def _count_width(self) -> float:
        """Room for the largest count there can be, as all nodes may come to be in one state."""
        metrics = QFontMetricsF(font(Text.CAPTION, SEMI_BOLD))
        return metrics.horizontalAdvance(as_exact_count(sum(self._counts.values()))) + 1


def _draw_state(painter: QPainter, rect: QRectF, state: State | None, theme: Theme) -> None:
    """The mark of a state, or of a minimal node, as the lattice draws it."""
    side = min(rect.width(), rect.height())
    if state in (State.INFERRED_SATISFIES, State.INFERRED_FAILS):
        side = scaled(_SMALL)
    mark = QRectF(0, 0, side, side)
    mark.moveCenter(rect.center())
    x, y = round(mark.center().x()), round(mark.center().y())
    if state in (State.CHECKED_SATISFIES, State.INFERRED_SATISFIES):
        draw_satisfies(painter, mark, theme)
    elif state is State.CHECKED_FAILS:
        draw_fails(painter, mark, theme)
    elif state is State.INFERRED_FAILS:
        painter.setPen(QPen(QColor(theme.fail_line), 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(QRectF(x - 2.5, y - 2.5, 5, 5))
    elif state is State.SET_ASIDE:
        draw_not_scored(painter, mark, theme)
    elif state is State.NOT_REACHED:
        painter.fillRect(QRectF(x - 1, y - 1, 2, 2), QColor(theme.fail_line))
    else:
        draw_satisfies(painter, mark.adjusted(2, 0, -2, -4), theme)
        painter.fillRect(QRectF(x - 6, y + 4, 12, 2), QColor(theme.ink))
