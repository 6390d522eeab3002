"""Example records before and after generalization, and the part of the inspector that shows them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPoint, QRectF, QSize, Signal
from PySide6.QtGui import QAction, QActionGroup, QFontMetrics, QHelpEvent, QPainter
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from anonymizer_gui.perspectives.explore.inspector.section import TitleMenu
from anonymizer_gui.theming import Text, font, paint_text, scaled
from anonymizer_gui.theming.painter import ThemedPainter
from anonymizer_gui.widgets.buttons import make_icon_button
from anonymizer_gui.widgets.drawn import Drawn
from anonymizer_gui.widgets.labels import make_label
from anonymizer_gui.widgets.layouts import named, vbox
from engine.monitor import SILENT, Monitor
from engine.numbers import as_exact_count
from engine.words import _, ngettext

if TYPE_CHECKING:
    from engine.frequency import Problem
    from engine.lattice import Node
    from engine.privacy import Requirement
    from engine.project import Project
    from engine.records.counting import TupleRows
    from engine.scoring.nodes.class_table import ClassTable


N_EXAMPLES, N_SUPPRESSED_EXAMPLES, MOST_COLUMNS = 10, 3, 3
_SPREAD_IN_FILES = 20_000  # evenly spaced records of a table in files, of which examples are chosen
SPREAD, FIRST, RANDOM, SUPPRESSED, OF_CLASS = "spread", "first", "random", "suppressed", "class"
ONE = "one"


@dataclass(frozen=True, slots=True)
class ExampleChoice:
    """Records to show.

    Attributes
    ----------
    kind : str
        `SPREAD` over the table with some suppressed ones, `FIRST`, at `RANDOM`, `SUPPRESSED`, or `OF_CLASS`;
        `ONE` is a single record in all its columns.
    seed : int
        For random records, where the same seed gives the same records at every node; of one record its place.
    of_class : tuple of ClassTable and int, optional
        Classes of a node and the index of one, for `OF_CLASS`.
    """

    kind: str = SPREAD
    seed: int = 1
    of_class: tuple[ClassTable, int] | None = None


@dataclass(frozen=True, slots=True)
class Example:
    """One record before and after; `after` has * in its cells if it is suppressed.

    Of a table in a server, whose records are not here, it stands for the `n_alike` records that are equal in
    the scored columns, and `record` is 0.
    """

    record: int
    before: tuple[str, ...]
    after: tuple[str, ...]
    is_suppressed: bool
    n_alike: int = 0

    @property
    def number(self) -> str:
        """Name of the line: the number of the record, or how many records it represents."""
        return f"{as_exact_count(self.n_alike)} ×" if self.n_alike else str(self.record)


@dataclass(frozen=True, slots=True)
class Examples:
    """Example records, in the columns that change most visibly; one record in all of them."""

    columns: tuple[str, ...]
    records: tuple[Example, ...]
    n_other_columns: int = 0


def example_records(
    project: Project,
    problem: Problem,
    node: Node,
    requirement: Requirement,
    choice: ExampleChoice = ExampleChoice(),  # frozen
    monitor: Monitor = SILENT,
) -> Examples:
    """Return the records of a choice before and after.

    Records in files are chosen among some that are evenly spaced.
    """
    from engine.recoding import make_release
    from engine.records.counting import tuple_rows

    release = make_release(project, problem, node, requirement)
    suppressed = np.asarray(release.suppressed)
    if not project.releases_files:
        rows = chosen = _chosen(choice, len(suppressed), suppressed)
    else:
        tuples = tuple_rows(project.records, project.rows)
        chosen = _chosen_in_files(choice, tuples, suppressed, monitor)
        rows = tuples.of(chosen)
    by_name = {column.name: column for column in release.columns}
    changed = [q for q, level in enumerate(node) if level > 0]
    # A column that is not hidden completely shows most of the remaining detail.
    changed.sort(key=lambda q: (node[q] == problem.attributes[q].hierarchy.height, q))
    shown = sorted(changed[:MOST_COLUMNS]) or list(range(min(MOST_COLUMNS, len(node))))
    names = tuple(problem.attributes[q].name for q in shown)
    if choice.kind == ONE:
        names = tuple(name for name in by_name if name in project.rows.names)
    inputs = [project.rows.column(name) for name in names]
    records = []
    for record, i in zip(chosen.tolist(), rows.tolist(), strict=True):
        before = tuple(column.text(i) for column in inputs)
        after = tuple(by_name[name].text(i) for name in names)
        n_alike = 0 if project.remote is None or problem.counts is None else int(problem.counts[i])
        records.append(Example(0 if n_alike else record + 1, before, after, bool(suppressed[i]), n_alike))
    return Examples(names, tuple(records), max(len(changed) - len(shown), 0))


def _chosen_in_files(
    choice: ExampleChoice, tuples: TupleRows, suppressed: NDArray[np.bool_], monitor: Monitor
) -> NDArray[np.int64]:
    """Return up to ten records of a table in files, given which of its distinct tuples are suppressed."""
    finding = _("Finding records")
    if choice.kind in (FIRST, RANDOM, ONE):
        return _chosen(choice, tuples.n_records, suppressed)
    if choice.kind == OF_CLASS:
        if choice.of_class is None:
            return np.empty(0, dtype=np.int64)
        is_inside = np.zeros(len(suppressed), dtype=np.bool_)
        is_inside[choice.of_class[0].records(choice.of_class[1])] = True
        return tuples.some_records(is_inside, N_EXAMPLES, finding, monitor)
    n_spread = min(tuples.n_records, _SPREAD_IN_FILES)
    spread = np.linspace(0, tuples.n_records - 1, n_spread).astype(np.int64)
    are_suppressed = suppressed[tuples.of(spread)]
    if choice.kind == SUPPRESSED and suppressed.any() and not are_suppressed.any():
        return tuples.some_records(suppressed, N_EXAMPLES, finding, monitor)
    return spread[_chosen(choice, n_spread, are_suppressed)]


def _chosen(choice: ExampleChoice, n_records: int, suppressed: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return up to ten records, in table order."""
    match choice.kind:
        case "one":
            return np.array([min(choice.seed, n_records - 1)])
        case "first":
            return np.arange(min(N_EXAMPLES, n_records))
        case "random":
            found = np.random.default_rng(choice.seed).choice(
                n_records, min(N_EXAMPLES, n_records), replace=False
            )
            return np.sort(found).astype(np.int64)
        case "suppressed":
            gone = np.flatnonzero(suppressed)
            return _spread(gone, min(N_EXAMPLES, len(gone)))
        case "class":
            if choice.of_class is None:
                return np.empty(0, dtype=np.int64)
            table, number = choice.of_class
            return table.records(number)[:N_EXAMPLES]
    gone, kept = np.flatnonzero(suppressed), np.flatnonzero(~suppressed)
    n_gone = min(len(gone), N_SUPPRESSED_EXAMPLES if len(kept) else N_EXAMPLES)
    n_kept = min(len(kept), N_EXAMPLES - n_gone)
    return np.sort(np.concatenate((_spread(gone, n_gone), _spread(kept, n_kept))))


