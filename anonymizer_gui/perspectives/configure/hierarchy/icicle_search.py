"""Typing looks for the next group whose label begins with, or holds, what was typed."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, QTimer, Signal

_FORGOTTEN_AFTER = 1500  # ms without a key


class TypedSearch(QObject):
    """What was typed since the last pause."""

    changed = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_FORGOTTEN_AFTER)
        self._timer.timeout.connect(self.clear)
        self.text = ""

    def clear(self) -> None:
        """Begin anew."""
        self._timer.stop()
        if self.text:
            self.text = ""
            self.changed.emit()

    def type(self, text: str) -> None:
        """Add a key."""
        self.text += text
        self._timer.start()
        self.changed.emit()

    def erase(self) -> None:
        """Take the last key back."""
        self.text = self.text[:-1]
        self._timer.start()
        self.changed.emit()

    def find(self, labels: Sequence[str], current: int) -> int | None:
        """The first match from the current label on; past it where a search begins."""
        wanted = self.text.casefold()
        if not wanted or not labels:
            return None
        begin = current if len(wanted) > 1 else current + 1
        folded = [label.casefold() for label in labels]
        order = [*range(begin, len(folded)), *range(min(begin, len(folded)))]
        found = next((i for i in order if folded[i].startswith(wanted)), None)
        return found if found is not None else next((i for i in order if wanted in folded[i]), None)
