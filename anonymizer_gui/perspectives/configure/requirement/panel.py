"""Card of the requirement: models, suppression limit, metric, weights, and number of satisfying nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import floor

from PySide6.QtCore import QEvent, QObject, QRect, QRectF, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QComboBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QSizePolicy,
    QWidget,
)

from anonymizer_gui.forms.editors import FormContext, editor_for
from anonymizer_gui.forms.number_spin import ShareSpin
from anonymizer_gui.perspectives.configure.requirement.dialogs import ModelChoice, ModelsDialog
from anonymizer_gui.perspectives.configure.requirement.limit_slider import LimitSlider
from anonymizer_gui.perspectives.configure.table.column_panel import PANEL_LEAST
from anonymizer_gui.theming import Text, follow_theme, paint_icon, scaled
from anonymizer_gui.theming.painter import ThemedPainter
from anonymizer_gui.widgets.buttons import make_button, make_icon_button
from anonymizer_gui.widgets.card import Card
from anonymizer_gui.widgets.drawn import Drawn, FitsRoom, Picture
from anonymizer_gui.widgets.elided_combo_box import ElidedCheckBox
from anonymizer_gui.widgets.labels import CaptionLabel, ElidedLabel, make_label, make_line, set_tone
from anonymizer_gui.widgets.layouts import STRETCH, fixed, gridbox, hbox, named, nest, vbox
from anonymizer_gui.widgets.marks import Mark, MarkLabel
from anonymizer_gui.widgets.role_badge import RoleBadge
from anonymizer_gui.widgets.scroll_body import ScrollBody
from engine.params import Param
from engine.utility import USUAL_METRICS
from engine.words import _

ROW_HEIGHT, _ICON = 30, 13
_BOX_WIDTH, _BOX_HEIGHT = 76, 24


@dataclass(frozen=True)
class ModelFacts:
    """Privacy model as displayed in a row, with the parameter that is its limit, and its value."""

    symbol: str
    title: str
    meaning: str  # shown without a column
    column: str
    relation: str
    limit: str
    parameter: Param
    value: float
    icon: str = ""  # replaces a symbol that would repeat the title

    @property
    def words(self) -> str:
        """The model in one line."""
        column = f", {self.column}" if self.column else ""
        return f"{self.title}{column}, {self.threshold} {self.limit}"

    @property
    def threshold(self) -> str:
        """Left side of the limit: "k ≥", or only the relation if the title has the symbol."""
        return self.relation if self.icon else f"{self.symbol} {self.relation}"

    def differs_in_limit(self, other: ModelFacts) -> bool:
        """Return whether another model is the same except for its limit."""
        return replace(self, limit=other.limit, value=other.value) == other


class SymbolChip(Picture):
    """Usual letter of a model, or an icon, on the soft accent colour."""

    def __init__(self, symbol: str, icon: str = "") -> None:
        super().__init__(20, 20)
        self._symbol, self._icon = symbol, icon

    def draw(self, painter: ThemedPainter) -> None:
        painter.fill(self.rect(), "accent_soft", radius=4)
        if self._icon:
            side = scaled(_ICON)
            inner = QRectF((self.width() - side) / 2, (self.height() - side) / 2, side, side)
            paint_icon(painter, inner, self._icon, painter.theme.accent_text)
            return
        painter.style(Text.CELL_STRONG, "accent_text")
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self._symbol)


class ModelRow(Drawn, QWidget):
    """Signals carry the index of the model in the requirement."""

    limit_chosen = Signal(int, float)
    edit_requested = Signal(int)
    removal_requested = Signal(int)

    def __init__(self, index: int, facts: ModelFacts) -> None:
        super().__init__()
        self.facts = facts
        self.setObjectName(f"model.{index}")
        self.edit_button = make_icon_button("pencil", "", f"editModel.{index}")
        self.edit_button.clicked.connect(lambda: self.edit_requested.emit(index))
        self.remove_button = make_icon_button("trash-2", "", f"removeModel.{index}")
        self.remove_button.clicked.connect(lambda: self.removal_requested.emit(index))
        if facts.column:
            about = hbox(
                RoleBadge("sensitive", 16), (ElidedLabel(facts.column, Text.CELL, "text_2"), 1), spacing=6
            )
        else:
            about = hbox((ElidedLabel(facts.meaning, Text.CELL, "text_3"), 1))
        words = hbox((ElidedLabel(facts.title, Text.CELL_STRONG), 5), (_in_step(about), 4), spacing=10)
        self._editor = editor_for(facts.parameter, False, FormContext())
        self.box = self._editor.widget
        assert isinstance(self.box, QAbstractSpinBox), "a limit is a number"
        self.box.setObjectName(f"modelLimit.{index}")
        self.box.setProperty("size", "small")
        self.box.setKeyboardTracking(False)
        self._editor.on_change(lambda: self.limit_chosen.emit(index, self._editor.value()))
        fixed(self.box, width=_BOX_WIDTH, height=_BOX_HEIGHT)
        threshold = hbox(STRETCH, make_label(facts.threshold, Text.CELL, "text_2"), self.box, spacing=6)
        hbox(
            SymbolChip(facts.symbol, facts.icon),
            (_in_step(words), 9),
            (_in_step(threshold, scaled(124)), 3),
            self.edit_button,
            self.remove_button,
            spacing=10,
            margins=(8, 0, 8, 0),
            of=self,
        )
        fixed(self, height=ROW_HEIGHT)
        self.show_facts(facts)

    def show_facts(self, facts: ModelFacts) -> None:
        """Show another limit of the same model."""
        self.facts = facts
        with QSignalBlocker(self.box):
            self._editor.set_value(facts.value)
        self.box.setAccessibleName(f"{facts.title} {facts.column} {facts.threshold}".strip())
        for button, words in (
            (self.edit_button, self.tr("Change {words}")),
            (self.remove_button, self.tr("Remove {words}")),
        ):
            text = words.format(words=facts.words)
            button.setToolTip(text)
            button.setAccessibleName(text)

    def draw(self, painter: ThemedPainter) -> None:
        painter.fill(QRect(0, self.height() - 1, self.width(), 1), "grid")


def _in_step(layout: QHBoxLayout, least: int = 0) -> QWidget:
    """Return a cell with a fixed share of the row's width, so that rows align in columns."""
    cell = QWidget()
    layout.setContentsMargins(0, 0, 0, 0)
    cell.setLayout(layout)
    cell.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
    cell.setMinimumWidth(least)
    return cell


