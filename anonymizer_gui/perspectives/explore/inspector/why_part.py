"""Inspector part that explains suppression: conditions, worst classes, and the best neighbour."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QRectF, Signal
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QAbstractButton

from anonymizer_gui.perspectives.explore.inspector.line_grid import LineGrid
from anonymizer_gui.perspectives.explore.inspector.parts import LineButton, StepButton
from anonymizer_gui.perspectives.explore.inspector.section import LazyContent
from anonymizer_gui.perspectives.explore.inspector.values import Step, allowed_words, attacker_words
from anonymizer_gui.theming import Text, font, paint_text
from anonymizer_gui.theming.painter import ThemedPainter
from anonymizer_gui.widgets.labels import make_label
from anonymizer_gui.widgets.layouts import named, vbox
from engine.advice.nearest import limit_above
from engine.frequency.counted import RECORDS, Noun
from engine.numbers import as_classes, as_exact_count, as_percent
from engine.privacy.measured_text import figure_text, limit_text
from engine.words import _, ngettext

if TYPE_CHECKING:
    from engine.scoring.nodes.class_table import ClassTable
    from engine.scoring.nodes.inspection import ModelReport, NodeReport


class FailingClass(NamedTuple):
    """One class in a line: its name, its failed condition, and its labels."""

    number: int
    name: str
    fault: str
    detail: str


class ClassButton(LineButton):
    """One class in a line: its name and its failed condition; a click lists its records."""

    class_requested = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.row: FailingClass | None = None
        self.clicked.connect(self._on_clicked)

    def show_item(self, row: FailingClass) -> None:
        """Show another class."""
        self.row = row
        self.setText(f"{row.name}: {row.fault}")
        self.setAccessibleName(self.text())
        self.setToolTip(f"{row.detail}\n{row.fault}\n{self.text()}")
        self.update()

    def draw(self, painter: ThemedPainter) -> None:
        row = self.row
        if row is None:
            return
        self.draw_ground(painter)
        rect = QRectF(self.rect())
        fault = min(QFontMetrics(font(Text.CELL)).horizontalAdvance(row.fault) + 2.0, rect.width() * 0.6)
        place = QRectF(rect.right() - fault - 2, 0, fault, rect.height())
        paint_text(painter, place, row.fault, Text.CELL, "text_2", is_right=True)
        paint_text(painter, QRectF(2, 0, rect.width() - fault - 12, rect.height()), row.name, Text.CELL)

    def _on_clicked(self) -> None:
        if self.row is not None:
            self.class_requested.emit(self.row.number)


class WhyPart(LazyContent):
    """Sentences, the worst classes by name, and the neighbour that helps."""

    class_requested = Signal(int)
    node_requested = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.sentence = named(make_label("", Text.CELL, wraps=True), "whySentence")
        self._worst = make_label(self.tr("The worst classes"), Text.CAPTION, "text_3")
        self._help = make_label("", Text.CAPTION, "text_3", wraps=True)
        self.step = StepButton()
        self.step.node_requested.connect(self.node_requested)
        self.classes = LineGrid(self._class_button, stretched=0, spacing=(0, 0))
        self.classes.lines_added.connect(self.controls_added)
        vbox(self.sentence, self._worst, self.classes, self._help, self.step, spacing=2, margins=0, of=self)
        self.show_reasons("", (), "", None)

    def show_reasons(
        self, sentence: str, classes: Sequence[FailingClass], help_text: str, step: Step | None
    ) -> None:
        """Show why records are suppressed, the worst classes, and the neighbour that helps most."""
        self.sentence.setText(sentence)
        self.sentence.setVisible(bool(sentence))
        self._worst.setVisible(bool(classes))
        self.classes.setVisible(bool(classes))
        self.classes.show_lines([(found,) for found in classes])
        self._help.setText(help_text)
        self._help.setVisible(bool(help_text))
        self.step.setVisible(step is not None)
        if step is not None:
            self.step.show_item(step)
            self.step.setObjectName("whyStep")

    def controls(self) -> list[QAbstractButton]:
        return [*self.classes.widgets(), self.step]

    def _class_button(self) -> ClassButton:
        button = ClassButton()
        button.class_requested.connect(self.class_requested)
        return button


MOST_CLASSES = 4
HIDDEN = "*"


def why_sentence(report: NodeReport) -> str:
    """Return how many records are suppressed, the limit, and the share of every condition."""
    table = report.table
    n_records, n_gone = table.problem.n_records, int((~report.fulfilled).sum())
    if not report.suppressed:
        n = table.n_classes
        lines = [
            ngettext(
                "No record is suppressed: {n} class meets the requirement.",
                "No record is suppressed: {n} classes meet the requirement.",
                n,
            ).format(n=as_exact_count(n))
        ]
    else:
        lines = [
            _("{suppressed} of {n_records} records, in {n_gone}, are suppressed; {allows}.").format(
                suppressed=as_exact_count(report.suppressed),
                n_records=as_exact_count(n_records),
                n_gone=as_classes(n_gone),
                allows=allowed_words(report.losses),
            )
        ]
    for number, model in enumerate(report.models):
        if model.records_missing_first:
            n_classes = int((table.missed_first == number).sum())
            lines.append(
                _("{model}: {records_missing_first} records in {n_classes}.").format(
                    model=_condition(report, number),
                    records_missing_first=as_exact_count(model.records_missing_first),
                    n_classes=as_classes(n_classes),
                )
            )
        if not model.holds:
            lines.append(
                _("The kept records do not meet {model}.").format(model=_asked(model, table.problem.counted))
            )
    if (group := report.table.group) is not None:
        held = _("Together they meet the requirement as one class (k = {k}).")
        missed = _("Together they do not meet the requirement as one class (k = {k}).")
        lines.append((held if group.held else missed).format(k=as_exact_count(group.k)))
    if n := report.after_others:
        follow = ngettext("{n} record follows: {reason}.", "{n} records follow: {reason}.", n)
        reason = _("of people suppressed elsewhere, or of classes that became smaller")
        lines.append(follow.format(n=as_exact_count(n), reason=reason))
    return "\n".join(lines)


def worst_classes(report: NodeReport) -> list[FailingClass]:
    """Return the classes furthest from the requirement, for each failed condition in turn."""
    table = report.table
    by_model = [
        table.missing(number, MOST_CLASSES).tolist() if model.records_missing_first else []
        for number, model in enumerate(report.models)
    ]
    rows = []
    for place in range(MOST_CLASSES):
        for number, classes in enumerate(by_model):
            if place < len(classes):
                rows.append(_failing(table, classes[place], number))
    return rows[:MOST_CLASSES]


def helpful_step(report: NodeReport, steps: Sequence[Step]) -> tuple[str, Step | None]:
    """Return the neighbour that helps most, with a lead-in text; None if none helps."""
    scored = [step for step in steps if step.n_suppressed is not None]
    fewest = min(scored, key=lambda step: (step.n_suppressed, step.difference), default=None)
    if report.satisfies:
        if fewest is None or fewest.n_suppressed is None or fewest.n_suppressed >= report.suppressed:
            return "", None
        return _("Step that suppresses the fewest records:"), fewest
    helping = [step for step in scored if step.satisfies]
    limit = ""
    if all(model.holds for model in report.models):
        enough = limit_above(report.losses.count, report.losses.total)
        limit = _(" A suppression limit of {enough} would also be enough.").format(enough=as_percent(enough))
    if helping:
        least = min(helping, key=lambda step: (step.difference, step.n_suppressed))
        return _("Smallest change that helps:{limit}").format(limit=limit), least
    if fewest is None or fewest.n_suppressed is None or fewest.n_suppressed >= report.suppressed:
        return _("No single step helps.{limit}").format(limit=limit), None
    return _("No single step satisfies; this one comes closest.{limit}").format(limit=limit), fewest


def class_name(table: ClassTable, number: int) -> str:
    """Return a class by its labels that are not hidden."""
    shown = [label for label in table.labels(number) if label != HIDDEN]
    return ", ".join(label or _("(missing)") for label in shown) or _("all values hidden")


def class_size(table: ClassTable, number: int, n_records: int) -> str:
    """Return the records of a class or of a part of it, and its people if they are counted."""
    text = ngettext("{n} record", "{n} records", n_records).format(n=as_exact_count(n_records))
    if table.problem.counted is RECORDS:
        return text
    people = int(table.sizes[number])
    return ngettext("{records} of {n} person", "{records} of {n} people", people).format(
        records=text, n=as_exact_count(people)
    )


def class_detail(table: ClassTable, number: int) -> str:
    """Return a line per attribute of a class."""
    named, missing = zip(table.problem.names, table.labels(number), strict=True), _("(missing)")
    return "\n".join(f"{name}: {label or missing}" for name, label in named)


def _failing(table: ClassTable, number: int, model: int) -> FailingClass:
    member = table.requirement.models[model]
    fault = class_size(table, number, int(table.n_records[number]))
    if member.columns or member.is_of_attackers:
        measured = table.measured(model)[number].item()
        fault += f", {member.symbol} = {figure_text(type(member), measured, 3)}"
    return FailingClass(number, class_name(table, number), fault, class_detail(table, number))


def _condition(report: NodeReport, number: int) -> str:
    model = report.models[number].model
    is_least = model.relation.name == "AT_LEAST"
    fault = _("{symbol} below {limit}") if is_least else _("{symbol} over {limit}")
    about = attacker_words(report, number) if model.is_of_attackers else ", ".join(model.columns)
    of = f" ({about})" if about else ""
    return fault.format(symbol=model.symbol, limit=limit_text(model)) + of


def _asked(report: ModelReport, counted: Noun) -> str:
    model = report.model
    asked = f"{counted.worded(model, 'title')}, {model.relation.value} {limit_text(model)}"
    if report.worst_kept is None:
        return asked
    return _("{asked}: it is {kind}").format(asked=asked, kind=figure_text(type(model), report.worst_kept, 3))
