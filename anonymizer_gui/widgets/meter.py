"""Small bar on a sunken track, with a tick at a limit or at the optimum."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QSizePolicy, QWidget

from anonymizer_gui.theming import Theme, paint_track, scaled
from anonymizer_gui.theming.painter import ThemedPainter
from anonymizer_gui.widgets.accessible import Accessible, Number, Role
from anonymizer_gui.widgets.drawn import Drawn
from engine.numbers import as_percent

BAR_HEIGHT = 6
_TICK_HEIGHT = 12


def draw_meter(
    painter: QPainter,
    rect: QRectF,
    theme: Theme,
    share: float,
    tick: float | None = None,
    color: str = "",
    *,
    bar_height: int = BAR_HEIGHT,
    tick_height: int = _TICK_HEIGHT,
) -> None:
    """Draw a meter centred in `rect`; `share` and `tick` are fractions of its width, zero draws no bar."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    height = min(float(bar_height), rect.height())
    track = QRectF(rect.left(), round(rect.center().y() - height / 2), rect.width(), height)
    paint_track(painter, track, theme, "border" if theme.is_dark else "sunken")
    if share > 0:
        painter.setBrush(QColor(color or theme.text_2))
        # At least one pixel, so that a small share differs from zero.
        bar = QRectF(track.left(), track.top(), max(min(share, 1.0) * track.width(), 1.0), height)
        painter.drawRoundedRect(bar, min(2.0, bar.width() / 2), 2)
    if tick is not None:
        x = round(track.left() + min(max(tick, 0.0), 1.0) * (track.width() - 2))
        extent = min(float(tick_height), rect.height())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        place = QRectF(x, round(rect.center().y() - extent / 2), 2, extent)
        painter.fillRect(place, QColor(theme.ink))
    painter.restore()


class Meter(Drawn, QWidget):
    """Meter as a widget; the caller shows the number next to it."""

    def __init__(
        self, name: str = "", width: int = 40, *, bar: int = BAR_HEIGHT, tick: int = _TICK_HEIGHT
    ) -> None:
        super().__init__()
        self._heights = bar, tick
        self._share = 0.0
        self._tick: float | None = None
        self._token = "text_2"
        self._width = width
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Minimum, QSizePolicy.Policy.Fixed)

    def show_share(self, share: float, tick: float | None = None, token: str = "text_2") -> None:
        """Set the filled share and the tick; `token` names the colour of the bar."""
        if (share, tick, token) != (self._share, self._tick, self._token):
            self._share, self._tick, self._token = share, tick, token
            self.update()

    def as_accessible(self) -> Accessible:
        return Accessible(Role.ProgressBar, as_percent(self._share), Number(self._share, 0.0, 1.0, 0.0))

    def share(self) -> float:
        return self._share

    def sizeHint(self) -> QSize:
        return QSize(self._width, scaled(16))

    def draw(self, painter: ThemedPainter) -> None:
        theme, place, (bar, tick) = painter.theme, QRectF(self.rect()), self._heights
        color = str(getattr(theme, self._token))
        draw_meter(painter, place, theme, self._share, self._tick, color, bar_height=bar, tick_height=tick)
