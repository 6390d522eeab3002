"""Cards that show lists of texts: the models, and below them the exposed classes or the utility."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QStackedLayout, QWidget

from anonymizer_gui.widgets.card import Card
from anonymizer_gui.widgets.empty_state import EmptyState
from anonymizer_gui.widgets.error_banner import ErrorBanner
from anonymizer_gui.widgets.layouts import named, vbox
from anonymizer_gui.widgets.segmented import SegmentedControl
from anonymizer_gui.widgets.texts_table import Cell, Heading, TextsTable

EXPOSED, UTILITY = "exposed", "utility"


class ModelsPanel(Card):
    """What every model measures."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(self.tr("Privacy models"), self.tr("measured of the table as it is"), parent)
        self.table = TextsTable("modelValues", self.tr("What every privacy model measures"), stretched=-1)
        self.set_body(self.table, 0)


class DetailsPanel(Card):
    """The most exposed classes, or what was lost against the original."""

    original_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("", parent=parent)
        self.choice = named(
            SegmentedControl(
                ((EXPOSED, self.tr("Most exposed")), (UTILITY, self.tr("Utility"))), self.tr("Shown below")
            ),
            "detailsChoice",
        )
        self.choice.selected.connect(lambda _key: self._show())
        self.add_lead(self.choice)
        self.exposed = TextsTable("exposedClasses", self.tr("The smallest classes"))
        self.utility = TextsTable("utilityFigures", self.tr("Utility against the original"), stretched=-1)
        self.error = ErrorBanner()
        self.empty = EmptyState(
            self.tr("Choose the original table to see what was lost."),
            self.tr("Choose original…"),
            icon_name="folder-open",
        )
        self.empty.action_requested.connect(self.original_requested)
        lost = QWidget()
        vbox(self.error, (self.utility, 1), (self.empty, 1), spacing=0, margins=0, of=lost)
        self._captions = {EXPOSED: "", UTILITY: ""}
        self._pages = {EXPOSED: self.exposed, UTILITY: lost}
        self._stack = QStackedLayout()
        for page in self._pages.values():
            self._stack.addWidget(page)
        holder = QWidget()
        holder.setLayout(self._stack)
        self.set_body(holder, 0)
        self._show()

    def show_exposed(self, headings: Sequence[Heading], rows: Sequence[Sequence[Cell]], caption: str) -> None:
        """The smallest classes."""
        self.exposed.show_rows(headings, rows)
        self._captions[EXPOSED] = caption
        self._show()

    def show_utility(
        self,
        headings: Sequence[Heading],
        rows: Sequence[Sequence[Cell]],
        misfit: tuple[str, str] | None = None,
    ) -> None:
        """What was lost; without lines why not, or the way to an original."""
        self.utility.show_rows(headings, rows)
        self.utility.setVisible(bool(rows))
        self.empty.setVisible(not rows)
        if misfit is not None:
            self.error.show_error(*misfit)
        else:
            self.error.hide()
        self._show()

    def show_page(self, key: str) -> None:
        """Bring one of the two to the front."""
        self.choice.set_current(key)
        self._show()

    def _show(self) -> None:
        key = self.choice.current()
        self._stack.setCurrentWidget(self._pages[key])
        self.set_caption(self._captions[key])
