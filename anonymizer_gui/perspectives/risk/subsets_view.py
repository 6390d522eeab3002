"""List of column sets with the number of records each makes unique, before and after."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QObject,
    QRectF,
    Qt,
    Signal,
)
from PySide6.QtGui import QBrush, QFontMetrics, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyleOptionViewItem,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from anonymizer_gui.perspectives.risk.exposed_model import with_arrow
from anonymizer_gui.theming import Text, current_theme, font, scaled, theme_manager
from anonymizer_gui.widgets.labels import make_label
from anonymizer_gui.widgets.layouts import named, vbox
from anonymizer_gui.widgets.tables import (
    CELL_PADDING,
    LEFT,
    NOWHERE,
    RIGHT,
    Index,
    RowDelegate,
    prepare_table,
)
from anonymizer_gui.widgets.texts_table import column_width
from engine.frequency.counted import PEOPLE, RECORDS, Noun, either
from engine.numbers import DASH, as_exact_count, as_risk
from engine.words import N_, _

NAMES, BAR, INPUT, RELEASE, HIGHEST, DISTINCTION, SEPARATION = range(7)
_TITLES = (
    N_("Columns"),
    "",
    N_("Input"),
    N_("Release"),
    N_("Highest risk"),
    N_("Distinction"),
    N_("Separation"),
)
_MEANINGS = (
    N_("Columns that an attacker may know together, and nothing else"),
    N_("Unique records, grey of the input and blue of the release"),
    N_("Records of the input that are unique in these columns"),
    N_("Kept records that are unique in these columns"),
    N_("Risk of a kept record, for an attacker who knows these columns"),
    N_(
        "Distinct combinations of values per record, before and after: the share that "
        "guessing all of them finds"
    ),
    N_("Share of record pairs that differ in these columns, before and after"),
)
# For people; texts about columns and pairs keep the word records.
_MEANINGS_OF_PEOPLE = {
    INPUT: N_("People of the input with a record that equals no other person's in these columns"),
    BAR: N_("Unique people, grey of the input and blue of the release"),
    RELEASE: N_("People with a kept record that equals no other person's in these columns"),
}
_NAMES_SHARE = 0.66  # largest share of the width that numbers leave
_LEAST_BAR = 40


@dataclass(frozen=True)
class SubsetRow:
    """One set of columns; values of the release are None if all records are suppressed."""

    columns: tuple[str, ...]
    uniques_before: int
    uniques_after: int | None
    highest_after: float | None
    distinction: tuple[float, float | None]  # before, after
    separation: tuple[float, float | None]


class SubsetsModel(QAbstractTableModel):
    """Sorted by any column; the bar is sorted by the input."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._counted = RECORDS
        self._given: tuple[SubsetRow, ...] = ()
        self._rows: tuple[SubsetRow, ...] = ()
        self._most = 1
        self._sorted_by = (INPUT, Qt.SortOrder.DescendingOrder)

    def show_rows(self, rows: Sequence[SubsetRow]) -> None:
        """Show other sets in the current order."""
        self.beginResetModel()
        self._given = tuple(rows)
        self._most = max([1, *(max(r.uniques_before, r.uniques_after or 0) for r in rows)])
        self._arrange()
        self.endResetModel()

    def show_counted(self, counted: Noun) -> None:
        """Show whether unique records or people are counted."""
        self._counted = counted
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(_TITLES) - 1)

    def row(self, place: int) -> SubsetRow:
        """Return a set by its position in the list."""
        return self._rows[place]

    def shares(self, place: int) -> tuple[float, float]:
        """Return the lengths of the two bars of a row."""
        row = self._rows[place]
        return row.uniques_before / self._most, (row.uniques_after or 0) / self._most

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        self.beginResetModel()
        self._sorted_by = (column, order)
        self._arrange()
        self.endResetModel()
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(_TITLES) - 1)

    def rowCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else len(_TITLES)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row, column = self._rows[index.row()], index.column()
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return _text(row, column)
            case Qt.ItemDataRole.ToolTipRole | Qt.ItemDataRole.AccessibleTextRole:
                return _description(row, self._counted)
            case Qt.ItemDataRole.TextAlignmentRole:
                return LEFT if column == NAMES else RIGHT
            case Qt.ItemDataRole.ForegroundRole:
                is_open = column == RELEASE and bool(row.uniques_after)
                return QBrush(current_theme().color("danger" if is_open else "text"))
            case Qt.ItemDataRole.FontRole:
                return font(Text.CELL_STRONG if column == RELEASE else Text.CELL)
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation == Qt.Orientation.Vertical:
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return with_arrow(_(_TITLES[section]), section, self._sorted_by)
            case Qt.ItemDataRole.ToolTipRole:
                return _meaning(section, self._counted)
            case Qt.ItemDataRole.AccessibleTextRole:
                return _(_TITLES[section]) or either(
                    self._counted, _("Unique records as bars"), _("Unique people as bars")
                )
            case Qt.ItemDataRole.TextAlignmentRole:
                return LEFT if section == NAMES else RIGHT
        return None

    def _arrange(self) -> None:
        column, order = self._sorted_by
        is_down = order == Qt.SortOrder.DescendingOrder
        self._rows = tuple(sorted(self._given, key=lambda row: _key(row, column), reverse=is_down))