_ROWS_SHOWN, _SPACING = 3, 4
_LOOSE, _TIGHT = 8, 4  # between settings, with few and with many of them
_MAY_GROW = 20  # px of a control that larger text needs at least


class RequirementPanel(FitsRoom, Card):
    """All models must hold together; every change is emitted as a request."""

    model_wanted = Signal(str)  # key of a model to add
    model_limit_chosen = Signal(int, float)
    model_edit_requested = Signal(int)
    model_removal_requested = Signal(int)
    limit_chosen = Signal(float)
    metric_chosen = Signal(str)
    shown = Signal()

    def __init__(self) -> None:
        super().__init__(self.tr("Privacy requirement"), self.tr("all must be met"))
        self.rows: list[ModelRow] = []
        self._shows_last = self._is_whole = False
        self._models: tuple[ModelChoice, ...] = ()
        self.add_button = make_button(self.tr("Add model"), "addModelButton", icon_name="plus", small=True)
        self.add_button.clicked.connect(self._offer_models)
        self.people_button = make_button(self.tr("Population"), icon_name="user-search", small=True)
        self.people_button.setObjectName("peopleButton")
        self.questionnaire_button = named(
            make_button(self.tr("Questionnaire"), icon_name="circle-question-mark", small=True),
            "questionnaireButton",
            tooltip=self.tr("Answer who receives the release and see which thresholds follow, with sources"),
        )
        self.add_tool(self.questionnaire_button)
        self.add_tool(self.people_button)
        self.add_tool(self.add_button)
        self.fold_tools(self.questionnaire_button, self.people_button, self.add_button)
        self.show_people("")
        self.slider = named(LimitSlider(self.tr("Suppression limit")), "limitSlider")
        self.limit_box = named(ShareSpin(0.0, 2, 0.5), "limitBox")
        self.limit_box.setAccessibleName(self.tr("Suppression limit in percent"))
        self.limit_box.setKeyboardTracking(False)
        self.limit_words = CaptionLabel("", Text.CELL)
        self.metric_box = named(QComboBox(), "metricBox", self.tr("Utility metric"))
        self.metric_box.setProperty("size", "small")
        self.metric_words = CaptionLabel("", Text.CELL)
        self.settings_button = make_icon_button(
            "sliders-horizontal", self.tr("Settings of metric and search"), "metricSettingsButton"
        )
        self.weight_bars = named(WeightBars(self.tr("Column weights")), "weightBars")
        self.weight_words = CaptionLabel("", Text.CELL)
        self.limit_of_people_box = named(ElidedCheckBox(self.tr("Limit counts people")), "limitOfPeopleBox")
        self.limit_of_people_box.setToolTip(
            self.tr("The suppression limit is a share of the people and counts those who lose a record")
        )
        self.whole_people_box = named(
            ElidedCheckBox(self.tr("Suppress all records of a person")),
            "wholePeopleBox",
            tooltip=self.tr(
                "A person who loses one record loses all of them. Classes become smaller, so more "
                "records may be suppressed"
            ),
        )
        self.others_box = named(ElidedCheckBox(self.tr("Other sensitive columns may be known")), "othersBox")
        self.others_box.set_hint(
            self.tr(
                "Assume that an attacker who targets one sensitive column knows the others; models "
                "then compare records that are equal in those too"
            )
        )
        self._build()
        self._build_footer()
        self.slider.value_chosen.connect(self.limit_chosen)
        self.limit_box.share_chosen.connect(self.limit_chosen)
        self.metric_box.activated.connect(lambda i: self.metric_chosen.emit(self.metric_box.itemData(i)))

    def show_choices(self, models: Sequence[ModelChoice], metrics: Mapping[str, str]) -> None:
        """Offer models, and fill the list of metrics by key and title."""
        self._models = tuple(models)
        if self.metric_box.count() <= len(metrics):  # one more with the line below the usual ones
            with QSignalBlocker(self.metric_box):
                self.metric_box.clear()
                for key, title in metrics.items():
                    self.metric_box.addItem(_(title), key)
                self.metric_box.insertSeparator(len(USUAL_METRICS))

    def _offer_models(self) -> None:
        dialog = ModelsDialog(self._models, self)
        dialog.model_picked.connect(self.model_wanted)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def show_models(self, models: Sequence[ModelFacts]) -> None:
        """Show the models of the requirement."""
        before = [row.facts for row in self.rows]
        if before == list(models):
            return
        if len(before) == len(models) and all(map(ModelFacts.differs_in_limit, before, models)):
            for row, facts in zip(self.rows, models, strict=True):
                row.show_facts(facts)
            return
        while self.rows:
            row = self.rows.pop()
            self._rows_layout.removeWidget(row)
            row.setParent(None)
            row.deleteLater()
        for index, facts in enumerate(models):
            row = ModelRow(index, facts)
            row.limit_chosen.connect(self.model_limit_chosen)
            row.edit_requested.connect(self.model_edit_requested)
            row.removal_requested.connect(self.model_removal_requested)
            self._rows_layout.insertWidget(index, row)
            self.rows.append(row)
        self._none.setVisible(not models)
        self._fit()
        self._shows_last = bool(before) and before == list(
            models[:-1]
        )  # the added row may be below the visible ones

    def show_others(self, is_chosen: bool, n_sensitive: int) -> None:
        """Show the choice whether other sensitive columns are known, if there are several."""
        with QSignalBlocker(self.others_box):
            self.others_box.setChecked(is_chosen)
        self.others_box.setVisible(n_sensitive > 1)
        self._fit_settings()

    def show_persons(self, are_named: bool, *, limits_people: bool, whole_people: bool) -> None:
        """Show how people are counted for the limit, if a column identifies them."""
        for box, is_chosen in (
            (self.limit_of_people_box, limits_people),
            (self.whole_people_box, whole_people),
        ):
            with QSignalBlocker(box):
                box.setChecked(is_chosen)
            box.setVisible(are_named)
        self._fit_settings()

    def show_people(self, words: str, why_fixed: str = "") -> None:
        """Show the population, or that only a subset is released; `why_fixed` is why it cannot be chosen."""
        self.set_tool_text(self.people_button, words or self.tr("Population"))
        self.people_button.setEnabled(not why_fixed)
        usual = self.tr("Describe the population, or release only a subset")
        self.people_button.setToolTip(why_fixed or usual)

    def show_limit(self, limit: float, words: str, why_none: str = "") -> None:
        """Show the suppression limit and what it means for this table, or why none applies."""
        self.slider.set_value(limit)
        for field in (self.slider, self.limit_box):
            field.setEnabled(not why_none)
            field.setToolTip(why_none)
        self.limit_box.show_share(limit)
        self.limit_words.setText(words)

    def show_metric(self, key: str, meaning: str, hint: str = "") -> None:
        """Show the metric and the ends of its scale; `hint` names other settings it depends on."""
        self.metric_box.setToolTip(hint)
        with QSignalBlocker(self.metric_box):
            self.metric_box.setCurrentIndex(self.metric_box.findData(key))
        self.metric_words.setText(meaning)

    def show_weights(self, weights: Sequence[float], words: str, reason: str) -> None:
        """Show the weights; `reason` says why they are disabled."""
        self.weight_bars.show_weights(weights)
        self.weight_bars.setEnabled(not reason)
        self.weight_bars.setToolTip(reason or self.tr("Change the weights"))
        self.weight_bars.setAccessibleDescription(words)
        self.weight_words.setText(words)

    def show_outcome(
        self, satisfying: str, optimum: str = "", hint: str = "", *, is_known: bool = True, tone: str = "text"
    ) -> None:
        """Show the number of satisfying nodes, or why it is not known, and the optimum with a hint.

        The next usual threshold follows.
        """
        self.show_next_usual("")
        self._square.setVisible(is_known)
        self._satisfying.setText(satisfying)
        set_tone(self._satisfying, tone)
        for part in (self._line, self._star, self._optimum):
            part.setVisible(bool(optimum))
        self._optimum.setText(optimum)
        self._optimum.set_hint(hint)

    def show_next_usual(self, text: str) -> None:
        """Show what the next usual threshold would leave."""
        self._next.setText(text)
        self._next.setVisible(bool(text))
        self._update_heights()

    def _build(self) -> None:
        self._none = make_label(self.tr("No model: every node satisfies."), Text.CELL, "text_3")
        self._none.setContentsMargins(12, 0, 12, 0)
        self._rows_layout = vbox(self._none, STRETCH, spacing=0, margins=0)
        self._rows_area = ScrollBody(self._rows_layout)
        bar = self._rows_area.verticalScrollBar()
        bar.rangeChanged.connect(self._on_room_changed)
        bar.actionTriggered.connect(self._on_rows_scrolled)
        grid = gridbox(spacing=(10, _LOOSE), margins=(12, 4, 12, 6), stretched=3)
        rows: tuple[tuple[str, QWidget, QWidget | None, QLabel], ...] = (
            (self.tr("Suppression limit"), self.slider, self.limit_box, self.limit_words),
            (self.tr("Utility metric"), self.metric_box, None, self.metric_words),
            (self.tr("Column weights"), self.weight_bars, None, self.weight_words),
        )
        for row, (text, control, further, words) in enumerate(rows):
            grid.addWidget(make_label(text, Text.CELL, "text_2"), row, 0)
            if further is not None:
                grid.addWidget(control, row, 1)
                grid.addWidget(further, row, 2)
            else:
                alignment = Qt.AlignmentFlag.AlignLeft if control is self.weight_bars else Qt.AlignmentFlag(0)
                grid.addWidget(control, row, 1, 1, 2, alignment)
            if control is self.weight_bars:  # the text next to the metric uses all the width
                nest(grid, hbox((words, 1), self.settings_button), row, 3)
            else:
                grid.addWidget(words, row, 3)
        of_people = hbox(self.limit_of_people_box, self.whole_people_box, STRETCH, spacing=16)
        nest(grid, of_people, len(rows), 0, 1, 4)
        grid.addWidget(self.others_box, len(rows) + 1, 0, 1, 4)
        column = vbox(self._rows_area, grid, STRETCH, spacing=_SPACING, margins=0)
        self._settings = grid
        self._content = ScrollBody(column, PANEL_LEAST)
        inside: QWidget | None = self._content.widget()
        assert inside is not None
        inside.installEventFilter(self)
        self.set_body(self._content, 0)
        follow_theme(self._fit)

    def _build_footer(self) -> None:
        self._square, self._star = MarkLabel(Mark.SATISFIES), MarkLabel(Mark.OPTIMUM)
        self._satisfying = ElidedLabel("", Text.CELL_STRONG)
        self._optimum = ElidedLabel("", Text.CELL_STRONG)
        self._line: QFrame = make_line(Qt.Orientation.Vertical)
        self._line.setFixedHeight(14)
        self._next = ElidedLabel("", Text.CELL, "text_2")
        now = hbox(self._square, self._satisfying, self._line, self._star, self._optimum, STRETCH, spacing=6)
        self.set_footer(vbox(now, self._next, spacing=2))
        self.show_outcome("", is_known=False)

    def _fit_settings(self) -> None:
        """Reduce the spacing if there are more settings."""
        has_more = not (self.others_box.isHidden() and self.limit_of_people_box.isHidden())
        self._settings.setVerticalSpacing(_TIGHT if has_more else _LOOSE)
        self._fit()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.shown.emit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest and watched is self._content.widget():
            self._fit()  # the settings have got another height, such as when first shown
        return super().eventFilter(watched, event)

    def _on_room_changed(self, _least: int, most: int) -> None:
        if self._shows_last:
            self._rows_area.verticalScrollBar().setValue(most)

    def _on_rows_scrolled(self) -> None:
        self._shows_last = False  # the user scrolls elsewhere

    def set_scrolled_with_others(self, is_scrolled: bool) -> None:
        """Show the whole content, because the panels scroll together, or scroll it here."""
        if is_scrolled != self._is_whole:
            self._is_whole = is_scrolled
            self._content.set_whole(is_scrolled)
            self._fit()

    def _fit(self) -> None:
        n_shown: float = max(len(self.rows), 1)
        rows = (self.body.height() - self._settings.sizeHint().height() - _SPACING) / scaled(ROW_HEIGHT)
        if n_shown >= _ROWS_SHOWN and rows < n_shown and not self._is_whole:
            # Half a row indicates scrolling. A low window shows fewer, or the settings would scroll too.
            n_shown = max(floor(rows - 0.5), _ROWS_SHOWN - 1) + 0.5
        self._update_heights()
        self._rows_area.setFixedHeight(round(n_shown * scaled(ROW_HEIGHT)))
        self._none.setFixedHeight(scaled(ROW_HEIGHT))
        self.limit_box.setFixedWidth(scaled(88))
        for control, widest in ((self.slider, 120), (self.metric_box, 218)):
            control.setMinimumWidth(min(scaled(widest), widest + _MAY_GROW))
            control.setMaximumWidth(scaled(widest))


