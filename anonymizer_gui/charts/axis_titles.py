"""Titles of the axes of a plot."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AxisTitles:
    """Titles of both axes including units, such as "records per year of age".

    Raises
    ------
    ValueError
        If a title is empty, because a plot without it cannot be read.
    """

    bottom: str
    left: str

    def __post_init__(self) -> None:
        if not self.bottom.strip() or not self.left.strip():
            raise ValueError(f"an axis has no title: {self!r}")
