"""List of all jobs with progress and Cancel, as a popup over the status strip or in a dialog."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import QFrame, QWidget

from anonymizer_gui.theming import Text, scaled
from anonymizer_gui.widgets.job_strip import JobStrip
from anonymizer_gui.widgets.labels import make_label
from anonymizer_gui.widgets.layouts import named, vbox

WIDTH = 520


@dataclass(frozen=True)
class JobLine:
    """Text and progress of a job; `number` identifies it."""

    number: int
    text: str
    share: float = 0.0
    since: float = 0.0
    is_stopping: bool = False


class JobLines(QWidget):
    """List of jobs; a job that continues keeps its widget, so that the mouse and tests can rely on it."""

    cancel_requested = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._strips: dict[int, JobStrip] = {}
        self._column = vbox(spacing=4, margins=0, of=self)

    def show_jobs(self, lines: Sequence[JobLine]) -> None:
        """Show these jobs in this order."""
        for number in self._strips.keys() - {line.number for line in lines}:
            strip = self._strips.pop(number)
            strip.hide()
            self._column.removeWidget(strip)
            strip.deleteLater()
        for line in lines:
            strip = self._strips.get(line.number) or self._made(line)
            if line.is_stopping:
                strip.show_cancelling()
            else:
                strip.show_progress(line.share, line.text)

    def focus_first(self) -> None:
        """Focus the first Cancel button."""
        for strip in self._strips.values():
            strip.focusNextChild()
            return

    def _made(self, line: JobLine) -> JobStrip:
        strip = named(JobStrip(self, fills=True), f"job.{line.number}")
        strip.start(line.text, since=line.since)
        strip.cancel_requested.connect(lambda: self.cancel_requested.emit(line.number))
        self._strips[line.number] = strip
        self._column.addWidget(strip)
        return strip


class JobList(QFrame):
    """Popup with the jobs; Escape or a click outside closes it."""

    cancel_requested = Signal(int)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setObjectName("jobList")
        self.setProperty("card", "true")
        self.setAccessibleName(self.tr("Jobs"))
        self._title = make_label(self.tr("Jobs"), Text.TITLE)
        self._empty = make_label(self.tr("Nothing is running."), Text.CELL, "text_2")
        self._lines = JobLines()
        self._lines.cancel_requested.connect(self.cancel_requested)
        vbox(self._title, self._empty, self._lines, spacing=8, margins=(12, 10, 12, 10), of=self)

    def show_jobs(self, lines: Sequence[JobLine]) -> None:
        """Show these jobs in this order; some may wait for others."""
        self._empty.setVisible(not lines)
        self._lines.setVisible(bool(lines))
        self._lines.show_jobs(lines)
        if self.isVisible():
            self._place(self.mapToGlobal(self.rect().bottomRight()))

    def open_above(self, corner: QPoint) -> None:
        """Open with the lower right corner at a point."""
        self._place(corner)
        self.show()
        self._lines.focus_first()

    def _place(self, corner: QPoint) -> None:
        layout = self.layout()
        assert layout is not None
        layout.activate()
        self.setFixedWidth(scaled(WIDTH))
        self.resize(self.width(), self.sizeHint().height())
        self.move(corner - self.rect().bottomRight())
