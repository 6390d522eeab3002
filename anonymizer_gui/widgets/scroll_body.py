"""Areas that scroll up and down, also as the body of a card in a low window."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtWidgets import QLayout, QScrollArea, QSizePolicy, QWidget

from anonymizer_gui.theming import follow_theme
from anonymizer_gui.theming.dressing import make_bare

_BAR = 10
_MOST_FITTINGS = 8


class SteadyArea(QScrollArea):
    """Scrolls up and down, takes no focus, and fits its content to the room a few times only.

    Qt fits it again within each of its changes of size, which never ends where the content is too high
    without the bar and not with it.
    """

    def __init__(self, content: QWidget) -> None:
        super().__init__()
        self._n_fittings = 0  # one within the other
        content.setProperty("scrolled", "true")
        self.setWidget(content)
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is not self.widget():
            return super().eventFilter(watched, event)
        if self._n_fittings < _MOST_FITTINGS:
            self._n_fittings += 1
            super().eventFilter(watched, event)
            self._n_fittings -= 1
        return False


class ScrollBody(SteadyArea):
    """Scrolls vertically only and is never narrower than its content."""

    def __init__(self, layout: QLayout, least_width: int = 0, *, is_fitted: bool = False) -> None:
        """Create the body of a layout; with `is_fitted` it wants the size of its whole content."""
        inside = QWidget()
        inside.setLayout(layout)
        super().__init__(inside)
        if is_fitted:
            policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
            policy.setHeightForWidth(True)
            self.setSizePolicy(policy)
        self._is_fitted = is_fitted
        self._layout = layout
        self._least_width = least_width
        self._is_whole = False
        make_bare(self)
        follow_theme(self.updateGeometry)

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
