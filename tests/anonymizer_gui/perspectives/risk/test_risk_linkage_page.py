"""The linkage test: a second table by the open dialog, paired columns, and the results."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QApplication, QDialog

from anonymizer_gui.theming import LIGHT, theme_manager
from engine.findings.risk import linkage
from engine.findings.risk.linkage import link
from engine.numbers import as_exact_count, as_risk
from engine.records.opening.files import read_table
from engine.records.options import JUDGED
from tests.anonymizer_gui.look_checks import focus_problems, laid_out
from tests.anonymizer_gui.perspectives.risk.conftest import Bench
from tests.anonymizer_gui.perspectives.risk.test_risk_look import faults
from tests.anonymizer_gui.perspectives.risk.test_risk_pages import answer_file_dialog

LEFT = Qt.MouseButton.LeftButton
OWN = ("age", "sex", "insurance", "visit date")


def register(bench: Bench, path: Path, names: Sequence[str]) -> Path:
    """Return some patients with invented names, in columns with other names."""
    table = bench.subject.input
    lines = [",".join(("who", *names))]
    for record in range(0, 400, 4):
        cells = [table.column(name).labels[table.column(name).codes[record]] for name in OWN]
        lines.append(",".join((f"Person {record}", *cells)))
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def open_second_table(bench: Bench, path: Path) -> None:
    answer_file_dialog(bench.qtbot, bench.window, path)
    setup = bench.risk.view.tests.linkage.setup
    bench.click("linkageTable" if setup.isVisible() else "linkageAction")

    def dialog() -> QDialog | None:
        found = bench.window.findChildren(QDialog, "openDialog")
        return next((d for d in found if d.isVisible()), None)

    bench.qtbot.waitUntil(lambda: dialog() is not None and dialog().reading is not None)  # type: ignore[union-attr]
    shown = dialog()
    accept = shown.findChild(QAbstractButton, "openDialogButton")
    bench.qtbot.mouseClick(accept, LEFT)
    bench.qtbot.waitUntil(lambda: bench.find("linkageFile").text() == path.name)
    laid_out(bench.window)
    bench.settle()


@pytest.fixture
def linking(bench: Bench) -> Bench:
    """Return the page of the linkage test, visible."""
    bench.show_page("linkage")
    return bench


def test_columns_of_the_same_name_are_paired_and_linked(linking: Bench, tmp_path: Path) -> None:
    path = register(linking, tmp_path / "register.csv", OWN)
    buttons = linking.risk.view.tests.linkage.findChildren(QAbstractButton)
    assert [button.text() for button in buttons if button.isVisible() and button.text()] == ["Choose table…"]
    open_second_table(linking, path)
    page = linking.risk.view.tests.linkage
    assert page.setup.pairs() == {name: name for name in OWN}
    linking.click("linkButton")
    linking.settle()
    other, _ = read_table(path, JUDGED)
    found = link(linking.subject, other, page.setup.pairs())
    assert page.view.sentence().text() == found.sentence
    outcomes, rows = ("n_one_record", "n_one_class", "n_several", "n_none"), page.view.part("outcomes").rows
    for (_name, caption, numbers), outcome in zip(rows.texts(), outcomes, strict=True):
        counts = [getattr(side, outcome) for side in (found.before, found.after)]
        assert numbers == " → ".join(map(as_exact_count, counts))
        assert caption == " / ".join(as_risk(count / found.n_people) for count in counts)


def test_a_table_without_a_common_column_is_explained_and_can_be_paired_by_hand(
    linking: Bench, tmp_path: Path
) -> None:
    path = register(linking, tmp_path / "register.csv", ("years", "gender", "payer", "seen"))
    open_second_table(linking, path)
    page = linking.risk.view.tests.linkage
    assert page.setup.pairs() == {}
    assert "No column of register.csv has the name" in page.setup.hint.text()
    assert not linking.find("linkButton").isEnabled()
    assert "Pair at least one" in linking.find("linkButton").toolTip()
    linking.choose("pair.age", "years")
    linking.choose("pair.sex", "gender")
    linking.click("linkButton")
    linking.settle()
    other, _ = read_table(path, JUDGED)
    found = link(linking.subject, other, {"age": "years", "sex": "gender"})
    assert page.view.sentence().text() == found.sentence
    linking.choose("pair.sex", "not linked")
    assert not page.pane.is_shown  # the results belong to other pairs


def test_a_column_paired_twice_is_refused_in_place(linking: Bench, tmp_path: Path) -> None:
    path = register(linking, tmp_path / "register.csv", ("years", "gender", "payer", "seen"))
    open_second_table(linking, path)
    linking.choose("pair.age", "years")
    linking.choose("pair.sex", "years")
    linking.click("linkButton")
    linking.settle()
    assert "paired twice" in linking.risk.view.tests.linkage.pane.sentence()


def test_linking_can_be_cancelled_and_repeated(
    linking: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_second_table(linking, register(linking, tmp_path / "register.csv", OWN))
    page = linking.risk.view.tests.linkage

    def never(_subject: Any, _other: Any, _pairs: Any, monitor: Any) -> None:
        while True:
            monitor.step(1, 2)

    with monkeypatch.context() as patched:
        patched.setattr(linkage, "link", never)
        linking.click("linkButton")
        linking.click("analysisCancel")
        linking.settle()
    assert page.pane.sentence() == "Linking was cancelled."
    linking.click("linkButton")
    linking.settle()
    assert page.pane.is_shown


def test_the_second_table_can_be_dropped(linking: Bench, tmp_path: Path) -> None:
    open_second_table(linking, register(linking, tmp_path / "register.csv", OWN))
    linking.click("linkageDrop")
    page = linking.risk.view.tests.linkage
    assert page.setup.pairs() == {}
    assert not page.setup.isVisible()
    assert "how many people match exactly one record." in page.pane.sentence()


def test_pairs_and_outcomes_fit_and_are_reached_at_every_size_and_scale(
    linking: Bench, tmp_path: Path, themed: QApplication
) -> None:
    open_second_table(linking, register(linking, tmp_path / "a register of all people.csv", OWN))
    linking.click("linkButton")
    linking.settle()
    linking.window.hide()  # the offscreen platform forgets a window behind a dialog now and then
    with linking.qtbot.waitActive(linking.window):
        linking.window.show()
        linking.window.activateWindow()
    assert focus_problems(linking.window) == []
    for scale, size in ((1.0, (1280, 622)), (1.5, (1280, 573)), (1.5, (1440, 753))):
        theme_manager().apply(themed, LIGHT, scale)
        laid_out(linking.window)
        linking.window.resize(*size)
        assert faults(linking) == []
        assert linking.window.size().toTuple() == size
