"""Status strip of the window: important nodes at the left, running job or project facts at the right."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPoint, QSize, Qt, QTimer, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QMenu, QWidget

from anonymizer_gui.models.node_name import NamedNode
from anonymizer_gui.theming import Text, follow_theme, scaled
from anonymizer_gui.widgets.buttons import make_button, make_icon_button
from anonymizer_gui.widgets.drawn import IconLabel
from anonymizer_gui.widgets.job_strip import JobStrip
from anonymizer_gui.widgets.labels import ElidedLabel, make_label, make_line
from anonymizer_gui.widgets.layouts import STRETCH, hbox, named
from anonymizer_gui.widgets.level_glyph import SMALL, Glyph, LevelGlyph
from anonymizer_gui.widgets.marks import Mark, MarkLabel
from engine.numbers import as_decimal, as_exact_count, with_unit

STRIP_HEIGHT = 26
ICONS = {
    "ok": ("circle-check", "ok"),
    "busy": ("clock", "text_2"),
    "step": ("history", "text_2"),
    "warn": ("triangle-alert", "warn"),
}


class NodeItem(QWidget):
    """Mark, name and level glyph of a node; hidden without a node."""

    node_shown = Signal()

    def __init__(self, mark: Mark, name: str) -> None:
        super().__init__()
        self._name = name
        self._text = ElidedLabel("", Text.CELL_STRONG)
        self._glyph = LevelGlyph(SMALL)
        self._line = make_line(Qt.Orientation.Vertical)
        self._line.setFixedHeight(14)
        self._label = make_label(name, Text.CELL, "text_2")
        hbox(self._line, MarkLabel(mark), self._label, self._text, self._glyph, spacing=6, margins=0, of=self)
        self.hide()

    def show_node(self, node: NamedNode | None, made_by: str = "") -> None:
        """Show a node or none; `made_by` names the method if levels vary by record."""
        text = " · ".join(filter(None, ["" if node is None else node.name, made_by]))
        details = "" if node is None else node.details
        self._text.setText(text)
        self._text.set_hint(details)
        self._text.updateGeometry()
        self._glyph.show_glyph(Glyph() if node is None else node.glyph)
        self._glyph.setToolTip(details)
        self.setAccessibleName(f"{self._name} {text}")
        self.setVisible(bool(text))
        self.node_shown.emit()

    def set_name(self, name: str) -> None:
        """Change the name of the node."""
        self._name = name
        self._label.setText(name)
        self.setAccessibleName(f"{name} {self.text()}")

    def set_first(self, is_first: bool) -> None:
        """Omit the separator line before the first item."""
        self._line.setVisible(not is_first)

    def text(self) -> str:
        return self._text.text()


class StatusStrip(QFrame):
    """Displays given texts; `memory_slot` is the place of the memory label."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("strip", "bottom")
        self.setObjectName("statusStrip")
        self.selected = NodeItem(Mark.SELECTED, self.tr("Selected"))
        self.applied = NodeItem(Mark.APPLIED, self.tr("Applied"))
        self.optimum = NodeItem(Mark.OPTIMUM, self.tr("Optimum"))
        self.job = named(JobStrip(), "jobStrip")
        self.jobs_button = make_icon_button("list", self.tr("All jobs (Ctrl+Shift+.)"), "jobsButton")
        self.jobs_button.setProperty("compact", "true")
        self.jobs_button.hide()
        self._icon = IconLabel("circle-check", 14, "ok")
        self.facts = named(ElidedLabel("", Text.CELL, "text_2"), "scoringFacts")
        self.continue_button = make_button(
            self.tr("Continue scoring"), "continueButton", kind="quiet", small=True
        )
        self._menu_button = make_icon_button("ellipsis", self.tr("Scoring"), "scoringMenu")
        self._menu_button.setProperty("compact", "true")
        self._menu_button.clicked.connect(self._open_menu)
        self._menu: QMenu | None = None
        self._can_continue = False
        self._nodes = QWidget()
        nodes = hbox(spacing=8, margins=0, of=self._nodes)
        for item in (self.selected, self.applied, self.optimum):
            nodes.addWidget(item)
            item.node_shown.connect(self._update_lines)
        self._hint = named(ElidedLabel("", Text.CELL, "text_2"), "statusHint")
        self._hint.hide()
        self.memory_slot = QHBoxLayout()
        hbox(
            self._nodes,
            self._hint,
            STRETCH,
            self.memory_slot,
            self.job,
            self.jobs_button,
            self._icon,
            self.facts,
            self.continue_button,
            self._menu_button,
            spacing=8,
            margins=(12, 0, 12, 0),
            of=self,
        )
        follow_theme(self._update_height)
        self.show_facts("", "ok")

    def set_menu(self, menu: QMenu) -> None:
        """Set the menu about scoring."""
        self._menu = menu

    def _open_menu(self) -> None:
        if self._menu is not None:
            corner = self._menu_button.mapToGlobal(self._menu_button.rect().topRight())
            size = self._menu.sizeHint()
            self._menu.popup(corner - QPoint(size.width(), size.height()))

    def show_facts(self, text: str, tone: str, *, can_continue: bool = False) -> None:
        """Show text at the right with a tone: "ok" for complete, "busy", "step" or "warn"."""
        self.facts.setText(text)
        self.facts.updateGeometry()
        self._icon.set_icon(*ICONS[tone])
        self._can_continue = can_continue
        self._update_right()

    def show_hint(self, text: str) -> None:
        """Show actions for the selection in place of the nodes; an empty text restores the nodes."""
        self._hint.setText(text)
        self._hint.updateGeometry()
        self._hint.setVisible(bool(text))
        self._nodes.setVisible(not text)

    def show_job(self, text: str, since: float | None = None) -> None:
        """Show a job at the right, started now or at `since`; an empty text restores the facts."""
        if text:
            self.job.start(text, since=since)
        else:
            self.job.finish()
        self._update_right()

    def _update_right(self) -> None:
        is_free = self.job.isHidden()
        self.jobs_button.setVisible(not is_free)
        for widget in (self._icon, self.facts):
            widget.setVisible(is_free and bool(self.facts.text()))
        self.continue_button.setVisible(is_free and self._can_continue)
        self._menu_button.setVisible(is_free and bool(self.facts.text()))

    def _update_lines(self) -> None:
        shown = [item for item in (self.selected, self.applied, self.optimum) if not item.isHidden()]
        for item in shown:
            item.set_first(item is shown[0])

    def _update_height(self) -> None:
        self.setFixedHeight(scaled(STRIP_HEIGHT) + 1)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, self.height())


