"""Settings of the metric and of the search: forms, one undo step, no clipped text."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.configure.presenter import ConfigurePresenter
from anonymizer_gui.perspectives.configure.requirement.dialogs import MetricDialog
from anonymizer_gui.session import Session
from anonymizer_gui.theming import THEMES, theme_manager
from engine.project.project import SearchSettings
from engine.utility import utility_metrics
from tests.anonymizer_gui.look_checks import clipped_texts, overlapping_siblings

LEFT = Qt.MouseButton.LeftButton


def asked(qtbot: QtBot, configure: ConfigurePresenter) -> MetricDialog:
    qtbot.mouseClick(configure.view.requirement.settings_button, LEFT)
    return configure.view.findChildren(MetricDialog)[-1]


def test_settings_are_chosen_in_one_step_shown_next_to_the_metric_and_undone(
    qtbot: QtBot, configure: ConfigurePresenter, session: Session
) -> None:
    dialog = asked(qtbot, configure)
    aggregate = dialog.form.editor("aggregate").widget
    aggregate.setCurrentIndex(aggregate.findData("maximum"))
    coding = dialog.form.editor("coding").widget
    coding.setValue(0.7)
    enforce = dialog.search_form.editor("enforce").widget
    enforce.setCurrentIndex(enforce.findData("afterwards"))
    qtbot.mouseClick(dialog.accept_button, LEFT)
    search = session.project.search
    assert dict(search.metric_options) == {"aggregate": "maximum", "coding": 0.7}
    assert search.enforce == "afterwards"
    panel = configure.view.requirement
    assert panel.metric_words.text().startswith(
        "maximum, coding model 0.70, models of sensitive columns afterwards; 0 = none lost"
    )
    session.history.undo()
    assert session.project.search.enforce == "during"
    assert not session.project.search.metric_options
    assert panel.metric_words.text() == "0 = none lost, 1 = all hidden"


def test_the_slider_and_the_entry_of_the_coding_model_show_the_same(
    qtbot: QtBot, configure: ConfigurePresenter
) -> None:
    dialog = asked(qtbot, configure)
    coding = dialog.form.editor("coding").widget
    coding.setValue(0.25)
    slider = dialog.coding
    assert slider.as_accessible().number.current == 0.25
    qtbot.mouseClick(slider, LEFT, pos=slider.rect().center())
    assert coding.value() == slider.as_accessible().number.current == 0.5


def test_unchanged_settings_are_not_an_edit_and_another_metric_starts_with_its_defaults(
    qtbot: QtBot, configure: ConfigurePresenter, session: Session
) -> None:
    before = session.project
    qtbot.mouseClick(asked(qtbot, configure).accept_button, LEFT)
    assert session.project is before
    dialog = asked(qtbot, configure)
    dialog.form.editor("coding").set_value(0.2)
    qtbot.mouseClick(dialog.accept_button, LEFT)
    panel = configure.view.requirement
    panel.metric_box.setFocus()
    qtbot.keyClicks(panel.metric_box, "Prec")
    assert session.project.search.metric == "precision"
    assert not session.project.search.metric_options


@pytest.mark.parametrize("key", ["loss", "aecs", "c_avg"])
def test_nothing_in_the_dialog_is_cut(qtbot: QtBot, themed: QApplication, key: str) -> None:
    theme_manager().apply(themed, THEMES["light"], 1.5)
    dialog = MetricDialog(utility_metrics.create(key), SearchSettings())
    qtbot.addWidget(dialog)
    dialog.show()
    QApplication.processEvents()
    assert dialog.height() <= 720
    assert [*clipped_texts(dialog), *overlapping_siblings(dialog)] == []
    assert (dialog.coding is not None) == (key != "c_avg")
