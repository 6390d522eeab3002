"""Focus ring: one frame that follows the keyboard focus through the window."""

from __future__ import annotations

from PySide6.QtCore import QObject, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import (
    QAbstractItemView,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QFocusFrame,
    QGraphicsView,
    QMenu,
    QMenuBar,
    QProxyStyle,
    QStyle,
    QStyleHintReturn,
    QStyleOption,
    QWidget,
)
from shiboken6 import isValid

RING_GAP = 2
CONTROL_RADIUS = 6
FOCUS_RING_PROPERTY = "focus_ring"  # "inside" (default of views), "outside" (default of others) or "none"


def ring_place(widget: QWidget) -> str:
    """Return where a widget has its ring; views that fill a card have no room around them."""
    wanted = widget.property(FOCUS_RING_PROPERTY)
    if isinstance(wanted, str):
        return wanted
    is_view = isinstance(widget, QAbstractItemView | QGraphicsView)
    return "inside" if is_view else "outside"


def _is_inside(frame: QWidget | None) -> bool:
    framed: QWidget | None = frame.widget() if isinstance(frame, QFocusFrame) else None
    return framed is not None and ring_place(framed) == "inside"


class FocusRingStyle(QProxyStyle):
    """Draws `CE_FocusFrame` as a ring in the accent colour with a gap to the control."""

    ring_width = 2

    def drawControl(
        self,
        element: QStyle.ControlElement,
        option: QStyleOption,
        painter: QPainter,
        widget: QWidget | None = None,
    ) -> None:
        if element != QStyle.ControlElement.CE_FocusFrame:
            super().drawControl(element, option, painter, widget)
            return
        half = self.ring_width / 2
        radius = CONTROL_RADIUS + RING_GAP + half
        if _is_inside(widget):
            radius = CONTROL_RADIUS
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(option.palette.accent().color()), self.ring_width))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(QRectF(option.rect).adjusted(half, half, -half, -half), radius, radius)
        painter.restore()

    def pixelMetric(
        self,
        metric: QStyle.PixelMetric,
        option: QStyleOption | None = None,
        widget: QWidget | None = None,
    ) -> int:
        if metric in (QStyle.PixelMetric.PM_FocusFrameHMargin, QStyle.PixelMetric.PM_FocusFrameVMargin):
            return 0 if _is_inside(widget) else self.ring_width + RING_GAP
        return super().pixelMetric(metric, option, widget)

    def styleHint(
        self,
        hint: QStyle.StyleHint,
        option: QStyleOption | None = None,
        widget: QWidget | None = None,
        returnData: QStyleHintReturn | None = None,  # noqa: N803  # Qt's name
    ) -> int:
        if hint == QStyle.StyleHint.SH_FocusFrame_AboveWidget:
            return 1
        if hint == QStyle.StyleHint.SH_FocusFrame_Mask:
            return 0
        return super().styleHint(hint, option, widget, returnData)


class FocusRing(QObject):
    """Moves the single focus frame to the control with the focus."""

    def __init__(self, app: QApplication) -> None:
        super().__init__(app)
        self._style = FocusRingStyle("Fusion")
        self._frame: QFocusFrame | None = None
        app.focusChanged.connect(self._on_focus_changed)

    def refresh(self, ring_width: int) -> None:
        """Restore the style of the frame after a style sheet was set, which replaces it."""
        self._style.ring_width = ring_width
        if self._frame is not None and isValid(self._frame):
            self._frame.deleteLater()
        self._frame = None
        self._on_focus_changed(None, QApplication.focusWidget())

    def _on_focus_changed(self, _old: QWidget | None, new: QWidget | None) -> None:
        framed = self._framed(new)
        if framed is None:
            if self._frame is not None and isValid(self._frame):
                self._frame.setWidget(None)  # type: ignore[arg-type]  # Qt takes a null pointer here
            return
        if self._frame is None or not isValid(self._frame):  # deleted with the dialog that showed it last
            self._frame = QFocusFrame()
            self._frame.setStyle(self._style)
        self._frame.setWidget(framed)

    @staticmethod
    def _framed(widget: QWidget | None) -> QWidget | None:
        if widget is None or widget.isWindow() or widget.window().windowType() == Qt.WindowType.Popup:
            return None
        parent = widget.parentWidget()
        if isinstance(parent, QComboBox | QAbstractSpinBox):
            widget = parent
        if isinstance(widget, QMenuBar | QMenu) or ring_place(widget) == "none":
            return None
        return widget
