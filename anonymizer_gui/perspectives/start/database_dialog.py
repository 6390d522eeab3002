"""Dialog to choose a database or cluster, and a table or query of it, with its first rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QIntValidator
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QFormLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPlainTextEdit,
    QStackedWidget,
    QWidget,
)

from anonymizer_gui.models.records_model import RecordsModel
from anonymizer_gui.tables.table_view import CELL_PADDING, SEVERAL, TableView
from anonymizer_gui.theming import Text, scaled
from anonymizer_gui.widgets.buttons import button_row, make_button
from anonymizer_gui.widgets.card import Card
from anonymizer_gui.widgets.error_banner import ErrorBanner
from anonymizer_gui.widgets.file_dialogs import ask_open
from anonymizer_gui.widgets.fitted_dialog import take_room
from anonymizer_gui.widgets.labels import make_label
from anonymizer_gui.widgets.layouts import STRETCH, Part, hbox, named, stacked, vbox
from anonymizer_gui.widgets.segmented import SegmentedControl
from engine.errors import AnonymizerError
from engine.numbers import as_exact_count
from engine.records import Table
from engine.records.clusters.session import needs_acceptance
from engine.records.databases.address import (
    CLUSTER,
    DATABASE_ENDINGS,
    FILES,
    NOBODY,
    SYSTEMS,
    TOKEN,
    UNENCRYPTED,
    DatabaseAddress,
    Login,
    ServerParts,
    file_url,
    is_database,
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
        self.show_button = make_button(self.tr("Show the first rows"), icon_name="table", small=True)
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


_WIDTH, _HEIGHT, _MOST_HEIGHT = 900, 620, 680
_TABLES, _QUERY, _FILES = "tables", "query", "files"
_LIST_WIDTH, _WIDEST, _ROW = 270, 240, 24
_EXAMPLE = "postgresql://host:5432/database"


class DatabaseDialog(QDialog):
    """Emits requests; the presenter replies with `show_tables` and `show_preview`.

    Connects only after the user presses a button. The password stays in its field: it is passed with
    each request and never stored.
    """

    tables_wanted = Signal(object, object)  # DatabaseAddress, Login
    preview_wanted = Signal(object, object)
    chosen = Signal(object, object, bool)  # also whether the records stay where they are
    given_up = Signal()  # the pending request was cancelled

    def __init__(
        self, parent: QWidget | None = None, *, may_stay: bool = False, recent: Sequence[str] = ()
    ) -> None:
        """Create the dialog; `recent` are the addresses connected to last, without users and passwords."""
        super().__init__(parent)
        self._may_stay, self._recent = may_stay, recent
        self.setObjectName("databaseDialog")
        self.setWindowTitle(self.tr("Open a database"))
        self._wanted = DatabaseAddress("")  # table or query to choose once the tables are listed
        self._connected: DatabaseAddress | None = None  # database of the listed tables
        self._shown: DatabaseAddress | None = None  # address of the preview
        self._asked: DatabaseAddress | None = None  # address of the pending request
        self._login_used = NOBODY  # login of the listed tables; also used for their rows
        self.place = named(QLineEdit(), "databasePlace", self.tr("Database"))
        self.place.setPlaceholderText(self.tr("a file, postgresql://host/database or sc://host:15002"))
        self.choose_button = make_button(self.tr("Choose a file…"), icon_name="folder-open")
        self.choose_button.setObjectName("chooseDatabaseButton")
        self.connect_button = make_button(self.tr("Connect"), "connectButton", icon_name="link")
        self.user, self.password = QLineEdit(), QLineEdit()
        self.password.setEchoMode(QLineEdit.EchoMode.Password)
        for field, name, object_name in (
            (self.user, self.tr("User"), "databaseUser"),
            (self.password, self.tr("Password"), "databasePassword"),
        ):
            field.setObjectName(object_name)
            field.setAccessibleName(name)
        self._login_label, self._password_label = make_label(""), make_label(self.tr("Password"))
        self._login_words = make_label("", Text.CAPTION, "text_3")
        self._login = self._login_row()
        self.server = ServerForm()
        self.unencrypted = Unencrypted()
        ways = [(_TABLES, self.tr("Table")), (_QUERY, self.tr("Query")), (_FILES, self.tr("Files"))]
        self.ways = named(SegmentedControl(ways, self.tr("Source")), "databaseWays")
        self.tables = named(QListWidget(), "databaseTables", self.tr("Tables"))
        self.query = named(QPlainTextEdit(), "databaseQuery", self.tr("Query"))
        self.query.setPlaceholderText(self.tr("SELECT … FROM …"))
        self.query.setTabChangesFocus(True)
        self.run_button = make_button(self.tr("Show the first rows"), icon_name="table", small=True)
        self.run_button.setObjectName("runQueryButton")
        self.files = ClusterFiles()  # instead of a query, of a cluster
        self._stack = QStackedWidget()
        self._model = RecordsModel(parent=self)
        self._card = Card(self.tr("First rows"))
        self.stay = named(
            QCheckBox(self.tr("Leave the records in the database")), "stayInDatabase", self.tr("Records")
        )
        self.stay.setToolTip(
            self.tr("The database counts its values itself. Always so above 5 million records.")
        )
        self.banner = ErrorBanner()
        self.open_button = make_button(self.tr("Open"), kind="primary", icon_name="folder-open")
        self.open_button.setObjectName("openDatabaseButton")
        self.cancel_button = make_button(self.tr("Cancel"), "cancelButton")
        self._build()
        self._connect()
        self._on_place_edited()

    def set_place(self, place: Path | str) -> None:
        """Fill in a file, whose tables are listed immediately, or a URL, which needs a confirmation."""
        if isinstance(place, str):
            self._take(parse_address(place)[0])
        else:
            self._wanted = DatabaseAddress("")
            self.place.setText(str(place))
        self._on_place_edited()
        if self._is_file:
            self._look()
        elif self.place.text():
            self.password.setFocus()

    @property
    def login(self) -> Login:
        """Typed login; for a cluster, its token, or that of the environment."""
        password, accepted = self.password.text(), UNENCRYPTED if self.unencrypted.isChecked() else ""
        if self._is_cluster:
            given = login_given(DatabaseAddress(self.place.text().strip()))
            return Login(password=password or given.password, accepted=accepted or given.accepted)
        return Login(self.user.text().strip(), password or None, accepted)

    @property
    def address(self) -> DatabaseAddress | None:
        """Address of the chosen table; None without a choice."""
        if self._connected is None:
            return None
        if self.ways.current() == _QUERY:
            query = self.query.toPlainText().strip()
            return replace(self._connected, table="", schema="", query=query) if query else None
        if self.ways.current() == _FILES:
            return replace(self._connected, files=self.files.files) if self.files.files else None
        row = self.tables.currentRow()
        return None if row < 0 else replace(self._connected, table=self.tables.item(row).text(), query="")

    def is_waiting_for(self, address: DatabaseAddress) -> bool:
        """Return whether an answer for an address is still expected: the input has not changed."""
        return self._asked == address

    def show_tables(self, address: DatabaseAddress, names: Sequence[str]) -> None:
        """List the tables of the requested database; a single or wanted one is shown immediately."""
        if not self.is_waiting_for(address):
            return
        self._asked = None
        self._connected = replace(address, table="", query="", files="")
        self._rows.setCurrentWidget(self._view)
        if address.is_cluster and address.table and address.table not in names:
            names = [*names, address.table]  # the catalogue may not list all
        self.connect_button.setEnabled(True)
        self._card.set_caption("")
        self.tables.clear()
        for name in names:
            item = QListWidgetItem(name, self.tables)
            item.setSizeHint(QSize(0, scaled(_ROW)))
            item.setToolTip(name)
        self._stack.setEnabled(True)
        self.ways.setEnabled(True)
        if address.query:
            self.query.setPlainText(address.query)
            self._take_way(_QUERY)
            self._preview()
            return
        if address.files:
            self.files.path.setText(address.files)
            self._take_way(_FILES)
            self._preview()
            return
        wanted = address.table if address.table in names else names[0] if len(names) == 1 else ""
        if wanted:
            self.tables.setCurrentRow(list(names).index(wanted))
        elif not names and address.is_cluster:
            self.show_error(
                self.tr("The catalogue of the cluster lists no tables."),
                self.tr("Choose Files, or add ?table= and the name of a table to the address."),
            )
        elif not names:
            self.show_error(self.tr("No readable tables in this database."), "")
        self.tables.setFocus()

    def show_preview(self, address: DatabaseAddress, table: Table, *, is_partial: bool) -> None:
        """Show the first rows of the last request."""
        if address != self.address or not self.is_waiting_for(address):
            return
        self._shown, self._asked = address, None
        self.banner.hide()
        self._model.set_table(table)
        self._fit_columns()
        count, columns = as_exact_count(table.n_records), len(table.columns)
        text = (
            self.tr("the first {count} rows · {columns} columns")
            if is_partial
            else self.tr("{count} rows · {columns} columns")
        )
        self._card.set_caption(text.format(count=count, columns=columns))
        self.open_button.setEnabled(True)
        self.open_button.setDefault(True)

    def show_error(self, problem: str, hint: str) -> None:
        """Show why something cannot be read."""
        self.connect_button.setEnabled(True)
        self._forget_preview()
        self.banner.show_error(problem, hint)

    @property
    def _is_file(self) -> bool:
        text = self.place.text().strip()
        return bool(text) and (not is_database(text) or text.startswith(FILES))

    @property
    def _is_cluster(self) -> bool:
        return is_cluster(self.place.text())

    def _on_server_edited(self, url: str) -> None:
        self.place.setText(url)
        self._on_place_typed()

    def _on_place_typed(self) -> None:
        self._wanted = DatabaseAddress("")
        self._on_place_edited()

    def _on_place_edited(self) -> None:
        """Reset when the database or the user changes."""
        self._connected, self._login_used = None, NOBODY
        self._rows.setCurrentIndex(0)
        self.given_up.emit()
        self.tables.clear()
        self._stack.setEnabled(False)
        self.ways.setEnabled(False)
        self.banner.hide()
        self._forget_preview()
        text = self.place.text().strip()
        self._form.setRowVisible(self._login, bool(text) and not self._is_file)
        self._form.setRowVisible(self.server, not self._is_file and not self._is_cluster)
        self.server.show_place(text)
        self._show_fields_of_place(text)
        self.connect_button.setText(self.tr("Show tables") if self._is_file else self.tr("Connect"))
        self.connect_button.setEnabled(bool(text))
        self.connect_button.setDefault(True)

    def _show_fields_of_place(self, place: str) -> None:
        """Show what a cluster asks for, or what a database does."""
        on_cluster = self._is_cluster
        self.unencrypted.show_for(place)
        for field in (self.user, self._password_label):
            field.setVisible(not on_cluster)
        self._login_label.setText(self.tr("Token") if on_cluster else self.tr("User"))
        self.password.setAccessibleName(self.tr("Token") if on_cluster else self.tr("Password"))
        has_token = on_cluster and login_given(DatabaseAddress(f"{CLUSTER}:")).password
        self.password.setPlaceholderText(TOKEN if has_token else "")  # where it comes from
        self._login_words.setText(
            self.tr("Sent to the cluster only; never stored. The records stay there.")
            if on_cluster
            else self.tr("Sent to the database only; never stored.")
        )
        self.stay.setVisible(self._may_stay and not on_cluster)
        for way, is_possible in ((_QUERY, not on_cluster), (_FILES, on_cluster)):
            self.ways.segment(way).setVisible(is_possible)
            self.ways.set_segment_enabled(way, is_possible)
            if not is_possible and self.ways.current() == way:
                self._take_way(_TABLES)

    def _take_way(self, way: str) -> None:
        """Select a way without asking for rows."""
        self.ways.set_current(way)
        self._stack.setCurrentIndex((_TABLES, _QUERY, _FILES).index(way))

    def _take(self, address: DatabaseAddress, password: str | None = None) -> None:
        """Fill the parts of an address into the fields; its table or query is chosen later."""
        self._wanted = address
        self.place.setText(str(address.path) if address.is_file else address.url)
        if password:
            self.password.setText(password)

    def _look(self) -> None:
        text, wanted = self.place.text().strip(), self._wanted
        try:
            if is_database(text):
                address, password = parse_address(text)
                address = address.seen_from(Path())
                if address.url != address.full or password is not None:
                    self._take(address, password)
                    wanted = address
            else:
                address = DatabaseAddress(file_url(Path(text).absolute()))
        except AnonymizerError as error:
            self.show_error(error.problem, error.hint)
            return
        address = replace(
            address, table=wanted.table, schema=wanted.schema, query=wanted.query, files=wanted.files
        )
        self.banner.hide()
        self.connect_button.setEnabled(False)
        self._card.set_caption(self.tr("searching"))
        self._asked, self._login_used = address, self.login
        self.tables_wanted.emit(address, self._login_used)

    def _preview(self) -> None:
        self._forget_preview()
        if (address := self.address) is not None:
            self.banner.hide()
            self._card.set_caption(self.tr("reading"))
            self._asked = address
            self.preview_wanted.emit(address, self._login_used)

    def _forget_preview(self) -> None:
        self._shown = self._asked = None
        self._model.set_table(None)
        self._card.set_caption("")
        self.open_button.setEnabled(False)

    def _fit_columns(self) -> None:
        header = self._view.horizontalHeader()
        for i, name in enumerate(self._model.table.names):
            named = header.fontMetrics().horizontalAdvance(name) + 2 * CELL_PADDING + 4
            wanted = max(named, self._view.sizeHintForColumn(i) + 2 * CELL_PADDING)
            header.resizeSection(i, min(wanted, scaled(_WIDEST)))

    def _on_way_selected(self, key: str) -> None:
        self._stack.setCurrentIndex((_TABLES, _QUERY, _FILES).index(key))
        self.stay.setEnabled(key == _TABLES)  # the result of a query is always read
        if key == _TABLES:
            self._preview()
        else:
            self._forget_preview()
            (self.query if key == _QUERY else self.files.path).setFocus()

    def _on_choose_clicked(self) -> None:
        endings = " ".join(f"*{ending}" for ending in DATABASE_ENDINGS)
        filters = self.tr("Databases ({endings});;All files (*)").format(endings=endings)
        path = ask_open(self, self.tr("Choose a database"), filters)
        if path is not None:
            self.set_place(path)

    def _on_open_clicked(self) -> None:
        if self._shown is not None and self._shown == self.address:
            stays = self._may_stay and self.stay.isChecked() and not self._shown.query
            self.chosen.emit(self._shown, self._login_used, stays)
            self.accept()

    def _connect(self) -> None:
        self.place.textEdited.connect(self._on_place_typed)
        self.server.edited.connect(self._on_server_edited)
        self.user.textEdited.connect(self._on_place_edited)
        self.password.textEdited.connect(self._on_place_edited)
        self.choose_button.clicked.connect(self._on_choose_clicked)
        self.connect_button.clicked.connect(self._look)
        self.ways.selected.connect(self._on_way_selected)
        self.tables.currentRowChanged.connect(lambda row: self._preview() if row >= 0 else None)
        self.query.textChanged.connect(self._on_query_changed)
        self.run_button.clicked.connect(self._preview)
        self.files.edited.connect(self._forget_preview)
        self.files.wanted.connect(self._preview)
        self.unencrypted.toggled.connect(self._on_place_edited)
        self.open_button.clicked.connect(self._on_open_clicked)
        self.cancel_button.clicked.connect(self.reject)

    def _on_query_changed(self) -> None:
        self._forget_preview()
        self.run_button.setEnabled(bool(self.query.toPlainText().strip()))

    def _first_steps(self) -> QWidget:
        """Return what is shown before a connection: what to do, an example, and recent addresses."""
        words = self.tr(
            "Choose a file, or enter the address of a database or cluster and connect. Its tables are then "
            "listed; only the first rows of the one you select are read."
        )
        page = QWidget()
        parts: list[Part] = [make_label(words, Text.CELL, "text_2", wraps=True)]
        for title, urls in (
            (self.tr("Recent connections"), self._recent),
            (self.tr("Example"), (_EXAMPLE,)),
        ):
            parts += [make_label(title, Text.SECTION, "text_2")] if urls else []
            for url in urls:
                link = make_button(url, "databaseLink", kind="link", small=True)
                link.clicked.connect(lambda _unused=False, url=url: self.set_place(url))
                parts.append((link, 0, Qt.AlignmentFlag.AlignLeft))
        vbox(*parts, STRETCH, spacing=8, margins=16, of=page)
        return page

    def _login_row(self) -> QWidget:
        row = QWidget()
        hbox(
            (self.user, 1),
            self._password_label,
            (self.password, 1),
            self._login_words,
            spacing=8,
            margins=0,
            of=row,
        )
        return row

    def _build(self) -> None:
        self._view = TableView("databasePreview", self.tr("The first rows"), self._model, chooses=SEVERAL)
        self._rows = stacked(self._first_steps(), self._view)
        self._card.set_body(self._rows, 0)
        asked = QWidget()
        vbox(
            (self.query, 1), (self.run_button, 0, Qt.AlignmentFlag.AlignRight), spacing=8, margins=8, of=asked
        )
        self.run_button.setEnabled(False)
        for page in (self.tables, asked, self.files):
            self._stack.addWidget(page)
        place = hbox((self.place, 1), self.choose_button, self.connect_button, spacing=8)
        left = Card(self.tr("Source"))
        left.add_tool(self.ways)
        left.set_body(self._stack, 0)
        left.setFixedWidth(scaled(_LIST_WIDTH))
        body = hbox(left, (self._card, 1), spacing=8)
        self._form = QFormLayout()
        self._form.addRow(make_label(self.tr("Database")), place)
        self._form.addRow(make_label(self.tr("Server")), self.server)
        self._form.addRow(self._login_label, self._login)
        for button in (self.open_button, self.cancel_button, self.connect_button, self.choose_button):
            button.setAccessibleName(button.text())
        vbox(
            self._form,
            self.unencrypted,
            self.banner,
            (body, 1),
            hbox(self.stay, (button_row(self.cancel_button, self.open_button), 1), spacing=8),
            spacing=10,
            margins=12,
            of=self,
        )
        take_room(self, QSize(scaled(_WIDTH), min(scaled(_HEIGHT), _MOST_HEIGHT)))
