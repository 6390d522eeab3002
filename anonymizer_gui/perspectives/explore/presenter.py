"""Creates the presenters of Explore's parts and their common state, and the menu of a node."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, Signal
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import QMenu, QWidget

from anonymizer_gui.perspectives.explore.explore_state import ExploreState
from anonymizer_gui.perspectives.explore.inspector.presenter import InspectorPresenter
from anonymizer_gui.perspectives.explore.inspector.suppression_presenter import SuppressionPresenter
from anonymizer_gui.perspectives.explore.knobs.presenter import KnobPresenter
from anonymizer_gui.perspectives.explore.lattice.presenter import FindPresenter, LatticePresenter
from anonymizer_gui.perspectives.explore.listing.presenter import ListPresenter
from anonymizer_gui.perspectives.explore.map.presenter import MapPresenter
from anonymizer_gui.perspectives.explore.pinned.compare_presenter import ComparePresenter
from anonymizer_gui.perspectives.explore.pinned.presenter import PinnedPresenter
from anonymizer_gui.perspectives.explore.prices.advice import AdvicePresenter
from anonymizer_gui.perspectives.explore.prices.presenter import PricesPresenter
from anonymizer_gui.perspectives.explore.prices.rows import kept_detail, named_level
from anonymizer_gui.perspectives.explore.view import ExplorePerspective
from anonymizer_gui.perspectives.explore.walk.presenter import WalkPresenter
from anonymizer_gui.session import Session
from anonymizer_gui.widgets.layouts import named
from anonymizer_gui.widgets.made_ahead import MadeAhead
from engine.numbers import as_vector

if TYPE_CHECKING:
    from engine.lattice import Node


class ExplorePresenter(QObject):
    """Presenter of the perspective; the session has the data."""

    perspective_requested = Signal(str)
    apply_requested = Signal(object)  # node; a failing one is asked about
    release_requested = Signal(object)  # node, or None for the result of the settings
    improve_requested = Signal()
    scoring_requested = Signal(object)  # boxes of a partly scored lattice
    search_requested = Signal()
    roles_requested = Signal()  # those that are suggested

    def __init__(self, session: Session, ahead: MadeAhead | None = None) -> None:
        view = ExplorePerspective(ahead=ahead)
        super().__init__(view)
        self._session, self.view = session, view
        self.state = state = ExploreState(session, self)
        state.forgotten.connect(self._on_forgotten)
        state.nodes_placed.connect(lambda _is_more: view.show_results())
        self._lattice = LatticePresenter(state, view.lattice)
        self._map = MapPresenter(state, view.map)
        self._find = FindPresenter(state, view.lattice)
        view.lattice.picture.error_raised.connect(session.runner.error_raised)
        self._list = ListPresenter(state, view.list)
        self._inspector = InspectorPresenter(state, view.inspector)
        self._knobs = KnobPresenter(state, view.knobs)
        self._advice = AdvicePresenter(state, self)
        self._inspector.result.configure_requested.connect(view.configure_requested)
        self._advice.found.connect(self._inspector.result.show_changes)
        self._prices = PricesPresenter(state, view.prices)
        self._advice.found.connect(self._prices.take_advice)
        self._prices.headline_changed.connect(view.head.show_sentence)
        self._lattice.headline_changed.connect(partial(view.head.show_sentence, of_lattice=True))
        self._prices.scoring_requested.connect(self.scoring_requested)
        self._prices.lattice_requested.connect(lambda: view.show_view("lattice"))
        self._suppression = SuppressionPresenter(state, view.inspector)
        self._pinned = PinnedPresenter(state, view.pinned, view.pin)
        self._pinned.release_requested.connect(self.release_requested)
        self._pinned.page_requested.connect(lambda: view.pages.show_page("remembered"))
        self._menu = NodeMenu(state, self._pinned)
        for nodes in (view.lattice.view, view.map.view):
            nodes.menu_requested.connect(partial(self._menu.open, view=nodes))
        view.list.node_menu_opening.connect(self._menu.fill)
        self._compare = ComparePresenter(session, view)
        self._pinned.compare_requested.connect(self._compare.compare)
        self._pinned.kept_requested.connect(self._compare.compare_kept)
        self._compare.adopt_requested.connect(self._pinned.adopt)
        self._walk = WalkPresenter(state, view)
        self._walk.search_requested.connect(self.search_requested)
        state.apply_requested.connect(self.apply_requested)
        self._inspector.apply_requested.connect(self.apply_requested)
        self._inspector.improve_requested.connect(self.improve_requested)
        view.lattice.search.clicked.connect(self.search_requested)
        view.configure_requested.connect(lambda: self.perspective_requested.emit("configure"))
        view.roles_requested.connect(self.roles_requested)
        session.reading.changed.connect(lambda _is_provisional: self._on_forgotten())
        state.start()

    @property
    def is_settled(self) -> bool:
        return self.state.is_settled and self._knobs.has_optima and not self._walk.player.is_playing

    def show_walk(self) -> None:
        """Show the walk through an algorithm's steps instead of the lattice."""
        self._walk.show()

    def _on_forgotten(self) -> None:
        if self.state.problem is not None:
            return
        error, project = self._session.results.problem_error, self._session.project
        if error is None and project is not None and project.qi_order:
            sentence = self.tr("The settings are being prepared; then every node is scored.")
        elif error is None:
            sentence = self.tr("Assign roles to see what each column can keep, and what it costs.")
        else:
            sentence = f"{error.problem} {error.hint}".strip()
        is_open = project is not None and bool(project.undecided)
        self.view.show_empty(sentence, offers_roles=is_open and not self._session.reading.is_provisional)


