"""A report as one HTML file: no script, nothing fetched from anywhere, charts drawn in place."""

from __future__ import annotations

from html import escape
from typing import Any

from engine.findings.blocks import (
    Block,
    Chart,
    Facts,
    FigureColumn,
    FigureTable,
    Paragraph,
    Signatures,
    Source,
)
from engine.findings.format_value import format_value, has_unit, shortened
from engine.monitor import SILENT, Monitor
from engine.report import palette
from engine.report.charts import LABEL_SIZE, WIDTH, Bar, Drawing, Label, Path, drawings_of
from engine.report.content import MARKS, ReportContent, Section
from engine.report.fonts import BOLD, visible, width_of
from engine.words import _

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
_STYLE = f"""
:root {{ color-scheme: light; }}
body {{ font: 14px/1.5 Inter, "Segoe UI", "Noto Sans", "DejaVu Sans", sans-serif; color: {palette.TEXT};
  background: {palette.SURFACE}; max-width: 960px; margin: 32px auto; padding: 0 16px; }}
h1 {{ font-size: 24px; line-height: 1.25; margin: 0; }}
h2 {{ font-size: 18px; margin: 36px 0 8px; border-bottom: 1px solid {palette.BORDER}; padding-bottom: 4px; }}
h3 {{ font-size: 14px; margin: 20px 0 6px; }}
header p, figcaption, .note, .about {{ color: {palette.TEXT_3}; }}
p {{ margin: 6px 0; overflow-wrap: anywhere; }}
.strong, .ok, .warn, .danger {{ font-weight: 600; font-size: 16px; }}
.ok b {{ color: {palette.OK}; }}
.warn b {{ color: {palette.WARN}; }}
.danger b {{ color: {palette.DANGER}; }}
.mark {{ display: inline-block; width: 22px; }}
.wide {{ overflow-x: auto; }}
table {{ border-collapse: collapse; font-variant-numeric: tabular-nums; margin: 4px 0 12px; }}
th, td {{ text-align: left; vertical-align: top; padding: 3px 12px 3px 0; overflow-wrap: anywhere;
  border-bottom: 1px solid {palette.GRID}; max-width: 420px; min-width: 40px; }}
th {{ font-weight: 600; color: {palette.TEXT_2}; border-bottom-color: {palette.AXIS}; }}
tbody th {{ font-weight: 400; color: {palette.TEXT}; border-bottom-color: {palette.GRID}; }}
.number {{ text-align: right; white-space: nowrap; }}
.unit {{ font-weight: 400; color: {palette.TEXT_3}; display: block; }}
pre {{ background: {palette.SURFACE_2}; padding: 12px; white-space: pre-wrap; overflow-wrap: anywhere;
  font-size: 12px; }}
figure {{ margin: 12px 0; }}
svg {{ width: 100%; max-width: 720px; height: auto; font-family: inherit; display: block; }}
nav ol {{ columns: 2; padding-left: 20px; }}
nav a {{ color: {palette.TEXT}; }}
.sign {{ display: flex; gap: 24px; margin-top: 48px; }}
.sign span {{ flex: 1; border-top: 1px solid {palette.TEXT_2}; padding-top: 4px; }}
@media print {{ body {{ margin: 0; max-width: none; }} h2, h3 {{ break-after: avoid; }} }}
"""


def as_html(content: ReportContent, monitor: Monitor = SILENT) -> bytes:
    """Write a report as HTML."""
    parts = [
        "<!DOCTYPE html>",
        f'<html lang="{content.settings.language}">',
        "<head>",
        '<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
        '<meta name="referrer" content="no-referrer">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f'<meta name="generator" content="{_text(content.program)}">',
        f"<title>{_text(content.title)}</title>",
        f"<style>{_STYLE}</style>",
        "</head>",
        "<body>",
        "<header>",
        f"<h1>{_text(content.title)}</h1>",
        f"<p>{_text(content.subtitle)} · {_text(content.date_text)} · {_text(content.program)}</p>",
        "</header>",
        "<nav><ol>",
        *(f'<li><a href="#{_text(s.key)}">{_text(s.title)}</a></li>' for s in content.sections),
        "</ol></nav>",
        "<main>",
    ]
    for number, section in enumerate(content.sections):
        monitor.step(number, len(content.sections), _("Drawing: {title}").format(title=section.title))
        parts += _section(section)
    parts += ["</main>", "</body>", "</html>", ""]
    return "\n".join(parts).encode("utf-8")


def _section(section: Section) -> list[str]:
    inner = [_block(block) for block in section.blocks]
    return [f'<section id="{_text(section.key)}">', f"<h2>{_text(section.title)}</h2>", *inner, "</section>"]


