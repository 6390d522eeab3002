"""Card of the values without a group, which are placed by drag, by rule or below the top."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtWidgets import QSizePolicy, QWidget

from anonymizer_gui.perspectives.configure.hierarchy.builder.gaps import GapsView
from anonymizer_gui.perspectives.configure.hierarchy.builder.panel import PANEL_WIDTH
from anonymizer_gui.perspectives.configure.hierarchy.drafts import Selection
from anonymizer_gui.perspectives.configure.hierarchy.values.group_drag import GroupDrag
from anonymizer_gui.theming import Text, follow_theme, scaled
from anonymizer_gui.widgets.buttons import make_button
from anonymizer_gui.widgets.card import HEADER_HEIGHT, Card
from anonymizer_gui.widgets.labels import ElidedLabel
from anonymizer_gui.widgets.layouts import STRETCH, fixed, hbox, named, vbox
from engine.numbers import as_exact_count

_LEAST_ROWS = 3
_SHARE = 0.4  # largest share of the height


class GapsCard(Card):
    """Hidden while every value has a group."""

    rule_requested = Signal()  # place all values by the builder
    top_requested = Signal(object)  # values to keep below the top
    pick_up_requested = Signal(object)  # Selection of level 0, to paste into a group

    def __init__(self, drag: GroupDrag, parent: QWidget | None = None) -> None:
        super().__init__(self.tr("Not in the hierarchy"), "", parent)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._records: tuple[int, ...] = ()
        self._beside: QWidget | None = None
        self.view = GapsView(drag)
        self.view.pick_up_requested.connect(self._on_pick_up_requested)
        self.view.selection_changed.connect(self._on_selection_changed)
        self._words = ElidedLabel("", Text.CELL, "text_2")
        self.rule_button = named(make_button(self.tr("Place by rule"), small=True), "gapsRuleButton")
        self.rule_button.clicked.connect(self.rule_requested)
        self.top_button = named(
            make_button(self.tr("Keep unchanged below the top"), small=True), "gapsTopButton"
        )
        self.top_button.clicked.connect(self._on_top_clicked)
        self._actions = vbox(
            self._words,
            hbox(self.rule_button, self.top_button, STRETCH, spacing=6),
            spacing=8,
            margins=(12, 8, 12, 12),
        )
        self.set_body(vbox(self.view, self._actions, spacing=0), 0)
        fixed(self, width=PANEL_WIDTH)
        follow_theme(self._fit)
        self.hide()

    def show_gaps(self, values: Sequence[str], records: Sequence[int], rule: str) -> None:
        """Show values and their records; `rule` is the title of the builder that can place them, or ""."""
        self._records = tuple(records)
        if tuple(values) != self.view.gaps.values:
            self.view.scrollToTop()
            self.view.gaps.show_gaps(values, records)
        self.rule_button.setVisible(bool(rule))
        self.rule_button.setToolTip(self.tr("Place all of them by the rule {rule}").format(rule=rule))
        self._on_selection_changed()
        self._fit()
        self.setVisible(bool(values))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and watched is self._beside:
            self._fit()
        return super().eventFilter(watched, event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.ParentChange and self.parentWidget() is not self._beside:
            if self._beside is not None:
                self._beside.removeEventFilter(self)
            self._beside = self.parentWidget()
            if self._beside is not None:
                self._beside.installEventFilter(self)

    def _fit(self) -> None:
        """Resize the list to its rows: at least three, limited to a share of the height."""
        n_rows = max(len(self.view.gaps.values), _LEAST_ROWS)
        wanted = self.view.height_of(n_rows)
        if self._beside is not None:
            others = scaled(HEADER_HEIGHT) + self._actions.sizeHint().height() + 2
            most = round(self._beside.height() * _SHARE) - others
            wanted = min(wanted, max(most, self.view.height_of(_LEAST_ROWS)))
        self.view.setFixedHeight(wanted)

    def _on_selection_changed(self) -> None:
        n, n_selected = len(self.view.gaps.values), len(self.view.selectionModel().selectedRows())
        total = as_exact_count(n)
        records = as_exact_count(sum(self._records))
        self.set_caption(self.tr("{total} · {records} records").format(total=total, records=records))
        self._words.setText(
            self.tr("{n_selected} of {total} selected · Ctrl+X cuts").format(
                n_selected=as_exact_count(n_selected), total=total
            )
            if n_selected
            else self.tr("Drag values to a group, or")
        )
        self.top_button.setToolTip(
            self.tr("Each selected value becomes a separate group on every level below the top")
            if n_selected
            else self.tr("Each value becomes a separate group on every level below the top")
        )

    def _on_top_clicked(self) -> None:
        self.top_requested.emit(self.view.selected_values() or self.view.gaps.values)

    def _on_pick_up_requested(self) -> None:
        values = self.view.selected_values()
        if values:
            self.pick_up_requested.emit(Selection(0, values))
