"""A large lattice in facets: places, clicks and keys, what a screen reader says, and the sentence."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from anonymizer_gui.models.node_name import LevelWords
from anonymizer_gui.perspectives.explore.lattice.headline import SplitFacets, facet_layout
from anonymizer_gui.perspectives.explore.lattice.marks import Marks
from anonymizer_gui.perspectives.explore.lattice.split import SplitLayout
from anonymizer_gui.perspectives.explore.lattice.view import LatticeView
from anonymizer_gui.perspectives.explore.prices.headline import MOST_LETTERS
from anonymizer_gui.widgets.knob import Knob
from engine.project.compile import compile_problem
from engine.project.recipe.files import read_recipe
from engine.scoring.split import splits_of
from tests.anonymizer_gui.perspectives.explore.conftest import Bench, settle
from tests.conftest import EXAMPLES

LEFT = Qt.MouseButton.LeftButton
LONG = 20_000


@pytest.fixture
def clinic(empty_bench: Bench, qtbot: QtBot, examples: Path) -> Bench:
    """Return the view of the lattice with the clinic example, of 864 nodes."""
    empty_bench.explore.view.resize(1440, 846)
    empty_bench.explore.view.show_view("lattice")
    empty_bench.session.open_project(read_recipe(examples / "clinic" / "recipe.toml"))
    qtbot.waitUntil(lambda: empty_bench.session.results.optimum is not None, timeout=LONG)
    settle(qtbot, empty_bench)
    return empty_bench


def shown(bench: Bench) -> tuple[LatticeView, SplitLayout]:
    view = bench.explore.view.lattice.view
    assert view.split is not None
    return view, view.split


def beside_dots(split: SplitLayout, facet: tuple[int, int]) -> QPoint:
    """Return a point of a facet on which no node is."""
    return split.rect_of(facet).bottomRight().toPoint() - QPoint(6, 6)


def test_a_large_lattice_is_split_and_a_click_selects_a_node_or_opens_a_facet(
    clinic: Bench, qtbot: QtBot
) -> None:
    view, split = shown(clinic)
    panel = clinic.explore.view.lattice
    assert panel.stops.current() == "split"
    rects = [split.rect_of(facet) for facet in split.facets()]
    assert not any(a.intersects(b) for a, b in combinations(rects, 2))
    assert all(QRectF(view.rect()).contains(rect) for rect in rects)
    for facet in split.facets():
        for node in split.split.nodes[facet][::7].tolist():
            assert split.rect_of(facet).contains(split.place(node))
            assert view.node_at(split.place(node).center().toPoint()) is not None
    node = int(split.split.nodes[1, 0][3])
    qtbot.mouseClick(view, LEFT, pos=split.place(node).center().toPoint())
    assert view.marks.selected == node
    qtbot.mouseClick(view, LEFT, pos=beside_dots(split, (0, 0)))
    opened = shown(clinic)[1]
    assert opened.opened == (0, 0)
    assert opened.place(node) is None
    assert opened.pitch > split.pitch
    assert "Esc shows all" in panel.caption.text()
    other = int(split.split.nodes[1, 0][5])
    clinic.session.selection.select(clinic.explore.state.nodes.node(other))
    assert shown(clinic)[1].opened == (1, 0)
    qtbot.keyClick(view, Qt.Key.Key_Escape)
    assert shown(clinic)[1].opened is None
    qtbot.mouseClick(panel.stops.segment("fit"), LEFT)
    assert view.split is None
    clinic.explore.view.show_view("map")
    clinic.explore.view.show_view("lattice")
    assert view.split is None  # as the user has chosen


def test_keys_move_between_facets_and_say_their_numbers(clinic: Bench, qtbot: QtBot) -> None:
    view, split = shown(clinic)
    facets, scores = clinic.explore._lattice._facets, clinic.explore.state.scores
    view._facet = (0, 0)
    for key, facet in ((Qt.Key.Key_Up, (1, 0)), (Qt.Key.Key_Right, (1, 1)), (Qt.Key.Key_Down, (0, 1))):
        qtbot.keyClick(view, key)
        n = int(scores.satisfies[split.split.nodes[facet]].sum())
        said = view.as_accessible().value
        row, column = facets._title(facet)
        assert said.startswith(f"{row}, {column}: ")
        assert (f"{n} of " in said) if n else said.endswith("no node satisfies")
    qtbot.keyClick(view, Qt.Key.Key_Return)
    assert shown(clinic)[1].opened == (0, 1)
    qtbot.keyClick(view, Qt.Key.Key_Minus)
    assert shown(clinic)[1].opened is None
    for _ in range(2):  # one facet, then the cards of the selected node
        qtbot.keyClick(view, Qt.Key.Key_Plus)
    assert view.shows_cards
    clinic.explore.view.resize(1400, 840)
    assert view.shows_cards


def test_a_knob_moves_no_facet_and_a_chosen_pair_stays(clinic: Bench, qtbot: QtBot) -> None:
    view, split = shown(clinic)
    panel, lattice = clinic.explore.view.lattice, clinic.explore._lattice
    other = panel.pair.itemData(panel.pair.count() - 1)
    panel.pair.data_chosen.emit(other)
    chosen = shown(clinic)[1]
    assert chosen.split == splits_of(chosen.split.lattice)[other] != split.split
    places = [chosen.rect_of(facet) for facet in chosen.facets()]
    counts = [words.count for words in view._split_words.facets.values()]
    knob = next(knob for knob in clinic.explore.view.knobs.findChildren(Knob) if knob.isVisible())
    start = knob.handle_center().toPoint()
    qtbot.mousePress(knob, LEFT, pos=start)
    qtbot.mouseMove(knob, start + QPoint(20, 0))
    qtbot.mouseMove(knob, QPoint(knob.width() - 60, start.y()))
    qtbot.waitUntil(lambda: [words.count for words in view._split_words.facets.values()] != counts)
    assert clinic.session.shown.is_preview
    now = shown(clinic)[1]
    assert [now.rect_of(facet) for facet in now.facets()] == places
    qtbot.mouseRelease(knob, LEFT, pos=QPoint(knob.width() - 60, start.y()))
    settle(qtbot, clinic)
    now = shown(clinic)[1]
    assert (now.split, [now.rect_of(facet) for facet in now.facets()]) == (chosen.split, places)
    found = view._split_words.facets
    n = sum(int(words.count.split(" ")[0]) for words in found.values() if words.count)
    assert n == clinic.explore.state.scores.n_satisfying
    assert panel.pair.currentData() == other
    clinic.explore.state.scores = replace(clinic.explore.state.scores, n_all=10**6)
    lattice._choose_split()
    assert view.split is None
    assert not panel.stops.segment("split").isEnabled()
    assert "scored" in panel.stops.segment("split").toolTip()


def test_facets_have_a_least_size_and_scroll(clinic: Bench, qtbot: QtBot) -> None:
    clinic.explore.view.resize(1100, 520)
    view, split = shown(clinic)
    rects = [split.rect_of(facet) for facet in split.facets()]
    assert all(rect.width() >= 199 and rect.height() >= 71 for rect in rects)
    assert not split.is_whole
    view._facet = (0, 0)
    for key in (Qt.Key.Key_Up, Qt.Key.Key_Right):
        for _ in range(8):
            qtbot.keyClick(view, key)
            layout = shown(clinic)[1]
            assert layout.area.adjusted(-1, -1, 1, 1).contains(layout.rect_of(view._facet))
    assert layout.panned(QPointF(9e9, 9e9)).moved == QPointF(0, 0)


PROBLEM = compile_problem(read_recipe(EXAMPLES / "clinic" / "recipe.toml"))


def said(satisfies: np.ndarray, values: np.ndarray, number: int = 0, share: float = 0.5) -> str:
    split = splits_of(PROBLEM.lattice)[number]
    facets = SplitFacets(split, facet_layout(split, PROBLEM), {split: share}, PROBLEM, LevelWords(PROBLEM))
    optimum = int(np.argmin(np.where(satisfies, values, np.inf))) if satisfies.any() else None
    facets.count(SimpleNamespace(satisfies=satisfies, values=values, optimum=optimum), "loss")
    return facets.headline()


def test_each_case_has_its_sentence(themed: QApplication) -> None:
    split, lattice = splits_of(PROBLEM.lattice)[0], PROBLEM.lattice
    down, right = (PROBLEM.names[column] for column in (split.down, split.right))
    levels = lattice.levels[:, [split.down, split.right]]
    everything, flat = np.ones(lattice.n_nodes, dtype=np.bool_), 1 + levels.sum(axis=1) / 2
    empty = ~((levels == 0).all(axis=1))
    n, m = int((empty & (levels[:, 0] == 0)).sum()), int((levels[:, 0] == 0).sum())
    name = f"{down[:1].upper()}{down[1:]}"
    sentences = [
        said(empty, flat),
        said(levels[:, 0] > 0, flat),
        said(everything, 3 - flat / 100),
        said(everything, flat, share=0.1),
    ]
    assert sentences[0] == f"{name} unchanged leaves {n} of {m} nodes, none with {right} unchanged."
    assert sentences[1] == f"No node satisfies with {down} unchanged."
    assert sentences[2].endswith(" cost only +0.010.") or " costs only +0.0" in sentences[2]
    assert sentences[3] == "No two columns decide alone: these explain 10 %.".replace(
        " %", "\N{NARROW NO-BREAK SPACE}%"
    )
    assert max(map(len, sentences)) <= MOST_LETTERS
    assert said(everything, flat) == ""
    assert said(~everything, flat) == ""


def test_marks_out_of_view_are_not_drawn(clinic: Bench) -> None:
    view, split = shown(clinic)
    node = int(split.split.nodes[0, 0][0])
    assert [mark.node for mark in view.placed(split, Marks(optimum=node))] == [node]
    assert view.placed(split.opening((1, 1)), Marks(optimum=node)) == []
