"""Sizes that panels of Configure have in common."""

from __future__ import annotations

PANEL_LEAST = 456  # width of the panels beside the table
