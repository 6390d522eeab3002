"""Sheet with every widget, for pictures and for tests over all of them."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QHBoxLayout,
    QLineEdit,
    QRadioButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from anonymizer_gui.charts.bar_rows import Bar, BarRow, BarRows, BarScale
from anonymizer_gui.perspectives.configure.requirement.preflight import PreflightItem
from anonymizer_gui.perspectives.utility.tiles_strip import StatTile
from anonymizer_gui.tables.rows_model import Cell, Heading
from anonymizer_gui.tables.table_view import TableView
from anonymizer_gui.theming import Text, set_icon
from anonymizer_gui.widgets.buttons import make_button, make_icon_button
from anonymizer_gui.widgets.card import Card
from anonymizer_gui.widgets.chip import Chip
from anonymizer_gui.widgets.error_banner import ErrorBanner
from anonymizer_gui.widgets.job_strip import JobStrip
from anonymizer_gui.widgets.knob import Knob
from anonymizer_gui.widgets.knob_scale import KnobScale
from anonymizer_gui.widgets.labels import ElidedLabel, make_label, make_line
from anonymizer_gui.widgets.level_boxes import LevelBoxes
from anonymizer_gui.widgets.marks import Mark, MarkLabel
from anonymizer_gui.widgets.meter import Meter
from anonymizer_gui.widgets.results_stack import EmptyState
from anonymizer_gui.widgets.role_badge import RoleBadge, RoleButton
from anonymizer_gui.widgets.segmented import SegmentedControl
from engine.advice.findings import Finding, Severity
from engine.numbers import NARROW_SPACE

ROLES = ("identifying", "quasi-identifying", "sensitive", "insensitive")


def make_knobs() -> list[Knob]:
    """Return four knobs with curves of the same kind."""
    k = Knob("k", "smallest class", KnobScale(2, 100, is_logarithmic=True), 5)
    values = np.unique(np.geomspace(2, 100, 30).round())
    k.set_curve(values, 5000 * np.exp(-values / 40))
    k.set_critical_values([2, 3, 4, 5, 6, 8, 10, 14, 17, 25, 40, 60])
    l = Knob("l", "hours-per-week, distinct", KnobScale(1, 10), 3)  # noqa: E741
    l.set_curve(range(1, 11), [50, 49, 46, 40, 36, 33, 30, 28, 27, 26])
    l.set_critical_values(range(1, 11))
    t = Knob("t", "hours-per-week, ordered", KnobScale(0.05, 0.5, decimals=2), 0.2, keeps_larger=False)
    t.set_curve(np.linspace(0.05, 0.5, 46), np.minimum(np.linspace(0.1, 3, 46), 1))
    t.set_critical_values([0.08, 0.11, 0.1523, 0.2, 0.2481, 0.27, 0.33])
    limit = Knob(
        "Suppression",
        "limit",
        KnobScale(0.0, 0.2, decimals=2, factor=100),
        0.05,
        keeps_larger=False,
        suffix=f"{NARROW_SPACE}%",
    )
    limit.set_curve(np.linspace(0, 0.2, 50), np.sqrt(np.linspace(0.005, 0.2, 50)))
    limit.set_critical_values(np.linspace(0, 0.2, 9))
    return [k, l, t, limit]


class WidgetSheet(QWidget):
    """Every widget once, in its states."""

    def __init__(self) -> None:
        super().__init__()
        self.knobs = make_knobs()
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 8, 8, 8)
        column.setSpacing(8)
        column.addWidget(self._knob_card())
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self._controls_card())
        row.addWidget(self._words_card())
        row.addWidget(self._bars_card())
        column.addLayout(row, 1)
        column.addWidget(self._preflight_card())

    def _knob_card(self) -> Card:
        card = Card()
        card.set_header_visible(False)
        row = QHBoxLayout()
        row.setSpacing(0)
        for knob in self.knobs:
            row.addWidget(knob)
            row.addWidget(make_line(Qt.Orientation.Vertical))
        row.addStretch(1)
        card.set_body(row, 0)
        return card

    def _controls_card(self) -> Card:
        card = Card("Controls", "buttons, fields, choices")
        self.segments = SegmentedControl([("fit", "Fit"), ("chips", "Chips"), ("cards", "Cards")], "Zoom")
        card.add_tool(self.segments)
        card.add_tool(make_icon_button("zoom-in", "Zoom in", shortcut="Ctrl++"))
        card.add_tool(make_button("Walk", kind="quiet", icon_name="play", small=True))
        column = QVBoxLayout()
        column.setSpacing(8)
        buttons = QHBoxLayout()
        buttons.addWidget(make_button("Apply", kind="primary", icon_name="flag"))
        buttons.addWidget(make_button("Export…", icon_name="download"))
        buttons.addWidget(make_button("Edit", icon_name="pencil", small=True))
        buttons.addWidget(make_button("Delete", kind="danger", icon_name="trash-2"))
        dim = make_button("Redo", icon_name="redo-2", tooltip="Nothing to redo")
        dim.setEnabled(False)
        buttons.addWidget(dim)
        buttons.addStretch(1)
        column.addLayout(buttons)
        fields = QHBoxLayout()
        combo = QComboBox()
        combo.addItems(["Loss", "Precision"])
        combo.setAccessibleName("Metric")
        number = QSpinBox()
        number.setAccessibleName("Number")
        real = QDoubleSpinBox()
        real.setAccessibleName("Real number")
        real.setValue(0.5)
        search = QLineEdit()
        search.setPlaceholderText("Find a value")
        search.setAccessibleName("Find a value")
        for field in (combo, number, real, search):
            fields.addWidget(field)
        column.addLayout(fields)
        choices = QHBoxLayout()
        box, radio = QCheckBox("Trim text"), QRadioButton("Star")
        box.setChecked(True)
        radio.setChecked(True)
        other = QCheckBox("Header")
        other.setEnabled(False)
        for choice in (box, other, radio, QRadioButton("Remove")):
            choices.addWidget(choice)
        choices.addStretch(1)
        column.addLayout(choices)
        roles = QHBoxLayout()
        roles.setSpacing(6)
        self.role_buttons = [RoleButton(role, role.capitalize()) for role in ROLES]
        self.role_buttons[1].setChecked(True)
        for button in self.role_buttons:
            roles.addWidget(button)
        roles.addStretch(1)
        column.addLayout(roles)
        levels = QHBoxLayout()
        self.levels = LevelBoxes("Levels allowed", 5, keeps_range=True)
        self.levels.show_levels(
            5, {1, 2, 3}, 3, ["kept", "5-year bands", "10-year bands", "20-year bands", "hidden"]
        )
        levels.addWidget(make_label("Levels allowed", Text.CELL, "text_2"))
        levels.addWidget(self.levels)
        for role in ROLES:
            levels.addWidget(RoleBadge(role))
        levels.addStretch(1)
        column.addLayout(levels)
        table = TableView("records", "Records")
        rows = [[Cell(str(17 + r)), Cell("328"), Cell("15-19")] for r in range(4)]
        table.texts.show([Heading(title) for title in ("0 original", "Records", "1")], rows)
        table.selectRow(1)
        column.addWidget(table, 1)
        card.set_body(column)
        card.set_footer(make_label("4 546 of 12 960 nodes satisfy", Text.CELL, "text_2"))
        return card

    def _words_card(self) -> Card:
        card = Card("Selected node", "a caption that is long enough to be elided somewhere")
        card.add_lead(MarkLabel(Mark.SELECTED))
        column = QVBoxLayout()
        column.setSpacing(8)
        head = QHBoxLayout()
        head.addWidget(make_label("[0, 3, 0, 1, 2, 1, 1, 2, 0]", Text.HEADING))
        head.addStretch(1)
        column.addLayout(head)
        chips = QHBoxLayout()
        chips.setSpacing(6)
        for text, tone in (("Satisfies", "ok"), ("Rank 4 of 4 546", "neutral"), ("1 to look at", "warn")):
            chips.addWidget(Chip(text, tone))
        chips.addStretch(1)
        column.addLayout(chips)
        more = QHBoxLayout()
        more.setSpacing(6)
        more.addWidget(Chip("Fails t", "danger"))
        more.addWidget(Chip("1 note", "accent", icon_name=""))
        more.addWidget(Chip("Settings changed", "warn", link_text="Review"))
        more.addStretch(1)
        column.addLayout(more)
        marks = QHBoxLayout()
        for mark in Mark:
            marks.addWidget(MarkLabel(mark))
        for mark in Mark:
            marks.addWidget(MarkLabel(mark, 20))
        marks.addStretch(1)
        column.addLayout(marks)
        column.addWidget(
            ElidedLabel(
                "/home/person/data/a-rather-long-file-name-of-a-table.csv", mode=Qt.TextElideMode.ElideMiddle
            )
        )
        banner = ErrorBanner()
        banner.show_error(
            "Hierarchy of 'age' has no entry for 3 values, e.g. '17'.",
            "Add them to the file, or rebuild it from the data.",
            "Add them",
        )
        column.addWidget(banner)
        column.addWidget(
            EmptyState(
                "Nodes that satisfy the requirement are listed here.", "Lower k", icon_name="settings-2"
            ),
            1,
        )
        card.set_body(column)
        return card

    def _bars_card(self) -> Card:
        card = Card("Figures")
        card.add_tool(make_icon_button("ellipsis", "More"))
        column = QVBoxLayout()
        column.setSpacing(8)
        tiles = QHBoxLayout()
        tiles.setSpacing(0)
        tiles.addWidget(StatTile("Suppressed records", "913", "3.03 %"))
        tiles.addWidget(make_line(Qt.Orientation.Vertical))
        tiles.addWidget(StatTile("Classes", "276", "of 11 032"))
        column.addLayout(tiles)
        bars = BarRows("Risks")
        pairs = {"Highest risk": (1.0, 0.2), "Accepted risk": (0.778, 0.0)}
        rows = [
            BarRow(name, bars=(Bar(before, "series_1"), Bar(after)), text=f"{before} → {after}")
            for name, (before, after) in pairs.items()
        ]
        bars.show_rows(rows, BarScale("0 %", "100 %", "share"))
        column.addWidget(bars)
        for share, tick in ((0.3, 0.25), (0.0, 0.5), (1.0, 0.9)):
            meter = Meter("Loss", 80)
            meter.show_share(share, tick)
            column.addWidget(meter)
        job = JobStrip()
        job.start("Scoring nodes")
        job.show_progress(0.4)
        column.addWidget(job)
        column.addStretch(1)
        card.set_body(column)
        return card

    def _preflight_card(self) -> Card:
        card = Card("Pre-flight", "updated while you edit")
        explore = make_button("Explore results", kind="primary", small=True)
        set_icon(explore, "play", 14, "on_accent")
        card.add_tool(Chip("2 ready", "ok", icon_name=""))
        card.add_tool(explore)
        row = QHBoxLayout()
        row.setSpacing(0)
        self.preflight = [
            PreflightItem(Finding(*words))
            for words in (
                ("a", Severity.BLOCKING, "No quasi-identifier", "Give one column the role", "choose sex"),
                ("b", Severity.LOOK_AT, "age: labels start late", "age 20 is in group 15-19", "relabel"),
                ("c", Severity.NOTE, "Sensitive", "hours-per-week has 2 models"),
                ("d", Severity.READY, "Lattice", "12 960 nodes, few enough to score them all"),
            )
        ]
        for item in self.preflight:
            row.addWidget(item, 1)
            if item is not self.preflight[-1]:
                row.addWidget(make_line(Qt.Orientation.Vertical))
        card.set_body(row, 0)
        return card
