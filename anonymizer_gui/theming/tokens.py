"""Colour tokens of the themes, named by purpose, the ramp of losses, and tints."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

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


LIGHT = Theme(
    name="light",
    is_dark=False,
    window="#F1F3F6",
    surface="#FFFFFF",
    surface_2="#F7F8FA",
    sunken="#EEF1F5",
    hover="#F0F3F8",
    border="#DDE2E9",
    border_strong="#818C9C",
    grid="#E8EBF0",
    text="#18202C",
    text_2="#465162",
    text_3="#5F6B7C",
    text_disabled="#9AA4B2",
    accent="#2B5BD7",
    accent_hover="#2450C4",
    accent_soft="#E5ECFC",
    accent_text="#2149B5",
    on_accent="#FFFFFF",
    ok="#0B6E5F",
    ok_soft="#E0F3EF",
    warn="#8A4B00",
    warn_soft="#FFF1DC",
    danger="#B3261E",
    danger_soft="#FDEBE9",
    ink="#18202C",
    halo="#FFFFFF",
    optimum="#F2A900",
    fail="#D3D8E0",
    fail_line="#8892A2",
    fail_dot="#C3CAD4",
    change_1="#E9F1FD",
    change_2="#CFE0FA",
    change_3="#AECBF5",
    identifying=RoleTone("#B01332", "#FCE9EC", "#FFFFFF"),
    quasi_identifying=RoleTone("#EBB000", "#FFF5D6", "#18202C"),
    sensitive=RoleTone("#5A2A8C", "#EFE9FB", "#FFFFFF"),
    insensitive=RoleTone("#0B977E", "#E1F4EF", "#10141A"),
    series_1="#8490A0",
    series_2="#2B5BD7",
    series_3="#087E60",
    series_4="#A84A00",
    series_5="#71367F",
    ramp=(
        "#342874",
        "#2F3A87",
        "#224C97",
        "#015FA1",
        "#0671A0",
        "#0482A4",
        "#0893A8",
        "#00A4AC",
        "#0BB6AD",
    ),
)

DARK = Theme(
    name="dark",
    is_dark=True,
    window="#10141A",
    surface="#191F27",
    surface_2="#1F2630",
    sunken="#141920",
    hover="#252D38",
    border="#2D3642",
    border_strong="#748193",
    grid="#27303B",
    text="#E9EDF3",
    text_2="#B6C0CD",
    text_3="#93A0B1",
    text_disabled="#5E6A7A",
    accent="#86A4FF",
    accent_hover="#9DB5FF",
    accent_soft="#26324F",
    accent_text="#A9BFFF",
    on_accent="#0D1320",
    ok="#5AD1BC",
    ok_soft="#16362F",
    warn="#F5BE6B",
    warn_soft="#3A2B14",
    danger="#FF9B92",
    danger_soft="#41201E",
    ink="#FFFFFF",
    halo="#0B0F14",
    optimum="#FFC53D",
    fail="#39434F",
    fail_line="#7A8798",
    fail_dot="#46515F",
    change_1="#1D283B",
    change_2="#213352",
    change_3="#284170",
    identifying=RoleTone("#E2495B", "#3D2129", "#FFFFFF"),
    quasi_identifying=RoleTone("#FFD257", "#3A3118", "#10141A"),
    sensitive=RoleTone("#9F80F3", "#2D2547", "#10141A"),
    insensitive=RoleTone("#3CCBB0", "#15352E", "#10141A"),
    series_1="#7D8A9B",
    series_2="#86A4FF",
    series_3="#4CCDA2",
    series_4="#D0703F",
    series_5="#FAC0FE",
    ramp=(
        "#CFF3AA",
        "#A7E7A5",
        "#7CDAA5",
        "#4ACBA9",
        "#0BBAAD",
        "#04A5AC",
        "#0691A8",
        "#097DA3",
        "#0069A1",
    ),
)

CONTRAST_LIGHT = Theme(
    name="contrast-light",
    is_dark=False,
    is_high_contrast=True,
    ring_width=3,
    window="#F2F2F2",
    surface="#FFFFFF",
    surface_2="#F5F5F5",
    sunken="#E4E4E4",
    hover="#DCDCDC",
    border="#5C5C5C",
    border_strong="#1F1F1F",
    grid="#949494",
    text="#000000",
    text_2="#1A1A1A",
    text_3="#333333",
    text_disabled="#6E6E6E",
    accent="#0A34B0",
    accent_hover="#00248A",
    accent_soft="#C9DAFF",
    accent_text="#00237A",
    on_accent="#FFFFFF",
    ok="#004D3B",
    ok_soft="#D3F0E8",
    warn="#6B3600",
    warn_soft="#FFE6C2",
    danger="#8A000C",
    danger_soft="#FFDCD9",
    ink="#000000",
    halo="#FFFFFF",
    optimum="#F2A900",
    fail="#B8B8B8",
    fail_line="#6F6F6F",
    fail_dot="#949494",
    change_1="#DCE8FF",
    change_2="#B5CEFF",
    change_3="#86AEFF",
    identifying=RoleTone("#920530", "#FFD9E0", "#FFFFFF"),
    quasi_identifying=RoleTone("#93621F", "#FFECB8", "#FFFFFF"),
    sensitive=RoleTone("#482CC7", "#E2DCFF", "#FFFFFF"),
    insensitive=RoleTone("#197B74", "#CFF2EA", "#FFFFFF"),
    series_1="#767676",
    series_2="#183FDF",
    series_3="#025F51",
    series_4="#A12205",
    series_5="#661289",
    ramp=(
        "#160047",
        "#110463",
        "#002263",
        "#00345D",
        "#014260",
        "#005066",
        "#035D6B",
        "#036B70",
        "#047973",
    ),
)

CONTRAST_DARK = Theme(
    name="contrast-dark",
    is_dark=True,
    is_high_contrast=True,
    ring_width=3,
    window="#000000",
    surface="#000000",
    surface_2="#121212",
    sunken="#1C1C1C",
    hover="#2A2A2A",
    border="#8C8C8C",
    border_strong="#E6E6E6",
    grid="#606060",
    text="#FFFFFF",
    text_2="#F0F0F0",
    text_3="#D0D0D0",
    text_disabled="#8C8C8C",
    accent="#8DB4FF",
    accent_hover="#B3CCFF",
    accent_soft="#12307A",
    accent_text="#C4D7FF",
    on_accent="#000000",
    ok="#5CE6CE",
    ok_soft="#00362C",
    warn="#FFC870",
    warn_soft="#422B00",
    danger="#FFB0A8",
    danger_soft="#520D0A",
    ink="#FFFFFF",
    halo="#000000",
    optimum="#FFC53D",
    fail="#4A4A4A",
    fail_line="#959595",
    fail_dot="#606060",
    change_1="#10204A",
    change_2="#1A3272",
    change_3="#254594",
    identifying=RoleTone("#F3596B", "#4A0F1B", "#000000"),
    quasi_identifying=RoleTone("#FED84B", "#3D3000", "#000000"),
    sensitive=RoleTone("#AC86FE", "#2E1A66", "#000000"),
    insensitive=RoleTone("#39E1D1", "#003D36", "#000000"),
    series_1="#7A7A7A",
    series_2="#2878E8",
    series_3="#4BB9A2",
    series_4="#ED8127",
    series_5="#FDC4FF",
    ramp=(
        "#E7FFCF",
        "#B1FCAF",
        "#82F2B4",
        "#47E5BD",
        "#09D5C6",
        "#08C1CA",
        "#06AFCA",
        "#179BC9",
        "#1688CB",
    ),
)

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
