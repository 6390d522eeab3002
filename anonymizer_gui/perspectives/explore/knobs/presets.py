"""Offers published thresholds, and takes the chosen ones as one undo step."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from PySide6.QtCore import QCoreApplication, QObject
from PySide6.QtWidgets import QWidget

from anonymizer_gui.models.measured_text import limit_text
from anonymizer_gui.perspectives.explore.knobs.preset_dialog import PresetDialog, PresetWords
from anonymizer_gui.session import Session
from anonymizer_gui.widgets.numbers import as_percent
from engine.privacy import PrivacyModel, Requirement
from engine.project.presets import PRESETS, Preset, kept_models, set_preset, with_preset

_tr = partial(QCoreApplication.translate, "PresetOffer")


class PresetOffer(QObject):
    """Opens the dialog over a widget."""

    def __init__(self, session: Session, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session

    def ask(self, over: QWidget) -> None:
        """Let a person choose."""
        project = self._session.project
        if project is None:
            return
        dialog = PresetDialog([preset_words(preset, project.requirement) for preset in PRESETS], over)
        dialog.preset_chosen.connect(self._on_preset_chosen)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _on_preset_chosen(self, key: str) -> None:
        project = self._session.project
        preset = next(preset for preset in PRESETS if preset.key == key)
        if project is not None:
            self._session.edit(
                self.tr("Set thresholds: {0}").format(preset.title), set_preset(project, preset)
            )


def preset_words(preset: Preset, requirement: Requirement) -> PresetWords:
    """A preset in words, against the requirement it would change."""
    stays = kept_models(requirement)
    after = with_preset(requirement, preset).models
    kinds = {type(model) for model in preset.models}
    leaves = [model for model in requirement.models if model not in after and type(model) not in kinds]
    limit = _tr("suppression limit {0}").format(as_percent(requirement.suppression_limit))
    return PresetWords(
        preset.key,
        preset.title,
        f"{preset.says[0].upper()}{preset.says[1:]}.",
        _listed(preset.models),
        _listed(leaves) or _tr("nothing"),
        f"{_listed(stays)}; {limit}" if stays else limit,
        f"{preset.source}, {preset.year}",
        preset.caution,
    )


def _listed(models: Iterable[PrivacyModel]) -> str:
    found = []
    for model in models:
        name = model.symbol
        if model.columns:
            name = _tr("{0} of {1}").format(name, ", ".join(model.columns))
        found.append(f"{name} {model.relation.value} {limit_text(model)}")
    return ", ".join(found)
