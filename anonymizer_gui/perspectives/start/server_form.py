"""Kind, host, port and name of a database server, beside its URL; a missing driver is named."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QIntValidator
from PySide6.QtWidgets import QComboBox, QLineEdit, QWidget

from anonymizer_gui.theming import Text, scaled
from anonymizer_gui.widgets.labels import make_label
from anonymizer_gui.widgets.layouts import hbox, named, vbox
from engine.table.database_systems import SYSTEMS, ServerParts, missing_packages, parts_of

_PORT_WIDTH = 72


class ServerForm(QWidget):
    """The URL follows what is typed here, and the fields follow the URL."""

    edited = Signal(str)  # the new URL

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.kind = named(QComboBox(), "databaseKind", self.tr("Kind of database"))
        self.kind.addItem(self.tr("By its URL"))
        for system in SYSTEMS:
            self.kind.addItem(system.title)
        self.host = named(QLineEdit(), "databaseHost", self.tr("Host"))
        self.port = named(QLineEdit(), "databasePort", self.tr("Port"))
        self.name = named(QLineEdit(), "databaseName", self.tr("Database name"))
        self.host.setPlaceholderText(self.tr("Host"))
        self.name.setPlaceholderText(self.tr("Database name"))
        self.port.setValidator(QIntValidator(1, 65_535, self.port))
        self.port.setFixedWidth(scaled(_PORT_WIDTH))
        self._missing = make_label("", Text.CAPTION, "text_2", wraps=True)
        self._missing.setObjectName("missingDriver")
        fields = hbox(self.kind, (self.host, 1), self.port, (self.name, 1), spacing=8)
        vbox(fields, self._missing, spacing=4, margins=0, of=self)
        self._place = ""
        self.kind.activated.connect(self._on_edited)
        for field in (self.host, self.port, self.name):
            field.textEdited.connect(self._on_edited)
        self.show_place("")

    def show_place(self, place: str) -> None:
        """Show the parts of a typed URL; of another place none."""
        self._place = place
        parts = parts_of(place)
        if parts is not None and parts != self._typed():
            self.kind.setCurrentIndex(1 + SYSTEMS.index(parts.system))
            for field, text in ((self.host, parts.host), (self.port, parts.port), (self.name, parts.name)):
                field.setText(text)
        elif parts is None:
            self.kind.setCurrentIndex(0)
            for field in (self.host, self.port, self.name):
                field.clear()
        for field in (self.host, self.port, self.name):
            field.setEnabled(parts is not None)
        self.port.setPlaceholderText(self.tr("Port") if parts is None else str(parts.system.port))
        self._show_missing(place)

    def _typed(self) -> ServerParts | None:
        place = self.kind.currentIndex()
        if place < 1:
            return None
        return ServerParts(
            SYSTEMS[place - 1], self.host.text().strip(), self.port.text(), self.name.text().strip()
        )

    def _on_edited(self) -> None:
        typed = self._typed()
        self.edited.emit("" if typed is None else typed.url(self._place))

    def _show_missing(self, place: str) -> None:
        missing = missing_packages(place)
        packages = " ".join(f'"{package}"' for package in missing)
        words = self.tr(
            "A driver for this database is not installed. Install it with: pip install {packages}"
        )
        self._missing.setText(words.format(packages=packages))
        self._missing.setVisible(bool(missing))
