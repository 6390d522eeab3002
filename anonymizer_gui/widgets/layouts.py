"""Rows and columns of widgets in one expression, and widgets with names and fixed sizes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

import shiboken6
from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import (
    QBoxLayout,
    QGridLayout,
    QHBoxLayout,
    QLayout,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from anonymizer_gui.theming import follow_theme, scaled

W = TypeVar("W", bound=QWidget)
Part = QWidget | QLayout | tuple[QWidget | QLayout, int] | tuple[QWidget, int, Qt.AlignmentFlag] | int
Margins = int | tuple[int, int, int, int]

STRETCH: Final = -1  # takes the remaining room; other numbers are pixels


def hbox(
    *parts: Part, spacing: int | None = None, margins: Margins | None = None, of: QWidget | None = None
) -> QHBoxLayout:
    """Return parts side by side, as the layout of a widget if `of` is given.

    Parameters
    ----------
    *parts : QWidget, QLayout, (part, stretch), (widget, stretch, alignment), STRETCH or int
        Numbers are room in px.
    spacing : int, optional
        Between parts, in px; by default that of the parent layout.
    margins : int or tuple of int, optional
        All sides, or left, top, right and bottom; none inside another layout by default.
    """
    return _filled(QHBoxLayout(of) if of is not None else QHBoxLayout(), parts, spacing, margins)


def vbox(
    *parts: Part, spacing: int | None = None, margins: Margins | None = None, of: QWidget | None = None
) -> QVBoxLayout:
    """Return parts one below the other; see `hbox`."""
    return _filled(QVBoxLayout(of) if of is not None else QVBoxLayout(), parts, spacing, margins)


def gridbox(
    *,
    spacing: tuple[int | None, int | None] = (None, None),
    margins: Margins | None = None,
    stretched: int | tuple[int, ...] = (),
    of: QWidget | None = None,
) -> QGridLayout:
    """Return an empty grid, as the layout of a widget if `of` is given.

    `spacing` is that between columns and between rows; `stretched` columns share the remaining width. See
    `hbox` for the rest.
    """
    grid = QGridLayout(of) if of is not None else QGridLayout()
    _set_margins(grid, margins)
    setters = grid.setHorizontalSpacing, grid.setVerticalSpacing
    for pixels, set_spacing in zip(spacing, setters, strict=True):
        if pixels is not None:
            set_spacing(pixels)
    for column in (stretched,) if isinstance(stretched, int) else stretched:
        grid.setColumnStretch(column, 1)
    return grid


L = TypeVar("L", bound=QBoxLayout)


def _set_margins(layout: QLayout, margins: Margins | None) -> None:
    if margins is not None:
        layout.setContentsMargins(*((margins,) * 4 if isinstance(margins, int) else margins))


def _filled(layout: L, parts: tuple[Part, ...], spacing: int | None, margins: Margins | None) -> L:
    if spacing is not None:
        layout.setSpacing(spacing)
    _set_margins(layout, margins)
    for part in parts:
        if part == STRETCH:
            layout.addStretch(1)
        elif isinstance(part, int):
            layout.addSpacing(part)
        else:
            widget: QWidget | QLayout
            further: list[Any]  # stretch and alignment
            widget, *further = part if isinstance(part, tuple) else (part,)
            if isinstance(widget, QLayout):
                nest(layout, widget, *further)
            else:
                layout.addWidget(widget, *further)
    return layout


def stacked(*pages: QWidget) -> QStackedWidget:
    """Return a stack of pages, of which the first one is shown."""
    stack = QStackedWidget()
    for page in pages:
        stack.addWidget(page)
    return stack


def nest(outer: QBoxLayout | QGridLayout, inner: QLayout, *place: Any) -> None:
    """Add a layout to another one, which `addLayout` must not do itself.

    PySide wraps the items of a layout that it adds, and keeps the wrappers as long as the outer layout. If a
    widget of the inner one is deleted, Qt deletes its item, but the wrapper stays, and is returned for the
    next object at the same address: an action, say, then has the methods of a layout item, and calling them
    may end the program.

    Parameters
    ----------
    *place
        Further arguments of `addLayout`.
    """
    outer.addLayout(inner, *place)
    _forget_items(inner)


def _forget_items(layout: QLayout) -> None:
    for place in range(layout.count()):
        item = layout.itemAt(place)
        if isinstance(item, QLayout):
            _forget_items(item)
        elif item is not None:
            shiboken6.invalidate(item)


def clear(layout: QLayout) -> None:
    """Remove and delete the widgets of a layout, which are hidden at once."""
    while (item := layout.takeAt(0)) is not None:
        if (widget := item.widget()) is not None:
            widget.hide()
            widget.deleteLater()


def named(widget: W, name: str, text: str = "", tooltip: str = "") -> W:
    """Return a widget with its object name set, and its accessible name and tooltip if given."""
    widget.setObjectName(name)
    if text:
        widget.setAccessibleName(text)
    if tooltip:
        widget.setToolTip(tooltip)
    return widget


def fixed(widget: W, *, width: int | None = None, height: int | None = None) -> W:
    """Return a widget with a fixed width or height in px at font scale 1, which follows the text size."""
    _ScaledSize(widget, {widget.setFixedWidth: width, widget.setFixedHeight: height})
    return widget


def at_least(widget: W, *, width: int | None = None, height: int | None = None) -> W:
    """Return a widget with a least width or height in px at font scale 1, which follows the text size."""
    _ScaledSize(widget, {widget.setMinimumWidth: width, widget.setMinimumHeight: height})
    return widget


def flexible(widget: W, *, least: int, most: int) -> W:
    """Return a widget at most `most` px wide at font scale 1, which gives way down to `least` px."""
    widget.setMinimumWidth(least)
    _ScaledSize(widget, {widget.setMaximumWidth: most})
    return widget


class _ScaledSize(QObject):
    """Updates the size until its widget is deleted."""

    def __init__(self, widget: QWidget, sizes: Mapping[Callable[[int], object], int | None]) -> None:
        super().__init__(widget)
        self._sizes = sizes
        follow_theme(self._fit)

    def _fit(self) -> None:
        for set_size, pixels in self._sizes.items():
            if pixels is not None:
                set_size(scaled(pixels))
