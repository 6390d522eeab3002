"""Switch between cards in one place: segments if there is room, else a combo box."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QSize, Signal
from PySide6.QtWidgets import QWidget

from anonymizer_gui.widgets.elided_combo_box import ElidedComboBox
from anonymizer_gui.widgets.layouts import hbox
from anonymizer_gui.widgets.segmented import SegmentedControl


class PageSwitch(QWidget):
    """Choice of one of several pages by key."""

    selected = Signal(str)

    def __init__(self, pages: Sequence[tuple[str, str]], name: str, *, letters: int = 11) -> None:
        """Create a switch from pairs of key and text; `name` is its accessible name.

        The combo box has room for at least `letters` letters.
        """
        super().__init__()
        self._room: int | None = None
        self.segments = SegmentedControl(pages, name)
        self.segments.selected.connect(self._on_selected)
        self._box = ElidedComboBox(letters)
        self._box.setAccessibleName(name)
        for key, text in pages:
            self._box.addItem(text, key)
        self._box.setToolTip(name)
        self._box.data_chosen.connect(self._on_selected)
        self._box.hide()
        hbox(self.segments, self._box, margins=0, of=self)

    def add(self, key: str, text: str) -> None:
        """Append a page."""
        self.segments.add(key, text)
        self._box.addItem(text, key)

    def current(self) -> str:
        """Return the key of the chosen page."""
        return self.segments.current()

    def set_current(self, key: str) -> None:
        """Choose a page without a signal."""
        self.segments.set_current(key)
        self._box.setCurrentIndex(self._box.findData(key))

    def fit(self, room: int) -> None:
        """Limit the width."""
        self._room = room
        is_roomy = self.segments.sizeHint().width() <= room
        self.segments.setVisible(is_roomy)
        self._box.setVisible(not is_roomy)

    def minimumSizeHint(self) -> QSize:
        """Segments widen nothing: there is a combo box if they have no room."""
        least = super().minimumSizeHint()
        return QSize(min(least.width(), self._box.minimumSizeHint().width()), least.height())

    def event(self, event: QEvent) -> bool:
        """Choose again if segments need another width, as after a change of the text size."""
        if event.type() is QEvent.Type.LayoutRequest and self._room is not None:
            self.fit(self._room)
        return super().event(event)

    def take_focus(self) -> None:
        """Focus the visible widget."""
        (self.segments if self.segments.isVisible() else self._box).setFocus()

    @property
    def has_focus(self) -> bool:
        return self.segments.hasFocus() or self._box.hasFocus()

    def _on_selected(self, key: str) -> None:
        self.set_current(key)
        self.selected.emit(key)
