"""Drawings of results for notebooks and files: the charts of reports as one SVG document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path

from engine.errors import ExportError
from engine.files import atomic_write
from engine.findings.blocks import Chart
from engine.words import _


@dataclass(frozen=True)
class Plot:
    """Drawing of a result, which notebooks show.

    Attributes
    ----------
    kind : str
        What it shows, such as "risk".
    svg : str
        A whole SVG document, without scripts.
    """

    kind: str
    svg: str = field(repr=False)

    @classmethod
    def of(cls, kind: str, charts: Sequence[Chart]) -> Plot:
        """Return charts below each other, as reports draw them."""
        # imported by name: reports, which draw charts, are above the findings
        return cls(kind, import_module("engine.report.html").svg_document(charts))

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: Path | str) -> Path:
        """Write the drawing to a file that ends in .svg; return its path.

        Raises
        ------
        ExportError
            The name has another ending, or the file cannot be written.
        """
        path = Path(path)
        if path.suffix.lower() != ".svg":
            raise ExportError(
                _("'{name}': a plot must end in .svg.").format(name=path.name),
                hint=_("Browsers, Inkscape and word processors make other formats of it."),
                file=str(path),
            )
        with atomic_write(path) as file:
            file.write(self.svg.encode("utf-8"))
        return path
