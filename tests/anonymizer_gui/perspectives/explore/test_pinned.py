"""Pinned nodes and applied releases: stored with their settings, restored and compared."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLabel, QPushButton
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.explore.metric_text import metric_title
from anonymizer_gui.perspectives.explore.pinned.panel import PinnedPanel
from anonymizer_gui.perspectives.explore.pinned.rows import opening_words
from anonymizer_gui.session.release_controller import ReleaseController, RunRecorder
from anonymizer_gui.theming import current_theme
from anonymizer_gui.widgets.level_glyph import SMALL, Glyph, LevelGlyph, glyph_picture
from engine.lattice import Node
from engine.numbers import as_exact_count
from engine.project import edits
from engine.project.pins_and_runs import Choice, ProjectState
from tests.anonymizer_gui.perspectives.explore.conftest import Bench

LEFT, CTRL = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def recording(empty_bench: Bench) -> RunRecorder:
    """Record every applied release, as the window does."""
    return RunRecorder(empty_bench.session, empty_bench.explore)


def panel_of(bench: Bench) -> PinnedPanel:
    bench.explore.view.pages.show_page("remembered")
    return bench.explore.view.pinned


def click_pin(bench: Bench, qtbot: QtBot) -> None:
    qtbot.mouseClick(bench.explore.view.pin, LEFT)


def click_line(bench: Bench, qtbot: QtBot, line: int, modifier: Qt.KeyboardModifier | None = None) -> None:
    table = panel_of(bench).table
    at = table.visualRect(table.model().index(line, 1)).center()
    qtbot.mouseClick(table.viewport(), LEFT, modifier or Qt.KeyboardModifier.NoModifier, QPoint(at))


def click(bench: Bench, qtbot: QtBot, name: str) -> None:
    button = panel_of(bench).findChild(QPushButton, name)
    assert button.isEnabled(), button.toolTip()
    qtbot.mouseClick(button, LEFT)


def select(bench: Bench, node: Node) -> None:
    bench.session.selection.select(node)


def turn_k(bench: Bench, qtbot: QtBot, k: int) -> None:
    project = bench.session.project
    models = tuple(m.with_limit(k) if m.key == "k_anonymity" else m for m in project.requirement.models)
    bench.session.edit("k", replace(project, requirement=replace(project.requirement, models=models)))
    qtbot.waitUntil(lambda: bench.is_settled, timeout=20_000)


def test_a_pin_keeps_the_node_with_its_settings_and_is_undone_in_one_step(bench: Bench, qtbot: QtBot) -> None:
    session, optimum = bench.session, bench.session.results.optimum
    assert optimum is not None
    select(bench, optimum)
    assert not bench.explore.view.pin.isChecked()
    click_pin(bench, qtbot)
    expected = Choice(session.results.problem.names, optimum, session.project.requirement, "loss")
    assert [pin.choice for pin in session.remembered.pins] == [expected]
    assert bench.explore.view.pages.page == "remembered"
    assert bench.explore.view.pin.isChecked()
    session.history.undo()
    assert session.remembered.pins == ()
    assert not bench.explore.view.pin.isChecked()
    session.history.redo()
    click_pin(bench, qtbot)
    assert session.remembered.pins == ()


def test_a_pinned_node_has_its_name_and_its_value_at_once(bench: Bench, qtbot: QtBot) -> None:
    node, scores = (0, 4, 1, 2, 0), bench.explore.state.scores
    select(bench, node)
    click_pin(bench, qtbot)
    _entry, name, value, suppressed, *_rest = panel_of(bench).model.texts()[0]
    assert "ptimum" in name
    assert value == f"loss {scores.value(node):.3f}"
    assert suppressed == as_exact_count(int(scores.suppressed[scores.lattice.number(node)]))
    turn_k(bench, qtbot, 9)
    assert panel_of(bench).model.texts()[0][2:4] == ["–", "–"], "its settings are other ones now"
    turn_k(bench, qtbot, bench.session.remembered.pins[0].choice.requirement.models[0].limit)
    assert panel_of(bench).model.texts()[0][2] == value


def test_a_note_is_written_and_undone(bench: Bench, qtbot: QtBot) -> None:
    assert bench.session.results.optimum is not None
    select(bench, bench.session.results.optimum)
    click_pin(bench, qtbot)
    panel = panel_of(bench)
    click_line(bench, qtbot, 0)
    qtbot.mouseClick(panel.note, LEFT)
    qtbot.keyClicks(panel.note, "for the board")
    qtbot.keyClick(panel.note, Qt.Key.Key_Return)
    assert bench.session.remembered.pins[0].note == "for the board"
    assert "for the board" in panel.model.texts()[0]
    bench.session.history.undo()
    assert bench.session.remembered.pins[0].note == ""


def test_settings_of_a_pin_are_adopted_in_one_step(bench: Bench, qtbot: QtBot) -> None:
    assert bench.session.results.optimum is not None
    before, node = bench.session.project, bench.session.results.optimum
    select(bench, node)
    click_pin(bench, qtbot)
    turn_k(bench, qtbot, 40)
    assert bench.session.results.optimum != node
    click_line(bench, qtbot, 0)
    click(bench, qtbot, "adoptPinned")
    assert bench.session.project.requirement == before.requirement
    assert bench.session.selection.node == node
    bench.session.history.undo()
    assert bench.session.project.requirement != before.requirement


def test_an_applied_release_enters_the_history_once(
    recording: RunRecorder, bench: Bench, qtbot: QtBot
) -> None:
    session, optimum = bench.session, bench.session.results.optimum
    assert optimum is not None
    number = session.results.problem.lattice.number(optimum)  # type: ignore[union-attr]
    suppressed = int(session.results.evaluation.suppressed[number])
    loss = float(session.results.evaluation.metric("loss")[number])
    for _ in range(2):
        bench.explore.apply_requested.emit(optimum)
        qtbot.waitUntil(lambda: session.applied.release is not None and bench.is_settled, timeout=10_000)
    qtbot.waitUntil(lambda: len(session.remembered.runs) == 1, timeout=10_000)
    assert session.remembered.runs[0].node == optimum
    assert session.remembered.runs[0].figures["suppressed"] == suppressed
    assert session.remembered.runs[0].figures["loss"] == pytest.approx(loss, rel=1e-9)
    worse = session.results.problem.lattice.maximum  # type: ignore[union-attr]
    bench.explore.apply_requested.emit(worse)
    qtbot.waitUntil(lambda: len(session.remembered.runs) == 2, timeout=10_000)
    assert panel_of(bench).model.rowCount() == 2
    state = ProjectState(runs=session.remembered.runs, pins=session.remembered.pins)
    session.open_project(session.project, None, state)  # type: ignore[arg-type]
    assert len(session.remembered.runs) == 2


def test_two_lines_are_compared_each_with_its_settings(bench: Bench, qtbot: QtBot) -> None:
    first = bench.session.results.optimum
    select(bench, first)
    click_pin(bench, qtbot)
    turn_k(bench, qtbot, 40)
    second = bench.session.results.optimum
    assert second != first
    select(bench, second)
    click_pin(bench, qtbot)
    click_line(bench, qtbot, 0)
    click_line(bench, qtbot, 1, CTRL)
    click(bench, qtbot, "comparePinned")
    compare = bench.explore._compare
    qtbot.waitUntil(lambda: compare.dialog is not None, timeout=10_000)
    dialog = compare.dialog
    rows = {row[0]: row[1:] for row in dialog.figures.texts.texts()}
    assert rows["Required k-anonymity"][:2] == ["k = 5", "k = 40"]
    assert int(rows["k-anonymity"][0]) >= 5
    assert int(rows["k-anonymity"][1]) >= 40
    assert rows["Its requirement"][:2] == ["satisfies", "satisfies"]
    # the sheet covers the right edge of Explore only, differences before the rest, each with its direction
    page = bench.explore.view
    # both sides are named by their distance to the optimum, with the columns that differ in their glyphs
    names = [label.text() for label in dialog.findChildren(QLabel)]
    assert "The optimum" in names
    glyphs = [glyph.glyph for glyph in dialog.findChildren(LevelGlyph)]
    differing = frozenset(q for q in range(len(first)) if first[q] != second[q])
    assert [(glyph.levels, glyph.differing) for glyph in glyphs] == [(first, differing), (second, differing)]
    assert not dialog.isWindow()
    assert dialog.geometry().right() == page.rect().right()
    assert page.childAt(dialog.geometry().center()) is not None
    assert dialog.isAncestorOf(page.childAt(dialog.geometry().center()))
    assert 0 < dialog.geometry().left() < page.width() / 2 + 100
    texts = dialog.figures.texts.texts()
    line = next(place for place, row in enumerate(texts) if row[0] == "Same on both sides")
    assert line > 0
    groups = [row[0] for row in texts[:line] if not row[1]]
    assert groups == ["Settings and levels", "Privacy", "Utility"]
    assert all(row[1] != row[2] for row in texts[:line] if row[1])
    opening = dialog.findChild(QLabel, "compareOpening").text()
    change = rows[metric_title("loss")][2].removeprefix("+").removesuffix(", worse")
    assert opening.startswith(f"Right loses {change} more and suppresses ")
    assert all(row[1] == row[2] for row in texts[line + 1 :])
    change = int(rows["k-anonymity"][1]) - int(rows["k-anonymity"][0])
    assert rows["k-anonymity"][2] == f"+{change}, better"
    assert not dialog.figures.horizontalScrollBar().isVisible()
    assert rows[metric_title("loss")][2].endswith(", worse")
    assert rows["Required k-anonymity"][2] == ""
    qtbot.mouseClick(dialog.pages.segment("records"), LEFT)
    assert dialog.records.isVisible()
    records = dialog.records.texts.texts()
    assert [row[1] for row in records[:3]] == ["original", "left", "right"]
    qtbot.mouseClick(dialog.pages.segment("classes"), LEFT)
    adopt = dialog.findChildren(QPushButton)
    left = next(button for button in adopt if button.accessibleName() == "Use: Left")
    qtbot.mouseClick(left, LEFT)
    assert bench.session.selection.node == first
    qtbot.keyClick(dialog.pages, Qt.Key.Key_Escape)
    assert compare.dialog is None


def test_a_pin_of_other_columns_says_why_it_cannot_be_shown(bench: Bench, qtbot: QtBot) -> None:
    assert bench.session.results.optimum is not None
    select(bench, bench.session.results.optimum)
    click_pin(bench, qtbot)
    from engine.records import Role

    project = bench.session.project
    bench.session.edit("role", edits.set_roles(project, ["race"], Role.INSENSITIVE))
    qtbot.waitUntil(lambda: bench.session.results.optimum is not None and bench.is_settled, timeout=20_000)
    click_line(bench, qtbot, 0)
    button = panel_of(bench).findChild(QPushButton, "showPinned")
    assert not button.isEnabled()
    assert "other quasi-identifying columns" in button.toolTip()
    click(bench, qtbot, "removePinned")
    assert bench.session.remembered.pins == ()


def test_without_pins_the_page_explains_its_purpose(bench: Bench, qtbot: QtBot) -> None:
    panel = panel_of(bench)
    assert panel.empty.isVisible()
    assert bench.session.results.optimum is not None
    select(bench, bench.session.results.optimum)
    qtbot.mouseClick(panel.empty.button, LEFT)
    assert len(bench.session.remembered.pins) == 1
    assert not panel.empty.isVisible()


def test_an_applied_release_is_named_fixed_at_the_top_and_restored_with_all_its_settings(
    recording: RunRecorder, bench: Bench, qtbot: QtBot
) -> None:
    session, first = bench.session, bench.session.results.optimum
    releases = ReleaseController(session, recording)
    bench.explore.release_requested.connect(releases.apply_as_set)
    releases.apply(first)  # type: ignore[arg-type]
    qtbot.waitUntil(lambda: len(session.remembered.runs) == 1, timeout=10_000)
    made_with = session.project
    turn_k(bench, qtbot, 40)
    now = session.project
    assert now is not None
    session.edit("others", edits.set_metric(edits.set_suppression_limit(now, 0.5), "precision"))
    releases.apply(session.results.problem.lattice.maximum)  # type: ignore[union-attr]
    qtbot.waitUntil(lambda: len(session.remembered.runs) == 2 and bench.is_settled, timeout=20_000)
    panel = panel_of(bench)
    click_line(bench, qtbot, 1)
    qtbot.mouseClick(panel.name, LEFT)
    qtbot.keyClicks(panel.name, "board")
    qtbot.keyClick(panel.name, Qt.Key.Key_Return)
    assert session.remembered.runs[0].name == "board"
    click(bench, qtbot, "keepRun")
    assert session.remembered.runs[0].is_pinned
    assert panel.chosen() == [0]
    assert panel.model.texts()[0][0] == "On top: board"
    click(bench, qtbot, "goBackToRun")
    qtbot.waitUntil(
        lambda: session.applied.can_release == "" and not bench.session.runner.is_busy, timeout=20_000
    )
    there = session.project
    assert there.requirement == made_with.requirement
    assert there.search == made_with.search
    assert session.applied.release.node == first
    assert session.history.own.undoText() == "Restore board"
    session.history.undo()
    assert session.project.search.metric == "precision"
    qtbot.waitUntil(lambda: bench.is_settled, timeout=20_000)


def test_an_applied_release_stores_l_t_and_metrics_for_comparisons_when_it_cannot_be_recomputed(
    recording: RunRecorder, bench: Bench, qtbot: QtBot
) -> None:
    session = bench.session
    releases = ReleaseController(session, recording)
    for number, node in enumerate((session.results.optimum, session.results.problem.lattice.maximum), 1):  # type: ignore[union-attr]
        releases.apply(node)  # type: ignore[arg-type]
        qtbot.waitUntil(lambda n=number: len(session.remembered.runs) == n, timeout=10_000)  # type: ignore[misc]
    release, figures = session.applied.release, session.remembered.runs[1].figures
    (column,) = release.l
    assert (figures[f"l.{column}"], figures[f"t.{column}"]) == (release.l[column], release.t[column])
    assert {"loss", "precision", "aecs", "discernibility"} <= set(figures)
    from engine.records import Role

    session.edit("role", edits.set_roles(session.project, ["race"], Role.INSENSITIVE))
    qtbot.waitUntil(lambda: session.results.optimum is not None and bench.is_settled, timeout=20_000)
    click_line(bench, qtbot, 0)
    click_line(bench, qtbot, 1, CTRL)
    click(bench, qtbot, "comparePinned")
    dialog = bench.explore._compare.dialog
    rows = {row[0]: row[1:] for row in dialog.figures.texts.texts()}
    assert rows[f"Fewest distinct values (l) · {column}"][0] == str(release.l[column])
    assert rows["Precision"][0] == "1.000"
    assert rows["Kept classes"][0] == "1"
    assert not dialog.pages.segment("records").isEnabled()
    assert "other quasi-identifying columns" in dialog.pages.segment("records").toolTip()
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)


def test_a_line_has_the_glyph_of_its_node(bench: Bench, qtbot: QtBot) -> None:
    node, optimum = (0, 4, 1, 2, 0), bench.session.results.optimum
    bench.session.selection.select(node)
    click_pin(bench, qtbot)
    model = panel_of(bench).model
    picture = model.index(0, 1).data(Qt.ItemDataRole.DecorationRole)
    heights = tuple(a.hierarchy.height for a in bench.explore.state.problem.attributes)  # type: ignore[union-attr]
    differing = frozenset(q for q in range(5) if node[q] != optimum[q])
    glyph = Glyph(node, heights, differing)
    assert picture.toImage() == glyph_picture(glyph, SMALL, 1.0, current_theme()).toImage()
    assert model.index(0, 0).data(Qt.ItemDataRole.DecorationRole) is None


@pytest.mark.parametrize(
    ("loss", "suppressed", "words"),
    [
        ((0.2, 0.311), (4, 8), "Right loses 0.111 more and suppresses 4 records more."),
        ((0.2, 0.311), (4, 3), "Right loses 0.111 more and suppresses 1 record fewer."),
        ((0.3, 0.2), (0, 1), "Right loses 0.100 less and suppresses 1 record more."),
        ((0.3, 0.2), (9, 0), "Right loses 0.100 less and suppresses 9 records fewer."),
        ((0.3, 0.2), (9, 9), "Right loses 0.100 less; both suppress the same number of records."),
        ((0.2, 0.2001), (1, 3), "Both lose the same; right suppresses 2 records more."),
        ((0.2, 0.2), (1, 0), "Both lose the same; right suppresses 1 record fewer."),
        ((0.2, 0.2), (1, 1), "Both lose the same and suppress the same number of records."),
        ((float("nan"), 0.2), (1, 1), ""),
    ],
)
def test_a_comparison_opens_with_one_sentence(
    loss: tuple[float, float], suppressed: tuple[int, int], words: str
) -> None:
    assert opening_words(loss, suppressed) == words


@pytest.mark.parametrize("view_name", ["lattice", "map"])
def test_a_pinned_node_is_marked_in_lattice_and_map(bench: Bench, qtbot: QtBot, view_name: str) -> None:
    view = getattr(bench.explore.view, view_name).view
    nodes = bench.explore.state.nodes
    bench.session.selection.select((0, 4, 1, 2, 0))
    click_pin(bench, qtbot)
    pinned = nodes.number((0, 4, 1, 2, 0))
    bench.session.selection.select((1, 0, 0, 0, 0))
    center = view.node_rect(pinned).center() if view_name == "lattice" else view.node_point(pinned)
    around = QRect(center - QPoint(6, 14), QSize(12, 10))
    with_pin = view.grab(around).toImage()
    assert bench.explore.state.marks.pinned == (pinned,)
    bench.session.history.own.undo()
    assert bench.explore.state.marks.pinned == ()
    assert view.grab(around).toImage() != with_pin
