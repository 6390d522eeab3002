"""Content, order and current record of both tables, which are not part of the project."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, Signal

from anonymizer_gui.models.node_name import own_name
from anonymizer_gui.models.records_model import find_next
from anonymizer_gui.models.sides import (
    AS_INPUT,
    BY_CLASS,
    Sides,
    order_of_sides,
    records_of_class,
    sides_of,
)
from anonymizer_gui.perspectives.utility.tables.panel import INPUT, TablesPanel
from anonymizer_gui.session.analyses import AnalysisDesk
from anonymizer_gui.session.words import recoding_title
from engine.kernels.arrays import Codes
from engine.numbers import as_exact_count
from engine.privacy.measured_text import limit_text
from engine.words import ngettext

DOT = " · "


class TablesPresenter(QObject):
    """Computes orders in tasks, because ten million records take noticeable time."""

    error_raised = Signal(object)  # exception
    shown = Signal()  # another comparison is visible

    def __init__(self, desk: AnalysisDesk, panel: TablesPanel) -> None:
        super().__init__(panel)
        self._desk, self._runner, self._panel = desk, desk.session.runner, panel
        self.sides: Sides | None = None  # comparison shown
        self._grouping = AS_INPUT
        self._sorted_by: tuple[str, str, bool] | None = None
        self._whole: Codes | None = None  # order of all records, while only a class is shown
        self._record: int | None = None
        self._only_class = False
        panel.record_chosen.connect(self._on_record_chosen)
        panel.sort_requested.connect(self._on_sort_requested)
        panel.find_requested.connect(self._on_find_requested)
        panel.class_requested.connect(self._on_class_requested)

    def show_subject(self) -> None:
        """Compare the current release with its input; the sort order is kept."""
        self.forget()
        subject = self._desk.subject
        if subject is not None:
            self._start("sides", sides_of, subject, then=self._on_sides, label=self.tr("Comparing"))

    def forget(self) -> None:
        """Show nothing."""
        for key in ("sides", "order", "find"):
            self._runner.cancel(f"utility.{key}")
        self.sides, self._record, self._whole, self._only_class = None, None, None, False
        self._panel.show_sides(None, None)
        self._panel.show_captions("", "")
        self._panel.show_class_button("")

    def show_record(self, record: int) -> None:
        """Scroll to a record; if only a class is shown, show all records first."""
        if self.sides is None:
            return
        self._record = record
        if self._only_class:
            self._show_order(self._whole)
        else:
            self._panel.go_to(record)
            self._show_words()

    def group(self, grouping: str) -> None:
        """Group the records of each class, or use the order of the input."""
        self._grouping = grouping
        self._update()

    # -------------------------------------------------------------------------------------------

    def _on_sides(self, sides: Sides) -> None:
        self.sides = sides
        names = sides.input.names
        if self._sorted_by is not None and self._sorted_by[1] not in names:
            self._sorted_by = None
        self._panel.show_sorted(self._sorted_by)
        self._panel.show_sides(sides, None)
        self._show_words()
        self.shown.emit()
        if self._grouping != AS_INPUT or self._sorted_by is not None:
            self._update()

    def _on_sort_requested(self, side: str, name: str) -> None:
        """Sort ascending, then descending, then in the original order."""
        before = self._sorted_by
        if before is None or before[:2] != (side, name):
            self._sorted_by = (side, name, False)
        else:
            self._sorted_by = (side, name, True) if not before[2] else None
        self._update()

    def _update(self) -> None:
        sides = self.sides
        if sides is None:
            return
        if self._grouping == AS_INPUT and self._sorted_by is None:
            self._runner.cancel("utility.order")
            self._show_order(None)
            return
        label = self.tr("Sorting the records")
        self._start("order", order_of_sides, sides, self._grouping, self._sorted_by, then=self._show_order,
                    label=label)  # fmt: skip

    def _show_order(self, order: Codes | None) -> None:
        self._whole, self._only_class = order, False
        self._panel.show_sorted(self._sorted_by)
        self._panel.show_order(order, is_grouped=self._grouping == BY_CLASS and self._sorted_by is None)
        if self._record is not None:
            self._panel.go_to(self._record)
        self._show_words()

    def _on_record_chosen(self, record: int) -> None:
        if record != self._record and self.sides is not None:
            self._record = record
            self._panel.mark(record)
            self._show_words()

    def _on_class_requested(self) -> None:
        if self.sides is None or self._record is None:
            return
        if self._only_class:
            self._show_order(self._whole)
            return
        label = self.tr("Finding the class")
        self._start("order", records_of_class, self.sides, self._record, then=self._show_class, label=label)

    def _show_class(self, records: Codes) -> None:
        self._only_class = True
        self._panel.show_sorted(None)
        self._panel.show_order(records)
        if self._record is not None:
            self._panel.go_to(self._record)
        self._show_words()

    def _on_find_requested(self, text: str, is_backwards: bool) -> None:
        sides = self.sides
        if sides is None:
            return
        model = self._panel.input.side
        order = model.order
        n_columns = len(sides.input.columns)
        row = -1 if self._record is None else model.row_of(self._record)
        after = (-1, -1) if row is None or row < 0 else (row, 2 * n_columns if not is_backwards else 0)

        def show(cell: tuple[int, int] | None) -> None:
            self._panel.show_not_found(cell is None)
            if cell is not None and model.order is order:
                self._record = model.record_of(cell[0])
                self._panel.go_to(self._record, cell[1] % n_columns)
                self._show_words()

        self._start("find", find_next, sides.both, text, after, order, backwards=is_backwards, then=show)

    def _show_words(self) -> None:
        sides = self.sides
        if sides is None:
            return
        n_records = as_exact_count(sides.input.n_records)
        words = [self.tr("{n_records} records").format(n_records=n_records)]
        if self._only_class:
            n_shown = as_exact_count(self._panel.input.side.n_shown)
            words = [
                self.tr("{n_shown} of {n_records} records: one class").format(
                    n_shown=n_shown, n_records=n_records
                )
            ]
        elif self._sorted_by is not None:
            side = self.tr("input") if self._sorted_by[0] == INPUT else self.tr("release")
            words.append(
                self.tr("sorted by {sorted_by} of the {side}").format(sorted_by=self._sorted_by[1], side=side)
            )
        self._panel.show_captions(DOT.join(words), self._record_words(sides))
        if self._record is None:
            self._panel.show_class_button("")
        else:
            text = self.tr("Show all records") if self._only_class else self.tr("Show its class")
            self._panel.show_class_button(text)

    def _record_words(self, sides: Sides) -> str:
        """Return the description of the current record."""
        if self._record is None:
            return self._made_with()
        number = as_exact_count(self._record + 1)
        size, people = as_exact_count(sides.size_of(self._record)), sides.people_of(self._record)
        if people != sides.size_of(self._record):
            words = ngettext("{size} records of {people} person", "{size} records of {people} people", people)
            size = words.format(size=size, people=as_exact_count(people))
        if sides.is_suppressed(self._record):
            return self.tr("record {number} is suppressed, its class had {size}").format(
                number=number, size=size
            )
        return self.tr("record {number} is in a class of {size}").format(number=number, size=size)

    def _made_with(self) -> str:
        """Return node and requirement of the release, independent of later settings."""
        subject = self._desk.subject
        if subject is None:
            return ""
        release = subject.release
        node = "" if release.node is None else own_name(release.node, release.problem)
        title = recoding_title(release)
        models = ", ".join(f"{m.symbol} = {limit_text(m)}" for m in release.requirement.models)
        return self.tr("made with {listed}").format(listed=DOT.join(filter(None, (models, title, node))))

    def _start(
        self, key: str, function: Callable[..., Any], *args: Any, then: Callable[[Any], None],
        label: str = "", **named: Any
    ) -> None:  # fmt: skip
        sides = self.sides

        def take(result: Any) -> None:
            if self.sides is sides:
                then(result)

        key = f"utility.{key}"
        self._runner.run(
            function, *args, then=take, otherwise=self.error_raised.emit, key=key, label=label, **named
        )
