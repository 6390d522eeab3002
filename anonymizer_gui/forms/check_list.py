"""Check boxes for a choice of several options, each with an example."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from anonymizer_gui.widgets.elided_check_box import ElidedCheckBox


class CheckList(QWidget):
    """Options in a fixed order; the value lists the ticked ones in this order.

    With `are_sentences` captions begin with a capital letter, unlike names of columns.
    """

    changed = Signal()

    def __init__(
        self,
        name: str,
        options: Sequence[tuple[str, str]],
        parent: QWidget | None = None,
        *,
        are_sentences: bool = True,
    ) -> None:
        super().__init__(parent)
        self._captions = {key: _capital(text) if are_sentences else text for key, text in options}
        self._boxes: dict[str, ElidedCheckBox] = {}
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for key in self._captions:
            box = self._boxes[key] = ElidedCheckBox(self._captions[key])
            box.setObjectName(f"param.{name}.{key}")
            box.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)  # text may be elided
            box.toggled.connect(self.changed)
            column.addWidget(box)

    def box(self, key: str) -> ElidedCheckBox:
        """Return the check box of an option."""
        return self._boxes[key]

    def value(self) -> list[str]:
        """Return the keys of the ticked options."""
        return [key for key, box in self._boxes.items() if box.isChecked()]

    def set_value(self, keys: Collection[str]) -> None:
        """Tick these options only."""
        before = self.value()
        for key, box in self._boxes.items():
            with QSignalBlocker(box):
                box.setChecked(key in keys)
            box.update()
        if self.value() != before:
            self.changed.emit()

    def show_examples(self, examples: Mapping[str, str]) -> None:
        """Show an example after the name of each option."""
        for key, box in self._boxes.items():
            caption, example = self._captions[key], examples.get(key, "")
            box.set_text(f"{caption}: {example}" if example else caption)


def _capital(caption: str) -> str:
    return caption[:1].upper() + caption[1:]
