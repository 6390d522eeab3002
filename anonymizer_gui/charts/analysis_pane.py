"""One analysis in a card: its chart, or the reason for none, or the progress of its computation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QProgressBar, QWidget

from anonymizer_gui.theming import Text
from anonymizer_gui.widgets.buttons import make_button
from anonymizer_gui.widgets.drawn import IconLabel
from anonymizer_gui.widgets.labels import make_label
from anonymizer_gui.widgets.layouts import STRETCH, hbox, stacked, vbox
from anonymizer_gui.widgets.results_stack import EmptyState
from anonymizer_gui.widgets.scroll_body import ScrollBody
from engine.errors import AnonymizerError
from engine.findings.base import Analysis
from engine.findings.blocks import FigureTable, Findings

_EMPTY, _RUNNING, _FAILED, _SHOWN = range(4)
_STEPS = 1000  # steps of the progress bar


@dataclass(frozen=True)
class About:
    """Help text of an analysis."""

    title: str = ""
    summary: str = ""
    reading: str = ""
    source: str = ""

    @classmethod
    def of(cls, kind: type[Analysis]) -> About:
        """Return the help text that an analysis declares."""
        return cls(kind.title, kind.summary, kind.reading, kind.source)


class AnalysisPane(QWidget):
    """Container for a view of findings, with a text in place of the view if there are no findings.

    While new findings are computed, the previous ones stay visible with "updating" in the caption.

    Parameters
    ----------
    view : QWidget
        Shows the findings; it is what "Save picture" saves.
    name : str
        Suggested file name without extension, such as "class-sizes".
    strip : QWidget, optional
        Options of the analysis, above the view; visible even if there is nothing to show.
    """

    changed = Signal()  # caption, values or state
    action_requested = Signal()  # the button shown in place of the view
    cancel_requested = Signal()

    def __init__(self, view: QWidget, about: About, name: str, *, strip: QWidget | None = None) -> None:
        super().__init__()
        self.view = view
        self.about = about
        self.file_name = name
        self.tables: tuple[FigureTable, ...] = ()  # tables of the values shown; empty if nothing is shown
        self.result = ""  # sentence of the findings shown
        self._caption = ""
        self._is_updating = False
        self._empty = EmptyState("", parent=self)
        self._empty.button.setObjectName(f"{name}Action")
        self._empty.action_requested.connect(self.action_requested)
        self._running = _Running()
        self._running.cancel_requested.connect(self.cancel_requested)
        self._failed = _Failed()
        self._stack = stacked(_scrolled(self._empty), self._running, _scrolled(self._failed), view)
        column = vbox(spacing=0, margins=0, of=self)
        if strip is not None:
            column.addWidget(strip)
        column.addWidget(self._stack, 1)
        self.show_empty("")

    @property
    def is_shown(self) -> bool:
        """Return whether the view is visible."""
        return self._stack.currentIndex() == _SHOWN

    @property
    def caption(self) -> str:
        """Text next to the title, a result in at most four words."""
        return (
            self.tr("{caption} · updating").format(caption=self._caption).lstrip(" ·")
            if self._is_updating
            else self._caption
        )

    def set_about(self, about: About) -> None:
        """Replace the help text."""
        self.about = about
        self.changed.emit()

    def sentence(self) -> str:
        """Return the text shown in place of the view; empty while the view or progress is shown."""
        place = self._stack.currentIndex()
        return {_EMPTY: self._empty.sentence(), _FAILED: self._failed.words()}.get(place, "")

    def show_empty(self, sentence: str, action: str = "") -> None:
        """Show why there is nothing, optionally with a button that changes this."""
        self._empty.set_sentence(sentence)
        self._empty.set_action(action)
        self._show(_EMPTY)

    def show_running(self, text: str = "") -> None:
        """Show that a computation runs; the previous findings stay visible."""
        if self.is_shown:
            self._is_updating = True
            self.changed.emit()
            return
        self._running.start(text or self.about.title)
        self._show(_RUNNING)

    def show_progress(self, done: int, total: int) -> None:
        """Show the progress of the computation."""
        self._running.show_progress(done, total)

    def show_failed(self, error: Exception) -> None:
        """Show why the computation failed; an error that is a bug goes to the error hook."""
        if not isinstance(error, AnonymizerError):
            self.show_empty(self.tr("This could not be computed because of a bug in the program."))
            raise error
        self._failed.show_error(error.problem, error.hint)
        self._show(_FAILED)

    def show_figures(self, tables: Sequence[FigureTable], caption: str = "") -> None:
        """Show the view, already filled; file export and clipboard use these tables."""
        self.tables, self._caption = tuple(tables), caption
        self._is_updating = False
        self._stack.setCurrentIndex(_SHOWN)
        self.changed.emit()

    def show_findings(self, found: Findings) -> None:
        """Show the tables and caption of findings, or their sentence if there is nothing to show."""
        statement, tables = found.statement(), found.tables()
        if any(len(table.rows) for table in tables):
            self.result = statement.sentence
            self.show_figures(tables, statement.caption)
        else:
            self.show_empty(statement.sentence)

    def _show(self, place: int) -> None:
        self.tables, self.result, self._caption, self._is_updating = (), "", "", False
        self._stack.setCurrentIndex(place)
        self.changed.emit()


class _Running(QWidget):
    """Text and progress of a running computation, with a Cancel button."""

    cancel_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._text = make_label("", Text.CONTROL, "text_3", wraps=True)
        self._text.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setFixedWidth(160)
        self._cancel = make_button(self.tr("Cancel"), kind="quiet", small=True, icon_name="x")
        self._cancel.setObjectName("analysisCancel")
        self._cancel.clicked.connect(self.cancel_requested)
        vbox(
            STRETCH,
            self._text,
            (self._bar, 0, Qt.AlignmentFlag.AlignHCenter),
            (self._cancel, 0, Qt.AlignmentFlag.AlignHCenter),
            STRETCH,
            spacing=8,
            margins=(24, 8, 24, 8),
            of=self,
        )

    def start(self, text: str) -> None:
        self._text.setText(text)
        self._bar.setRange(0, _STEPS)
        self._bar.setValue(0)
        self._bar.setAccessibleName(text)

    def show_progress(self, done: int, total: int) -> None:
        self._bar.setValue(_STEPS * done // max(total, 1))


class _Failed(QWidget):
    """Error and hint in place of the view."""

    def __init__(self) -> None:
        super().__init__()
        self._problem = make_label("", Text.TITLE, wraps=True)
        self._hint = make_label("", Text.CELL, "text_2", wraps=True)
        for label in (self._problem, self._hint):
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        row = hbox(
            (IconLabel("triangle-alert", 18, "warn"), 0, Qt.AlignmentFlag.AlignTop),
            (vbox(self._problem, self._hint, spacing=2), 1),
            spacing=10,
        )
        vbox(STRETCH, row, STRETCH, margins=(16, 12, 16, 12), of=self)

    def show_error(self, problem: str, hint: str) -> None:
        self._problem.setText(problem)
        self._hint.setText(hint)
        self._hint.setVisible(bool(hint))

    def words(self) -> str:
        return f"{self._problem.text()} {self._hint.text()}".strip()


def _scrolled(page: QWidget) -> QWidget:
    """Return a page that scrolls if its text does not fit into a low card."""
    column = vbox(page, margins=0)
    return ScrollBody(column)
