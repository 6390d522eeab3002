"""The classes of the selected node in a window of their own, with the records of one of them."""

from __future__ import annotations

from PySide6.QtCore import QItemSelectionModel, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QAbstractItemView, QDialog, QSplitter, QTableView, QWidget

from anonymizer_gui.models.classes_model import ClassesModel, ClassRecordsModel
from anonymizer_gui.theming import Text, font, scaled, theme_manager
from anonymizer_gui.widgets.buttons import button_row, make_button
from anonymizer_gui.widgets.dialog_room import take_room
from anonymizer_gui.widgets.labels import ElidedLabel, make_label
from anonymizer_gui.widgets.layouts import named, vbox
from anonymizer_gui.widgets.segmented import SegmentedControl
from anonymizer_gui.widgets.tables import CELL_PADDING, prepare_table

ALL, KEPT, SUPPRESSED = "all", "kept", "suppressed"
_SIZE, _LEAST = (900, 640), (520, 400)
_WIDEST, _ARROW, _SPARE = 220, 26, 10  # of a column, of the mark of sorting, beyond the text of a cell
_LOOKED_AT = 60  # rows


class ClassesDialog(QDialog):
    """Two tables: classes, and the records of the class that is chosen above; follows the selected node."""

    filter_chosen = Signal(str)
    class_chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("classesDialog")
        self.model, self.records = ClassesModel(self), ClassRecordsModel(self)
        self.summary = named(make_label("", Text.CELL, "text_2", wraps=True), "classesSummary")
        self.filter = named(
            SegmentedControl(
                [(ALL, self.tr("All")), (KEPT, self.tr("Kept")), (SUPPRESSED, self.tr("Suppressed"))],
                self.tr("Classes listed"),
            ),
            "classesFilter",
        )
        self.filter.selected.connect(self.filter_chosen)
        self.view = _make_table(self.model, self.tr("Classes of the node"), "classTable")
        self.view.setSortingEnabled(True)
        self.view.selectionModel().selectionChanged.connect(lambda *_: self._on_row_changed())
        self.records_title = named(ElidedLabel("", Text.SECTION, "text_2"), "classRecordsTitle")
        self.records_view = _make_table(self.records, self.tr("Records of the class"), "classRecords")
        below = QWidget()
        vbox(self.records_title, (self.records_view, 1), spacing=4, margins=(0, 4, 0, 0), of=below)
        tables = QSplitter(Qt.Orientation.Vertical)
        tables.addWidget(self.view)
        tables.addWidget(below)
        tables.setStretchFactor(0, 3)
        tables.setStretchFactor(1, 2)
        tables.setChildrenCollapsible(False)
        close = make_button(self.tr("Close"))
        close.clicked.connect(self.reject)
        vbox(self.summary, self.filter, (tables, 1), button_row(close), spacing=8, margins=16, of=self)
        self.setMinimumSize(scaled(_LEAST[0]), scaled(_LEAST[1]))
        theme_manager().theme_changed.connect(self._on_theme_changed)
        take_room(self, QSize(scaled(_SIZE[0]), scaled(_SIZE[1])))

    def fit_columns(self, view: QTableView) -> None:
        """Give every column the room of its title and of its first rows."""
        model, metrics = view.model(), QFontMetrics(font(Text.CELL))
        for column in range(model.columnCount()):
            title = str(model.headerData(column, Qt.Orientation.Horizontal))
            # The arrow of the sorted column stands beside its title.
            widest = metrics.horizontalAdvance(title) + scaled(_ARROW)
            for row in range(min(model.rowCount(), _LOOKED_AT)):
                widest = max(widest, metrics.horizontalAdvance(str(model.index(row, column).data())))
            view.setColumnWidth(column, min(widest + 2 * CELL_PADDING + _SPARE, scaled(_WIDEST)))

    def choose(self, number: int | None) -> None:
        """Choose a class without telling anybody, where it is listed."""
        row = None if number is None else self.model.row_of(number)
        blocked = self.view.selectionModel().blockSignals(True)
        if row is None:
            self.view.clearSelection()
        else:
            index = self.model.index(row, 0)
            self.view.selectionModel().setCurrentIndex(
                index,
                QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows,
            )
            self.view.scrollTo(index)
        self.view.selectionModel().blockSignals(blocked)
        self.view.viewport().update()

    def _on_theme_changed(self) -> None:
        for view in (self.view, self.records_view):
            self.fit_columns(view)

    def _on_row_changed(self) -> None:
        # The current row moves by itself when the table gets the focus; what is selected was chosen.
        if rows := self.view.selectionModel().selectedRows():
            self.class_chosen.emit(self.model.number(rows[0].row()))


def _make_table(model: ClassesModel | ClassRecordsModel, name: str, object_name: str) -> QTableView:
    view = QTableView()
    prepare_table(view)
    view.setModel(model)
    view.setObjectName(object_name)
    view.setAccessibleName(name)
    view.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
    return view
