"""Fills the records before and after: the node is applied in a task, and ten records of it are shown."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from anonymizer_gui.perspectives.explore.inspector.examples import (
    OF_CLASS,
    ExampleChoice,
    Examples,
    example_records,
)
from anonymizer_gui.perspectives.explore.inspector.examples_part import ExamplesPart
from anonymizer_gui.session import Session
from anonymizer_gui.tasks import Task, TaskRunner

if TYPE_CHECKING:
    from engine.lattice import Node
    from engine.privacy import Requirement
    from engine.project import Project
    from engine.scoring.class_table import ClassTable

_KEY = "examples"


class ExamplesPresenter(QObject):
    """Keeps the records that were asked for in step with the selected node."""

    error_raised = Signal(object)

    def __init__(
        self, session: Session, runner: TaskRunner, part: ExamplesPart, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._session, self._runner, self._part = session, runner, part
        self._choice = ExampleChoice()
        self._of_class: tuple[ClassTable, int] | None = None
        self._node: Node | None = None
        self._shown: tuple[Project, Node, Requirement, ExampleChoice] | None = None
        part.kind_chosen.connect(lambda kind: self._choose(replace(self._choice, kind=kind)))
        part.again_requested.connect(lambda: self._choose(replace(self._choice, seed=self._choice.seed + 1)))

    @property
    def is_settled(self) -> bool:
        """Whether the records belong to the present node."""
        return self._runner.running(_KEY) is None

    def forget(self) -> None:
        """Nothing shown before holds any more."""
        self._runner.cancel(_KEY)
        self._shown, self._node, self._of_class = None, None, None

    def show(self, node: Node) -> None:
        """Show records of a node, unless they are shown already."""
        self._node = node
        session = self._session
        project, problem, requirement = session.project, session.results.problem, session.requirement
        if project is None or problem is None or requirement is None or session.is_previewing:
            return
        if not session.results.is_problem_current:
            return
        choice = self._choice
        if choice.kind == OF_CLASS:
            choice = replace(choice, of_class=self._of_class)
        wanted = (project, node, requirement, choice)
        if self._shown is not None and self._shown[0] is project and self._shown[1:] == wanted[1:]:
            return
        self._shown = wanted
        self._part.show_examples(None)
        task = Task(example_records, project, problem, node, requirement, choice)
        task.succeeded.connect(self._on_found)
        task.failed.connect(self.error_raised)
        self._runner.start(task, key=_KEY)

    def show_class(self, table: ClassTable, number: int) -> None:
        """Another class is looked at."""
        self._of_class = table, number
        if self._choice.kind == OF_CLASS and self._node is not None:
            self.show(self._node)

    def _choose(self, choice: ExampleChoice) -> None:
        self._choice = choice
        self._part.show_choice(choice.kind, choice.seed)
        if self._node is not None:
            self.show(self._node)

    def _on_found(self, examples: Examples) -> None:
        self._part.show_examples(examples)