def _meaning(section: int, counted: Noun) -> str:
    if counted is PEOPLE and section in _MEANINGS_OF_PEOPLE:
        return _(_MEANINGS_OF_PEOPLE[section])
    return _(_MEANINGS[section])


def _key(row: SubsetRow, column: int) -> Any:
    return {
        NAMES: row.columns,
        RELEASE: row.uniques_after or 0,
        HIGHEST: row.highest_after or 0.0,
        DISTINCTION: (row.distinction[1] or 0.0, row.distinction[0]),
        SEPARATION: (row.separation[1] or 0.0, row.separation[0]),
    }.get(column, row.uniques_before)


def _text(row: SubsetRow, column: int) -> str:
    return {
        NAMES: ", ".join(row.columns),
        INPUT: as_exact_count(row.uniques_before),
        RELEASE: as_exact_count(row.uniques_after),
        HIGHEST: DASH if row.highest_after is None else as_risk(row.highest_after),
        DISTINCTION: _pair(row.distinction),
        SEPARATION: _pair(row.separation),
    }.get(column, "")


def _pair(shares: tuple[float, float | None]) -> str:
    before, after = shares
    return f"{as_risk(before)} → {DASH if after is None else as_risk(after)}"


def _description(row: SubsetRow, counted: Noun) -> str:
    unique = _("{n} unique {noun}").format(
        n=as_exact_count(row.uniques_before), noun=counted.of(row.uniques_before)
    )
    text = _("{columns}: {unique} in the input").format(columns=", ".join(row.columns), unique=unique)
    if row.uniques_after is None or row.highest_after is None:
        return text
    after = as_exact_count(row.uniques_after)
    return _("{text}, {after} in the release, where the highest risk is {highest_after}").format(
        text=text, after=after, highest_after=as_risk(row.highest_after)
    )


