"""Colours, fonts, icons and style of the window; the only package that defines colours."""

from __future__ import annotations

from anonymizer_gui.theming.icons import fit_icon, icon, set_icon
from anonymizer_gui.theming.manager import ThemeManager, current_theme, follow_theme, theme_manager
from anonymizer_gui.theming.painter import paint_text
from anonymizer_gui.theming.svg import paint_icon
from anonymizer_gui.theming.tokens import (
    CONTRAST_DARK,
    CONTRAST_LIGHT,
    DARK,
    LIGHT,
    ROLE_ICONS,
    THEMES,
    RoleTone,
    Theme,
    loss_at,
    paint_selection,
    paint_tint,
    paint_track,
    ramp_classes,
    ramp_color,
    ramp_colors,
    ramp_position,
)
from anonymizer_gui.theming.type_scale import Text, font, font_scale, pixels, scaled

__all__ = [
    "CONTRAST_DARK",
    "CONTRAST_LIGHT",
    "DARK",
    "LIGHT",
    "ROLE_ICONS",
    "THEMES",
    "RoleTone",
    "Text",
    "Theme",
    "ThemeManager",
    "current_theme",
    "fit_icon",
    "follow_theme",
    "font",
    "font_scale",
    "icon",
    "loss_at",
    "paint_icon",
    "paint_selection",
    "paint_text",
    "paint_tint",
    "paint_track",
    "pixels",
    "ramp_classes",
    "ramp_color",
    "ramp_colors",
    "ramp_position",
    "scaled",
    "set_icon",
    "theme_manager",
]
