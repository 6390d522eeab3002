"""One run of a walk: algorithm, lattice with its states, counters, and description of the last step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import (
    QFontMetricsF,
    QPainter,
    QTextLayout,
    QTextOption,
)
from PySide6.QtWidgets import QSizePolicy, QStackedWidget, QWidget

from anonymizer_gui.perspectives.explore.walk.lattice import StateLegend, WalkLattice
from anonymizer_gui.theming import Text, font, scaled, theme_manager
from anonymizer_gui.theming.painter import ThemedPainter
from anonymizer_gui.theming.type_scale import SEMI_BOLD
from anonymizer_gui.widgets.accessible import Accessible, Role, value_changed
from anonymizer_gui.widgets.buttons import make_icon_button
from anonymizer_gui.widgets.drawn import Drawn, FitsRoom
from anonymizer_gui.widgets.elided_combo_box import ElidedComboBox, offer
from anonymizer_gui.widgets.error_banner import ErrorBanner
from anonymizer_gui.widgets.job_strip import JobStrip
from anonymizer_gui.widgets.labels import ElidedLabel
from anonymizer_gui.widgets.layouts import fixed, hbox, named, vbox
from anonymizer_gui.widgets.results_stack import EmptyState
from engine.numbers import as_exact_count
from engine.search.replay import FAILING, SATISFYING, Playhead, State

if TYPE_CHECKING:
    from engine.search.replay import States


_ROOM_FOR_MORE = 760  # px; in narrower lanes the lattice has the full width
_ROOM_FOR_PART = 480
_CHOICE_WIDTH = 116


class WalkLane(FitsRoom, QWidget):
    """Displays a run; requests algorithms and nodes."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.setObjectName(f"walkLane{number}")
        self._rows: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        spoken = self.tr("Algorithm") if number == 0 else self.tr("Second algorithm")
        self.choice = named(ElidedComboBox(), f"walkAlgorithm{number}", spoken)
        self.settings = make_icon_button(
            "sliders-horizontal", self.tr("Set this algorithm…"), f"walkSettings{number}"
        )
        self.progress = named(ElidedLabel("", Text.CELL, "text_2"), f"walkProgress{number}")
        self.effort = ElidedLabel("", Text.CELL, "text_3")
        self.view = named(WalkLattice(), f"walkLattice{number}")
        self.part = WalkPart()
        self.part.hide()
        self.rules = RuleTally()
        self.legend = StateLegend()
        self.sentence = named(ElidedLabel("", Text.CELL), f"walkSentence{number}")
        self.locate = make_icon_button(
            "locate-fixed", self.tr("Select the node of this step (Enter)"), f"walkSelect{number}"
        )
        self.job = JobStrip()
        self.banner = ErrorBanner()
        self.nothing = EmptyState("", self.tr("Run"), icon_name="play")
        self._stack = QStackedWidget()
        self._build()

    def show_algorithms(self, algorithms: Sequence[tuple[str, str, str]]) -> None:
        """Offer algorithms: key, title and summary."""
        offer(self.choice, algorithms, self.choice.currentData())

    def show_algorithm(self, key: str) -> None:
        """Show the chosen algorithm."""
        self.choice.setCurrentIndex(self.choice.findData(key))
        title = self.choice.currentText()
        summary = self.choice.currentData(Qt.ItemDataRole.ToolTipRole)
        self.choice.setToolTip(f"{title}: {summary}")
        self.view.setAccessibleName(self.tr("Lattice as {title} sees it").format(title=title))

    # -- without a run -------------------------------------------------------------------------

    def show_running(self, text: str) -> None:
        """Show that a run is being computed."""
        self.banner.hide()
        self._stack.setCurrentIndex(0)
        self.nothing.set_sentence(
            self.tr("{text} is searching the lattice; its steps appear next.").format(text=text)
        )
        self._show_button(False)
        self.job.start(text)
        self._clear()

    def show_stopped(self, sentence: str, problem: str = "", hint: str = "") -> None:
        """Show why there is no run, and a hint."""
        self.job.finish()
        self._stack.setCurrentIndex(0)
        self.nothing.set_sentence(sentence)
        self._show_button(not problem)
        if problem:
            self.banner.show_error(problem, hint)
        self._clear()

    # -- the run -------------------------------------------------------------------------------

    def show_run(
        self, rows: NDArray[np.int64], utility: NDArray[np.uint8], n_checked: int, effort: str
    ) -> None:
        """Prepare the display of a run that checks `n_checked` nodes, with the rows of the lattice.

        Satisfying nodes are coloured by `utility`; `effort` is the effort of the run.
        """
        self.job.finish()
        self.banner.hide()
        self._rows = rows
        self.view.show_run(utility, n_checked)
        self.effort.setText(effort)
        self.progress.set_hint(effort)
        self._stack.setCurrentIndex(1)

    def show_moment(
        self,
        playhead: Playhead,
        rules: Sequence[str],
        new: NDArray[np.int64],
        minimal: NDArray[np.bool_] | None,
    ) -> None:
        """Show the states of the nodes at a step.

        Parameters
        ----------
        rules : sequence of str
            In words.
        new : ndarray of int64
            Nodes reached last, the newest at the end.
        minimal : ndarray of bool or None
            Nodes to mark as minimal.
        """
        states = playhead.shown_states()
        self.view.show_states(states, new, self._rows, minimal)
        self.legend.show_counts(_counts(states), None if minimal is None else int(minimal.sum()))
        self.rules.show_rules(list(zip(playhead.n_by_rule.tolist(), rules, strict=True)))

    def show_words(self, progress: str, sentence: str, *, has_node: bool, why_not: str = "") -> None:
        """Show the progress and the last step, and enable the button if the step has a node."""
        self.progress.setText(progress)
        self.sentence.setText(sentence)
        self.locate.setEnabled(has_node)
        self.locate.setToolTip(self.locate.accessibleName() if has_node else why_not)

    def announce(self) -> None:
        """Announce the display to assistive technology, except while many steps per second are played."""
        text = f"{self.sentence.text()} {self.progress.text()}. {self.legend.text()}"
        if text != self.accessibleDescription():
            self.setAccessibleDescription(text)
            value_changed(self)

    def as_accessible(self) -> Accessible:
        return Accessible(Role.Grouping, self.accessibleDescription())

    def _fit(self) -> None:
        for part in (self.rules, self.effort):
            part.setVisible(self.width() >= scaled(_ROOM_FOR_MORE))
        self._place_part()

    def need_part(self, is_needed: bool) -> None:
        """Show next to the lattice the subset of columns that a step concerns, if there is room."""
        self.part.is_needed = is_needed
        self._place_part()

    def _place_part(self) -> None:
        self.part.setVisible(self.part.is_needed and self.width() >= scaled(_ROOM_FOR_PART))

    def _clear(self) -> None:
        self.progress.setText("")
        self.effort.setText("")

    def _show_button(self, visible: bool) -> None:
        if (button := self.nothing.button) is not None:
            button.setVisible(visible)

    def _build(self) -> None:
        self.setAccessibleName(self.tr("Run of an algorithm"))
        self.choice.setMinimumWidth(_CHOICE_WIDTH)
        head = hbox(
            self.choice,
            self.settings,
            (self.progress, 3),
            self.job,
            (self.effort, 2),
            spacing=8,
            margins=(12, 4, 8, 2),
        )
        self.effort.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        shown = QWidget()
        vbox(
            (hbox((self.view, 1), self.part, self.rules, spacing=0), 1),
            hbox(self.legend, margins=(12, 2, 12, 2)),
            hbox((self.sentence, 1), self.locate, margins=(12, 0, 8, 2)),
            spacing=0,
            margins=0,
            of=shown,
        )
        self._stack.addWidget(self.nothing)
        self._stack.addWidget(shown)
        vbox(head, self.banner, (self._stack, 1), spacing=0, margins=0, of=self)