class NodeMenu(QObject):
    """Offers to compare, apply, pin and copy a node, selected or not."""

    def __init__(self, state: ExploreState, pinned: PinnedPresenter) -> None:
        super().__init__(state)
        self._session, self._state, self._pinned = state.session, state, pinned

    def open(self, number: int, place: QPoint, view: QWidget) -> None:
        """Open the menu of a node at a point of the screen."""
        menu = named(QMenu(view), "nodeMenu")
        self.fill(menu, number)
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(place)

    def fill(self, menu: QMenu, number: int) -> None:
        """Add the entries of a node at the start of a menu."""
        nodes, problem = self._state.nodes, self._state.problem
        if nodes is None or problem is None or not 0 <= number < nodes.n_nodes:
            return
        node, before = nodes.node(number), menu.actions()
        self._add_comparison(menu, node)
        self._add_finer(menu, node)
        menu.addAction(self.tr("Apply"), partial(self._state.apply, number))
        words = self.tr("Unpin") if self._pinned.is_pinned(node) else self.tr("Pin")
        menu.addAction(words, partial(self._pinned.toggle, node))
        levels = dict(zip(problem.names, node, strict=True))
        menu.addAction(self.tr("Keep these levels"), partial(self._session.keep_levels, levels))
        copied = as_vector(node)
        menu.addAction(self.tr("Copy levels"), partial(QGuiApplication.clipboard().setText, copied))
        if before:
            menu.addSeparator()
            for action in before:  # actions that are added again move to the end
                menu.addAction(action)

    def _add_finer(self, menu: QMenu, node: Node) -> None:
        """Offer the best node with each level one step finer, with its price."""
        priced, evaluation = self._state.priced, self._state.evaluation
        if priced is None or evaluation is None:
            return
        finer = menu.addMenu(self.tr("One step finer"))
        for q, level in enumerate(node):
            if level > priced.levels(q)[0]:
                detail = kept_detail(priced, evaluation, node, q, level - 1)
                words = self.tr("{level}: {price}")
                words = words.format(level=named_level(priced, q, level - 1), price=detail.words)
                action = finer.addAction(words, partial(self._session.selection.select, detail.node))
                action.setEnabled(detail.node is not None)
        finer.setEnabled(not finer.isEmpty())

    def _add_comparison(self, menu: QMenu, node: Node) -> None:
        selected, optimum = self._state.selected, self._session.results.optimum
        action: QAction
        if selected is not None and selected != node:
            action = menu.addAction(self.tr("Compare with the selected node"))
            action.triggered.connect(partial(self._pinned.compare, selected, node))
            return
        words = self.tr("Compare with the optimum")
        if self._session.results.is_best_so_far:
            words = self.tr("Compare with the best so far")
        action = menu.addAction(words)
        if optimum is None or optimum == node:
            action.setEnabled(False)
        else:
            action.triggered.connect(partial(self._pinned.compare, optimum, node))
