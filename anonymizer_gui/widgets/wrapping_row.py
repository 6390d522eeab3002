"""Row of controls, of which some go to a second row where the first is too narrow for all."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QSize
from PySide6.QtWidgets import QLineEdit, QWidget

from anonymizer_gui.theming import scaled
from anonymizer_gui.widgets.fits_room import FitsRoom
from anonymizer_gui.widgets.layouts import hbox, vbox

_SPACING, _LEAST_FIELD = 8, 64  # px; a field at scale 1

Stretched = tuple[QWidget, int]


class WrappingRow(FitsRoom, QWidget):
    """`parts` and `last` stay in the first row; `movable` ones are between them, or below."""

    def __init__(
        self, parts: Sequence[Stretched], movable: Sequence[Stretched], last: Sequence[Stretched] = ()
    ) -> None:
        super().__init__()
        self._movable = tuple(movable)
        self._place = len(parts)
        self._all = [widget for widget, _stretch in (*parts, *movable, *last)]
        self._is_wrapped = False
        self._first, self._second = hbox(*parts, *movable, *last, spacing=_SPACING), hbox(spacing=_SPACING)
        vbox(self._first, self._second, spacing=4, margins=0, of=self)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self._fit()
        return super().event(event)

    def _fit(self) -> None:
        shown = [widget for widget in self._all if not widget.isHidden()]
        needed = sum(map(_least, shown)) + _SPACING * (len(shown) - 1)
        is_wrapped = needed > self.width()
        if is_wrapped == self._is_wrapped:
            return
        self._is_wrapped = is_wrapped
        for number, (widget, stretch) in enumerate(self._movable):
            (self._first if is_wrapped else self._second).removeWidget(widget)
            if is_wrapped:
                self._second.addWidget(widget, stretch)
            else:
                self._first.insertWidget(self._place + number, widget, stretch)


def _least(widget: QWidget) -> int:
    least = max(widget.minimumSizeHint().width(), widget.minimumWidth())
    is_free = isinstance(widget, QLineEdit) and not widget.minimumWidth()
    return max(least, scaled(_LEAST_FIELD)) if is_free else least
