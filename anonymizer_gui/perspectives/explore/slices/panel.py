"""Slices card: levels of two attributes around the selected node, and its neighbours."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QSizePolicy, QStackedWidget, QWidget

from anonymizer_gui.perspectives.explore.slices.grid import SliceGrid
from anonymizer_gui.perspectives.explore.slices.step_table import StepTable
from anonymizer_gui.perspectives.explore.slices.values import Slice, Steps
from anonymizer_gui.theming import Text, scaled
from anonymizer_gui.widgets.card import Card
from anonymizer_gui.widgets.design_splitter import DesignSplitter
from anonymizer_gui.widgets.elided_combo_box import ElidedComboBox
from anonymizer_gui.widgets.empty_state import EmptyState
from anonymizer_gui.widgets.labels import CaptionLabel, make_label
from anonymizer_gui.widgets.layouts import hbox, named, vbox
from anonymizer_gui.widgets.marks import Mark
from anonymizer_gui.widgets.picture_saving import PictureButton
from anonymizer_gui.widgets.segmented import SegmentedControl

GRID, STEPS = "grid", "steps"
_BOTH_FROM = 900  # px of width for both next to each other
_ATTRIBUTE_WIDTH = 180
Node = tuple[int, ...]


class SlicesPanel(Card):
    """Two views of nodes; both emit requests to select one."""

    node_requested = Signal(object)
    apply_requested = Signal(object)
    pair_requested = Signal(int, int)  # attributes across and down
    shown = Signal()  # visible again, and possibly outdated

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("", parent=parent)
        self.setObjectName("slicesCard")
        self.grid, self.steps = SliceGrid(), StepTable()
        self.grid.node_requested.connect(self.node_requested)
        self.grid.apply_requested.connect(self.apply_requested)
        self.steps.node_requested.connect(self.node_requested)
        self.switch = named(
            SegmentedControl([(GRID, self.tr("Grid")), (STEPS, self.tr("Steps"))], self.tr("Type of slice")),
            "sliceKinds",
        )
        self.switch.segment(GRID).setToolTip(self.tr("The levels of two columns"))
        self.switch.segment(STEPS).setToolTip(self.tr("The nodes one step away"))
        self.switch.selected.connect(lambda _key: self._show_views())
        self.across = self._attribute_box("sliceAcross", self.tr("Column from left to right"))
        self.down = self._attribute_box("sliceDown", self.tr("Column from bottom to top"))
        self.picture = PictureButton(self.grid, "slice")
        self.add_tool(self.switch)
        self.add_tool(self.picture)
        self._choice = QWidget()
        self._key = CaptionLabel("", Text.CELL)
        hbox(
            make_label(self.tr("Right:"), Text.CELL, "text_2"),
            self.across,
            make_label(self.tr("Up:"), Text.CELL, "text_2"),
            self.down,
            (self._key, 1),
            spacing=6,
            margins=(8, 4, 8, 4),
            of=self._choice,
        )
        left = QWidget()
        vbox(self._choice, (self.grid, 1), spacing=0, margins=0, of=left)
        self._left = left
        self._both = DesignSplitter(Qt.Orientation.Horizontal, "explore.slices")
        self._both.addWidget(left)
        self._both.addWidget(self.steps)
        self.empty = EmptyState("")
        self._stack = QStackedWidget()
        self._stack.addWidget(self.empty)
        self._stack.addWidget(self._both)
        self.set_body(self._stack, 0)
        self._show_views()

    def show_attributes(self, names: Sequence[str], across: int, down: int) -> None:
        """Offer attributes with two of them chosen; a single one leaves no choice."""
        for box, chosen in ((self.across, across), (self.down, down)):
            with QSignalBlocker(box):
                if [box.itemText(i) for i in range(box.count())] != list(names):
                    box.clear()
                    box.addItems(list(names))
                box.setCurrentIndex(chosen)
            box.setToolTip(f"{box.accessibleName()}: {box.currentText()}")
        self._choice.setVisible(len(names) > 1)

    def show_slice(
        self, shown: Slice, steps: Steps, selected: Node | None, marks: Mapping[Node, Mark]
    ) -> None:
        """Show the slice through a node and its neighbours."""
        self._key.setText(self.tr("{title}, below it suppressed records").format(title=steps.titles[0]))
        self._stack.setCurrentWidget(self._both)
        self.grid.show_slice(shown, selected)
        self.grid.cells.show_marks(marks)
        self.steps.show_steps(steps)

    def show_empty(self, sentence: str) -> None:
        """Show why there is no slice."""
        self.empty.set_sentence(sentence)
        self._stack.setCurrentWidget(self.empty)

    def describe_by(self, describe: Callable[[Node], str]) -> None:
        """Set the function that describes nodes, for hover cards and screen readers."""
        self.grid.cells.describe = describe
        self.steps.steps.describe = describe

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.shown.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_views()
        self._both.set_design_sizes([self.width() // 2, self.width() - self.width() // 2])

    def _show_views(self) -> None:
        both = self.width() >= scaled(_BOTH_FROM)
        self.switch.setVisible(not both)
        self._left.setVisible(both or self.switch.current() == GRID)
        self.steps.setVisible(both or self.switch.current() == STEPS)
        self.picture.setVisible(both or self.switch.current() == GRID)

    def _attribute_box(self, name: str, words: str) -> ElidedComboBox:
        box = named(ElidedComboBox(), name, words)
        box.setProperty("compact", "true")
        box.setMinimumContentsLength(4)
        box.setSizeAdjustPolicy(ElidedComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        box.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        box.setMaximumWidth(scaled(_ATTRIBUTE_WIDTH))
        box.activated.connect(
            lambda _index: self.pair_requested.emit(self.across.currentIndex(), self.down.currentIndex())
        )
        return box
