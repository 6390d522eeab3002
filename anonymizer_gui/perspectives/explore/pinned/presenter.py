"""Pins nodes, edits their notes, restores applied releases, and requests comparisons."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from anonymizer_gui.models.node_name import NamedNode, named_in
from anonymizer_gui.perspectives.explore.explore_state import ExploreState
from anonymizer_gui.perspectives.explore.pinned.panel import PinnedPanel
from anonymizer_gui.perspectives.explore.pinned.rows import (
    Entry,
    choice_name,
    entries_of,
    headings,
    row_of,
    settings_words,
)
from engine.project import Project, edits
from engine.project.pins_and_runs import Choice, Pin, Run, SpentBudget

if TYPE_CHECKING:
    from PySide6.QtWidgets import QPushButton

    from engine.lattice import Node


class PinnedPresenter(QObject):
    """Presenter of the card, and of the pin button in the inspector."""

    compare_requested = Signal(object, object)  # two Choices
    kept_requested = Signal(object, object, object)  # two Runs, and why each cannot be re-applied
    page_requested = Signal()  # show the card
    release_requested = Signal(object)  # node, or None for the current settings

    def __init__(self, state: ExploreState, panel: PinnedPanel, pin: QPushButton) -> None:
        super().__init__(panel)
        self._runner = state.session.runner
        self._session, self._state, self._panel, self._pin = state.session, state, panel, pin
        self._entries: tuple[Entry, ...] = ()
        for signal in (
            state.session.remembered.pins_changed,
            state.session.remembered.runs_changed,
            state.session.results.problem_changed,
        ):
            signal.connect(self._show)
        state.settled.connect(self._show)  # the optimum may be another node
        state.scores_rested.connect(state.in_turn(self._show_wishes))
        for signal in (
            state.marks_changed,
            state.session.parts.requirement_changed,
            state.session.parts.search_changed,
        ):
            signal.connect(self._show_wishes)
        pin.clicked.connect(self._on_pin_clicked)
        panel.pin_requested.connect(lambda: self._add_pin(self._now()))
        panel.lines_chosen.connect(self._on_lines_chosen)
        panel.note_changed.connect(self._on_note_changed)
        panel.name_changed.connect(self._on_name_changed)
        panel.keep_requested.connect(self._on_keep_requested)
        panel.back_requested.connect(self._on_back_requested)
        panel.show_requested.connect(self._on_show_requested)
        panel.adopt_requested.connect(self._on_adopt_requested)
        panel.remove_requested.connect(self._on_remove_requested)
        panel.compare_requested.connect(self._on_compare_requested)
        self._show()

    # -- display -------------------------------------------------------------------------------

    def _show(self, *_: object) -> None:
        self._entries = entries_of(self._session.remembered.pins, self._session.remembered.runs)
        rows = [
            row_of(entry, self._why_not(entry), self._named(entry), self._figures(entry.choice))
            for entry in self._entries
        ]
        self._panel.show_lines(headings(), rows)
        self._panel.set_caption(SpentBudget.of(self._session.remembered.runs).words())
        self._show_wishes()

    def _named(self, entry: Entry) -> NamedNode | None:
        """Return name and levels of an entry, if its columns are those of the present lattice."""
        problem, choice = self._session.results.problem, entry.choice
        if problem is None or tuple(choice.columns) != tuple(problem.names):
            return None
        return named_in(choice.node, self._session.results)

    def _figures(self, choice: Choice) -> dict[str, float] | None:
        """Return metric and suppressed records of a node, if it is scored with the settings of its choice."""
        scores, evaluation = self._state.scores, self._state.evaluation
        if scores is None or evaluation is None or choice.node is None or self._choice(choice.node) != choice:
            return None
        number = scores.scored_number(choice.node)
        if number is None or evaluation.requirement != choice.requirement:
            return None
        return {choice.metric: float(scores.values[number]), "suppressed": int(scores.suppressed[number])}

    def _why_not(self, entry: Entry) -> str:
        from engine.project.node_comparison import why_not_comparable

        problem = self._session.results.problem
        if problem is None:
            return self.tr("The columns currently have no roles or hierarchies.")
        return why_not_comparable(problem, entry.choice)

    def _on_lines_chosen(self) -> None:
        lines = self._panel.chosen()
        single = self._entries[lines[0]] if len(lines) == 1 and lines[0] < len(self._entries) else None
        run = single if isinstance(single, Run) else None
        self._panel.show_words(
            run.name if run is not None else "",
            single.note if single is not None else "",
            is_kept=run is not None and run.is_pinned,
        )
        self._show_wishes()

    def _show_wishes(self, *_: object) -> None:
        here = self._now()
        is_pinned = here is not None and self._pin_at(here) is not None
        self._pin.setEnabled(here is not None)
        self._pin.setChecked(is_pinned)
        words = self.tr("Unpin this node") if is_pinned else self.tr("Pin this node")
        self._pin.setToolTip(f"{words} (Ctrl+D)")
        self._pin.setAccessibleName(words)
        self._panel.pin_button.setEnabled(here is not None and not is_pinned)
        chosen = [self._entries[line] for line in self._panel.chosen() if line < len(self._entries)]
        is_single = len(chosen) == 1
        one = "" if is_single else self.tr("Select one line")
        why_not = one or self._why_not(chosen[0])
        run = chosen[0] if is_single and isinstance(chosen[0], Run) else None
        no_run = one or ("" if run is not None else self.tr("Only applied releases have names"))
        not_kept = "" if run is not None and run.settings else self.tr("Its settings are incomplete")
        pair, compared = self._pair(chosen)
        kept = self._kept_pair(chosen)
        reasons = {
            "show": why_not,
            "adopt": why_not,
            "compare": "" if pair is not None or kept is not None else compared,
            "remove": one,
            "keep": no_run,
            "back": one or no_run or not_kept,
        }
        kept_words = self.tr("Compare the values of both")
        self._panel.show_reasons(reasons, compared if kept is None else kept_words)

    def _pair(self, chosen: list[Entry]) -> tuple[tuple[Choice, Choice] | None, str]:
        """Return the nodes to compare and a description; None with a reason if it is impossible."""
        if len(chosen) > 2:
            return None, self.tr("Select two lines, or one to compare with the selected node")
        choices = [entry.choice for entry in chosen]
        if why_not := next((why for entry in chosen if (why := self._why_not(entry))), ""):
            return None, why_not
        others = [choice for choice in (self._now(), self._optimum()) if choice not in (None, *choices)]
        choices += [choice for choice in others if choice is not None][: 2 - len(choices)]
        if len(choices) < 2:
            return None, self.tr("Select two lines, or one line and a node to compare with")
        first, second = choices
        text = self.tr("Compare {one} ({settings}) with {other} ({other_settings})")
        return (first, second), text.format(
            one=choice_name(first),
            settings=settings_words(first.requirement),
            other=choice_name(second),
            other_settings=settings_words(second.requirement),
        )

    def _kept_pair(self, chosen: list[Entry]) -> tuple[Run, Run, tuple[str, str]] | None:
        """Return two releases with stored values only, because one cannot be re-applied."""
        runs = [entry for entry in chosen if isinstance(entry, Run)]
        if len(chosen) != 2 or len(runs) != 2:
            return None
        why_not = (self._why_not(runs[0]), self._why_not(runs[1]))
        return (runs[0], runs[1], why_not) if any(why_not) else None

    def _now(self) -> Choice | None:
        """Return the selected node with the current settings."""
        return self._choice(self._state.selected)

    def _optimum(self) -> Choice | None:
        return self._choice(self._session.results.optimum)

    def _choice(self, node: Node | None) -> Choice | None:
        problem, project = self._session.results.problem, self._session.project
        if node is None or problem is None or project is None:
            return None
        return Choice(problem.names, node, project.requirement, project.search.metric)

    def _pin_at(self, choice: Choice) -> int | None:
        """Return the index of the pin of a choice; the metric is not compared."""
        alike = (replace(pin.choice, metric=choice.metric) == choice for pin in self._session.remembered.pins)
        return next((number for number, same in enumerate(alike) if same), None)

    # -- actions -------------------------------------------------------------------------------

    def is_pinned(self, node: Node) -> bool:
        """Return whether a node is pinned with the current settings."""
        choice = self._choice(node)
        return choice is not None and self._pin_at(choice) is not None

    def toggle(self, node: Node) -> None:
        """Pin a node with the current settings, or unpin it."""
        choice = self._choice(node)
        number = None if choice is None else self._pin_at(choice)
        if number is None:
            self._add_pin(choice)
        else:
            self._remove_pin(number)

    def compare(self, one: Node, other: Node) -> None:
        """Request the comparison of two nodes with the current settings."""
        self.compare_requested.emit(self._choice(one), self._choice(other))

    def _on_pin_clicked(self) -> None:
        if (node := self._state.selected) is not None:
            self.toggle(node)

    def _add_pin(self, here: Choice | None) -> None:
        if here is None or self._pin_at(here) is not None:
            return
        pins = self._session.remembered.pins
        self._session.remembered.edit_pins(
            self.tr("Pinned: {here}").format(here=choice_name(here)), (*pins, Pin(here)), here
        )
        self.page_requested.emit()
        self._panel.choose(len(pins))

    def _remove_pin(self, number: int) -> None:
        pins = self._session.remembered.pins
        choice = pins[number].choice
        text = self.tr("Unpinned: {choice}").format(choice=choice_name(choice))
        self._session.remembered.edit_pins(text, (*pins[:number], *pins[number + 1 :]), choice)

    def _on_remove_requested(self, line: int) -> None:
        number = self._pin_number(line)
        if number is not None:
            self._remove_pin(number)
            return
        at, runs = self._run_number(line), self._session.remembered.runs
        text = self.tr("Remove the release of {choice}").format(choice=choice_name(runs[at].choice))
        self._session.remembered.edit_runs(text, (*runs[:at], *runs[at + 1 :]), runs[at].choice)

    def _on_note_changed(self, line: int, note: str) -> None:
        entry = self._entries[line]
        if note == entry.note:
            return
        number = self._pin_number(line)
        if number is not None:
            pins = self._session.remembered.pins
            text = self.tr("Note on {choice}").format(choice=choice_name(entry.choice))
            self._session.remembered.edit_pins(
                text, (*pins[:number], replace(pins[number], note=note), *pins[number + 1 :]), entry.choice
            )
            return
        self._change_run(
            line, self.tr("Note on {choice}").format(choice=choice_name(entry.choice)), note=note
        )

    def _on_name_changed(self, line: int, name: str) -> None:
        entry = self._entries[line]
        if isinstance(entry, Run) and name.strip() != entry.name:
            self._change_run(
                line, self.tr("Name {choice}").format(choice=choice_name(entry.choice)), name=name.strip()
            )

    def _on_keep_requested(self, line: int) -> None:
        entry = self._entries[line]
        if isinstance(entry, Run):
            words = (
                self.tr("Release {name} from the top")
                if entry.is_pinned
                else self.tr("Keep {name} at the top")
            )
            text = words.format(name=entry.name or choice_name(entry.choice))
            self._change_run(line, text, is_pinned=not entry.is_pinned)

    def _change_run(self, line: int, text: str, **changes: Any) -> None:
        """Edit a release of the history; its line stays chosen if it moves."""
        at, runs = self._run_number(line), self._session.remembered.runs
        changed = replace(runs[at], **changes)
        self._session.remembered.edit_runs(text, (*runs[:at], changed, *runs[at + 1 :]), changed.choice)
        self._panel.choose(next(place for place, entry in enumerate(self._entries) if entry is changed))

    def _on_back_requested(self, line: int) -> None:
        """Restore all settings of a release as one undo step, and apply it again."""
        from engine.project.run_settings import with_settings

        project, run = self._session.project, self._entries[line]
        if project is None or not isinstance(run, Run):
            return
        label = self.tr("Restoring a release")
        self._runner.run(
            with_settings,
            project,
            run.settings,
            then=lambda after: self._on_gone_back(project, after, run),
            label=label,
            key="go back",
        )

    def _on_gone_back(self, before: Project, after: Project, run: Run) -> None:
        if self._session.project is not before:
            return  # edited meanwhile: the request no longer matches the project
        text = self.tr("Restore {name}").format(name=run.name or choice_name(run.choice))
        self._session.edit(text, after, run.choice)
        self.release_requested.emit(run.node)

    def _on_show_requested(self, line: int) -> None:
        entry = self._entries[line]
        if not self._why_not(entry):
            self._session.selection.select(entry.node)

    def _on_adopt_requested(self, line: int) -> None:
        self.adopt(self._entries[line].choice)

    def adopt(self, choice: Choice) -> None:
        """Use the settings of a choice as one undo step, and select its node."""
        project = self._session.project
        if project is None:
            return
        after = replace(project, requirement=choice.requirement)
        if choice.metric != project.search.metric:
            after = edits.set_metric(after, choice.metric)
        text = self.tr("Use {requirement}").format(requirement=settings_words(choice.requirement))
        self._session.edit(text, after, choice)
        self._session.selection.select(choice.node)

    def _on_compare_requested(self) -> None:
        chosen = [self._entries[line] for line in self._panel.chosen()]
        if (kept := self._kept_pair(chosen)) is not None:
            self.kept_requested.emit(*kept)
            return
        pair, _ = self._pair(chosen)
        if pair is not None:
            self.compare_requested.emit(*pair)

    def _pin_number(self, line: int) -> int | None:
        return line if isinstance(self._entries[line], Pin) else None

    def _run_number(self, line: int) -> int:
        """Return the index of a line among the releases."""
        wanted = self._entries[line]
        return next(number for number, run in enumerate(self._session.remembered.runs) if run is wanted)
