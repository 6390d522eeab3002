"""Inspector panel: details of the selected node under a fixed header."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QFrame, QWidget

from anonymizer_gui.perspectives.explore.inspector.line_grid import Item
from anonymizer_gui.perspectives.explore.inspector.parts import ClassChart, NodeHead
from anonymizer_gui.perspectives.explore.inspector.payout_part import PayoutPart
from anonymizer_gui.perspectives.explore.inspector.record import RecordPart
from anonymizer_gui.perspectives.explore.inspector.result import Choice, ResultPart
from anonymizer_gui.perspectives.explore.inspector.score_lines import (
    MetricLines,
    ModelTable,
    OneMetric,
    WordLines,
    requirement_grid,
)
from anonymizer_gui.perspectives.explore.inspector.section import FoldGrid, LazyContent, Section, TitleMenu
from anonymizer_gui.perspectives.explore.inspector.steps_part import StepsPart
from anonymizer_gui.perspectives.explore.inspector.values import ClassShares
from anonymizer_gui.perspectives.explore.inspector.why_part import WhyPart
from anonymizer_gui.theming import Text, scaled
from anonymizer_gui.widgets.buttons import make_button, make_icon_button
from anonymizer_gui.widgets.card import Card
from anonymizer_gui.widgets.drawn import FitsRoom
from anonymizer_gui.widgets.labels import make_label
from anonymizer_gui.widgets.layouts import STRETCH, named, vbox
from anonymizer_gui.widgets.marks import Mark, MarkLabel
from anonymizer_gui.widgets.scroll_body import SteadyArea
from anonymizer_gui.widgets.small_chart import Histogram, SizeHistogram

_ROOM_FOR_TITLE = 228  # px; narrower headers show the mark of the selected node only
_TOOL = 20  # px, of a control next to a title


class InspectorPanel(FitsRoom, Card):
    """Shows one node; parts are filled separately, so that slow ones may follow.

    Attributes
    ----------
    words, requirement, utility, steps, sizes, shares, why, metrics, record, models : QWidget
        The parts from top to bottom.
    sections : dict of str to Section
        What can be folded, with caption and figure, by key.
    """

    node_requested = Signal(object)
    folds_chosen = Signal(object)  # dict[str, bool]: parts that the user unfolds or folds

    def __init__(self) -> None:
        super().__init__("")
        self._folds: dict[str, bool] = {}
        self._spare: Section | None = None  # unfolded because there is room
        self._fitted = (0, 0)  # heights of view and content when that was decided
        self.room_timer = QTimer(self, singleShot=True, interval=0)
        self.set_title(self.tr("Selected node"))
        self.setObjectName("inspector")
        self.add_lead(MarkLabel(Mark.SELECTED))
        self.back = make_icon_button("arrow-left", self.tr("Previously visited node"), shortcut="Alt+Left")
        self.forward = make_icon_button("arrow-right", self.tr("Next visited node"), shortcut="Alt+Right")
        self.back.setObjectName("inspectorBack")
        self.forward.setObjectName("inspectorForward")
        self.improve = make_button(self.tr("Improve…"), "improveButton", small=True, icon_name="split")
        self.add_tool(self.improve)
        self.fold_tools(self.improve)
        self.improve.setAccessibleName(self.tr("Improve the applied release"))
        self.add_tool(self.back)
        self.add_tool(self.forward)
        self.head = NodeHead()
        self.result = ResultPart()
        self._brief = named(SteadyArea(self.result), "resultScroll")
        self._brief.setFrameShape(QFrame.Shape.NoFrame)
        self._is_brief = self._has_node = False
        self._content = content = QWidget()
        self._scroll = named(SteadyArea(content), "inspectorScroll")
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        sentence = self.tr("Click a node to see what it keeps and what it costs.")
        self._empty = make_label(sentence, Text.CONTROL, "text_3", wraps=True)
        self._empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._empty.setContentsMargins(24, 24, 24, 24)
        parts = ((part, 1) for part in (self._brief, self._scroll, self._empty))
        self.set_body(vbox(self.head, *parts, spacing=0), 0)
        for widget in (content, self._scroll.viewport()):
            widget.installEventFilter(self)
        self._column = vbox(spacing=2)
        vbox(self._column, STRETCH, spacing=0, margins=(2, 0, 4, 0), of=content)
        self.sections: dict[str, Section] = {}
        self._tabbed: list[Section] = []
        self._unfolded: Section | None = None  # until its content is visible
        bar = self._scroll.verticalScrollBar()
        bar.rangeChanged.connect(lambda *_: self._bring_into_view())
        bar.actionTriggered.connect(lambda _: self._on_unfolded(None))
        self._fill()
        self.show_nothing()

    def add_section(self, title: str, content: QWidget, *, name: str = "") -> Section:
        """Append a part that can be folded; `name` is its object name."""
        section = self._watched(Section(title, content), name)
        self._further.add(section)
        self._order_tabs()
        return section

    # -- display -------------------------------------------------------------------------------

    def show_nothing(self) -> None:
        """Show that no node is selected."""
        self._show_parts(has_node=False)

    def show_node(self) -> None:
        """Show the parts of a node, whose scroll position is that of the node before."""
        self._unfolded = None
        self._show_parts(has_node=True)

    def _show_parts(self, *, has_node: bool) -> None:
        self._has_node, is_brief = has_node, self._is_brief
        self.head.setVisible(has_node and not (is_brief and self.result.has_changes))
        self._scroll.setVisible(has_node and not is_brief)
        self._brief.setVisible(is_brief and (has_node or self.result.has_changes))
        self._empty.setVisible(self._brief.isHidden() and self._scroll.isHidden())

    def show_choices(self, choices: Sequence[Choice], note: str) -> None:
        """Show alternatives beside the prices, or why there are none."""
        self.result.show_choices(choices, note)
        self._show_parts(has_node=self._has_node)

    def show_changes(self, changes: Sequence[Choice], note: str) -> None:
        """Show in place of a node, beside the prices, which changes would let one satisfy."""
        self.result.show_changes(changes, note)
        self._show_parts(has_node=self._has_node)

    def set_brief(self, is_brief: bool) -> None:
        """Show what a node means beside the prices, or all that is known of it."""
        if is_brief is not self._is_brief:
            self._is_brief = is_brief
            self.set_header_visible(not is_brief)
            self.head.set_brief(is_brief)
            self._show_parts(has_node=self._has_node)

    def show_improving(self, why_not: str) -> None:
        """Enable the improve button, or show why the applied release cannot be improved."""
        self.improve.setEnabled(not why_not)
        self.improve.setToolTip(why_not or self.tr("Let levels vary by record, to keep more detail"))

    def show_history(self, can_go_back: bool, can_go_forward: bool) -> None:
        """Enable the buttons for the nodes visited before and after this one."""
        self.back.setEnabled(can_go_back)
        self.forward.setEnabled(can_go_forward)

    def show_payout(self, lines: Sequence[Sequence[Item]], warning: str) -> None:
        """Show what the publisher keeps and which classes are attacked; nothing without sums of money."""
        self.sections["payout"].setVisible(bool(lines))
        self.payout.show_lines(lines, warning)

    def show_updating(self, is_updating: bool) -> None:
        """Show that the values from classes still belong to the previous node."""
        for key in ("requirement", "payout", "why"):
            self.sections[key].caption.setText(self.tr("updating") if is_updating else "")

    # ------------------------------------------------------------------------------------------

    def _fit(self) -> None:
        """Show only the mark if the header has no room."""
        self.set_title_visible(self.width() >= scaled(_ROOM_FOR_TITLE))

    def _fill(self) -> None:
        self.words, self.requirement, self.utility = WordLines(), requirement_grid(), OneMetric()
        self.payout, self.steps = PayoutPart(), StepsPart()
        self.sizes, self.shares = SizesPart(), SharesPart()
        self._add("words", Section(self.tr("In words"), self.words))
        self._add("requirement", Section(self.tr("Requirement"), self.requirement))
        self._add("utility", Section(self.tr("Utility"), self.utility)).add_tool(self.utility.value)
        self._add("payout", Section(self.tr("Cost and benefit"), self.payout)).hide()
        self._add("steps", Section(self.tr("One step away"), self.steps)).add_tool(self.steps.heading)
        beside = self.shares.title, self.shares
        charts = self._add("classes", Section(self.tr("Records by class size"), self.sizes, beside))
        charts.add_tool(self.sizes.classes)
        self._further = FoldGrid()
        self._column.addWidget(self._further)
        self.why, self.metrics = WhyPart(), MetricLines()
        self.record, self.models = RecordPart("exampleRecord"), ModelTable()
        for key, title, content in (
            ("why", "", self.why),
            ("metrics", self.tr("All metrics"), self.metrics),
            ("examples", self.tr("Before and after"), self.record),
            ("models", self.tr("Models at this node"), self.models),
        ):  # folded until the user unfolds them
            self.sections[key] = self.add_section(title, content, name=f"section.{key}")
            self.sections[key].set_shown(False)
        self.add_model = named(TitleMenu(self.tr("Require a model as this node meets it")), "addAsKnob")
        self.add_model.set_choice(self.tr("Add as knob"))
        self.sections["models"].add_tool(self.add_model)
        self.sections["examples"].add_tool(self.record.choice)
        for part in (self.steps, self.why):
            part.node_requested.connect(self.node_requested)

    def _add(self, key: str, section: Section) -> Section:
        self._column.addWidget(section)
        self.sections[key] = self._watched(section, f"section.{key}")
        return section

    def _watched(self, section: Section, name: str) -> Section:
        section.setObjectName(name)
        self._tabbed.append(section)
        section.toggle.clicked.connect(lambda is_shown: self._on_folded(section, is_shown))
        if isinstance(section.content, LazyContent):
            section.content.controls_added.connect(self._order_tabs)
        return section

    def set_folds(self, shown: Mapping[str, bool]) -> None:
        """Unfold and fold the parts as the user left them."""
        self._folds = dict(shown)
        for section in self._tabbed:
            if (is_shown := self._folds.get(section.objectName())) is not None:
                section.set_shown(is_shown)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.LayoutRequest, QEvent.Type.Resize):
            self.room_timer.start()
        return super().eventFilter(watched, event)

    def use_spare_height(self) -> None:
        """Unfold the first further part that fits without scrolling, until the user folds or unfolds one."""
        room = self._scroll.viewport().height()
        height = self._content.minimumSizeHint().height()  # `_height` would lead to another call of this
        if not self._scroll.isVisible() or (room, height) == self._fitted or self._has_own_folds():
            return
        self._unfold_spare(None)
        for key in ("examples", "metrics", "models"):
            self._unfold_spare(self.sections[key])
            if key == "examples":
                self.record.set_whole(self._height() <= room)
            if self._height() <= room:
                break
            self._unfold_spare(None)
        self._fitted = (room, self._height())

    def _has_own_folds(self) -> bool:
        return any(section.objectName() in self._folds for section in self._further.sections)

    def _unfold_spare(self, section: Section | None) -> None:
        """Unfold a part in place of the one unfolded before."""
        self.record.set_whole(True)
        if self._spare is not None:
            self._spare.set_shown(False)
        self._spare = section
        if section is not None:
            section.set_shown(True)

    def _height(self) -> int:
        """Return the height of the content with all changes, which layouts learn of one after the other."""
        parts = [widget for section in self._further.sections for widget in (section.content, section)]
        for widget in (*parts, self._further, self._content):
            if (layout := widget.layout()) is not None:
                layout.invalidate()
                layout.activate()
            widget.updateGeometry()
        return self._content.minimumSizeHint().height()

    def _on_folded(self, section: Section, is_shown: bool) -> None:
        if section in self._further.sections:
            if section is self._spare:
                self._spare = None
            self._unfold_spare(None)
        self._folds[section.objectName()] = is_shown
        self.folds_chosen.emit(dict(self._folds))
        self._on_unfolded(section if is_shown else None)

    def _on_unfolded(self, section: Section | None) -> None:
        self._unfolded = section
        self._bring_into_view()

    def _bring_into_view(self) -> None:
        """Scroll to a section unfolded below the edge; its content may be measured later, and grow."""
        section, bar = self._unfolded, self._scroll.verticalScrollBar()
        if section is None:
            return
        room, top = self._scroll.viewport().height(), section.mapTo(self._content, QPoint()).y()
        bar.setValue(min(max(bar.value(), top + section.height() - room), top))
        if bar.value() == top:
            self._unfolded = None

    def _order_tabs(self) -> None:
        """Put controls created later at their position in the tab order instead of last."""
        chain = [self.head.apply, *(control for section in self._tabbed for control in section.controls())]
        for before, after in pairwise(chain):
            QWidget.setTabOrder(before, after)


class SizesPart(QWidget):
    """Records by class size with suppressed ones hollow; the tooltip has the unmet conditions."""

    def __init__(self) -> None:
        super().__init__()
        self.histogram = SizeHistogram()
        meaning = self.tr("All classes of the node with their measures and records")
        self.classes = make_icon_button("table", meaning, "classesButton")
        self.classes.setAccessibleName(self.tr("Show the classes of the selected node"))
        self.classes.setFixedSize(scaled(_TOOL), scaled(_TOOL))
        vbox(self.histogram, margins=0, of=self)

    def show_sizes(self, sizes: Histogram, why: str) -> None:
        """Show the classes of another node."""
        self.histogram.show_histogram(sizes)
        self.histogram.setToolTip(f"{why}\n{self.histogram.toolTip()}".strip())
        self.histogram.setAccessibleDescription(why)


class SharesPart(QWidget):
    """Values of a class as bars, those of the table as outlines; the title selects class and column."""

    pick_chosen = Signal(str)  # key of a pick
    column_chosen = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.title = named(TitleMenu(self.tr("Class compared with the table")), "classMenu")
        self._choices: object = None
        self._groups: list[QActionGroup] = []
        self.chart = ClassChart()
        self.caption = named(make_label("", Text.CAPTION, "text_3", wraps=True), "classCaption")
        vbox(self.chart, self.caption, spacing=2, margins=0, of=self)

    def set_choices(
        self,
        picks: Sequence[tuple[str, str]],
        pick: str,
        short_title: str,
        columns: Sequence[str],
        column: str,
    ) -> None:
        """Offer classes by key and title, and sensitive columns if there are several."""
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
        titles = (dict(picks).get(pick, ""), short_title)
        long, short = (": ".join(filter(None, (column, title))) for title in titles)
        self.title.set_choice(long, short, short_title)
        self.title.setEnabled(bool(columns))

    def show_shares(self, shares: ClassShares | None, reason: str = "") -> None:
        """Show a class, or the reason why there is none."""
        self.chart.show_class(shares)
        self.chart.setVisible(shares is not None)
        self.caption.setText(reason)
        self.caption.setVisible(shares is None)

    def _add_group(self, entries: Sequence[tuple[str, str]], chosen: str, signal: object) -> None:
        group = QActionGroup(self.title.menu)
        self._groups.append(group)
        for key, title in entries:
            action = QAction(title, group, checkable=True)
            action.setChecked(key == chosen)
            action.setData(key)
            self.title.menu.addAction(action)
            action.triggered.connect(lambda _=False, k=key: signal.emit(k))  # type: ignore[attr-defined]
