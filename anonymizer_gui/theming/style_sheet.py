"""Fills the style sheet template with a theme's tokens and the sizes of the type table."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

from anonymizer_gui.theming.svg import svg_source
from anonymizer_gui.theming.tokens import Theme
from anonymizer_gui.theming.type_scale import TYPE_TABLE, Text, pixels, scaled

TEMPLATE = Path(__file__).with_name("style.qss")
# Sub-control pictures: name in the template -> (icon, token).
_ARROWS = {
    "arrow_down": ("chevron-down", "text_2"),
    "arrow_down_dim": ("chevron-down", "text_disabled"),
    "arrow_up": ("chevron-up", "text_2"),
    "arrow_right": ("chevron-right", "text_2"),
    "tick": ("check", "on_accent"),
    "dash": ("minus", "on_accent"),
    "tick_dim": ("check", "text_disabled"),
    "menu_tick": ("check", "text"),
}
# Radio buttons: (ring, fill, dot) as tokens; a style sheet cannot draw a circle that grows with the font.
_RADIOS = {
    "radio": ("border_strong", "surface", "surface"),
    "radio_hover": ("accent", "hover", "hover"),
    "radio_on": ("accent", "accent", "on_accent"),
    "radio_dim": ("border", "sunken", "sunken"),
    "radio_on_dim": ("border", "sunken", "text_disabled"),
}
_LABEL_TONES = (
    "text",
    "text_2",
    "text_3",
    "text_disabled",
    "accent",
    "accent_text",
    "ok",
    "warn",
    "danger",
    "on_accent",
)


@lru_cache(maxsize=1)
def _template() -> str:
    return TEMPLATE.read_text(encoding="utf-8")


def build_style_sheet(theme: Theme, arrow_folder: str) -> str:
    """The style sheet of `theme` at the current font scale.

    In the template `@name` is a token, `@url(name)` a tinted picture written to `arrow_folder`,
    `@size(USE)` a pixel size of the type table, and `~26px` a length that grows with the font scale.
    """
    sheet = re.sub(r"@url\((\w+)\)", lambda m: _picture(theme, m[1], arrow_folder), _template())
    sheet = re.sub(r"@size\((\w+)\)", lambda m: f"{pixels(Text[m[1]])}px", sheet)
    sheet = re.sub(r"@(\w+)", lambda m: str(getattr(theme, m[1])), sheet)
    sheet = re.sub(r"~(\d+)px", lambda m: f"{scaled(int(m[1]))}px", sheet)
    return sheet + "\n".join(_label_rules(theme))


def _picture(theme: Theme, name: str, folder: str) -> str:
    path = Path(folder) / f"{theme.name}-{name}.svg"
    if not path.exists():
        path.write_text(_drawing(theme, name), encoding="utf-8")
    return f'url("{path.as_posix()}")'


def _drawing(theme: Theme, name: str) -> str:
    if name in _ARROWS:
        icon_name, token = _ARROWS[name]
        return svg_source(icon_name).replace("currentColor", str(getattr(theme, token)))
    ring, fill, dot = (str(getattr(theme, token)) for token in _RADIOS[name])
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">'
        f'<circle cx="8" cy="8" r="7.5" stroke="{ring}" fill="{fill}"/>'
        f'<circle cx="8" cy="8" r="3" fill="{dot}"/></svg>'
    )


def _label_rules(theme: Theme) -> list[str]:
    uses = [
        f'QLabel[use="{use.value}"] {{ font-size: {pixels(use)}px; font-weight: {style.weight}; }}'
        for use, style in TYPE_TABLE.items()
    ]
    tones = [f'QLabel[tone="{tone}"] {{ color: {getattr(theme, tone)}; }}' for tone in _LABEL_TONES]
    return uses + tones
