"""Creates the presenters of Explore's parts and their common state."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Signal

from anonymizer_gui.perspectives.explore.explore_state import ExploreState
from anonymizer_gui.perspectives.explore.inspector.presenter import InspectorPresenter
from anonymizer_gui.perspectives.explore.inspector.suppression_presenter import SuppressionPresenter
from anonymizer_gui.perspectives.explore.knobs.presenter import KnobPresenter
from anonymizer_gui.perspectives.explore.lattice.find_presenter import FindPresenter
from anonymizer_gui.perspectives.explore.lattice.presenter import LatticePresenter
from anonymizer_gui.perspectives.explore.lattice.state_presenter import StatePresenter
from anonymizer_gui.perspectives.explore.listing.presenter import ListPresenter
from anonymizer_gui.perspectives.explore.map.presenter import MapPresenter
from anonymizer_gui.perspectives.explore.node_menu import NodeMenu
from anonymizer_gui.perspectives.explore.node_scores import NodeScores
from anonymizer_gui.perspectives.explore.pinned.compare_presenter import ComparePresenter
from anonymizer_gui.perspectives.explore.pinned.presenter import PinnedPresenter
from anonymizer_gui.perspectives.explore.sweep.presenter import SweepPresenter
from anonymizer_gui.perspectives.explore.view import ExplorePerspective
from anonymizer_gui.perspectives.explore.walk.presenter import WalkPresenter
from anonymizer_gui.session import Session
from anonymizer_gui.tasks import TaskRunner
from anonymizer_gui.widgets.made_ahead import MadeAhead
from engine.numbers import as_exact_count


class ExplorePresenter(QObject):
    """Presenter of the perspective; the session has the data."""

    perspective_requested = Signal(str)
    apply_requested = Signal(object)  # node; by a key or a double click, so a failing one is asked about
    apply_anyway_requested = Signal(object)  # node, whose status is shown beside the button
    release_requested = Signal(object)  # node, or None for the result of the settings
    improve_requested = Signal()
    search_requested = Signal()
    error_raised = Signal(object)  # exception

    def __init__(
        self,
        session: Session,
        runner: TaskRunner,
        parent: QObject | None = None,
        ahead: MadeAhead | None = None,
    ) -> None:
        super().__init__(parent)
        self._session = session
        self.view = view = ExplorePerspective(ahead=ahead)
        self.state = state = ExploreState(session, runner, self)
        state.forgotten.connect(self._on_forgotten)
        state.nodes_placed.connect(self._on_nodes_placed)
        state.scores_changed.connect(self._show_count)
        state.error_raised.connect(self.error_raised)
        self._lattice = LatticePresenter(session, state, view.lattice, self)
        self._map = MapPresenter(session, runner, state, view.map, self)
        self._map.error_raised.connect(self.error_raised)
        self._find = FindPresenter(session, state, view.lattice, self)
        self._find.error_raised.connect(self.error_raised)
        self._list = ListPresenter(session, runner, state, view.list, self)
        self._inspector = InspectorPresenter(session, runner, state, view.inspector, self)
        self._knobs = KnobPresenter(session, runner, state, view.knobs, self)
        self._note = StatePresenter(session, runner, state, view.lattice.note, self)
        self._note.error_raised.connect(self.error_raised)
        self._note.configure_requested.connect(view.configure_requested)
        self._sweep = SweepPresenter(session, runner, state, view.sweep, self)
        self._sweep.error_raised.connect(self.error_raised)
        self._suppression = SuppressionPresenter(session, runner, state, view.inspector, self)
        self._suppression.error_raised.connect(self.error_raised)
        self._pinned = PinnedPresenter(session, runner, state, view.pinned, view.pin, self)
        self._pinned.release_requested.connect(self.release_requested)
        self._pinned.error_raised.connect(self.error_raised)
        self._pinned.page_requested.connect(lambda: view.pages.show_page("remembered"))
        self._menu = NodeMenu(session, state, self._pinned, self)
        for nodes in (view.lattice.view, view.map.view):
            nodes.menu_requested.connect(partial(self._menu.open, view=nodes))
        view.list.node_menu_opening.connect(self._menu.fill)
        self._compare = ComparePresenter(session, runner, view, self)
        self._pinned.compare_requested.connect(self._compare.compare)
        self._pinned.kept_requested.connect(self._compare.compare_kept)
        self._compare.adopt_requested.connect(self._pinned.adopt)
        self._compare.error_raised.connect(self.error_raised)
        self._walk = WalkPresenter(session, runner, state, view, self)
        self._walk.search_requested.connect(self.search_requested)
        state.apply_requested.connect(self.apply_requested)
        self._inspector.apply_requested.connect(self.apply_anyway_requested)
        self._inspector.error_raised.connect(self.error_raised)
        self._knobs.error_raised.connect(self.error_raised)
        self._inspector.improve_requested.connect(self.improve_requested)
        self._list.error_raised.connect(self.error_raised)
        view.lattice.search_requested.connect(self.search_requested)
        view.configure_requested.connect(lambda: self.perspective_requested.emit("configure"))
        state.start()

    @property
    def is_settled(self) -> bool:
        """True if the display belongs to the current settings."""
        parts = (
            self.state,
            self._note,
            self._map,
            self._list,
            self._knobs,
            self._inspector,
            self._sweep,
            self._walk,
            self._suppression,
        )
        return all(part.is_settled for part in parts)

    @property
    def is_complete(self) -> bool:
        """Return whether the background extras (optimum marks) are ready too."""
        return self.is_settled and self._knobs.has_optima

    @property
    def scores(self) -> NodeScores | None:
        """Current scores."""
        return self.state.scores

    def show_walk(self) -> None:
        """Show the walk through an algorithm's steps instead of the lattice."""
        self._walk.show()

    def _on_nodes_placed(self, _is_more: bool) -> None:
        layout = self.state.layout
        self.view.set_all_in_lattice(layout is not None and layout.edges is not None)
        self.view.show_results()

    def _show_count(self) -> None:
        if (scores := self.state.scores) is not None:
            n, total = as_exact_count(scores.n_satisfying), as_exact_count(scores.n_all)
            self.view.folded.show_count(self.tr("{n} of {total} satisfy").format(n=n, total=total))

    def _on_forgotten(self) -> None:
        self.view.folded.show_count("")
        if self.state.problem is not None:
            return
        error, project = self._session.results.problem_error, self._session.project
        if error is None and project is not None and project.qi_order:
            sentence = self.tr("The settings are being prepared; then every way to generalize is scored.")
        elif error is None:
            sentence = self.tr("Assign roles to see every way to generalize the table.")
        else:
            sentence = f"{error.problem} {error.hint}".strip()
        self.view.show_empty(sentence)
