"""Help panel: a page, table of contents, search, Back and Forward."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QWidget

from anonymizer_gui.help.library import CONTENTS, HelpLibrary
from anonymizer_gui.help.page_view import HelpPageView
from anonymizer_gui.theming import Text
from anonymizer_gui.widgets.buttons import make_icon_button
from anonymizer_gui.widgets.labels import ElidedLabel
from anonymizer_gui.widgets.layouts import hbox, named, vbox
from anonymizer_gui.widgets.search_field import SearchField


class HelpPanel(QFrame):
    """All functions of help in one widget, for the window or a dialog."""

    close_requested = Signal()

    def __init__(self, library: HelpLibrary, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("helpPanel")
        self.setProperty("card", "true")
        self.setAutoFillBackground(True)
        self.page = named(HelpPageView(library), "helpPage")
        self._back = named(make_icon_button("arrow-left", self.tr("Back")), "helpBack")
        self._forward = named(make_icon_button("arrow-right", self.tr("Forward")), "helpForward")
        contents = named(make_icon_button("list", self.tr("Contents")), "helpContents")
        close = named(make_icon_button("x", self.tr("Close help")), "helpClose")
        self._title = ElidedLabel("", Text.CELL_STRONG)
        self.field = named(SearchField(), "helpSearch", self.tr("Search help"))
        self.field.setPlaceholderText(self.tr("Search help"))
        head = hbox(self._back, self._forward, contents, (self._title, 1), close, spacing=2)
        vbox(head, self.field, (self.page, 1), spacing=6, margins=8, of=self)
        self._back.clicked.connect(self.page.backward)
        self._forward.clicked.connect(self.page.forward)
        self.page.backwardAvailable.connect(self._back.setEnabled)
        self.page.forwardAvailable.connect(self._forward.setEnabled)
        contents.clicked.connect(lambda: self.page.open_link(f"{CONTENTS}.md"))
        close.clicked.connect(self.close_requested)
        self.field.returnPressed.connect(self._search)
        self.page.shown.connect(self._title.setText)
        self._back.setEnabled(False)
        self._forward.setEnabled(False)

    def open_link(self, link: str) -> None:
        """Show a page or one of its sections."""
        self.page.open_link(link)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.close_requested.emit()
        else:
            super().keyPressEvent(event)

    def _search(self) -> None:
        if words := self.field.text().strip():
            self.page.search(words)
