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
SERIES = {"input": "#8490A0", "release": "#2B5BD7", "other": "#087E60", "price": "#A84A00"}
SOFT = {"ok": "#E0F3EF", "warn": "#FFF1DC", "danger": "#FDEBE9"}
CHANGES = (SURFACE, "#E9F1FD", "#CFE0FA", "#AECBF5")  # a cell one step changed, further, hidden
SUNKEN = "#EEF1F5"
STEP, NO_STEP = TEXT_2, "#D3D8E0"  # of the level glyph, filled and empty
FAILS, OPTIMUM, ACCENT = "#C3CAD4", "#F2A900", "#2B5BD7"
RAMP = ("#342874", "#2F3A87", "#224C97", "#015FA1", "#0671A0", "#0482A4", "#0893A8", "#00A4AC", "#0BB6AD")
