"""Base of views that paint all of themselves and explain what is under the pointer."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QHelpEvent, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from anonymizer_gui.theming import theme_manager
from anonymizer_gui.theming.painter import ThemedPainter
from anonymizer_gui.widgets.accessible import value_changed
from anonymizer_gui.widgets.marks import draw_focus


class PaintedView(QWidget):
    """Subclasses draw the view, fit it to its size, and answer the pointer."""

    resized = Signal()  # the content has its new position already
    has_focus_frame = True  # around the whole view; without it a view draws its focus itself

    def __init__(self, object_name: str, spoken: str) -> None:
        super().__init__()
        self.setObjectName(object_name)
        self.setAccessibleName(spoken)
        self.setProperty("focus_ring", "none")  # painted within the view
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        theme_manager().theme_changed.connect(self.refit)

    def draw(self, painter: ThemedPainter) -> None:
        """Draw everything but the frame of the focus."""
        raise NotImplementedError

    def refit(self) -> None:
        """Fit the content to another size, font or theme."""
        self.update()

    def hover(self, position: QPointF | None) -> None:
        """Highlight what is under the pointer; None when the pointer leaves the view."""

    def explain(self, position: QPoint, place: QPoint) -> None:
        """Show at a place of the screen what is at a position, or hide the present tip."""

    def describe(self, text: str) -> None:
        """Set the accessible description, and announce a change."""
        if text != self.accessibleDescription():
            self.setAccessibleDescription(text)
            value_changed(self)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            self.explain(event.pos(), event.globalPos())
            return True
        return super().event(event)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.hover(None)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.refit()
        self.resized.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = ThemedPainter(self)
        self.draw(painter)
        if self.has_focus_frame and self.hasFocus():
            draw_focus(painter, QRectF(self.rect()), painter.theme)
