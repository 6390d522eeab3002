"""Published thresholds: settings that they change and keep, in the engine and the dialog."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QPushButton
from pytestqt.qtbot import QtBot

from anonymizer_gui.forms.weights_dialog import WeightsDialog
from anonymizer_gui.perspectives.explore.knobs.presenter import PresetDialog, preset_words
from engine.privacy import Requirement
from engine.privacy.alpha_k_anonymity import AlphaKAnonymity
from engine.privacy.average_risk import AverageRisk
from engine.privacy.base import Group
from engine.privacy.distinct_l_diversity import DistinctLDiversity
from engine.privacy.k_anonymity import KAnonymity
from engine.privacy.k_map import KMap
from engine.privacy.t_closeness import TCloseness
from engine.project.presets import PRESETS, Preset, with_preset
from engine.scoring.evaluate import evaluate
from tests.anonymizer_gui.perspectives.explore.conftest import Bench, settle

LEFT = Qt.MouseButton.LeftButton
OF_VALUES = (DistinctLDiversity("illness", 3), TCloseness("illness", 0.2), AlphaKAnonymity("illness", 0.5, 3))
FULL = Requirement((AverageRisk(0.1), *OF_VALUES, KAnonymity(5), KMap(5)), 0.03)


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.key)
def test_a_preset_replaces_class_sizes_and_risks_and_keeps_everything_else(preset: Preset) -> None:
    after = with_preset(FULL, preset)
    assert after.models == (*preset.models, *OF_VALUES, KMap(5))
    assert after.suppression_limit == 0.03
    assert with_preset(after, preset) == after
    assert all(model.group in (Group.CLASS_SIZES, Group.RISK) for model in preset.models)


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.key)
def test_a_preset_names_its_source_its_year_and_a_sentence_of_caution(preset: Preset) -> None:
    assert 2000 <= preset.year <= 2026
    assert len(preset.source) > 20
    assert preset.caution.endswith(".")
    assert preset.caution.count(". ") == 0
    words = preset_words(preset, FULL)
    assert words["source"] == f"{preset.source}, {preset.year}"
    assert words["leaves"] == "average risk ≤ 10\u202f%"
    assert words["keeps"].startswith("l of illness ≥ 3, t of illness ≤ 0.20, ")
    assert words["keeps"].endswith("suppression limit 3\u202f%")


def test_presets_set_the_thresholds_of_the_authorities() -> None:
    sizes = {preset.key: preset.models for preset in PRESETS}
    assert (
        sizes["ontario_low"] == sizes["ema"] == sizes["health_canada"] == sizes["hipaa"] == (KAnonymity(11),)
    )
    assert (sizes["ontario_medium"], sizes["ontario_high"]) == ((KAnonymity(15),), (KAnonymity(20),))
    assert len(sizes) == len(PRESETS)


def text_of(dialog: PresetDialog, name: str) -> str:
    label = dialog.findChild(QLabel, f"preset.{name}")
    return label.text()


def test_presets_and_weights_are_set_from_the_knob_bar_one_undo_step_each(qtbot: QtBot, bench: Bench) -> None:
    bar, session = bench.explore.view.knobs, bench.session
    before = session.project.requirement
    qtbot.mouseClick(bar.presets, LEFT)
    dialog = bar.findChildren(PresetDialog)[0]
    qtbot.waitUntil(dialog.isVisible)
    for _ in range(3):
        qtbot.keyClick(dialog.list, Qt.Key.Key_Down)
    assert dialog.list.currentItem().text() == "EMA, clinical reports"
    assert text_of(dialog, "sets") == "k ≥ 11"
    assert text_of(dialog, "leaves") == "nothing"
    assert "European Medicines Agency" in text_of(dialog, "source")
    assert "this table alone" in text_of(dialog, "caution")
    accept = dialog.findChild(QPushButton, "acceptButton")
    assert accept is not None
    qtbot.mouseClick(accept, LEFT)
    settle(qtbot, bench)
    after = session.project.requirement
    assert (after.k, after.models[1:]) == (11, before.models[1:])
    assert bar.knobs["k"].value() == 11
    assert session.results.profile is not None
    assert bench.explore.state.scores.n_satisfying == evaluate(session.results.profile, after).n_satisfying
    session.history.undo()
    assert session.project.requirement == before
    settle(qtbot, bench)
    assert "all equal" in bar.weights.toolTip()
    qtbot.mouseClick(bar.weights, LEFT)
    asked = bar.findChildren(WeightsDialog)[0]
    asked.boxes["age"].selectAll()
    qtbot.keyClicks(asked.boxes["age"], "5")
    accept = asked.findChild(QPushButton, "acceptButton")
    assert accept is not None
    qtbot.mouseClick(accept, LEFT)
    settle(qtbot, bench)
    assert dict(session.project.search.weights) == {"age": 5.0}
    assert "heaviest: age" in bar.weights.toolTip()
    assert session.history.own.count() == 1