def _counts(states: States) -> Mapping[State, int]:
    """Return nodes by state, omitting rare states that did not occur."""
    found = np.bincount(states, minlength=len(State)).tolist()
    return {state: found[state] for state in State if found[state] or state is not State.SET_ASIDE}


_WIDTH, _MARGIN, _GAP = 232, 8, 8


class RuleTally(Drawn, QWidget):
    """Lists the most frequent rules; those without room are in the tooltip."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("walkRules")
        self.rules: tuple[tuple[int, str], ...] = ()  # listed rules with their counts
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Ignored)
        self.setAccessibleName(self.tr("Steps by rule"))
        theme_manager().theme_changed.connect(self.updateGeometry)

    def show_rules(self, rules: Sequence[tuple[int, str]]) -> None:
        """Show other counts; unused rules are omitted."""
        used = sorted((rule for rule in rules if rule[0]), key=lambda rule: -rule[0])
        if tuple(used) != self.rules:
            self.rules = tuple(used)
            self.setToolTip(self.text())
            self.update()

    def text(self) -> str:
        """Return one line per rule."""
        return "\n".join(f"{as_exact_count(count)}: {text}" for count, text in self.rules)

    def sizeHint(self) -> QSize:
        return QSize(scaled(_WIDTH), scaled(160))

    def minimumSizeHint(self) -> QSize:
        return QSize(scaled(_WIDTH), scaled(40))

    def draw(self, painter: ThemedPainter) -> None:
        title, strong, plain = font(Text.SECTION), font(Text.CAPTION, SEMI_BOLD), font(Text.CAPTION)
        painter.setFont(title)
        painter.ink("text_2")
        line = QFontMetricsF(title).height() + 4
        flags = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        painter.drawText(QRectF(_MARGIN, 6, self.width(), line), flags, self.tr("Steps by rule"))
        metrics = QFontMetricsF(strong)
        counts = [as_exact_count(count) for count, _ in self.rules]
        column = max((metrics.horizontalAdvance(text) for text in counts), default=0.0)
        y, width = 6 + line, self.width() - 2 * _MARGIN - column - _GAP
        for place, ((_, text), count) in enumerate(zip(self.rules, counts, strict=True)):
            lines = _wrapped(text, width)
            height = len(lines) * metrics.height() + 4
            n_left = len(self.rules) - place
            room = self.height() - y - (metrics.height() + 4 if n_left > 1 else 0)
            if height > room:
                painter.setFont(plain)
                painter.ink("text_3")
                more = self.tr("and {n_left} more").format(n_left=n_left)
                painter.drawText(QRectF(_MARGIN, y, self.width(), line), flags, more)
                break
            painter.setFont(strong)
            painter.ink("text")
            right = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop)
            painter.drawText(QRectF(_MARGIN, y, column, metrics.height()), right, count)
            painter.setFont(plain)
            painter.ink("text_2")
            for words in lines:
                painter.drawText(
                    QRectF(_MARGIN + column + _GAP, y, width + 2, metrics.height()), flags, words
                )
                y += metrics.height()
            y += 4


def _wrapped(text: str, width: float) -> list[str]:
    """Return a text wrapped to a width."""
    layout = QTextLayout(text, font(Text.CAPTION))
    layout.setTextOption(QTextOption(Qt.AlignmentFlag.AlignLeft))
    lines = []
    layout.beginLayout()
    while (line := layout.createLine()).isValid():
        line.setLineWidth(max(width, 40.0))
        start = line.textStart()
        lines.append(text[start : start + line.textLength()].strip())
    layout.endLayout()
    return lines


_PART_WIDTH, _PART_MARGIN = 190, 8
_MOST_SIDE, _LEAST_SIDE = 14.0, 2.0
_MOST_EDGES = 200  # with more nodes, edges would hide them


class WalkPart(QWidget):
    """Shows the name, the progress and the nodes of a subset; hidden for runs without subsets."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("walkPart")
        self.is_needed = False
        self.columns = named(ElidedLabel("", Text.SECTION, "text_2"), "walkPartColumns")
        self._known = named(ElidedLabel("", Text.CAPTION, "text_3"), "walkPartKnown")
        self.nodes = PartNodes()
        vbox(
            self.columns,
            self._known,
            (self.nodes, 1),
            spacing=2,
            margins=(_PART_MARGIN, 6, _PART_MARGIN, 4),
            of=self,
        )
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Ignored)
        fixed(self, width=_PART_WIDTH)

    def show_part(self, columns: Sequence[str], shape: Sequence[int], states: States) -> None:
        """Show another subset, or another moment of it; `states` has the last column varying fastest."""
        satisfies, fails = np.isin(states, SATISFYING).sum(), np.isin(states, FAILING).sum()
        self.columns.setText(self.tr("Subset: {columns}").format(columns=", ".join(columns)))
        known = self.tr("{satisfies} of {n} satisfy, {fails} fail").format(
            satisfies=as_exact_count(satisfies), n=as_exact_count(len(states)), fails=as_exact_count(fails)
        )
        self._known.setText(known)
        self.setAccessibleName(f"{self.columns.text()}. {known}")
        self.nodes.show_nodes(tuple(shape), states)

    def show_nothing(self) -> None:
        """Show that the step concerns no proper subset."""
        self.columns.setText(self.tr("All columns"))
        self._known.setText("")
        self.setAccessibleName(self.columns.text())
        self.nodes.show_nodes((), np.zeros(0, dtype=np.uint8))


