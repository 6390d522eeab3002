"""The inspector: everything about the selected node under a header that does not scroll."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFontMetrics, QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLayout,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from anonymizer_gui.perspectives.explore.inspector.inspector_parts import (
    ExampleTable,
    FurthestChart,
    LevelDots,
    StepButton,
)
from anonymizer_gui.perspectives.explore.inspector.inspector_values import (
    Examples,
    Furthest,
    MetricRow,
    ModelLine,
    RequirementRow,
    StepRow,
    WordRow,
)
from anonymizer_gui.perspectives.explore.inspector.model_table import ModelTable
from anonymizer_gui.perspectives.explore.inspector.section import Section
from anonymizer_gui.theming import Text, font, scaled, theme_manager
from anonymizer_gui.widgets.buttons import make_button, make_icon_button
from anonymizer_gui.widgets.card import Card
from anonymizer_gui.widgets.chip import Chip
from anonymizer_gui.widgets.icon_label import IconLabel
from anonymizer_gui.widgets.labels import ElidedLabel, make_label, set_tone
from anonymizer_gui.widgets.marks import Mark, MarkLabel
from anonymizer_gui.widgets.meter import Meter
from anonymizer_gui.widgets.size_histogram import Histogram, SizeHistogram

_Right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_NAME_WIDTH, _SUPPRESSED_WIDTH, _ROOMY = 92, 72, 345


@dataclass(frozen=True, slots=True)
class HeadChip:
    """A chip under the vector; `short` stands in where the whole text has no room."""

    text: str
    tone: str = "neutral"
    short: str = ""


class InspectorPanel(Card):
    """Shows one node; each `show_*` fills one part, so that slow parts may come later."""

    apply_requested = Signal()
    improve_requested = Signal()
    back_requested = Signal()
    forward_requested = Signal()
    node_requested = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("", parent=parent)
        self.set_title(self.tr("Selected node"))
        self._head_chips: tuple[HeadChip, ...] = ()
        self.setObjectName("inspector")
        self.add_lead(MarkLabel(Mark.SELECTED))
        self._back = make_icon_button("arrow-left", self.tr("Node visited before"), shortcut="Alt+Left")
        self._forward = make_icon_button("arrow-right", self.tr("Node visited next"), shortcut="Alt+Right")
        self._back.setObjectName("inspectorBack")
        self._forward.setObjectName("inspectorForward")
        self._back.clicked.connect(self.back_requested)
        self._forward.clicked.connect(self.forward_requested)
        self._improve = make_button(self.tr("Improve…"), small=True, icon_name="split")
        self._improve.setObjectName("improveButton")
        self._improve.setAccessibleName(self.tr("Improve the applied release"))
        self._improve.clicked.connect(self.improve_requested)
        self.add_tool(self._improve)
        self.add_tool(self._back)
        self.add_tool(self._forward)
        self._fixed = self._make_fixed()
        self._scroll = QScrollArea()
        self._scroll.setWidgetResizable(True)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._scroll.setObjectName("inspectorScroll")
        self._content = QWidget()
        self._content.setProperty("scrolled", "true")
        self._scroll.setWidget(self._content)
        sentence = self.tr("Click a node to see what it keeps and what it costs.")
        self._empty = make_label(sentence, Text.CONTROL, "text_3", wraps=True)
        self._empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._empty.setContentsMargins(24, 24, 24, 24)
        body = QVBoxLayout()
        body.setSpacing(0)
        body.addWidget(self._fixed)
        body.addWidget(self._scroll, 1)
        body.addWidget(self._empty, 1)
        self.set_body(body, 0)
        self._fill_content()
        self.show_nothing()
        theme_manager().theme_changed.connect(self._on_theme_changed)

    def add_section(self, title: str, content: QWidget, *, name: str = "") -> Section:
        """Append a part that can be folded; `name` is its object name."""
        section = Section(title, content)
        section.setObjectName(name)
        self._column.addWidget(section)
        return section

    # -- what it shows -------------------------------------------------------------------------

    def show_nothing(self) -> None:
        """No node is selected."""
        self._fixed.hide()
        self._scroll.hide()
        self._empty.show()

    def show_head(self, vector: str, chips: Sequence[HeadChip], *, can_apply: bool, apply_hint: str) -> None:
        """Vector, status and whether it can be applied."""
        self._head_chips = tuple(chips)
        self._empty.hide()
        self._fixed.show()
        self._scroll.show()
        self._vector.setText(vector)
        self._apply.setEnabled(can_apply)
        self._apply.setToolTip(apply_hint)
        self._show_chips()

    def show_recoded(self, text: str) -> None:
        """Say what the release of this node became; an empty text says nothing."""
        self._recoded.setText(text)
        self._recoded.setVisible(bool(text))

    def show_improving(self, why_not: str) -> None:
        """Whether the applied release can be improved, and why it cannot."""
        self._improve.setEnabled(not why_not)
        self._improve.setToolTip(
            why_not or self.tr("Let levels differ by record, so that more detail is kept")
        )

    def show_history(self, can_go_back: bool, can_go_forward: bool) -> None:
        self._back.setEnabled(can_go_back)
        self._forward.setEnabled(can_go_forward)

    def show_words(self, rows: Sequence[WordRow]) -> None:
        """One line per attribute."""
        while len(self._word_rows) < len(rows):
            line = len(self._word_rows)
            made = (ElidedLabel("", Text.CELL, "text_2"), LevelDots(), ElidedLabel("", Text.CELL))
            made[0].setFixedWidth(scaled(_NAME_WIDTH))
            for column, widget in enumerate(made):
                self._words.addWidget(widget, line, column)
            self._word_rows.append(made)
        for i, (name, dots, words) in enumerate(self._word_rows):
            visible = i < len(rows)
            for widget in (name, dots, words):
                widget.setVisible(visible)
            if visible:
                row = rows[i]
                name.setText(row.name)
                dots.show_level(row.level, row.height)
                words.setText(row.words)

    def show_requirement(self, rows: Sequence[RequirementRow], why: str) -> None:
        """Measured against threshold per model, and what the failing records miss."""
        while len(self._requirement_lines) < len(rows):
            line = (
                IconLabel("check", 14, "ok"),
                ElidedLabel("", Text.CELL),
                make_label("", Text.CELL_STRONG),
                make_label("", Text.CAPTION, "text_3"),
            )
            line[2].setAlignment(_Right)
            _add_line(self._requirement, len(self._requirement_lines), line)
            self._requirement_lines.append(line)
        for i, (icon, name, measured, threshold) in enumerate(self._requirement_lines):
            _set_visible((icon, name, measured, threshold), i < len(rows))
            if i < len(rows):
                row = rows[i]
                icon.set_icon("check" if row.is_met else "x", "ok" if row.is_met else "danger")
                icon.setAccessibleName(self.tr("met") if row.is_met else self.tr("missed"))
                name.setText(row.name)
                name.set_hint(row.detail)
                measured.setText(row.measured)
                set_tone(measured, "text" if row.is_met else "danger")
                threshold.setText(row.threshold)
        self._why.setText(why)

    def show_models(self, lines: Sequence[ModelLine]) -> None:
        """What every model measures, whether it is required or not."""
        columns = {line.column for line in lines if line.column}
        words = self.tr("of kept classes")
        self._models_caption.setText(f"{words}; {columns.pop()}" if len(columns) == 1 else words)
        self._models.show_lines(lines)

    @property
    def models(self) -> ModelTable:
        return self._models

    def show_metrics(self, rows: Sequence[MetricRow], *, updating: bool) -> None:
        """Metrics as bars over the range of the lattice, with the optimum as a tick."""
        while len(self._metric_lines) < len(rows):
            line = (ElidedLabel("", Text.CELL), Meter("", 24), make_label("", Text.CELL_STRONG))
            line[2].setAlignment(_Right)
            _add_line(self._metrics, len(self._metric_lines), line)
            self._metric_lines.append(line)
        self._fit_meters()
        for i, (name, meter, value) in enumerate(self._metric_lines):
            _set_visible((name, meter, value), i < len(rows))
            if i < len(rows):
                row = rows[i]
                name.setText(row.name)
                name.set_hint(row.detail)
                meter.setAccessibleName(row.name)
                meter.setToolTip(row.detail)
                meter.show_share(row.share, row.tick)
                value.setText(row.text)
        self._metric_caption.setText(self.tr("updating") if updating else self.tr("| = optimum"))

    def show_classes(self, sizes: Histogram, found: Sequence[Furthest], hidden_reason: str = "") -> None:
        """Records by class size, and the class furthest from the table."""
        self._histogram.show_histogram(sizes)
        first = found[0] if found else None
        self._furthest.show_class(first)
        self._furthest.setVisible(first is not None)
        self._furthest_title.setVisible(first is not None)
        self._furthest_caption.setVisible(first is not None or bool(hidden_reason))
        self._furthest_caption.setText(first.caption if first else hidden_reason)

    def show_examples(self, examples: Examples | None) -> None:
        """Ten records before and after; None while they are being made."""
        if examples is None:
            self._examples_caption.setText(self.tr("updating"))
            return
        self._examples.show_examples(examples)
        note = ""
        if examples.n_other_columns:
            note = self.tr("{0} more columns change").format(examples.n_other_columns)
            if examples.n_other_columns == 1:
                note = self.tr("1 more column changes")
        self._examples_caption.setText(note)

    def show_steps(self, rows: Sequence[StepRow], value_name: str) -> None:
        """Every neighbour with what it changes."""
        self._step_value.setText(value_name)
        while len(self._step_buttons) < len(rows):
            button = StepButton()
            button.node_requested.connect(self.node_requested)
            self._steps.addWidget(button)
            # Made late, a button would come last in the window; it belongs behind the one above.
            before = self._step_buttons[-1] if self._step_buttons else self._apply
            QWidget.setTabOrder(before, button)
            self._step_buttons.append(button)
        for i, button in enumerate(self._step_buttons):
            button.setVisible(i < len(rows))
            if i < len(rows):
                button.show_row(rows[i])

    def step_buttons(self) -> list[StepButton]:
        """The neighbours as they are listed."""
        return [button for button in self._step_buttons if button.isVisibleTo(self._steps_frame)]

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_chips()
        self._fit_meters()

    def _fit_meters(self) -> None:
        width = scaled(24 if self.width() >= scaled(_ROOMY) else 12)
        for _, meter, _ in self._metric_lines:
            meter.setFixedWidth(width)

    def _show_chips(self) -> None:
        """Whole texts where they fit beside one another, else the short ones."""
        metrics = QFontMetrics(font(Text.CHIP))
        # 14 around each text and 4 between, the icon of the first with its gap, a pixel of rounding each.
        whole = sum(metrics.horizontalAdvance(chip.text) + 19 for chip in self._head_chips) + scaled(13) + 5
        fits = whole <= self.width() - 28
        for place, chip in zip(self._chips, self._head_chips, strict=False):
            icon = {"ok": "check", "danger": "x"}.get(chip.tone, "")
            tone = "neutral" if chip.tone == "danger" else chip.tone
            place.show_status(chip.text if fits else chip.short or chip.text, tone, icon_name=icon)
            place.setToolTip("" if fits else chip.text)
        for i, place in enumerate(self._chips):
            place.setVisible(i < len(self._head_chips))
        # Texts that change while the panel is laid out would keep the width of those before.
        layout = self._fixed.layout()
        assert layout is not None
        layout.invalidate()
        layout.activate()

    def _make_fixed(self) -> QWidget:
        part = QWidget()
        self._vector = ElidedLabel("", Text.HEADING)
        self._vector.setObjectName("inspectorVector")
        self._apply = make_button(self.tr("Apply"), kind="primary", icon_name="flag")
        self._apply.setObjectName("applyButton")
        self._apply.setAccessibleName(self.tr("Apply the selected node"))
        self._apply.clicked.connect(self.apply_requested)
        self._recoded = ElidedLabel("", Text.CAPTION, "accent_text")
        self._recoded.setObjectName("recodedBy")
        self._recoded.hide()
        self._chips = [Chip() for _ in range(3)]
        for chip, name in zip(self._chips, ("chip.status", "chip.rank", "chip.distance"), strict=True):
            chip.setObjectName(name)
        top, bottom = QHBoxLayout(), QHBoxLayout()
        top.addWidget(self._vector, 1)
        top.addWidget(self._apply)
        bottom.setSpacing(4)
        for chip in self._chips:
            bottom.addWidget(chip)
        bottom.addStretch(1)
        column = QVBoxLayout(part)
        column.setContentsMargins(14, 10, 12, 8)
        column.setSpacing(6)
        column.addLayout(top)
        column.addLayout(bottom)
        column.addWidget(self._recoded)
        return part

    def _fill_content(self) -> None:
        whole = QVBoxLayout(self._content)
        whole.setContentsMargins(14, 4, 4, 12)
        whole.setSpacing(0)
        column = self._column = QVBoxLayout()
        column.setSpacing(12)
        whole.addLayout(column)
        whole.addStretch(1)
        self._words = _grid(spacing=6)
        self._words.setColumnStretch(2, 1)
        self._word_rows: list[tuple[ElidedLabel, LevelDots, ElidedLabel]] = []
        column.addLayout(_section(make_label(self.tr("In words"), Text.SECTION, "text_2"), self._words))

        self._requirement = _grid(spacing=6)
        self._requirement.setHorizontalSpacing(4)
        self._requirement.setColumnStretch(1, 1)
        self._requirement.setRowStretch(99, 1)
        self._requirement_lines: list[tuple[IconLabel, ElidedLabel, QLabel, QLabel]] = []
        self._metrics = _grid(spacing=6)
        self._metrics.setColumnStretch(0, 1)
        self._metrics.setRowStretch(99, 1)
        self._metric_lines: list[tuple[ElidedLabel, Meter, QLabel]] = []
        self._metric_caption = make_label("", Text.CAPTION, "text_3")
        utility_title = _title_row(
            make_label(self.tr("Utility"), Text.SECTION, "text_2"), self._metric_caption
        )
        beside = QHBoxLayout()
        beside.setSpacing(10)
        left = _section(make_label(self.tr("Requirement"), Text.SECTION, "text_2"), self._requirement)
        beside.addLayout(left, 4)
        beside.addLayout(_section(utility_title, self._metrics), 3)
        column.addLayout(beside)

        self._models = ModelTable()
        self._models_caption = ElidedLabel("", Text.CAPTION, "text_3")
        models_title = QHBoxLayout()
        models_title.setSpacing(8)
        models_title.addWidget(make_label(self.tr("Models at this node"), Text.SECTION, "text_2"))
        models_title.addWidget(self._models_caption, 1)
        column.addLayout(_section(models_title, _alone(self._models)))

        self._histogram, self._furthest = SizeHistogram(), FurthestChart()
        self._why = make_label("", Text.CAPTION, "text_3", wraps=True)
        self._why.setObjectName("whyItFails")
        self._furthest_caption = make_label("", Text.CAPTION, "text_3", wraps=True)
        self._furthest_title = ElidedLabel(self.tr("Class furthest from table"), Text.SECTION, "text_2")
        charts = QGridLayout()
        charts.setContentsMargins(0, 0, 0, 0)
        charts.setHorizontalSpacing(18)
        charts.setVerticalSpacing(2)
        charts.addWidget(ElidedLabel(self.tr("Records by class size"), Text.SECTION, "text_2"), 0, 0)
        charts.addWidget(self._furthest_title, 0, 1)
        charts.addWidget(self._histogram, 1, 0)
        charts.addWidget(self._furthest, 1, 1)
        top = Qt.AlignmentFlag.AlignTop
        charts.addWidget(self._why, 2, 0, top)
        charts.addWidget(self._furthest_caption, 2, 1, top)
        charts.setColumnStretch(0, 1)
        charts.setColumnStretch(1, 1)
        column.addLayout(charts)

        self._examples = ExampleTable()
        self._examples_caption = make_label("", Text.CAPTION, "text_3")
        examples_title = _title_row(
            make_label(self.tr("Before and after"), Text.SECTION, "text_2"), self._examples_caption
        )
        whole = QVBoxLayout()
        whole.setSpacing(4)
        whole.addLayout(examples_title)
        whole.addWidget(self._examples)
        column.addLayout(whole)

        self._steps_frame = QWidget()
        self._steps = QVBoxLayout(self._steps_frame)
        self._steps.setContentsMargins(0, 0, 0, 0)
        self._steps.setSpacing(0)
        self._step_buttons: list[StepButton] = []
        self._step_value = make_label("", Text.CAPTION, "text_3")
        suppressed = self._step_suppressed = make_label(self.tr("suppressed"), Text.CAPTION, "text_3")
        suppressed.setFixedWidth(scaled(_SUPPRESSED_WIDTH))
        suppressed.setAlignment(_Right)
        steps_title = QHBoxLayout()
        steps_title.setSpacing(2)
        steps_title.addWidget(make_label(self.tr("One step from here"), Text.SECTION, "text_2"))
        steps_title.addStretch(1)
        steps_title.addWidget(self._step_value)
        steps_title.addWidget(suppressed)
        whole = QVBoxLayout()
        whole.setSpacing(4)
        whole.addLayout(steps_title)
        whole.addWidget(self._steps_frame)
        column.addLayout(whole)

    def _on_theme_changed(self) -> None:
        self._show_chips()
        for name, _, _ in self._word_rows:
            name.setFixedWidth(scaled(_NAME_WIDTH))
        self._step_suppressed.setFixedWidth(scaled(_SUPPRESSED_WIDTH))
        self._fit_meters()


def _grid(spacing: int) -> QGridLayout:
    grid = QGridLayout()
    grid.setContentsMargins(0, 0, 0, 0)
    grid.setHorizontalSpacing(6)
    grid.setVerticalSpacing(spacing - 2 if spacing > 2 else spacing)
    return grid


def _alone(widget: QWidget) -> QVBoxLayout:
    column = QVBoxLayout()
    column.addWidget(widget)
    return column


def _section(title: QWidget | QLayout, content: QLayout) -> QVBoxLayout:
    column = QVBoxLayout()
    column.setSpacing(4)
    if isinstance(title, QWidget):
        title.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        column.addWidget(title)
    else:
        column.addLayout(title)
    column.addLayout(content)
    return column


def _title_row(title: QLabel, caption: QLabel) -> QHBoxLayout:
    row = QHBoxLayout()
    row.addWidget(title)
    row.addStretch(1)
    row.addWidget(caption)
    return row


def _add_line(grid: QGridLayout, line: int, widgets: Sequence[QWidget]) -> None:
    for column, widget in enumerate(widgets):
        grid.addWidget(widget, line, column)


def _set_visible(widgets: Sequence[QWidget], visible: bool) -> None:
    for widget in widgets:
        widget.setVisible(visible)
