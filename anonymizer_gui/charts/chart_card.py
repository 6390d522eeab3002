"""Card for analyses, with help and export of chart and values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QLabel, QMenu, QPushButton, QStackedWidget, QWidget

from anonymizer_gui.charts.analysis_pane import About, AnalysisPane
from anonymizer_gui.theming import Text, scaled, set_icon
from anonymizer_gui.widgets import file_dialogs
from anonymizer_gui.widgets.buttons import make_icon_button
from anonymizer_gui.widgets.card import Card
from anonymizer_gui.widgets.labels import make_label
from anonymizer_gui.widgets.layouts import vbox
from anonymizer_gui.widgets.picture_saving import copy_picture, save_picture
from anonymizer_gui.widgets.segmented import SegmentedControl
from engine.errors import AnonymizerError
from engine.findings.blocks import Figure, FigureTable
from engine.records.plan import blocks_of
from engine.records.text.writing import write_csv
from engine.words import _

HELP_WIDTH = 380


class AnalysisCard(Card):
    """Shows one analysis, or one of several selected by a segmented control in its header.

    Help and menu refer to the visible analysis. Add other tools by `add_tool` before `add_panes`, so that
    help and menu come last.
    """

    pane_chosen = Signal(str)  # key of the pane that the user selected
    error_raised = Signal(object)  # exception: a file could not be written

    def __init__(self, title: str = "", caption: str = "") -> None:
        super().__init__(title, caption)
        self._panes: dict[str, AnalysisPane] = {}
        self.chooser: SegmentedControl | None = None  # segmented control, or None if there is only one pane
        self._stack = QStackedWidget()
        self._own_caption = caption
        self.help_button = make_icon_button("circle-question-mark", self.tr("What this shows"))
        self.help_button.setObjectName("analysisHelp")
        self.help_button.clicked.connect(self._show_help)
        self.menu_button = make_icon_button("ellipsis", self.tr("Save or copy"), "analysisMenu")
        self.menu_button.clicked.connect(self._open_menu)
        self._menu: QMenu | None = None
        self._help: HelpPopup | None = None
        self.set_body(self._stack, margin=0)

    def add_panes(self, panes: list[tuple[str, str, AnalysisPane]], name: str = "") -> None:
        """Add the analyses as (key, segment text, pane); a single one has no segmented control.

        `name` is the accessible name of the segmented control.
        """
        for key, _title, pane in panes:
            self._add(key, pane)
        if len(panes) > 1:
            self.chooser = SegmentedControl([(key, text) for key, text, _ in panes], name or self.tr("View"))
            self.chooser.selected.connect(self._on_chosen)
            self.add_lead(self.chooser)
        self.add_tool(self.help_button)
        self.add_tool(self.menu_button)
        self._update()

    def add_further_pane(self, key: str, text: str, pane: AnalysisPane) -> None:
        """Append an analysis to a card that already has several."""
        assert self.chooser is not None, "there are several"
        self._add(key, pane)
        self.chooser.add(key, text)

    def _add(self, key: str, pane: AnalysisPane) -> None:
        self._panes[key] = pane
        self._stack.addWidget(pane)
        pane.changed.connect(self._update)

    @property
    def pane(self) -> AnalysisPane:
        """Visible pane."""
        pane = self._stack.currentWidget()
        assert isinstance(pane, AnalysisPane), "panes were added"
        return pane

    def pane_of(self, key: str) -> AnalysisPane:
        """Return a pane by its key."""
        return self._panes[key]

    def show_pane(self, key: str) -> None:
        """Show one of several panes."""
        assert self.chooser is not None, "there are several"
        self.chooser.set_current(key)
        self._on_chosen(key)

    def _on_chosen(self, key: str) -> None:
        self._stack.setCurrentWidget(self._panes[key])
        self._update()
        self.pane_chosen.emit(key)

    def _update(self) -> None:
        pane = self.pane
        self.set_caption(pane.caption or self._own_caption)
        about, title = pane.about, self.tr("What this shows")
        words = f"{title}: {_(about.summary)}" if about.summary else title
        self.help_button.setToolTip(words)
        self.help_button.setVisible(bool(about.summary))
        why = "" if pane.is_shown else self.tr("there is nothing to save yet")
        self.menu_button.setEnabled(not why)
        text = self.tr("Save or copy")
        self.menu_button.setToolTip(f"{text}: {why}" if why else text)

    # Help and files ----------------------------------------------------------------------------

    def _show_help(self) -> None:
        if self._help is not None:
            self._help.deleteLater()
        self._help = HelpPopup(self.pane.about, self)
        self._help.open_below(self.help_button)

    def _open_menu(self) -> None:
        if self._menu is not None:
            self._menu.deleteLater()
        pane = self.pane
        menu = self._menu = QMenu(self)
        menu.setObjectName("analysisMenuEntries")
        menu.setToolTipsVisible(True)
        picture = menu.addAction(self.tr("Save picture…"))
        set_icon(picture, "download")
        picture.triggered.connect(lambda: self._save_picture(pane))
        self._add_figures(menu, pane)
        copied = menu.addAction(self.tr("Copy picture"))
        set_icon(copied, "copy")
        copied.triggered.connect(lambda: copy_picture(pane.view))
        copy = menu.addAction(self.tr("Copy values"))
        set_icon(copy, "copy")
        copy.setEnabled(bool(pane.tables))
        copy.triggered.connect(lambda: QGuiApplication.clipboard().setText(clipboard_text(pane.tables)))
        menu.popup(self.menu_button.mapToGlobal(self.menu_button.rect().bottomLeft()))

    def _add_figures(self, menu: QMenu, pane: AnalysisPane) -> None:
        text, tables = self.tr("Save values (CSV)…"), pane.tables
        within = menu
        if len(tables) > 1:
            within = menu.addMenu(self.tr("Save values (CSV)"))
            within.setToolTipsVisible(True)
        for table in tables:
            action = within.addAction(f"{table.title}…" if within is not menu else text)
            action.setObjectName(f"figures.{table.key}")
            if table.is_by_record:
                action.setToolTip(
                    self.tr("Contains single records. Share only with people who may see the input.")
                )
            action.triggered.connect(partial(self._save_figures, pane, table))

    def _save_picture(self, pane: AnalysisPane) -> None:
        try:
            save_picture(pane.view, pane.file_name)
        except AnonymizerError as error:
            self.error_raised.emit(error)

    def _save_figures(self, pane: AnalysisPane, table: FigureTable) -> None:
        name = pane.file_name if len(pane.tables) == 1 else f"{pane.file_name}-{table.key}"
        title, filters = self.tr("Save values"), self.tr("Values (*.csv)")
        path = file_dialogs.ask_save(self.window(), title, filters, f"{name}.csv", "csv")
        if path is None:
            return
        try:
            write_figures(path, table)
        except AnonymizerError as error:
            self.error_raised.emit(error)


class HelpPopup(QFrame):
    """Popup that explains an analysis: its purpose, how to read its values, and its source."""

    def __init__(self, about: About, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setObjectName("analysisHelpPopup")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
        self.setProperty("card", "true")
        column = vbox(spacing=6, margins=(14, 12, 14, 12), of=self)
        for text, use, tone in (
            (about.title, Text.TITLE, "text"),
            (about.summary, Text.CELL, "text"),
            (about.reading, Text.CELL, "text_2"),
            (about.source, Text.CAPTION, "text_3"),
        ):
            if text:
                column.addWidget(make_label(text, use, tone, wraps=True))
        self.setFixedWidth(scaled(HELP_WIDTH))

    def words(self) -> tuple[str, ...]:
        """Return the paragraphs of the popup."""
        return tuple(label.text() for label in self.findChildren(QLabel))

    def open_below(self, button: QPushButton) -> None:
        """Show the popup below a button, right edges aligned."""
        for label in self.findChildren(QLabel):
            label.ensurePolished()
        # adjustSize computes too small a height for long wrapped text.
        self.setFixedHeight(self.heightForWidth(self.width()))
        corner = button.mapToGlobal(button.rect().bottomRight())
        screen = button.screen().availableGeometry()
        x = min(max(corner.x() - self.width(), screen.left()), screen.right() - self.width())
        y = min(corner.y() + 4, screen.bottom() - self.height())
        self.move(QPoint(x, y))
        self.show()


def write_figures(path: Path, table: FigureTable) -> None:
    """Write a table of values as CSV with the column keys as header.

    Raises
    ------
    ExportError
        The file cannot be written; an existing file is unchanged.
    """
    rows = table.rows

    def texts(start: int, stop: int) -> list[list[str]]:
        part = rows[start:stop]
        return [[figure_text(row[place]) for row in part] for place in range(len(table.columns))]

    names = [column.key for column in table.columns]
    write_csv(path, names, blocks_of([()] * len(names), len(rows), texts))


def clipboard_text(tables: Sequence[FigureTable]) -> str:
    """Return tables as text for a spreadsheet: tab-separated cells, headers above columns."""
    blocks = []
    for table in tables:
        lines = [[_title(column.title, column.unit) for column in table.columns]]
        lines += [[_one_line(figure_text(figure)) for figure in row] for row in table.rows]
        head = [table.title] if len(tables) > 1 else []
        blocks.append("\n".join([*head, *("\t".join(line) for line in lines)]))
    return "\n\n".join(blocks) + "\n"


def figure_text(figure: Figure) -> str:
    """Return a value with all digits, or an empty text if there is none."""
    if figure is None or (isinstance(figure, float) and math.isnan(figure)):
        return ""
    if isinstance(figure, (bool, int, str)):
        return str(figure)
    return repr(float(figure))


def _title(title: str, unit: str) -> str:
    return f"{title} ({unit})" if unit else title


def _one_line(text: str) -> str:
    return text.replace("\t", " ").replace("\n", " ")
