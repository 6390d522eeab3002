"""Input and release side by side: linked, sorted, grouped, tinted, and each record in its class."""

from __future__ import annotations

import numpy as np
import shiboken6
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest

from anonymizer_gui.models.sides import Change
from anonymizer_gui.perspectives.utility.tables.side_table import CHANGE_TOKENS, SideTable
from anonymizer_gui.theming import current_theme
from engine.project import Project
from tests.anonymizer_gui.perspectives.utility.conftest import LEFT, NODE, Bench

QIS = ("visit date", "age", "sex", "postal code", "insurance")


def tables(bench: Bench) -> tuple[SideTable, SideTable]:
    return bench.find("inputTable"), bench.find("releaseTable")


def shown(table: SideTable, column: str, n_rows: int = 12) -> list[str]:
    place = table.side.table.names.index(column)
    return [str(table.side.index(row, place).data()) for row in range(n_rows)]


def test_both_sides_hold_the_same_records_in_the_same_columns(bench: Bench) -> None:
    given, made = tables(bench)
    names = (*QIS, "length of stay", "diagnosis", "patient id")
    assert given.side.table.names == made.side.table.names == names
    assert given.side.rowCount() == made.side.rowCount() == 2000
    release, records = bench.subject.release, bench.subject.input
    for row in (0, 17, 1999):
        for place, name in enumerate(names):
            assert given.side.index(row, place).data() == records.column(name).text(row)
            column = release.column(name)
            if column is not None:
                assert made.side.index(row, place).data() == column.text(row)


def test_tiles_show_the_values_of_the_classes(bench: Bench) -> None:
    release = bench.subject.release
    tiles = {key: tile.value.text() for key, tile in bench.utility.view.strip.tiles.items()}
    loss = bench.ask("loss_by_attribute").loss
    kept = release.n_records - release.n_suppressed
    assert tiles == {
        "loss": f"{loss:.3f}",
        "kept": f"{kept:,}".replace(",", "\u202f"),
        "suppressed": str(release.n_suppressed),
        "classes": str(release.n_classes),
        "mean": f"{kept / release.n_classes:.1f}",
    }


def test_the_release_shows_its_node_and_requirement(bench: Bench) -> None:
    caption = bench.utility.view.tables.release_card.caption.text()
    assert (
        caption == "made with k = 5, l = 3, t = 0.25 · sex: hidden, visit date: quarters and 3 more columns"
    )


def test_scrolling_one_side_scrolls_the_other_in_both_directions(bench: Bench) -> None:
    given, made = tables(bench)
    drag_edge(given, "age", 400)
    assert given.columnWidth(1) == made.columnWidth(1) > 400
    pairs = (
        (given.verticalScrollBar(), made.verticalScrollBar()),
        (given.horizontalScrollBar(), made.horizontalScrollBar()),
    )
    bench.qtbot.waitUntil(lambda: all(a.maximum() == b.maximum() > 0 for a, b in pairs))
    for one, other in (*pairs, *((b, a) for a, b in pairs)):
        bench.qtbot.keyClick(one, Qt.Key.Key_PageDown)
        assert one.value() == other.value() > 0
        bench.qtbot.keyClick(one, Qt.Key.Key_Home)
        assert one.value() == other.value() == 0
    bench.click("linkedScrolling")
    bench.qtbot.keyClick(given.verticalScrollBar(), Qt.Key.Key_PageDown)
    assert made.verticalScrollBar().value() == 0 < given.verticalScrollBar().value()
    bench.click("linkedScrolling")
    assert made.verticalScrollBar().value() == given.verticalScrollBar().value()


def test_scrolling_needs_no_hold_of_the_bars_which_qt_made(bench: Bench) -> None:
    given, made = tables(bench)
    for table in (given, made):
        shiboken6.invalidate(table.verticalScrollBar())  # as PySide does at times
    bench.qtbot.keyClick(given.verticalScrollBar(), Qt.Key.Key_PageDown)
    assert made.verticalScrollBar().value() == given.verticalScrollBar().value() > 0