class PartNodes(Drawn, QWidget):
    """Draws the nodes in rows by the sum of their levels, the lowest at the bottom."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("walkPartNodes")
        self._shape: tuple[int, ...] = ()
        self.states: States = np.zeros(0, dtype=np.uint8)
        self._rows: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        self._places: NDArray[np.int64] = np.zeros(0, dtype=np.int64)  # within the row
        self._counts: NDArray[np.int64] = np.zeros(0, dtype=np.int64)  # per row
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        theme_manager().theme_changed.connect(self.update)

    def show_nodes(self, shape: tuple[int, ...], states: States) -> None:
        """Draw other nodes."""
        if shape != self._shape:
            self._shape = shape
            self._rows = np.indices(shape).sum(axis=0).ravel() if shape else np.zeros(0, dtype=np.int64)
            self._counts = np.bincount(self._rows)
            order = np.argsort(self._rows, kind="stable")
            starts = np.repeat(np.cumsum(self._counts) - self._counts, self._counts)
            self._places = np.empty_like(self._rows)
            self._places[order] = np.arange(len(order)) - starts
        self.states = states
        self.update()

    def centre(self, node: int) -> QPointF:
        """Return the centre of a node."""
        row, n_rows = int(self._rows[node]), len(self._counts)
        x = (self._places[node] + 0.5 - self._counts[row] / 2) * self._pitch()[0]
        y = (n_rows - row - 0.5) * self._pitch()[1]
        return QPointF(self.width() / 2 + float(x), y)

    def sizeHint(self) -> QSize:
        return QSize(scaled(_PART_WIDTH), scaled(160))

    def draw(self, painter: ThemedPainter) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        if not len(self.states):
            return
        painter.setFont(font(Text.CAPTION))
        across, up = self._pitch()
        side = max(min(across, up, scaled(_MOST_SIDE) * 1.6) * 0.62, _LEAST_SIDE)
        if len(self.states) <= _MOST_EDGES:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.ink("border_strong", 1)
            painter.drawLines(self._edges())
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        for node, state in enumerate(self.states.tolist()):
            _draw(painter, self.centre(node), side, State(state))

    def _pitch(self) -> tuple[float, float]:
        widest = int(self._counts.max())
        across = min(self.width() / widest, scaled(_MOST_SIDE) * 3)
        return across, self.height() / len(self._counts)

    def _edges(self) -> list[QLineF]:
        """Return a line between each node and those one step above it."""
        numbers = np.arange(len(self.states)).reshape(self._shape)
        lines = []
        for axis in range(len(self._shape)):
            lower, upper = np.moveaxis(numbers, axis, 0)[:-1], np.moveaxis(numbers, axis, 0)[1:]
            pairs = zip(lower.ravel().tolist(), upper.ravel().tolist(), strict=True)
            lines += [QLineF(self.centre(one), self.centre(other)) for one, other in pairs]
        return lines


def _draw(painter: ThemedPainter, centre: QPointF, side: float, state: State) -> None:
    """Draw a node: filled if it satisfies, hollow if it fails, smaller if inferred, a dot if unknown."""
    is_inferred = state in (State.INFERRED_SATISFIES, State.INFERRED_FAILS)
    size = max(side * (0.6 if is_inferred else 1.0), _LEAST_SIDE)
    if state is State.NOT_REACHED:
        size = _LEAST_SIDE
    place = QRectF(0, 0, round(size), round(size))
    place.moveCenter(QPointF(round(centre.x()), round(centre.y())))
    painter.setPen(Qt.PenStyle.NoPen)
    if state in SATISFYING:
        painter.tint("series_2")
    elif state in FAILING and size > 2 * _LEAST_SIDE:
        painter.tint("surface")
        painter.ink("fail_line", 1)
    else:
        painter.tint("fail_line")
    painter.drawRect(place)
