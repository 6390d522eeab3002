"""Colour tokens of the themes, named by purpose, the ramp of losses, and tints."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen


@dataclass(frozen=True, slots=True)
class RoleTone:
    """Colours of one role: badge fill, soft background of a selected button, glyph on the badge."""

    fill: str
    soft: str
    glyph: str


@dataclass(frozen=True, slots=True)
class Theme:
    """All colours of the window; no package except `theming` defines a colour."""

    name: str
    is_dark: bool

    window: str
    surface: str
    surface_2: str
    sunken: str
    hover: str
    border: str
    border_strong: str
    grid: str

    text: str
    text_2: str
    text_3: str
    text_disabled: str

    accent: str
    accent_hover: str
    accent_soft: str
    accent_text: str
    on_accent: str

    ok: str
    ok_soft: str
    warn: str
    warn_soft: str
    danger: str
    danger_soft: str

    ink: str
    halo: str
    optimum: str
    fail: str
    fail_line: str
    fail_dot: str

    change_1: str
    change_2: str
    change_3: str

    identifying: RoleTone
    quasi_identifying: RoleTone
    sensitive: RoleTone
    insensitive: RoleTone

    series_1: str
    series_2: str
    series_3: str
    series_4: str
    series_5: str

    ramp: tuple[str, ...]

    is_high_contrast: bool = False  # tints and tracks are outlined too
    ring_width: int = 2  # px of the focus ring

    def __hash__(self) -> int:
        return hash(self.name)  # quickly, for caches of pictures that are looked up at every repaint

    def color(self, token: str) -> QColor:
        """Return the colour of a token."""
        return QColor(str(getattr(self, token)))

    def role(self, key: str) -> RoleTone:
        """Return the tones of a role by its key, such as "quasi-identifying"; grey for unknown keys."""
        if key not in ROLE_ICONS:
            return RoleTone(self.fail, self.sunken, self.text_2)
        tone = getattr(self, key.replace("-", "_"))
        if not isinstance(tone, RoleTone):
            raise KeyError(key)
        return tone


# The colour of each token in the light and the dark theme, and in those of high contrast.
_COLOURS = {
    "window": ("#F1F3F6", "#10141A", "#F2F2F2", "#000000"),
    "surface": ("#FFFFFF", "#191F27", "#FFFFFF", "#000000"),
    "surface_2": ("#F7F8FA", "#1F2630", "#F5F5F5", "#121212"),
    "sunken": ("#EEF1F5", "#141920", "#E4E4E4", "#1C1C1C"),
    "hover": ("#F0F3F8", "#252D38", "#DCDCDC", "#2A2A2A"),
    "border": ("#DDE2E9", "#2D3642", "#5C5C5C", "#8C8C8C"),
    "border_strong": ("#818C9C", "#748193", "#1F1F1F", "#E6E6E6"),
    "grid": ("#E8EBF0", "#27303B", "#949494", "#606060"),
    "text": ("#18202C", "#E9EDF3", "#000000", "#FFFFFF"),
    "text_2": ("#465162", "#B6C0CD", "#1A1A1A", "#F0F0F0"),
    "text_3": ("#5F6B7C", "#93A0B1", "#333333", "#D0D0D0"),
    "text_disabled": ("#9AA4B2", "#5E6A7A", "#6E6E6E", "#8C8C8C"),
    "accent": ("#2B5BD7", "#86A4FF", "#0A34B0", "#8DB4FF"),
    "accent_hover": ("#2450C4", "#9DB5FF", "#00248A", "#B3CCFF"),
    "accent_soft": ("#E5ECFC", "#26324F", "#C9DAFF", "#12307A"),
    "accent_text": ("#2149B5", "#A9BFFF", "#00237A", "#C4D7FF"),
    "on_accent": ("#FFFFFF", "#0D1320", "#FFFFFF", "#000000"),
    "ok": ("#0B6E5F", "#5AD1BC", "#004D3B", "#5CE6CE"),
    "ok_soft": ("#E0F3EF", "#16362F", "#D3F0E8", "#00362C"),
    "warn": ("#8A4B00", "#F5BE6B", "#6B3600", "#FFC870"),
    "warn_soft": ("#FFF1DC", "#3A2B14", "#FFE6C2", "#422B00"),
    "danger": ("#B3261E", "#FF9B92", "#8A000C", "#FFB0A8"),
    "danger_soft": ("#FDEBE9", "#41201E", "#FFDCD9", "#520D0A"),
    "ink": ("#18202C", "#FFFFFF", "#000000", "#FFFFFF"),
    "halo": ("#FFFFFF", "#0B0F14", "#FFFFFF", "#000000"),
    "optimum": ("#F2A900", "#FFC53D", "#F2A900", "#FFC53D"),
    "fail": ("#D3D8E0", "#39434F", "#B8B8B8", "#4A4A4A"),
    "fail_line": ("#8892A2", "#7A8798", "#6F6F6F", "#959595"),
    "fail_dot": ("#C3CAD4", "#46515F", "#949494", "#606060"),
    "change_1": ("#E9F1FD", "#1D283B", "#DCE8FF", "#10204A"),
    "change_2": ("#CFE0FA", "#213352", "#B5CEFF", "#1A3272"),
    "change_3": ("#AECBF5", "#284170", "#86AEFF", "#254594"),
    "series_1": ("#8490A0", "#7D8A9B", "#767676", "#7A7A7A"),
    "series_2": ("#2B5BD7", "#86A4FF", "#183FDF", "#2878E8"),
    "series_3": ("#087E60", "#4CCDA2", "#025F51", "#4BB9A2"),
    "series_4": ("#A84A00", "#D0703F", "#A12205", "#ED8127"),
    "series_5": ("#71367F", "#FAC0FE", "#661289", "#FDC4FF"),
}
# Badge fill, soft background and glyph of each role, in the same themes.
_ROLES = {
    "identifying": (
        "#B01332 #FCE9EC #FFFFFF",
        "#E2495B #3D2129 #FFFFFF",
        "#920530 #FFD9E0 #FFFFFF",
        "#F3596B #4A0F1B #000000",
    ),
    "quasi_identifying": (
        "#EBB000 #FFF5D6 #18202C",
        "#FFD257 #3A3118 #10141A",
        "#93621F #FFECB8 #FFFFFF",
        "#FED84B #3D3000 #000000",
    ),
    "sensitive": (
        "#5A2A8C #EFE9FB #FFFFFF",
        "#9F80F3 #2D2547 #10141A",
        "#482CC7 #E2DCFF #FFFFFF",
        "#AC86FE #2E1A66 #000000",
    ),
    "insensitive": (
        "#0B977E #E1F4EF #10141A",
        "#3CCBB0 #15352E #10141A",
        "#197B74 #CFF2EA #FFFFFF",
        "#39E1D1 #003D36 #000000",
    ),
}
_RAMPS = (  # from the best loss to the worst
    "#342874 #2F3A87 #224C97 #015FA1 #0671A0 #0482A4 #0893A8 #00A4AC #0BB6AD",
    "#CFF3AA #A7E7A5 #7CDAA5 #4ACBA9 #0BBAAD #04A5AC #0691A8 #097DA3 #0069A1",
    "#160047 #110463 #002263 #00345D #014260 #005066 #035D6B #036B70 #047973",
    "#E7FFCF #B1FCAF #82F2B4 #47E5BD #09D5C6 #08C1CA #06AFCA #179BC9 #1688CB",
)


def _theme(place: int, name: str, *, is_dark: bool, **further: Any) -> Theme:
    """Return the theme at a place of the tables."""
    values: dict[str, Any] = {token: colours[place] for token, colours in _COLOURS.items()}
    values |= {role: RoleTone(*tones[place].split()) for role, tones in _ROLES.items()}
    return Theme(name, is_dark, ramp=tuple(_RAMPS[place].split()), **values, **further)


_CONTRAST = {"is_high_contrast": True, "ring_width": 3}
LIGHT, DARK = _theme(0, "light", is_dark=False), _theme(1, "dark", is_dark=True)
CONTRAST_LIGHT = _theme(2, "contrast-light", is_dark=False, **_CONTRAST)
CONTRAST_DARK = _theme(3, "contrast-dark", is_dark=True, **_CONTRAST)

THEMES = {theme.name: theme for theme in (LIGHT, DARK, CONTRAST_LIGHT, CONTRAST_DARK)}
ROLE_ICONS = {
    "identifying": "fingerprint",
    "quasi-identifying": "puzzle",
    "sensitive": "lock",
    "insensitive": "circle",
}


N_CLASSES = 64


def ramp_position(loss: ArrayLike, best: float, worst: float) -> NDArray[np.float64]:
    """Return the position on the ramp, 0 at the best loss and 1 at the worst.

    The square root gives most colours to low losses, where most nodes worth comparing are. If best and worst
    are equal, every node has position 0.
    """
    losses = np.asarray(loss, dtype=np.float64)
    if not worst > best:
        return np.zeros_like(losses)
    return np.sqrt(np.clip((losses - best) / (worst - best), 0.0, 1.0))


def ramp_classes(loss: ArrayLike, best: float, worst: float) -> NDArray[np.uint8]:
    """Return the colour class per loss, 0 (best) to 63 (worst); a missing loss (NaN) counts as worst."""
    position = np.nan_to_num(ramp_position(loss, best, worst), nan=1.0)
    return np.rint(position * (N_CLASSES - 1)).astype(np.uint8)


def loss_at(position: float, best: float, worst: float) -> float:
    """Return the loss at a position on the legend, the inverse of `ramp_position`."""
    return best + position**2 * (worst - best)


@lru_cache(maxsize=4)
def ramp_rgb(theme: Theme) -> tuple[tuple[int, int, int], ...]:
    """Return the 64 colours as 8-bit triples, interpolated linearly between the stops of the theme."""
    stops = np.array([[int(stop[i : i + 2], 16) for i in (1, 3, 5)] for stop in theme.ramp], dtype=np.float64)
    at = np.linspace(0.0, len(stops) - 1.0, N_CLASSES)
    channels = [np.rint(np.interp(at, np.arange(len(stops)), channel)).astype(int) for channel in stops.T]
    return tuple((int(r), int(g), int(b)) for r, g, b in zip(*channels, strict=True))


@lru_cache(maxsize=4)
def ramp_colors(theme: Theme) -> tuple[QColor, ...]:
    """Return the 64 colours of the ramp, best first."""
    return tuple(QColor(*rgb) for rgb in ramp_rgb(theme))


def ramp_color(theme: Theme, loss: float, best: float, worst: float) -> QColor:
    """Return the colour of one node, for cards, bars and list marks."""
    return QColor(*ramp_rgb(theme)[int(ramp_classes(loss, best, worst))])


# Outlines of the degrees of change: width in px and dashes, so that they differ without colour.
_OUTLINES: dict[str, tuple[int, Qt.PenStyle]] = {
    "change_1": (1, Qt.PenStyle.DotLine),
    "change_2": (1, Qt.PenStyle.SolidLine),
    "change_3": (3, Qt.PenStyle.SolidLine),
}


def paint_tint(painter: QPainter, rect: QRect, theme: Theme, token: str) -> None:
    """Fill a cell with the tint of a degree of change."""
    painter.fillRect(rect, theme.color(token))
    if not theme.is_high_contrast:
        return
    width, style = _OUTLINES[token]
    pen = QPen(QColor(theme.accent), width, style)
    pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(rect.adjusted(1, 1, -3, -3))
    painter.restore()


def paint_selection(painter: QPainter, cell: QRect, theme: Theme) -> None:
    """Fill a cell of a selected row or column."""
    painter.fillRect(cell, QColor(theme.accent_soft))
    if theme.is_high_contrast:
        for top in (cell.top(), cell.bottom() - 1):
            painter.fillRect(QRect(cell.left(), top, cell.width(), 2), QColor(theme.accent))


def paint_track(painter: QPainter, rect: QRectF, theme: Theme, token: str, radius: float = 2) -> None:
    """Fill the track of a bar with a token; the track shows what the whole is."""
    painter.save()
    if theme.is_high_contrast:
        painter.setPen(QPen(QColor(theme.border_strong), 1))
        painter.setBrush(QColor(theme.surface))
        painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)
    else:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.color(token))
        painter.drawRoundedRect(rect, radius, radius)
    painter.restore()