def drag_edge(table: SideTable, name: str, by: int) -> None:
    """Widen a column by its right edge."""
    columns, place = table.columns, table.side.table.names.index(name)
    edge = columns.sectionViewportPosition(place) + columns.sectionSize(place) - 1
    y = columns.height() // 2
    QTest.mousePress(columns.viewport(), LEFT, pos=QPoint(edge, y))
    QTest.mouseMove(columns.viewport(), QPoint(edge + by // 2, y))
    QTest.mouseMove(columns.viewport(), QPoint(edge + by, y))
    QTest.mouseRelease(columns.viewport(), LEFT, pos=QPoint(edge + by, y))


def test_a_header_sorts_both_sides_by_the_column_of_its_side(bench: Bench) -> None:
    given, made = tables(bench)
    ages = bench.subject.input.column("age")
    bench.click_header(given, "age")
    order = np.argsort(ages.codes, kind="stable")
    assert shown(given, "age") == [ages.text(i) for i in order[:12]]
    assert given.side.record_of(3) == made.side.record_of(3) == order[3]
    bench.click_header(given, "age")
    assert shown(given, "age", 3) == [ages.labels[-1]] * 3
    assert "sorted by age of the input" in bench.utility.view.tables.input_card.caption.text()
    bench.click_header(made, "postal code")
    codes = bench.subject.release.column("postal code")
    assert shown(made, "postal code") == [codes.text(i) for i in np.argsort(codes.codes, kind="stable")[:12]]
    bench.click_header(made, "postal code")
    bench.click_header(made, "postal code")
    assert given.side.order is None


def test_records_of_a_class_are_grouped_with_the_largest_class_first(bench: Bench) -> None:
    given, made = tables(bench)
    bench.qtbot.mouseClick(bench.find("grouping").segment("class"), LEFT)
    bench.settle()
    release = bench.subject.release
    order = made.side.order
    labels = release.labels[order]
    changes = np.flatnonzero(np.diff(labels)) + 1
    assert len(changes) + 1 == len(release.classes.sizes)
    largest = int(release.kept_sizes.max())
    assert changes[0] == largest
    assert made.side.ends_class(largest - 1)
    assert not made.side.ends_class(0)
    n_kept = release.n_records - release.n_suppressed
    assert not release.suppressed[order[:n_kept]].any()
    assert release.suppressed[order[n_kept:]].all()
    bench.qtbot.mouseClick(bench.find("grouping").segment("input"), LEFT)
    bench.settle()
    assert given.side.order is None
    assert not given.side.ends_class(0)


def test_cells_are_tinted_by_the_degree_of_their_change(bench: Bench) -> None:
    given, made = tables(bench)
    release = bench.subject.release
    kept = int(np.flatnonzero(~release.suppressed)[0])
    lost = int(np.flatnonzero(release.suppressed)[0])
    changes = [made.side.change(kept, place) for place in range(8)]
    levels = dict(zip(QIS, NODE, strict=True))
    heights = {a.name: a.hierarchy.height for a in release.problem.attributes}
    for name, change in zip(QIS, changes, strict=False):
        if levels[name] == heights[name]:
            assert change is Change.HIDDEN
        else:
            assert change is (Change.ONE_STEP if levels[name] == 1 else Change.FURTHER)
    assert changes[5:7] == [Change.KEPT, Change.KEPT]
    assert all(made.side.change(lost, place) is Change.HIDDEN for place in range(5))
    assert all(given.side.change(lost, place) is Change.KEPT for place in range(8))

    image = made.viewport().grab().toImage()
    for place in (0, 2):
        cell = made.visualRect(made.side.index(kept, place))
        wanted = current_theme().color(CHANGE_TOKENS[changes[place]])
        assert image.pixelColor(cell.left() + 2, cell.top() + 2) == wanted


def test_suppressed_records_are_described_and_marked(bench: Bench) -> None:
    made = tables(bench)[1]
    lost = int(np.flatnonzero(bench.subject.release.suppressed)[0])
    bench.click_row(made, 0)
    for _ in range(lost):
        bench.qtbot.keyClick(made, Qt.Key.Key_Down)
    vertical, tip = Qt.Orientation.Vertical, Qt.ItemDataRole.ToolTipRole
    assert made.side.headerData(lost, vertical, tip) == f"Record {lost + 1:,} is suppressed".replace(
        ",", "\u202f"
    )
    assert "is suppressed" in bench.utility.view.tables.release_card.caption.text()
    header = made.verticalHeader()
    y = made.rowViewportPosition(lost)

    def ink(row_y: int) -> int:
        image = header.viewport().grab().toImage()
        ground = image.pixelColor(1, row_y + 3)
        return sum(
            image.pixelColor(x, y) != ground
            for x in range(4, 18)
            for y in range(row_y + 4, row_y + made.rowHeight(lost) - 4)
        )

    assert ink(y) > 10
    assert ink(y - made.rowHeight(lost)) == 0 or bench.subject.release.suppressed[lost - 1]


def test_a_click_outlines_the_record_on_both_sides_and_names_its_class(bench: Bench) -> None:
    given, made = tables(bench)
    release = bench.subject.release
    bench.click_row(given, 3)
    assert given.marked == made.marked == 3
    outlines = [table.outline() for table in (given, made)]
    assert outlines[0].top() == outlines[1].top() == given.rowViewportPosition(3)  # type: ignore[union-attr]
    accent = current_theme().color("accent")
    image = made.viewport().grab().toImage()
    assert image.pixelColor(outlines[0].center().x(), outlines[0].top() + 1) == accent
    size = int(release.classes.sizes[release.labels[3]])
    assert bench.utility.view.tables.release_card.caption.text() == f"record 4 is in a class of {size}"

    bench.click("showClass")
    members = np.flatnonzero(release.labels == release.labels[3])
    assert given.side.rowCount() == made.side.rowCount() == size
    assert [made.side.record_of(row) for row in range(size)] == members.tolist()
    for place in range(5):
        assert len({made.side.index(row, place).data() for row in range(size)}) == 1
    assert bench.find("showClass").text() == "Show all records"
    bench.click("showClass")
    assert given.side.rowCount() == 2000
    assert made.marked == 3


def test_find_moves_from_cell_to_cell_on_both_sides(bench: Bench) -> None:
    given, made = tables(bench)
    field = bench.find("findCell")
    bench.qtbot.mouseClick(field, LEFT)
    bench.qtbot.keyClicks(field, "Appendicitis")
    bench.qtbot.keyClick(field, Qt.Key.Key_Return)
    bench.settle()
    diagnoses = bench.subject.input.column("diagnosis")
    hits = [i for i in range(2000) if diagnoses.text(i) == "Appendicitis"]
    assert given.marked == made.marked == hits[0]
    bench.qtbot.keyClick(field, Qt.Key.Key_Return)
    bench.settle()
    assert given.marked == hits[1]
    bench.qtbot.keyClicks(field, "zzz")
    bench.qtbot.keyClick(field, Qt.Key.Key_Return)
    bench.settle()
    assert field.property("invalid") == "true"
    assert given.marked == hits[1]


def test_the_current_record_is_copied_below_its_headings_as_its_side_shows_it(bench: Bench) -> None:
    _, made = tables(bench)
    bench.click_row(made, 5)
    bench.qtbot.keyClick(made, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    cells = [made.side.index(5, place).data() for place in range(8)]
    names = [column.name for column in made.side.table.columns]
    assert QGuiApplication.clipboard().text() == "\t".join(names) + "\n" + "\t".join(cells) + "\n"


def test_order_and_columns_stay_when_another_node_is_applied(bench: Bench, clinic: Project) -> None:
    given, made = tables(bench)
    bench.click_header(given, "age")
    bench.apply(clinic, (3, 4, 1, 4, 2))
    assert given.side.order is not None
    assert shown(given, "age", 2) == [bench.subject.input.column("age").labels[0]] * 2
    release = bench.subject.release
    assert made.side.index(0, 0).data() == release.column("visit date").text(made.side.record_of(0))  # type: ignore[union-attr]
