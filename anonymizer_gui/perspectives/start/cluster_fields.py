"""What the database dialog asks of a cluster: files instead of a query, and to connect unencrypted."""

from __future__ import annotations

from urllib.parse import urlsplit

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QLineEdit, QWidget

from anonymizer_gui.theming import Text
from anonymizer_gui.widgets.buttons import make_button
from anonymizer_gui.widgets.labels import make_label
from anonymizer_gui.widgets.layouts import STRETCH, named, vbox
from engine.errors import AnonymizerError
from engine.sources.cluster_session import needs_acceptance
from engine.table.database_address import (
    CLUSTER,
    TOKEN,
    UNENCRYPTED,
    DatabaseAddress,
    Login,
    login_given,
    parse_address,
)
from engine.table.encryption import is_on_this_machine

NO_ADDRESS = DatabaseAddress("")


def is_cluster(text: str) -> bool:
    """Return whether a typed place is the address of a cluster."""
    return text.strip().startswith(f"{CLUSTER}:")


class ClusterFiles(QWidget):
    """A path of files that a cluster reads, instead of a table of its catalogue."""

    wanted = Signal()  # the first rows
    edited = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
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
    """Accepts a connection with another machine that is not encrypted; hidden where that cannot be."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("acceptUnencrypted")
        self._host = ""
        self._show_text(self.tr("Not encrypted"))
        self.hide()

    def show_for(self, place: str) -> None:
        """Show the box where it may be needed for a typed place; it is ticked anew for each host."""
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
