"""Computes comparisons in a task and shows them; later changes do not affect them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from anonymizer_gui.models.node_name import LevelWords, named_node
from anonymizer_gui.perspectives.explore.inspector.values import class_shares, sizes_of
from anonymizer_gui.perspectives.explore.inspector.why_part import class_size
from anonymizer_gui.perspectives.explore.pinned.compare_dialog import (
    CompareDialog,
    SideCharts,
    SideHead,
)
from anonymizer_gui.perspectives.explore.pinned.compare_rows import (
    differing_words,
    figure_headings,
    figure_rows,
    kept_rows,
    record_headings,
    record_rows,
)
from anonymizer_gui.perspectives.explore.pinned.rows import choice_name, settings_words
from anonymizer_gui.session import Session
from anonymizer_gui.tasks import Task, TaskRunner
from anonymizer_gui.widgets.texts_table import Cell, Heading
from engine.monitor import SILENT, Monitor
from engine.numbers import as_decimal
from engine.project.pins_and_runs import Choice, Run
from engine.words import _

if TYPE_CHECKING:
    from engine.frequency import Problem
    from engine.lattice import Node
    from engine.project import Project
    from engine.project.node_comparison import Side
    from engine.scoring.scored import Profile


class _Comparison(NamedTuple):
    """Comparison with its texts."""

    heads: tuple[SideHead, SideHead]
    figures: tuple[list[Heading], list[list[Cell]]]
    charts: tuple[SideCharts, SideCharts]
    records: tuple[str, list[Heading], list[list[Cell]]]


class ComparePresenter(QObject):
    """Presenter of the side sheet, for at most one comparison."""

    adopt_requested = Signal(object)  # Choice
    error_raised = Signal(object)

    def __init__(self, session: Session, runner: TaskRunner, window: QWidget, parent: QObject) -> None:
        super().__init__(parent)
        self._session, self._runner, self._window = session, runner, window
        self.dialog: CompareDialog | None = None  # dialog, while it is open
        self._sides: tuple[Choice, Choice] | None = None
        # Comparisons depend on the current hierarchies and roles.
        session.results.problem_changed.connect(lambda *_unused: self._close())

    def compare(self, left: Choice, right: Choice) -> None:
        """Compare two choices; the sheet opens when the comparison is computed."""
        project, profile = self._session.project, self._session.results.profile
        if project is None or profile is None:
            return
        task = Task(_compare, project, profile, left, right, self._session.results.optimum)
        task.succeeded.connect(lambda compared: self._show((left, right), compared))
        task.failed.connect(self.error_raised)
        self._runner.start(task, label=self.tr("Comparing two nodes"), key="compare")

    def compare_kept(self, left: Run, right: Run, why_not: tuple[str, str]) -> None:
        """Compare the stored values of two releases, if one of them cannot be re-applied."""
        self._runner.cancel("compare")
        dialog = self._shown_dialog((left.choice, right.choice))
        dialog.show_heads(
            [
                SideHead(
                    run.name or choice_name(run.choice), settings_words(run.choice.requirement), None, why
                )
                for run, why in zip((left, right), why_not, strict=True)
            ]
        )
        dialog.show_figures(figure_headings(), kept_rows(left, right))
        dialog.show_only_figures(next(filter(None, why_not), ""))
        self._raise(dialog)

    def _show(self, sides: tuple[Choice, Choice], compared: _Comparison) -> None:
        dialog = self._shown_dialog(sides)
        dialog.show_heads(compared.heads)
        dialog.show_figures(*compared.figures)
        dialog.show_charts(compared.charts)
        dialog.show_records(*compared.records)
        dialog.show_only_figures("")
        self._raise(dialog)

    def _shown_dialog(self, sides: tuple[Choice, Choice]) -> CompareDialog:
        if self.dialog is None:
            self.dialog = CompareDialog(self._window)
            self.dialog.adopt_requested.connect(self._on_adopt_requested)
            self.dialog.finished.connect(lambda _result: self._close())
        self._sides = sides
        return self.dialog

    def _raise(self, dialog: CompareDialog) -> None:
        dialog.show()
        dialog.raise_()
        dialog.pages.setFocus()

    def _on_adopt_requested(self, side: int) -> None:
        if self._sides is not None:
            self.adopt_requested.emit(self._sides[side])

    def _close(self) -> None:
        self._runner.cancel("compare")
        dialog, self.dialog, self._sides = self.dialog, None, None
        if dialog is not None:
            dialog.close()
            dialog.deleteLater()


def _compare(
    project: Project,
    profile: Profile,
    left: Choice,
    right: Choice,
    optimum: Node | None,
    monitor: Monitor = SILENT,
) -> _Comparison:
    from engine.project.node_comparison import compare_nodes

    found = compare_nodes(project, profile, left, right, monitor)
    columns = found.left.choice.columns
    return _Comparison(
        (
            _head(found.left, found.right, profile.problem, optimum),
            _head(found.right, found.left, profile.problem, optimum),
        ),
        (figure_headings(), figure_rows(found, LevelWords(profile.problem))),
        (_charts(found.left), _charts(found.right)),
        (differing_words(found), record_headings(columns), record_rows(found, project)),
    )


def _head(side: Side, other: Side, problem: Problem, optimum: Node | None) -> SideHead:
    """Name a side by its distance to the optimum; its glyph marks the columns that differ from the other."""
    named = named_node(side.node, problem, optimum)
    return SideHead(
        named.name,
        settings_words(side.choice.requirement),
        side.report.satisfies,
        glyph=named_node(side.node, problem, other.node).glyph,
        details=named.details,
    )


def _charts(side: Side) -> SideCharts:
    shown = []
    for found in side.report.furthest:
        size = class_size(side.report.table, found.number, found.n_records)
        caption = _("{size}, t\u00a0=\u00a0{distance}").format(
            size=size, distance=as_decimal(found.distance, 3)
        )
        shown.append((found.column, class_shares(found, caption)))
    return SideCharts(sizes_of(side.report, side.choice.requirement.k), tuple(shown))