EVERY = 2_000  # milliseconds
_MEGABYTE, _GIGABYTE = 1 << 20, 1 << 30
_STEP = 10  # megabytes; smaller changes are not shown, so that the number does not flicker
DOT = " · "


class MemoryLabel(ElidedLabel):
    """Label that updates every two seconds.

    Parameters
    ----------
    measure : callable
        Returns the bytes in use; 0 if unknown, and then the label omits memory.
    """

    def __init__(self, measure: Callable[[], int]) -> None:
        super().__init__("", Text.CELL, "text_3")
        self.setObjectName("memoryLabel")
        self._measure = measure
        self._records = ""
        self._timer = QTimer(self, interval=EVERY)
        self._timer.timeout.connect(self.look)

    def start(self) -> None:
        """Show the values now and update them while the window exists."""
        self.look()
        self._timer.start()

    def look(self) -> None:
        """Update the memory in use."""
        n_bytes = self._measure()
        parts = [self._records, as_memory(n_bytes) if n_bytes else ""]
        text = DOT.join(filter(None, parts))
        self.setAccessibleName(self.tr("Visible records and memory in use: {text}").format(text=text))
        self.set_hint(self.tr("Visible records and memory in use") if text else "")
        self.setText(text)
        self.updateGeometry()
        self.setVisible(bool(text))

    def show_records(self, n_shown: int, n_all: int) -> None:
        """Show the number of visible records and of all records; nothing without a table."""
        if not n_all:
            self._records = ""
        elif n_shown == n_all:
            self._records = self.tr("{n_all} records").format(n_all=as_exact_count(n_all))
        else:
            self._records = self.tr("{n_shown} of {n_all} records").format(
                n_shown=as_exact_count(n_shown), n_all=as_exact_count(n_all)
            )
        self.look()


def as_memory(n_bytes: int) -> str:
    """Return bytes rounded for display: 310 MB, 1.4 GB."""
    if n_bytes < _GIGABYTE:
        return with_unit(str(max(round(n_bytes / _MEGABYTE / _STEP), 1) * _STEP), "MB")
    return with_unit(as_decimal(n_bytes / _GIGABYTE, 1), "GB")
