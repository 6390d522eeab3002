"""The crowd in the window: picture, hover, click, keys, table, and the mark of a saved picture."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QHelpEvent, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QToolTip

from anonymizer_gui.perspectives.risk.crowd_view import CrowdCanvas, CrowdPlan, crowd_picture
from anonymizer_gui.theming import current_theme
from anonymizer_gui.theming.painter import pixels_of
from anonymizer_gui.widgets.picture_saving import write_picture
from engine.findings.blocks import INPUT, RELEASE
from engine.findings.risk.crowd import Crowd, CrowdFound, class_words, member
from tests.anonymizer_gui.perspectives.conftest import texts
from tests.anonymizer_gui.perspectives.risk.conftest import Bench

LEFT = Qt.MouseButton.LeftButton


def shown(bench: Bench) -> tuple[CrowdCanvas, CrowdFound, CrowdPlan]:
    canvas = bench.risk.view.crowd.crowd.canvas
    assert canvas.is_drawn
    assert canvas.plan is not None
    return canvas, Crowd().run(bench.subject), canvas.plan


def pixels_in(picture: QImage, token: str) -> int:
    return int(np.count_nonzero(pixels_of(picture) == np.uint32(current_theme().color(token).rgba())))


def test_dots_have_the_colour_of_their_risk_and_the_suppressed_stand_beside(bench: Bench) -> None:
    canvas, found, plan = shown(bench)
    assert canvas.accessibleDescription() == found.statement().sentence
    assert bench.find("crowdHeadline").text() == found.statement().sentence
    picture = crowd_picture(found, plan)
    assert pixels_in(picture, "danger") > pixels_in(picture, "warn") > 0
    gone = picture.copy(plan.block.toAlignedRect())
    per_dot = max(int(plan.pitch * plan.ratio / 2), 1) ** 2
    assert pixels_in(gone, "fail_line") == found.n_suppressed * per_dot
    bench.risk.view.attackers.distribution.threshold_changed.emit(0.01)
    bench.settle()
    assert canvas.plan is not None
    again = crowd_picture(found, canvas.plan)
    assert pixels_in(again, "series_2") < pixels_in(picture, "series_2"), "no class of 5 has a risk of 1 %"


def test_a_class_is_described_under_the_pointer_and_a_click_shows_its_records(bench: Bench) -> None:
    canvas, found, plan = shown(bench)
    last = len(found.after.sizes) - 1
    point = plan.place(found, RELEASE, last)[0].toPoint()
    QTest.mouseMove(canvas, point)
    assert canvas.hovered == (RELEASE, last)
    QApplication.sendEvent(canvas, QHelpEvent(QHelpEvent.Type.ToolTip, point, canvas.mapToGlobal(point)))
    assert QToolTip.text() == class_words(found, RELEASE, last)
    bench.qtbot.mouseClick(canvas, LEFT, pos=point)
    bench.settle()
    one = member(found, RELEASE, last, 0)
    card = bench.risk.view.crowd.member
    assert card.title() == one.title
    assert card.caption.text() == f"record {one.record.record + 1:,}".replace(",", "\u202f")
    assert bench.find("memberRisk").text() == "20.0\u202f%"
    rows = texts(bench.find("member.member").model())
    assert [row[0] for row in rows] == list(bench.subject.quasi_identifying)
    bench.click("memberNext")
    bench.settle()
    assert card.caption.text() != f"record {one.record.record + 1:,}".replace(",", "\u202f")
    bench.click("memberBack")
    bench.click("memberBack")
    bench.settle()
    assert bench.find("member.sentence").text() == member(found, RELEASE, last, -1).statement().sentence
    away = QPoint(2, canvas.height() - 2)
    assert canvas.circle_at(QPointF(away)) is None


def test_keys_go_through_the_classes_from_the_smallest(bench: Bench) -> None:
    canvas, found, _plan = shown(bench)
    last = len(found.after.sizes) - 1
    canvas.setFocus()
    for key, chosen in (
        (Qt.Key.Key_Right, (RELEASE, last)),
        (Qt.Key.Key_Right, (RELEASE, last - 1)),
        (Qt.Key.Key_End, (RELEASE, 0)),
        (Qt.Key.Key_Left, (RELEASE, 1)),
        (Qt.Key.Key_Up, (INPUT, len(found.before.sizes) - 1)),
        (Qt.Key.Key_Left, (INPUT, len(found.before.sizes) - 1)),
        (Qt.Key.Key_Down, (RELEASE, last)),
    ):
        bench.qtbot.keyClick(canvas, key)
        assert canvas.chosen == chosen
        assert canvas.accessibleDescription() == class_words(found, *chosen)
    bench.settle()
    assert bench.risk.view.crowd.member.title() == member(found, RELEASE, last, 0).title


def test_the_table_by_size_has_the_same_numbers_and_opens_by_keys(bench: Bench) -> None:
    _canvas, found, _plan = shown(bench)
    bench.window.activateWindow()
    bench.qtbot.waitUntil(bench.window.isActiveWindow)
    bench.qtbot.keyClick(bench.window, Qt.Key.Key_T, Qt.KeyboardModifier.ControlModifier)
    assert bench.find("crowdTable").isChecked()
    listed = texts(bench.find("crowd.crowd").model())
    (table,) = found.tables()
    assert [row[0] for row in listed] == [row[0] for row in table.rows]
    assert [int(row[2].replace("\u202f", "") or 0) for row in listed[:-1]] == [
        row[2] for row in table.rows[:-1]
    ]
    bench.click("crowdTable")
    assert bench.risk.view.crowd.crowd.canvas.isVisible()


def test_a_saved_picture_says_that_it_is_internal(bench: Bench, tmp_path: Path) -> None:
    pane = bench.risk.view.cards["crowd"].pane
    mark = bench.window.findChild(QLabel, "crowdInternal")
    assert mark.isHidden()
    write_picture(pane.view, tmp_path / f"{pane.file_name}.svg")
    assert "internal" in (tmp_path / "crowd-internal.svg").read_text(encoding="utf-8")
    assert mark.isHidden()
    assert bench.risk.view.crowd.crowd.canvas.is_drawn, "the picture has the size of the view"
