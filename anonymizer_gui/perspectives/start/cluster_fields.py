"""Fields of the database dialog for the parts of a server's address, and for what a cluster asks."""

from __future__ import annotations

from urllib.parse import urlsplit

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QIntValidator
from PySide6.QtWidgets import QCheckBox, QComboBox, QLineEdit, QWidget

from anonymizer_gui.theming import Text, scaled
from anonymizer_gui.widgets.buttons import make_button
from anonymizer_gui.widgets.labels import make_label
from anonymizer_gui.widgets.layouts import STRETCH, hbox, named, vbox
from engine.errors import AnonymizerError
from engine.records.clusters.session import needs_acceptance
from engine.records.databases.address import (
    CLUSTER,
    SYSTEMS,
    TOKEN,
    UNENCRYPTED,
    DatabaseAddress,
    Login,
    ServerParts,
    login_given,
    missing_packages,
    parse_address,
    parts_of,
)
from engine.records.databases.encryption import is_on_this_machine

NO_ADDRESS = DatabaseAddress("")


def is_cluster(text: str) -> bool:
    """Return whether a typed place is the address of a cluster."""
    return text.strip().startswith(f"{CLUSTER}:")


class ClusterFiles(QWidget):
    """A path of files that a cluster reads, instead of a table of its catalogue."""

    wanted = Signal()  # the first rows
    edited = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.path = named(QLineEdit(), "clusterPath", self.tr("Path on the cluster"))
        self.path.setPlaceholderText("/data/people.parquet")
        self.show_button = make_button(self.tr("Show the first rows"), icon_name="play", small=True)
        self.show_button.setObjectName("showClusterFilesButton")
        self.show_button.setEnabled(False)
        words = self.tr(
            "A file, a folder or a pattern, as the cluster reads it: Parquet, or text (.csv, .tsv)."
        )
        vbox(
            self.path,
            make_label(words, Text.CAPTION, "text_3", wraps=True),
            (self.show_button, 0, Qt.AlignmentFlag.AlignRight),
            STRETCH,
            spacing=8,
            margins=8,
            of=self,
        )
        self.path.textChanged.connect(self._on_changed)
        self.path.returnPressed.connect(self.show_button.click)
        self.show_button.clicked.connect(self.wanted)

    @property
    def files(self) -> str:
        """The typed path."""
        return self.path.text().strip()

    def _on_changed(self) -> None:
        self.show_button.setEnabled(bool(self.files))
        self.edited.emit()


class Unencrypted(QCheckBox):
    """Accepts a connection with another machine that is not encrypted; hidden if that is impossible."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("acceptUnencrypted")
        self._host = ""
        self._show_text(self.tr("Not encrypted"))
        self.hide()

    def show_for(self, place: str) -> None:
        """Show the box if a typed place may need it; it must be ticked again for each host."""
        try:
            address = parse_address(place)[0]
        except AnonymizerError:
            address = NO_ADDRESS
        if is_cluster(place):
            is_needed = address.is_cluster and needs_acceptance(address)
            self._show_text(
                self.tr("Connect although it is not encrypted: others on the network can read the data")
            )
        else:
            is_needed = address != NO_ADDRESS and not address.is_file and not is_on_this_machine(address)
            self._show_text(
                self.tr("Connect even if it is not encrypted: others on the network could read the data")
            )
        host = urlsplit(address.url).netloc.rpartition("@")[2]
        self.setVisible(is_needed)
        is_other, self._host = host != self._host, host
        if is_other or not is_needed:
            self.setChecked(False)

    def _show_text(self, text: str) -> None:
        self.setText(text)
        self.setAccessibleName(text)


def cluster_login(place: str, token: str, *, is_accepted: bool) -> Login:
    """Return the login with a typed token, or that of the environment."""
    given = login_given(DatabaseAddress(place.strip()))
    return Login(
        password=token or given.password,
        accepted=UNENCRYPTED if is_accepted else given.accepted,
    )


def token_hint() -> str:
    """Return what an empty field for the token shows: where the token comes from, if from elsewhere."""
    return TOKEN if login_given(DatabaseAddress(f"{CLUSTER}:")).password else ""


_PORT_WIDTH = 72


class ServerForm(QWidget):
    """The URL follows what is typed here, and the fields follow the URL."""

    edited = Signal(str)  # the new URL

    def __init__(self) -> None:
        super().__init__()
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
        self._missing = named(make_label("", Text.CAPTION, "text_2", wraps=True), "missingDriver")
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
