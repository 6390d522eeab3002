"""Colors of a report: those of the light theme, on white paper."""

from __future__ import annotations

TEXT = "#18202C"
TEXT_2 = "#465162"
TEXT_3 = "#5F6B7C"
BORDER = "#DDE2E9"
AXIS = "#818C9C"
GRID = "#E8EBF0"
OK = "#0B6E5F"
WARN = "#8A4B00"
DANGER = "#B3261E"
SURFACE = "#FFFFFF"
SURFACE_2 = "#F7F8FA"
SERIES = {"input": "#8490A0", "release": "#2B5BD7", "other": "#087E60"}
