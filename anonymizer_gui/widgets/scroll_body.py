"""Areas that scroll up and down, also as the body of a card in a low window."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtWidgets import QLayout, QScrollArea, QSizePolicy, QWidget

from anonymizer_gui.theming import theme_manager
from anonymizer_gui.theming.dressing import make_bare

_BAR = 10


class ScrollBody(QScrollArea):
    """Scrolls vertically only and is never narrower than its content."""

    def __init__(self, layout: QLayout, least_width: int = 0, *, is_fitted: bool = False) -> None:
        """Create the body of a layout; with `is_fitted` it wants the size of its whole content."""
        super().__init__()
        if is_fitted:
            policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
            policy.setHeightForWidth(True)
            self.setSizePolicy(policy)
        self._is_fitted = is_fitted
        self._layout = layout
        self._least_width = least_width
        self._is_whole = False
        inside = QWidget()
        inside.setLayout(layout)
        _scroll(self, inside)
        make_bare(self)
        theme_manager().theme_changed.connect(self.updateGeometry)

    def minimumSizeHint(self) -> QSize:
        inside: QWidget | None = self.widget()
        width = inside.minimumSizeHint().width() if inside is not None else 0
        height = super().minimumSizeHint().height()
        if self._is_whole and inside is not None:
            height = inside.sizeHint().height()
        return QSize(max(width + _BAR, self._least_width), height)

    def settle(self) -> None:
        """Measure and place changed content at once; a layout does so for its own widgets only."""
        layout = self._layout
        layout.invalidate()
        layout.activate()
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        inside: QWidget | None = self.widget()
        return inside.sizeHint() if self._is_fitted and inside is not None else super().sizeHint()

    def hasHeightForWidth(self) -> bool:
        return self._is_fitted

    def heightForWidth(self, width: int) -> int:
        layout = self._layout
        return layout.totalHeightForWidth(width) if layout.hasHeightForWidth() else layout.sizeHint().height()

    def set_whole(self, is_whole: bool) -> None:
        """Demand the height of the whole content, because something around it scrolls."""
        if is_whole != self._is_whole:
            self._is_whole = is_whole
            self.updateGeometry()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest and watched is self.widget():
            self.updateGeometry()
        return super().eventFilter(watched, event)


def scroll_area(content: QWidget) -> QScrollArea:
    """Return a widget in an area that scrolls up and down and takes no focus."""
    area = QScrollArea()
    _scroll(area, content)
    return area


def _scroll(area: QScrollArea, content: QWidget) -> None:
    content.setProperty("scrolled", "true")
    area.setWidget(content)
    area.setWidgetResizable(True)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)


def scrolled(layout: QLayout, least_width: int = 0) -> ScrollBody:
    """Return a layout in a scrolling body."""
    return ScrollBody(layout, least_width)
