"""Two charts of the classes of a node: records by class size, and a class beside the whole table."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QVBoxLayout, QWidget

from anonymizer_gui.perspectives.explore.inspector.inspector_parts import ClassChart
from anonymizer_gui.perspectives.explore.inspector.inspector_values import ClassShares
from anonymizer_gui.perspectives.explore.inspector.section import TitleMenu
from anonymizer_gui.theming import Text
from anonymizer_gui.widgets.buttons import make_button
from anonymizer_gui.widgets.labels import make_label
from anonymizer_gui.widgets.size_histogram import Histogram, SizeHistogram


class SizesPart(QWidget):
    """Records by class size with the suppressed ones hollow, what they miss, and the way to the classes."""

    classes_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.histogram = SizeHistogram()
        self.why = make_label("", Text.CAPTION, "text_3", wraps=True)
        self.why.setObjectName("whyItFails")
        self.classes = make_button(self.tr("Classes…"), kind="link", small=True)
        self.classes.setObjectName("classesButton")
        self.classes.setAccessibleName(self.tr("Show the classes of the selected node"))
        self.classes.setToolTip(self.tr("All classes of the node with their measures and their records"))
        self.classes.clicked.connect(self.classes_requested)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addWidget(self.histogram)
        column.addWidget(self.why)
        column.addWidget(self.classes, 0, Qt.AlignmentFlag.AlignLeft)

    def show_sizes(self, sizes: Histogram, why: str) -> None:
        """Show another node's classes."""
        self.histogram.show_histogram(sizes)
        self.why.setText(why)


class SharesPart(QWidget):
    """The values of a class as bars, those of the table as outlines; the title chooses class and column."""

    pick_chosen = Signal(str)  # key of a pick
    column_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.title = TitleMenu(self.tr("Class beside the table"))
        self.title.setObjectName("classMenu")
        self._choices: object = None
        self._groups: list[QActionGroup] = []
        self.chart = ClassChart()
        self.caption = make_label("", Text.CAPTION, "text_3", wraps=True)
        self.caption.setObjectName("classCaption")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addWidget(self.chart)
        column.addWidget(self.caption)

    def set_choices(
        self, picks: Sequence[tuple[str, str]], pick: str, columns: Sequence[str], column: str
    ) -> None:
        """Offer classes by key and title, and sensitive columns where there are several."""
        choices = (tuple(picks), pick, tuple(columns), column)
        if choices == self._choices:
            return
        self._choices = choices
        menu = self.title.menu
        menu.clear()
        for group in self._groups:
            group.deleteLater()
        self._groups.clear()
        self._add_group([(key, title) for key, title in picks], pick, self.pick_chosen)
        if len(columns) > 1:
            menu.addSeparator()
            self._add_group([(name, name) for name in columns], column, self.column_chosen)
        self.title.set_choice(dict(picks).get(pick, ""))
        self.title.setEnabled(bool(columns))

    def show_shares(self, shares: ClassShares | None, reason: str = "") -> None:
        """Show a class; None says why there is none."""
        self.chart.show_class(shares)
        self.chart.setVisible(shares is not None)
        self.caption.setText(shares.caption if shares is not None else reason)

    def _add_group(self, entries: Sequence[tuple[str, str]], chosen: str, signal: object) -> None:
        group = QActionGroup(self.title.menu)
        self._groups.append(group)
        for key, title in entries:
            action = QAction(title, group, checkable=True)
            action.setChecked(key == chosen)
            action.setData(key)
            self.title.menu.addAction(action)
            action.triggered.connect(lambda _=False, k=key: signal.emit(k))  # type: ignore[attr-defined]