class _BarDelegate(RowDelegate):
    """Draws the bars of a row, grey above blue; zero draws none."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        super().paint(painter, option, index)
        model = index.model()
        if not isinstance(model, SubsetsModel):
            return
        theme, room = current_theme(), QRectF(option.rect).adjusted(CELL_PADDING, 0, -CELL_PADDING, 0)
        before, after = model.shares(index.row())
        height = scaled(4)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        for share, token, top in (
            (before, "series_1", room.center().y() - height - 0.5),
            (after, "series_2", room.center().y() + 0.5),
        ):
            if share > 0:
                painter.setBrush(theme.color(token))
                bar = QRectF(room.left(), top, max(share * room.width(), 1.0), height)
                painter.drawRoundedRect(bar, 2, 2)
        painter.restore()


class _NamesDelegate(RowDelegate):
    """Elides the names of a set equally if space is short, so that sets can be distinguished."""

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        super().initStyleOption(option, index)
        model = index.model()
        if isinstance(model, SubsetsModel):
            names = model.row(index.row()).columns
            room = option.rect.width() - 2 * CELL_PADDING
            option.text = fitted_names(names, QFontMetrics(option.font), room)


def fitted_names(names: Sequence[str], metrics: QFontMetrics, room: int) -> str:
    """Return the joined names, eliding the longest first until all fit."""
    whole = ", ".join(names)
    if metrics.horizontalAdvance(whole) <= room:
        return whole
    rest = room - metrics.horizontalAdvance(", ") * (len(names) - 1)
    most, n_left = rest, len(names)
    for width in sorted(metrics.horizontalAdvance(name) for name in names):
        most = rest // n_left
        if width > most:
            break
        rest, n_left = rest - width, n_left - 1
    mode = Qt.TextElideMode.ElideRight
    return ", ".join(metrics.elidedText(name, mode, most) for name in names)


class _Table(QTableView):
    """Emits a signal after a resize, which follows that of the parent."""

    resized = Signal()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.resized.emit()


class SubsetsView(QWidget):
    """The sentence first, then the sets with most unique records at the top."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("subsetsView")
        self.model = SubsetsModel(self)
        self.table = _Table()
        self.table.resized.connect(self._share)
        self.table.setObjectName("columnSubsets")
        self.table.setModel(self.model)
        self.show_counted(RECORDS)
        prepare_table(self.table)
        self._delegates = _BarDelegate(self.table), _NamesDelegate(self.table)
        for place, delegate in zip((BAR, NAMES), self._delegates, strict=True):
            self.table.setItemDelegateForColumn(place, delegate)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        header = self.table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        header.setSortIndicator(INPUT, Qt.SortOrder.DescendingOrder)
        self.table.setSortingEnabled(True)
        header.setSortIndicatorShown(False)  # the model's titles have the arrow
        self._sentence = named(make_label("", Text.CELL, "text_2", wraps=True), "subsetsSentence")
        sentence = QVBoxLayout()  # a new style sheet would reset margins of the label
        sentence.setContentsMargins(12, 6, 12, 6)
        sentence.addWidget(self._sentence)
        vbox(sentence, (self.table, 1), spacing=0, margins=0, of=self)
        theme_manager().theme_changed.connect(self._measure)

    def show_counted(self, counted: Noun) -> None:
        """Show whether unique records or people are counted."""
        self.model.show_counted(counted)
        self.table.setAccessibleName(
            either(
                counted,
                self.tr("Combinations of columns by unique records"),
                self.tr("Combinations of columns by unique people"),
            )
        )

    def show_subsets(self, rows: Sequence[SubsetRow], sentences: Sequence[str]) -> None:
        """Show other sets; the sentences describe the effect of one column, two, and so on."""
        self.model.show_rows(rows)
        self._sentence.setText(sentences[-1] if sentences else "")
        self._sentence.setToolTip("\n".join(sentences))
        self._measure()

    def sentence(self) -> str:
        return self._sentence.text()

    def _measure(self) -> None:
        """Set the width of numbers; names and bars share the remaining width."""
        header = self.table.horizontalHeader()
        for place in range(INPUT, len(_TITLES)):
            header.resizeSection(place, column_width(self.model, place))
        self._share()

    def _share(self) -> None:
        header = self.table.horizontalHeader()
        taken = header.sectionSize(INPUT) + header.sectionSize(RELEASE)
        rest = self.table.viewport().width() - taken
        bar, whole = scaled(_LEAST_BAR), column_width(self.model, NAMES)
        names = max(round(rest * _NAMES_SHARE), min(whole, rest - bar))
        self.table.setColumnHidden(BAR, names < whole)  # narrow bars would be redundant to the numbers
        if names < whole:
            names = max(min(whole, rest), scaled(90))
        header.resizeSection(NAMES, names)
        header.resizeSection(BAR, max(rest - names, bar))
