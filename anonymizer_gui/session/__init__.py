"""Open project, its results and the selection, without widgets."""

from __future__ import annotations

from anonymizer_gui.session.preferences import Preferences, load_preferences, save_preferences
from anonymizer_gui.session.session import Session

__all__ = ["Preferences", "Session", "load_preferences", "save_preferences"]