def _spread(records: NDArray[np.int64], n: int) -> NDArray[np.int64]:
    """Return evenly spaced records."""
    if n == 0:
        return records[:0]
    return records[np.linspace(0, len(records) - 1, n).astype(np.int64)]


_LEAST_EXAMPLES = 2


class ExampleTable(Drawn, QWidget):
    """Records before and after, two lines each; painted, because it changes with every node."""

    def __init__(self) -> None:
        super().__init__()
        self.data: Examples | None = None
        self._most = N_EXAMPLES
        self.setObjectName("examples")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_examples(self, data: Examples) -> None:
        self.data = data
        self._show()

    def show_all(self) -> None:
        """Show all records."""
        self._limit(N_EXAMPLES)

    def fit(self, spare: int) -> None:
        """Show as many records less as a negative spare height requires, but at least two."""
        if spare < 0:
            self._limit(max(len(self._records()) + spare // self._record_height(), _LEAST_EXAMPLES))

    def _limit(self, most: int) -> None:
        if most != self._most:
            self._most = most
            self._show()

    def _record_height(self) -> int:
        return 2 * self._line() + 5

    def _records(self) -> tuple[Example, ...]:
        return tuple(self.data.records[: self._most]) if self.data else ()

    def _show(self) -> None:
        lines = []
        for example in self._records():
            after = _("suppressed") if example.is_suppressed else ", ".join(example.after)
            words = _("record {record}: {before} becomes {after}")
            if example.n_alike:
                words = _("{record} records: {before} becomes {after}")
            lines.append(
                words.format(
                    record=as_exact_count(example.n_alike) if example.n_alike else example.record,
                    before=", ".join(example.before),
                    after=after,
                )
            )
        self.setAccessibleName("; ".join(lines))
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(200, self._line() + len(self._records()) * self._record_height())

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), self._text_at(event.pos()), self)
            return True
        return super().event(event)

    def draw(self, painter: ThemedPainter) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        data, theme = self.data, painter.theme
        if data is None:
            return
        line = self._line()
        left, width = self._columns()
        for column, name in enumerate(data.columns):
            place = QRectF(left + column * width, 0, width - 8, line)
            paint_text(painter, place, name, Text.CAPTION, "text_3")
        for i, example in enumerate(self._records()):
            top = self._top(i)
            painter.fillRect(QRectF(0, top - 3, self.width(), 1), theme.color("grid"))
            place = QRectF(0, top, left - 10, 2 * line)
            paint_text(painter, place, example.number, Text.CAPTION, "text_3", is_right=True)
            use = Text.CELL if example.is_suppressed else Text.CELL_STRONG
            for column, (before, after) in enumerate(zip(example.before, example.after, strict=True)):
                place = QRectF(left + column * width, top, width - 8, line)
                paint_text(painter, place, before, Text.CELL, "text_3")
                paint_text(painter, place.translated(0, line), after, use)

    def _text_at(self, pos: QPoint) -> str:
        if self.data is None:
            return ""
        left, width = self._columns()
        column = int((pos.x() - left) // max(width, 1))
        for i, example in enumerate(self._records()):
            top = self._top(i)
            if top <= pos.y() < top + 2 * self._line() and 0 <= column < len(self.data.columns):
                after = _("suppressed") if example.is_suppressed else example.after[column]
                return f"{self.data.columns[column]}: {example.before[column]} → {after}"
        return ""

    def _columns(self) -> tuple[float, float]:
        """Return the left edge of the first column and the width of each."""
        data = self.data
        numbers = [example.number for example in self._records()]
        metrics = QFontMetrics(font(Text.CAPTION))
        left = max((metrics.horizontalAdvance(number) for number in numbers), default=0) + 12.0
        return left, (self.width() - left) / max(len(data.columns) if data else 1, 1)

    def _line(self) -> int:
        return scaled(17)

    def _top(self, record: int) -> float:
        line = self._line()
        return float(line + 3 + record * self._record_height())


class ExamplesPart(QWidget):
    """Records as a small table; `choice` and `again` are placed next to the title of the section."""

    kind_chosen = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        titles = (
            (SPREAD, self.tr("Spread over the table")),
            (FIRST, self.tr("First ten")),
            (RANDOM, self.tr("At random")),
            (SUPPRESSED, self.tr("Suppressed")),
            (OF_CLASS, self.tr("From the class above")),
        )
        self._titles = dict(titles)
        self.choice = named(TitleMenu(self.tr("Shown records")), "exampleMenu")
        self._kinds = QActionGroup(self)
        self._actions: dict[str, QAction] = {}
        for key, title in titles:
            action = QAction(title, self._kinds, checkable=True)
            action.setData(key)
            action.triggered.connect(lambda _=False, k=key: self.kind_chosen.emit(k))
            self.choice.menu.addAction(action)
            self._actions[key] = action
        self.again = make_icon_button("refresh-cw", self.tr("Other random records"), "otherExamples")
        self.table = ExampleTable()
        self.note = make_label("", Text.CAPTION, "text_3", wraps=True)
        vbox(self.table, self.note, spacing=4, margins=0, of=self)
        self.show_choice(SPREAD, 1)

    def show_choice(self, kind: str, seed: int) -> None:
        """Show which records are listed."""
        self._actions[kind].setChecked(True)
        title = self._titles[kind]
        self.choice.set_choice(
            self.tr("{title}, seed {seed}").format(title=title, seed=seed) if kind == RANDOM else title
        )
        self.again.setEnabled(kind == RANDOM)

    def show_examples(self, examples: Examples | None) -> None:
        """Show other records; None while they are being computed."""
        if examples is None:
            self.note.setText(self.tr("updating"))
            self.note.show()
            return
        self.table.show_examples(examples)
        note = ""
        if not examples.records:
            note = self.tr("No record is suppressed here.")
        elif n := examples.n_other_columns:
            note = ngettext("{n} more column changes", "{n} more columns change", n).format(n=n)
        if any(example.n_alike for example in examples.records):
            alike = self.tr("Numbers of records that are equal in the scored columns")
            note = f"{alike} · {note}" if note else alike
        self.note.setText(note)
        self.note.setVisible(bool(note))
