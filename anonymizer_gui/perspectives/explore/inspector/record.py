"""One record of a node before and after generalization: which one it is, and the part that shows it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QRectF, QSize, Signal
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QSizePolicy, QWidget

from anonymizer_gui.models.node_name import LevelWords
from anonymizer_gui.perspectives.explore.explore_state import ExploreState
from anonymizer_gui.perspectives.explore.inspector.line_grid import Item, LineGrid, name
from anonymizer_gui.perspectives.explore.inspector.section import LazyContent, TitleMenu
from anonymizer_gui.theming import Text, paint_text, scaled
from anonymizer_gui.theming.painter import ThemedPainter
from anonymizer_gui.widgets.buttons import make_button
from anonymizer_gui.widgets.drawn import Drawn
from anonymizer_gui.widgets.labels import make_label
from anonymizer_gui.widgets.layouts import STRETCH, hbox, named, vbox
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

_MOST_FOUND = 10  # records that are searched for in files; after them the first one follows again
ORDER, RANDOM, SUPPRESSED, OF_CLASS = "order", "random", "suppressed", "class"
LINE = 21  # px of a column


@dataclass(frozen=True, slots=True)
class RecordChoice:
    """Which record is shown.

    Attributes
    ----------
    kind : str
        Any record in the `ORDER` of the table, one at `RANDOM`, a `SUPPRESSED` one, or one `OF_CLASS`.
    place : int
        Its place among these, counted from 0 and over again after the last one; of a random record the
        seed, so that it is the same at every node.
    of_class : tuple of ClassTable and int, optional
        Classes of a node and the index of one, for `OF_CLASS`.
    """

    kind: str = ORDER
    place: int = 0
    of_class: tuple[ClassTable, int] | None = None


@dataclass(frozen=True, slots=True)
class ShownRecord:
    """A record before and after; `after` has * in its cells if it is suppressed.

    Of a table in a server, whose records are not here, it stands for the `n_alike` records that are equal in
    the scored columns, and `number` is 0.
    """

    columns: tuple[str, ...]
    number: int
    before: tuple[str, ...]
    after: tuple[str, ...]
    is_suppressed: bool
    n_alike: int = 0


def shown_record(
    project: Project,
    problem: Problem,
    node: Node,
    requirement: Requirement,
    choice: RecordChoice = RecordChoice(),  # frozen
    monitor: Monitor = SILENT,
) -> ShownRecord | None:
    """Return a record in all its columns; None if there is none of that kind."""
    from engine.recoding import make_release
    from engine.records.counting import tuple_rows

    release = make_release(project, problem, node, requirement)
    suppressed = np.asarray(release.suppressed)
    tuples = tuple_rows(project.records, project.rows) if project.releases_files else None
    record = _chosen(choice, suppressed, tuples, monitor)
    if record is None:
        return None
    row = record if tuples is None else int(tuples.of(np.array([record]))[0])
    columns = [column for column in release.columns if column.name in project.rows.names]
    n_alike = 0 if project.remote is None or problem.counts is None else int(problem.counts[row])
    return ShownRecord(
        tuple(column.name for column in columns),
        0 if n_alike else record + 1,
        tuple(project.rows.column(column.name).text(row) for column in columns),
        tuple(column.text(row) for column in columns),
        bool(suppressed[row]),
        n_alike,
    )


def _chosen(
    choice: RecordChoice, suppressed: NDArray[np.bool_], tuples: TupleRows | None, monitor: Monitor
) -> int | None:
    """Return the number of a record, from 0; `suppressed` is by distinct tuple if there are any."""
    n_records = len(suppressed) if tuples is None else tuples.n_records
    if choice.kind == ORDER:
        return choice.place % n_records
    if choice.kind == RANDOM:
        return int(np.random.default_rng(choice.place).integers(n_records))
    is_meant = suppressed
    if choice.kind == OF_CLASS:
        is_meant = np.zeros(len(suppressed), dtype=np.bool_)
        if choice.of_class is not None:
            is_meant[choice.of_class[0].records(choice.of_class[1])] = True
    found = np.flatnonzero(is_meant)
    if tuples is not None:
        found = tuples.some_records(is_meant, _MOST_FOUND, _("Finding records"), monitor)
    return int(found[choice.place % len(found)]) if len(found) else None


class RecordPart(LazyContent):
    """A line per column with its value and released value; `choice` is placed next to the title.

    Attributes
    ----------
    choice : TitleMenu
        Chooses the kind of record.
    next_record : QPushButton
        Names the record, and shows the next one.
    """

    kind_chosen = Signal(str)
    filled = Signal()  # with another record

    def __init__(self, place: str) -> None:
        """Create the part; `place` is the beginning of its object names."""
        super().__init__()
        self._lines: Sequence[tuple[Item, Item, Item]] = ()
        self._is_whole = True
        self._titles = {
            ORDER: self.tr("In table order"),
            RANDOM: self.tr("At random"),
            SUPPRESSED: self.tr("Suppressed"),
            OF_CLASS: self.tr("From the class above"),
        }
        self.choice = named(TitleMenu(self.tr("Shown records")), f"{place}Menu")
        self._kinds = QActionGroup(self)
        self._actions: dict[str, QAction] = {}
        for kind, title in self._titles.items():
            action = self._actions[kind] = QAction(title, self._kinds, checkable=True)
            action.setData(kind)
            action.triggered.connect(lambda _=False, kind=kind: self.kind_chosen.emit(kind))
            self.choice.menu.addAction(action)
        tooltip = self.tr("Show the next record")
        self.next_record = make_button("", f"{place}Next", kind="quiet", small=True, tooltip=tooltip)
        columns = LineGrid(name(tone="text"), name(tone="text_2"), AfterCell, stretched=2)
        self._grid = named(columns, f"{place}Columns")
        self.note = make_label(self.tr("No record is suppressed here."), Text.CAPTION, "text_3", wraps=True)
        head = hbox(self.next_record, STRETCH)
        vbox(head, self._grid, self.note, spacing=2, margins=0, of=self)
        self.show_kind(ORDER)
        self.show_record("", ())

    def show_kind(self, kind: str) -> None:
        """Show which records follow one another."""
        self._actions[kind].setChecked(True)
        self.choice.set_choice(self._titles[kind])

    def show_record(self, title: str, lines: Sequence[tuple[Item, Item, Item]]) -> None:
        """Show a record: per column its name, value and released value, tinted where it changes."""
        self._lines = lines
        self.next_record.setText(title)
        self.next_record.setEnabled(bool(lines))
        self.note.setVisible(not lines)
        self._grid.show_lines(self._shown())
        self.filled.emit()

    def set_whole(self, is_whole: bool) -> None:
        """Show all columns, or without room for them those that change; all if none does."""
        if is_whole is not self._is_whole:
            self._is_whole = is_whole
            self._grid.show_lines(self._shown())
            self._grid.updateGeometry()  # who decides this asks for the height at once

    def controls(self) -> list[QWidget]:
        return [self.next_record]

    def texts(self) -> list[tuple[str, ...]]:
        """Return column, value and released value of the lines shown."""
        return self._grid.texts()

    @property
    def n_left_out(self) -> int:
        """Number of columns that are not shown."""
        return len(self._lines) - len(self._shown())

    def _shown(self) -> Sequence[tuple[Item, Item, Item]]:
        changed = () if self._is_whole else [line for line in self._lines if line[2].tone]
        return changed or self._lines


class AfterCell(Drawn, QWidget):
    """A released value; the tone of its item is the colour of how far it changed."""

    def __init__(self) -> None:
        super().__init__()
        self._item = Item()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_item(self, item: Item) -> None:
        self._item = item
        self.setAccessibleName(item.text)
        self.setToolTip(item.hint)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(scaled(90), scaled(LINE))

    def draw(self, painter: ThemedPainter) -> None:
        place = QRectF(self.rect()).adjusted(0, 1, 0, -1)
        if self._item.tone:
            painter.fill(place, self._item.tone, radius=3)
        use = Text.CELL_STRONG if self._item.tone else Text.CELL
        paint_text(painter, place.adjusted(6, 0, -4, 0), self._item.text, use)


_KEY = "explore.inspect.record"


class RecordPresenter(QObject):
    """Shows the same record of the selected node in several parts, which ask for others."""

    def __init__(self, state: ExploreState, *parts: RecordPart) -> None:
        super().__init__(parts[0])
        self._state, self._session, self._parts = state, state.session, parts
        self._runner = state.session.runner
        self._choice = RecordChoice()
        self._of_class: tuple[ClassTable, int] | None = None
        self._shown: object = None  # what the record shown was made of
        for part in parts:
            part.kind_chosen.connect(lambda kind: self._choose(RecordChoice(kind)))
            part.next_record.clicked.connect(self._on_next)

    def forget(self) -> None:
        """Discard everything shown before."""
        self._runner.cancel(_KEY)
        self._shown = self._of_class = None

    def show(self) -> None:
        """Show the record of the selected node, unless it is shown already."""
        session, problem, node = self._session, self._state.problem, self._state.selected
        project, requirement = session.project, session.shown.requirement
        if project is None or problem is None or node is None or requirement is None:
            return
        if session.shown.is_preview or not session.results.is_problem_current:
            return
        choice = self._choice
        if choice.kind == OF_CLASS:
            choice = replace(choice, of_class=self._of_class)
        wanted = (project, problem, node, requirement, choice)
        if self._shown is None or self._shown != wanted:
            self._shown = wanted
            self._runner.run(shown_record, *wanted, then=self._on_record, key=_KEY)

    def show_class(self, table: ClassTable, number: int) -> None:
        """Show records of another class."""
        self._of_class = table, number
        if self._choice.kind == OF_CLASS:
            self.show()

    def _choose(self, choice: RecordChoice) -> None:
        self._choice = choice
        for part in self._parts:
            part.show_kind(choice.kind)
        self.show()

    def _on_next(self) -> None:
        self._choose(replace(self._choice, place=self._choice.place + 1))

    def _on_record(self, record: ShownRecord | None) -> None:
        problem, node = self._state.problem, self._state.selected
        if problem is None or node is None:
            return
        title, lines = "", []
        if record is not None:
            title = f"{record_title(record, problem)} ›"
            lines = record_lines(record, problem, node, self._state.words)
        for part in self._parts:
            part.show_record(title, lines)


def record_title(record: ShownRecord, problem: Problem) -> str:
    """Return the number of a record, or how many records it stands for."""
    if record.n_alike:
        title = ngettext("{n} equal record", "{n} equal records", record.n_alike)
        return title.format(n=as_exact_count(record.n_alike))
    text = _("record {record} of {n}, suppressed") if record.is_suppressed else _("record {record} of {n}")
    return text.format(record=as_exact_count(record.number), n=as_exact_count(problem.n_records))


def record_lines(
    record: ShownRecord, problem: Problem, node: Node, words: LevelWords | None
) -> list[tuple[Item, Item, Item]]:
    """Return per column its name, value and released value in the colour of how far it changed."""
    lines = []
    for column, before, after in zip(record.columns, record.before, record.after, strict=True):
        q = problem.names.index(column) if column in problem.names else None
        tone = "" if q is None or after == before else _change(words, q, node[q])
        hint = "" if after == before else f"{column}: {before} → {after}"
        lines.append((Item(column), Item(before, hint), Item(after, hint, tone=tone)))
    return lines


def _change(words: LevelWords | None, column: int, level: int) -> str:
    """Return the colour of a changed cell: one step, further, or hidden."""
    if words is not None and words.is_hidden(column, level):
        return "change_3"
    return "change_1" if level == 1 else "change_2"
