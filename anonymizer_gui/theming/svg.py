"""Icon files in SVG, read and drawn in one colour."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QByteArray, QRectF
from PySide6.QtGui import QPainter
from PySide6.QtSvg import QSvgRenderer

from engine.shipped import resources_path


@lru_cache(maxsize=256)
def svg_source(name: str) -> str:
    """Return the text of an icon file, its colour still `currentColor`."""
    return (resources_path() / "icons" / f"{name}.svg").read_text(encoding="utf-8")


@lru_cache(maxsize=512)
def renderer(name: str, color: str) -> QSvgRenderer:
    """Return a renderer of the icon in one colour."""
    return QSvgRenderer(QByteArray(svg_source(name).replace("currentColor", color).encode()))


def paint_icon(painter: QPainter, rect: QRectF, name: str, color: str) -> None:
    """Draw an icon into `rect`, sharp at any pixel ratio."""
    renderer(name, color).render(painter, rect)