_BAR, _GAP, _TALLEST = 14, 6, 22
_MOST_WIDE = 12  # bars of full width; more share the room of so many


class WeightBars(Drawn, QAbstractButton):
    """One bar per attribute, as high as its weight; bars become narrower before any is hidden."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._weights: tuple[float, ...] = ()
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def show_weights(self, weights: Sequence[float]) -> None:
        """Show weights in the order of the attributes."""
        self._weights = tuple(weights)
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        n_bars = min(max(len(self._weights), 1), _MOST_WIDE)
        return QSize(n_bars * (_BAR + _GAP) - _GAP + 4, scaled(24))

    def minimumSizeHint(self) -> QSize:
        return QSize(min(max(len(self._weights), 1), _MOST_WIDE) * 4 + 4, scaled(24))

    def draw(self, painter: ThemedPainter) -> None:
        if self.underMouse() and self.isEnabled():
            painter.fill(self.rect(), "hover")
        room = self.rect().adjusted(2, 1, -2, -3)
        painter.fill(QRect(room.left(), room.bottom() + 1, room.width(), 1), "border_strong")
        if not self._weights:
            return
        pitch = min(room.width() / len(self._weights), _BAR + _GAP)
        gap = _GAP if pitch >= _BAR else 1
        # Equal weights fill half the height, which leaves room for larger ones.
        tallest = max(max(self._weights), 2.0)
        token = "series_1" if self.isEnabled() else "border"
        for i, weight in enumerate(self._weights):
            left = room.left() + round(i * pitch)
            tall = round(weight / tallest * min(room.height(), scaled(_TALLEST)))
            width = max(round(pitch) - gap, 2 if pitch >= 2 else 1)
            painter.fill(QRect(left, room.bottom() + 1 - tall, width, tall), token)
