"""Bar of Explore with a knob per threshold, the metric, and the number of satisfying nodes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent
from PySide6.QtWidgets import QFrame, QSizePolicy, QWidget

from anonymizer_gui.theming import Text, paint_track, scaled
from anonymizer_gui.theming.painter import ThemedPainter
from anonymizer_gui.widgets.buttons import make_button
from anonymizer_gui.widgets.drawn import Drawn, FitsRoom
from anonymizer_gui.widgets.elided_combo_box import ElidedComboBox, offer
from anonymizer_gui.widgets.knob import Check, Knob
from anonymizer_gui.widgets.knob_scale import KnobScale
from anonymizer_gui.widgets.labels import ElidedLabel, ValueLabel, make_line
from anonymizer_gui.widgets.layouts import STRETCH, hbox, named, vbox
from anonymizer_gui.widgets.marks import Mark, MarkLabel

BAR_HEIGHT = 82
_METRIC_WIDTH, _COUNT_WIDTH, _LEAST_COUNT_WIDTH = 150, 200, 140
SUPPRESSION = "suppression"
BESIDE = {"joint k": "k", "joint l": "l"}  # keys of knobs of what is required beside earlier releases


@dataclass(frozen=True, slots=True)
class KnobSpec:
    """Threshold, or other parameter of a model, of a knob by key, with text, range and value.

    Attributes
    ----------
    name : str
        In sentences, such as the symbol of the model.
    title, meaning : str
        Above the knob: what it turns in a few words, and symbol with column and variant.
    draws_anew : bool
        Whether other values draw other records, so that nothing is measured along it.
    """

    key: str
    name: str
    title: str
    meaning: str
    scale: KnobScale
    value: float
    keeps_larger: bool = True
    suffix: str = ""
    check: Check = lambda _value: None  # raises for an invalid value
    is_threshold: bool = True  # whether nodes are counted along it
    meaning_at: Callable[[float], str] | None = None  # text that follows the value, instead of `meaning`
    draws_anew: bool = False


@dataclass(frozen=True, slots=True)
class Curve:
    """Number of satisfying nodes for every value of one threshold, and the values at which it changes."""

    xs: Sequence[float]
    ys: Sequence[float]
    critical: Sequence[float]


class _ShareBar(Drawn, QWidget):
    """Share of satisfying nodes."""

    def __init__(self) -> None:
        super().__init__()
        self.share = 0.0
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return QSize(120, 6)

    def draw(self, painter: ThemedPainter) -> None:
        theme = painter.theme
        rect = QRectF(self.rect())
        paint_track(painter, rect, theme, "border")
        painter.setPen(Qt.PenStyle.NoPen)
        if self.share > 0:
            painter.setBrush(QColor(theme.ramp[2]))
            painter.drawRoundedRect(QRectF(0, 0, max(rect.width() * self.share, 1.0), rect.height()), 2, 2)


class KnobBar(FitsRoom, QFrame):
    """Emits previews while a knob is dragged, and one change on release."""

    value_changing = Signal(str, float)
    value_changed = Signal(str, float)
    turned_back = Signal()
    refused = Signal(object)  # exception: why typed input is invalid

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("strip", "true")
        self.setObjectName("knobBar")
        self._specs: tuple[KnobSpec, ...] = ()
        self._n_fitting = -1
        self.knobs: dict[str, Knob] = {}
        self._lines: dict[str, QFrame] = {}
        self._more = make_button(self.tr("More"), kind="quiet", icon_name="chevron-down", small=True)
        self._more.setObjectName("moreKnobs")
        self._more.setToolTip(self.tr("More knobs, presets, weights and the utility metric"))
        self._more.clicked.connect(self._show_more)
        self.presets = make_button(self.tr("Presets…"), kind="quiet", icon_name="book-open", small=True)
        self.presets.setObjectName("presetsButton")
        self.presets.setToolTip(self.tr("Published thresholds, with their sources"))
        self.weights = make_button(
            self.tr("Weights…"), "weightsButton", kind="quiet", icon_name="sliders-horizontal", small=True
        )
        self._overflow = QFrame(self, Qt.WindowType.Popup)
        self._overflow.setProperty("card", "true")
        self._overflow_column = vbox(spacing=0, margins=(1, 4, 1, 4), of=self._overflow)
        self._row = hbox(spacing=0)
        self.metric_box = named(ElidedComboBox(), "metricBox", self.tr("Utility metric"))
        self._metric_line = make_line(Qt.Orientation.Vertical)
        self._own = hbox(
            (self._row, 1),
            (self._more, 0, Qt.AlignmentFlag.AlignVCenter),
            self._tool_part(),
            self._metric_line,
            self._metric_part(),
            make_line(Qt.Orientation.Vertical),
            self._count_part(),
            spacing=0,
            margins=0,
            of=self,
        )
        self._has_tools = True
        self._fit()

    # -- display -------------------------------------------------------------------------------

    def show_knobs(self, specs: Sequence[KnobSpec]) -> None:
        """Show knobs; existing ones with the same key and text only get a new value and range."""
        specs = tuple(specs)
        if [_identity(spec) for spec in specs] != [_identity(spec) for spec in self._specs]:
            self._build(specs)
        self._specs = specs
        for spec in specs:
            knob = self.knobs[spec.key]
            knob.check = spec.check
            knob.set_scale(spec.scale)
            knob.set_value(spec.value)
            if spec.meaning_at is not None:
                knob.set_caption(spec.meaning_at(spec.value))

    def _on_changing(self, key: str, value: float) -> None:
        spec = next(spec for spec in self._specs if spec.key == key)
        if spec.meaning_at is not None:
            self.knobs[key].set_caption(spec.meaning_at(value))
        self.value_changing.emit(key, value)

    def show_metrics(self, metrics: Sequence[tuple[str, str]], chosen: str) -> None:
        """Offer metrics as pairs of key and title."""
        offer(self.metric_box, metrics, chosen)
        self.metric_box.setToolTip(self.metric_box.currentText())

    def show_weights(self, words: str, reason: str) -> None:
        """Show the attribute weights; `reason` is why they cannot be changed."""
        self.weights.setEnabled(not reason)
        self.weights.setToolTip(reason or self.tr("Change the column weights ({words})").format(words=words))
        self.weights.setAccessibleDescription(reason or words)

    def show_count(self, count: str, of_all: str, share: float, optimum: str, value: str) -> None:
        """Show the number of satisfying nodes and the metric of the optimum; empty texts without one."""
        self._count.setText(count)
        self._of_all.setText(of_all)
        self._bar.share = share
        self._bar.update()
        self._star.setVisible(bool(value))
        self._optimum_name.setText(optimum)
        self._optimum_value.setText(value)

    def show_curves(self, curves: dict[str, Curve]) -> None:
        """Draw the curves and stops of knobs."""
        for key, curve in curves.items():
            if key in self.knobs:
                self.knobs[key].set_curve(curve.xs, curve.ys)
                self.knobs[key].set_critical_values(curve.critical)

    def show_optima(self, key: str, optima: Sequence[tuple[float, str]]) -> None:
        """Mark on a knob the values at which the optimum changes, each with a sentence."""
        if key in self.knobs:
            self.knobs[key].set_marks(optima)

    def set_updating(self, updating: bool) -> None:
        """Show that the curves are being recomputed."""
        self._updating.setText(self.tr("updating curves") if updating else "")

    # ------------------------------------------------------------------------------------------

    def _build(self, specs: tuple[KnobSpec, ...]) -> None:
        for widget in [*self.knobs.values(), *self._lines.values()]:
            widget.setParent(None)
            widget.deleteLater()
        self.knobs, self._lines = {}, {}
        for spec in specs:
            knob = named(
                Knob(
                    spec.title,
                    spec.meaning,
                    spec.scale,
                    spec.value,
                    keeps_larger=spec.keeps_larger,
                    suffix=spec.suffix,
                ),
                f"knob.{spec.key}",
            )
            knob.setMaximumWidth(scaled(380))
            knob.value_changing.connect(lambda value, key=spec.key: self._on_changing(key, value))
            knob.value_changed.connect(lambda value, key=spec.key: self.value_changed.emit(key, value))
            knob.turned_back.connect(self.turned_back)
            knob.refused.connect(self.refused)
            self.knobs[spec.key] = knob
            self._lines[spec.key] = make_line(Qt.Orientation.Vertical)
        self._specs = specs
        self._n_fitting = -1
        self._fit()

    def _order_tabs(self) -> None:
        """Put knobs before the metric in the tab order although they are created later."""
        before: QWidget = self._more
        for knob in self.knobs.values():
            if knob.window() is not self.window():
                continue  # shown behind the button
            QWidget.setTabOrder(before, knob)
            QWidget.setTabOrder(knob, knob.entry)
            before = knob.entry
        if before is not self._more:
            QWidget.setTabOrder(before, self._more)

    def _fit(self) -> None:
        """Place the knobs; those that do not fit move behind the button."""
        self._metric_frame.setFixedWidth(scaled(_METRIC_WIDTH))
        self.setFixedHeight(max(scaled(BAR_HEIGHT), self._tallest()))
        widths = self._least_widths()
        has_tools = sum(widths) <= self.width() - self._tools_width() - scaled(_COUNT_WIDTH)
        room = self.width() - self._count_width(has_tools=has_tools)
        fitting = len(widths)
        if not has_tools:
            room -= self._more.sizeHint().width()
            while fitting > 1 and sum(widths[:fitting]) > room:
                fitting -= 1
        self._count_frame.setMinimumWidth(self._count_width(has_tools=has_tools))
        for knob, width in zip(self.knobs.values(), widths, strict=True):
            knob.setMinimumWidth(width - 1)
        if (fitting, has_tools) == (self._n_fitting, self._has_tools):
            return
        self._n_fitting = fitting
        self._place_tools(has_tools)
        while (item := self._row.takeAt(0)) is not None:
            del item
        for i, (key, knob) in enumerate(self.knobs.items()):
            line = self._lines[key]
            if i < fitting:
                self._row.addWidget(knob, 1)
                self._row.addWidget(line)
            else:
                self._overflow_column.addWidget(knob)
            line.setVisible(i < fitting)
            knob.show()
        self._more.setVisible(fitting < len(self.knobs) or not has_tools)
        self._order_tabs()

    def _place_tools(self, has_tools: bool) -> None:
        """Show presets, weights and metric in the bar, or behind the button, so that every knob fits."""
        self._has_tools = has_tools
        self._metric_line.setVisible(has_tools)
        for place, part in enumerate((self._tool_frame, self._metric_frame)):
            if has_tools:
                self._own.insertWidget(2 + 2 * place, part)  # the line is between them
            else:
                self._overflow_column.insertWidget(place, part)
            part.show()

    def _least_widths(self) -> list[int]:
        """Return the least width of each knob with its line; without captions as the last resort."""
        knobs = self.knobs.values()
        usual = [knob.minimumSizeHint().width() + 1 for knob in knobs]
        if sum(usual) <= self.width() - self._tools_width() - scaled(_COUNT_WIDTH):
            return usual
        return [knob.least_width() + 1 for knob in knobs]

    def _tools_width(self) -> int:
        """Return the width of presets, weights and metric, lines included."""
        return scaled(_METRIC_WIDTH) + self._tool_frame.sizeHint().width() + 3

    @staticmethod
    def _count_width(*, has_tools: bool) -> int:
        return scaled(_COUNT_WIDTH if has_tools else _LEAST_COUNT_WIDTH)

    def _tallest(self) -> int:
        return max((knob.sizeHint().height() for knob in self.knobs.values()), default=0) + 1

    def _show_more(self) -> None:
        self._overflow.adjustSize()
        self._overflow.setMinimumWidth(scaled(240))
        corner = self._more.mapToGlobal(QPoint(0, self._more.height() + 2))
        self._overflow.move(corner)
        self._overflow.show()

    def _tool_part(self) -> QWidget:
        self._tool_frame = QWidget()
        vbox(
            (self.presets, 0, Qt.AlignmentFlag.AlignLeft),
            (self.weights, 0, Qt.AlignmentFlag.AlignLeft),
            STRETCH,
            spacing=6,
            margins=(6, 8, 6, 8),
            of=self._tool_frame,
        )
        return self._tool_frame

    def _metric_part(self) -> QWidget:
        self._metric_frame = QWidget()
        vbox(
            ElidedLabel(self.tr("Utility metric"), Text.TITLE),
            self.metric_box,
            STRETCH,
            spacing=6,
            margins=(16, 8, 16, 8),
            of=self._metric_frame,
        )
        return self._metric_frame

    def _count_part(self) -> QWidget:
        self._count_frame = named(QWidget(), "countPanel")
        self._count = named(ValueLabel(Text.STAT), "satisfyingCount")
        self._of_all = ElidedLabel("", Text.CELL, "text_2")
        self._bar = _ShareBar()
        self._star = MarkLabel(Mark.OPTIMUM)
        self._optimum_name = ElidedLabel("", Text.CELL, "text_2")
        self._optimum_value = named(ValueLabel(Text.CELL_STRONG), "optimumValue")
        self._updating = ElidedLabel("", Text.CELL, "text_3")
        self.optimum = optimum = named(_ClickableRow(), "selectOptimum", tooltip=self.tr("Select this node"))
        hbox(self._star, self._optimum_name, self._optimum_value, spacing=6, margins=0, of=optimum)
        on_line = Qt.AlignmentFlag.AlignBaseline
        first = hbox((self._count, 0, on_line), (self._of_all, 1, on_line), spacing=8)
        last = hbox(optimum, STRETCH, self._updating, spacing=6)
        vbox(first, self._bar, last, STRETCH, spacing=4, margins=(16, 6, 14, 8), of=self._count_frame)
        return self._count_frame

    def minimumSizeHint(self) -> QSize:
        """Return the size for one knob: as the bar narrows, the others move behind the button."""
        widest = max((knob.least_width() for knob in self.knobs.values()), default=1) + 1
        least = self._count_width(has_tools=False) + widest + self._more.sizeHint().width()
        return QSize(least, self.height())


class _ClickableRow(QWidget):
    """Labels that are one target of the mouse."""

    clicked = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self.rect().contains(event.position().toPoint()):
            self.clicked.emit()


def _identity(spec: KnobSpec) -> tuple[str, str, str, bool]:
    meaning = spec.meaning if spec.meaning_at is None else ""
    return spec.key, spec.title, meaning, spec.keeps_larger
