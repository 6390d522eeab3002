"""List of released forms of a column, with the parameters of the chosen one in short."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from anonymizer_gui.theming import Text
from anonymizer_gui.widgets.buttons import make_button
from anonymizer_gui.widgets.elided_combo_box import ElidedComboBox
from anonymizer_gui.widgets.labels import ElidedLabel
from anonymizer_gui.widgets.layouts import fixed, hbox, named

TOOLTIP = Qt.ItemDataRole.ToolTipRole
_WIDTH = 158


class ReleaseChoice(QWidget):
    """List, description, and a button for the parameters.

    Parameters
    ----------
    name, settings_name : str
        Object names of the list and of the button.
    """

    option_requested = Signal(str)  # key
    settings_requested = Signal()

    def __init__(self, name: str, settings_name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.box = named(ElidedComboBox(), name, self.tr("Released as"))
        self.box.setProperty("size", "small")
        self.box.activated.connect(lambda place: self.option_requested.emit(self.box.itemData(place)))
        self._words = ElidedLabel("", Text.CELL, "text_3")
        self.settings_button = make_button(self.tr("Settings"), icon_name="settings-2", small=True)
        self.settings_button.setObjectName(settings_name)
        self.settings_button.clicked.connect(self.settings_requested)
        hbox(self.box, (self._words, 1), self.settings_button, spacing=8, margins=0, of=self)
        fixed(self.box, width=_WIDTH)

    def words(self) -> str:
        """Return the text next to the list."""
        return self._words.text()

    def add_option(self, key: str, title: str, summary: str = "") -> None:
        """Append a choice to the list."""
        self.box.addItem(title, key)
        if summary:
            self.box.setItemData(self.box.count() - 1, summary, TOOLTIP)
