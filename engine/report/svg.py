"""Charts as SVG that stands in HTML: from the drawings of the PDF, without ids and naming no address."""

from __future__ import annotations

from html import escape
from typing import Any

from engine.report.charts import drawings_of
from engine.report.content import Chart
from engine.report.fonts import BOLD, visible


def svg_of(chart: Chart) -> str:
    """Return a chart, in as many parts as it is drawn in."""
    return "\n".join(_svg(drawing, chart.title) for drawing in drawings_of(chart))


def _svg(drawing: Any, title: str) -> str:
    width, height = _number(drawing.width), _number(drawing.height)
    shapes = "\n".join(_shape(shape, float(drawing.height)) for shape in drawing.contents)
    return (
        f'<svg viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" '
        f'aria-label="{escape(visible(title), quote=True)}">\n{shapes}\n</svg>'
    )


def _shape(shape: Any, height: float) -> str:
    """One of the shapes that charts are drawn of; a drawing counts from below, SVG from above."""
    from reportlab.graphics.shapes import Line, Rect, String

    if isinstance(shape, String):
        weight = ' font-weight="600"' if shape.fontName == BOLD else ""
        return (
            f'<text x="{_number(shape.x)}" y="{_number(height - shape.y)}" '
            f'font-size="{_number(shape.fontSize)}" text-anchor="{shape.textAnchor}"{weight} '
            f'fill="{_colour(shape.fillColor)}">{escape(shape.text)}</text>'
        )
    line = f'stroke="{_colour(shape.strokeColor)}" stroke-width="{_number(shape.strokeWidth)}"'
    if isinstance(shape, Rect):
        return (
            f'<rect x="{_number(shape.x)}" y="{_number(height - shape.y - shape.height)}" '
            f'width="{_number(shape.width)}" height="{_number(shape.height)}" '
            f'fill="{_colour(shape.fillColor)}" {line}/>'
        )
    if isinstance(shape, Line):
        return (
            f'<line x1="{_number(shape.x1)}" y1="{_number(height - shape.y1)}" '
            f'x2="{_number(shape.x2)}" y2="{_number(height - shape.y2)}" {line}/>'
        )
    places = zip(shape.points[::2], shape.points[1::2], strict=True)
    points = " ".join(f"{_number(x)},{_number(height - y)}" for x, y in places)
    dash = f' stroke-dasharray="{" ".join(map(str, shape.strokeDashArray))}"' if shape.strokeDashArray else ""
    return f'<polyline points="{points}" fill="none" {line}{dash}/>'


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _colour(colour: Any) -> str:
    return f"#{colour.hexval()[2:]}"
