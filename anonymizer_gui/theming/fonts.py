"""Loads the bundled font files into the application."""

from __future__ import annotations

from PySide6.QtGui import QFontDatabase

from anonymizer_gui.resources import resources_path

FONT_FILES = ("Inter-Regular.ttf", "Inter-Medium.ttf", "Inter-SemiBold.ttf")
_loaded: set[str] = set()


def load_fonts() -> None:
    """Register the bundled fonts once per process; needs a QGuiApplication."""
    for name in FONT_FILES:
        if name not in _loaded:
            path = resources_path() / "fonts" / name
            if QFontDatabase.addApplicationFont(str(path)) == -1:
                raise FileNotFoundError(f"The font file '{path.name}' could not be loaded.")
            _loaded.add(name)
