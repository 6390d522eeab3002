"""The theme follows the system, also while the window is open."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from anonymizer_gui import preferences_keeper
from anonymizer_gui.arguments import THEMES as NAMED_ON_THE_COMMAND_LINE
from anonymizer_gui.preferences_keeper import PreferencesKeeper, system_theme
from anonymizer_gui.session.preferences import THEME_CHOICES
from anonymizer_gui.theming import THEMES, theme_manager

SCHEMES = {"light": Qt.ColorScheme.Light, "dark": Qt.ColorScheme.Dark, "unknown": Qt.ColorScheme.Unknown}
WISHES = {False: Qt.ContrastPreference.NoPreference, True: Qt.ContrastPreference.HighContrast}


@pytest.mark.parametrize(
    ("scheme", "is_high", "name"),
    [
        ("light", False, "light"),
        ("dark", False, "dark"),
        ("unknown", False, "light"),
        ("light", True, "contrast-light"),
        ("dark", True, "contrast-dark"),
        ("unknown", True, "contrast-light"),
    ],
)
def test_scheme_and_contrast_of_the_system_choose_the_theme(scheme: str, is_high: bool, name: str) -> None:
    wishes = SimpleNamespace(contrastPreference=lambda: WISHES[is_high])
    hints = SimpleNamespace(colorScheme=lambda: SCHEMES[scheme], accessibility=lambda: wishes)
    assert system_theme(hints) == name  # type: ignore[arg-type]


def test_a_change_of_the_contrast_is_followed_at_once(
    themed: QApplication, config_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keeper = PreferencesKeeper(themed)
    assert theme_manager().theme.name == "light"
    monkeypatch.setattr(preferences_keeper, "system_theme", lambda _hints: "contrast-dark")
    wishes = themed.styleHints().accessibility()
    wishes.contrastPreferenceChanged.emit(Qt.ContrastPreference.HighContrast)
    assert theme_manager().theme is THEMES["contrast-dark"]
    keeper.set_theme("light")
    wishes.contrastPreferenceChanged.emit(Qt.ContrastPreference.HighContrast)
    assert theme_manager().theme.name == "light", "a chosen theme does not follow the system"


def test_every_theme_can_be_chosen_in_the_window_and_on_the_command_line() -> None:
    assert set(NAMED_ON_THE_COMMAND_LINE) == set(THEMES)
    assert THEME_CHOICES[1:] == NAMED_ON_THE_COMMAND_LINE