def _block(block: Block) -> str:
    match block:
        case Paragraph():
            mark = MARKS.get(block.tone, "")
            before = f'<b class="mark" aria-hidden="true">{mark}</b>' if mark else ""
            return f'<p class="{_text(block.tone)}">{before}{_text(block.text)}</p>'
        case Facts():
            return _facts(block)
        case FigureTable():
            return _table(block)
        case Chart():
            return _figure(block)
        case Source():
            return f"<h3>{_text(block.title)}</h3>\n<pre>{_text(block.text)}</pre>"
        case Signatures():
            date = _text(_("Date"))
            lines = (f"<p class='sign'><span>{_text(p)}</span><span>{date}</span></p>" for p in block.people)
            return "\n".join(lines)


def _facts(facts: Facts) -> str:
    rows = []
    for fact in facts.facts:
        value = _isolated(shortened(format_value(fact.value, is_share=fact.is_share, unit=fact.unit)))
        about = _text(fact.explanation)
        rows.append(
            f'<tr><th scope="row">{_text(fact.title)}</th><td>{value}</td><td class="about">{about}</td></tr>'
        )
    return f"{_heading(facts.title)}<table><tbody>\n" + "\n".join(rows) + "\n</tbody></table>"


def _table(table: FigureTable) -> str:
    head = "".join(_head(table, i, column) for i, column in enumerate(table.columns))
    rows = []
    for row in table.rows:
        cells = (
            f"<td{_number(value)}>{_cell(value, is_share=column.is_share)}</td>"
            for value, column in zip(row, table.columns, strict=True)
        )
        rows.append(f"<tr>{''.join(cells)}</tr>")
    return (
        f'{_heading(table.title)}<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>\n'
        + "\n".join(rows)
        + "\n</tbody></table></div>"
    )


def _head(table: FigureTable, place: int, column: FigureColumn) -> str:
    unit = f'<span class="unit">{_text(_(column.unit))}</span>' if has_unit(column) else ""
    first = next((row[place] for row in table.rows if row[place] is not None), "")
    about = f' title="{_text(column.explanation)}"' if column.explanation else ""
    return f'<th scope="col"{_number(first)}{about}>{_isolated(column.title)}{unit}</th>'


def _figure(chart: Chart) -> str:
    caption = f"<figcaption>{_text(chart.reading)}</figcaption>" if chart.reading else ""
    return f"<figure>{_heading(chart.title)}{svg_of(chart)}{caption}</figure>"


def _heading(title: str) -> str:
    return f"<h3>{_text(title)}</h3>\n" if title else ""


def _number(value: Any) -> str:
    return "" if isinstance(value, str) else ' class="number"'


def _cell(value: Any, *, is_share: bool) -> str:
    return _isolated(shortened(format_value(value, is_share=is_share)))


def _isolated(text: str) -> str:
    """Return a text in the direction of its first letter; a text from right to left turns no adjacent one."""
    return _text(text) if text.isascii() else f"<bdi>{_text(text)}</bdi>"


def _text(text: str) -> str:
    return escape(visible(text), quote=True)


class _BrowserText:
    """Texts of charts for browsers, which have fonts for other scripts and order their letters."""

    def readable(self, text: str) -> str:
        return visible(text)

    def width(self, text: str, font: str, size: float) -> float:
        return width_of(text, font, size)


def svg_of(chart: Chart) -> str:
    """Return a chart, in the parts in which it is drawn."""
    return "\n".join(_svg(drawing, chart.title) for drawing in drawings_of(chart, _BrowserText()))


def _svg(drawing: Drawing, title: str) -> str:
    width, height = _coordinate(WIDTH), _coordinate(drawing.height)
    shapes = "\n".join(_shape(shape, drawing.height) for shape in drawing.shapes)
    return (
        f'<svg viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" '
        f'aria-label="{escape(visible(title), quote=True)}">\n{shapes}\n</svg>'
    )


def _shape(shape: Path | Bar | Label, height: float) -> str:
    """One of the shapes that charts are drawn of; a drawing counts from below, SVG from above."""
    match shape:
        case Label():
            weight = ' font-weight="600"' if shape.font == BOLD else ""
            return (
                f'<text x="{_coordinate(shape.x)}" y="{_coordinate(height - shape.y)}" '
                f'font-size="{LABEL_SIZE}" text-anchor="{shape.anchor}"{weight} '
                f'fill="{shape.colour}">{escape(shape.text)}</text>'
            )
        case Bar():
            return (
                f'<rect x="{_coordinate(shape.x)}" y="{_coordinate(height - shape.y - shape.height)}" '
                f'width="{_coordinate(shape.width)}" height="{_coordinate(shape.height)}" '
                f'fill="{shape.filling}" stroke="{shape.colour}" stroke-width="0.6"/>'
            )
        case Path():
            points = " ".join(f"{_coordinate(x)},{_coordinate(height - y)}" for x, y in shape.points)
            dash = f' stroke-dasharray="{" ".join(map(str, shape.dash))}"' if shape.dash else ""
            line = f'stroke="{shape.colour}" stroke-width="{_coordinate(shape.width)}"'
            return f'<polyline points="{points}" fill="none" {line}{dash}/>'


def _coordinate(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")
