"""A report as one HTML file: no script, nothing fetched from anywhere, charts drawn in place."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from engine.findings.blocks import (
    Block,
    Chart,
    Fact,
    Facts,
    Figure,
    FigureColumn,
    FigureTable,
    Paragraph,
    Signatures,
    Source,
)
from engine.findings.format_value import format_tile, format_value, has_unit, shortened
from engine.monitor import SILENT, Monitor
from engine.report import palette
from engine.report.charts import LABEL_SIZE, Bar, Dots, Drawing, Label, Path, Shape, drawings_of
from engine.report.content import MARKS, ReportContent, Section
from engine.report.fonts import BOLD, REGULAR, visible, web_font, width_of
from engine.words import _, is_right_to_left

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; font-src data:; base-uri 'none'; form-action 'none'"
_WIDTH, _EDGE = 480.0, 12.0  # of a drawing, and around those of a document, in the units of coordinates
_STYLE = f"""
:root {{ color-scheme: light; }}
body {{ font: 14px/1.5 "Report Inter", Inter, "Segoe UI", "Noto Sans", "DejaVu Sans", sans-serif;
  font-variant-numeric: tabular-nums; color: {palette.TEXT}; background: {palette.SURFACE}; max-width: 760px;
  margin: 40px auto; padding: 0 16px; }}
h1 {{ font-size: 32px; line-height: 1.15; margin: 12px 0 4px; font-weight: 600; }}
.page h2, .appendix {{ font-size: 24px; line-height: 1.25; margin: 64px 0 8px; font-weight: 600; }}
.page:first-child h2 {{ position: absolute; width: 1px; height: 1px; overflow: hidden; margin: 0; }}
h2 {{ font-size: 17px; margin: 36px 0 6px; font-weight: 600; }}
h3 {{ font-size: 14px; margin: 20px 0 4px; font-weight: 600; }}
header p {{ float: right; margin: 0; font-size: 12px; }}
header p, figcaption, .note, .about, .foot {{ color: {palette.TEXT_3}; }}
p {{ margin: 6px 0; }}
.strong {{ font-weight: 600; }}
.clause {{ font-weight: 600; font-size: 17px; line-height: 1.3; padding-left: 26px; text-indent: -26px;
  margin: 10px 0 0; }}
.basis {{ color: {palette.TEXT_2}; padding-left: 26px; margin: 2px 0 0; }}
.ok b {{ color: {palette.OK}; }}
.warn b {{ color: {palette.WARN}; }}
.danger b {{ color: {palette.DANGER}; }}
.mark {{ display: inline-block; width: 26px; text-indent: 0; }}
.box {{ border-radius: 8px; padding: 12px 16px; margin: 20px 0; }}
.box.ok {{ background: {palette.SOFT["ok"]}; }}
.box.warn {{ background: {palette.SOFT["warn"]}; }}
.box.danger {{ background: {palette.SOFT["danger"]}; }}
.box p {{ margin: 0; }}
dl {{ display: flex; gap: 12px; margin: 12px 0; padding: 10px 0; border-bottom: 2px solid {palette.TEXT}; }}
dl.tiles {{ border: solid {palette.BORDER}; border-width: 1px 0; flex-direction: row; }}
dl div {{ flex: 1; display: flex; flex-direction: column; }}
dl.tiles div {{ flex-direction: column-reverse; justify-content: flex-end; }}
dt {{ color: {palette.TEXT_3}; font-size: 12px; }}
dd {{ margin: 0; font-weight: 600; }}
.tiles dd {{ font-size: 26px; line-height: 1.25; }}
.wide {{ overflow-x: auto; }}
table {{ border-collapse: collapse; margin: 4px 0 12px; width: 100%; font-size: 13px; }}
th, td {{ text-align: left; vertical-align: top; padding: 3px 12px 3px 0;
  border-bottom: 1px solid {palette.GRID}; }}
th {{ font-weight: 600; color: {palette.TEXT_2}; border-bottom-color: {palette.AXIS}; }}
tbody th {{ font-weight: 400; color: {palette.TEXT}; border-bottom-color: {palette.GRID}; }}
.number {{ text-align: right; white-space: nowrap; }}
.unit {{ font-weight: 400; color: {palette.TEXT_3}; display: block; }}
.bar {{ display: inline-block; width: 120px; height: 6px; margin-right: 10px; background: {palette.SUNKEN};
  border-radius: 3px; float: left; margin-top: 7px; }}
.bar i {{ display: block; height: 6px; background: {palette.SERIES["release"]}; border-radius: 3px; }}
.change1 {{ background: {palette.CHANGES[1]}; }}
.change2 {{ background: {palette.CHANGES[2]}; }}
.change3 {{ background: {palette.CHANGES[3]}; }}
.change1, .change2, .change3 {{ font-weight: 600; padding-left: 4px; }}
pre {{ background: {palette.SURFACE_2}; padding: 12px; white-space: pre-wrap; font-size: 12px; }}
figure {{ margin: 12px 0; }}
figure svg {{ width: 100%; height: auto; font-family: inherit; display: block; }}
nav ol {{ columns: 2; padding-left: 20px; }}
a {{ color: {palette.TEXT}; }}
.signatures {{ display: flex; gap: 32px; margin-top: 72px; }}
.signatures span {{ flex: 1; border-top: 1px solid; padding-top: 4px; color: {palette.TEXT_2}; }}
@media print {{ body {{ margin: 0; max-width: none; padding: 0; }} h2, h3 {{ break-after: avoid; }}
  tr, figure, .box {{ break-inside: avoid; }} .page ~ .page, .appendix {{ break-before: page; }}
  nav {{ display: none; }} body, .basis {{ font-size: 12px; }} table {{ font-size: 11px; }}
  .page h2, .appendix {{ margin-top: 0; }} .signatures {{ margin-top: 40px; }}
  .clause {{ font-size: 15px; margin-top: 6px; }}
  .page th, .page td {{ padding-top: 1px; padding-bottom: 1px; }} .page h3 {{ margin-top: 10px; }}
  .box {{ margin: 8px 0; padding: 8px 16px; }} dl {{ margin: 8px 0; padding: 8px 0; }}
  .page figure {{ margin: 8px 0; max-width: 620px; }} }}
"""


def as_html(content: ReportContent, monitor: Monitor = SILENT) -> bytes:
    """Write a report as HTML: the pages to decide by, then the appendix."""
    paper = "A4" if content.settings.paper == "a4" else "Letter"
    direction = ' dir="rtl"' if is_right_to_left() else ""
    pages = [section for section in content.sections if section.is_page]
    others = [section for section in content.sections if not section.is_page]
    parts = [
        "<!DOCTYPE html>",
        f'<html lang="{content.settings.language.replace("_", "-")}"{direction}>',
        "<head>",
        '<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
        '<meta name="referrer" content="no-referrer">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f'<meta name="generator" content="{_text(content.program)}">',
        f"<title>{_text(content.title)}</title>",
        f"<style>{_faces()}{_STYLE}@page {{ size: {paper}; margin: 48pt; }}</style>",
        "</head>",
        "<body>",
        "<header>",
        f"<p>{_text(content.subtitle)} · {_text(content.date_text)} · {_text(content.program)}</p>",
        _glyph(content.levels, 36),
        f"<h1>{_text(content.title)}</h1>",
        "</header>",
        "<main>",
    ]
    for number, section in enumerate((*pages, *others)):
        monitor.step(number, len(content.sections), _("Drawing: {title}").format(title=section.title))
        if pages and number == len(pages):
            parts += [f'<h2 class="appendix">{_text(_("Appendix"))}</h2>', _contents(others)]
        parts += _section(section)
    parts += ["</main>", "</body>", "</html>", ""]
    return "\n".join(parts).encode("utf-8")


def _faces() -> str:
    """Return the bundled fonts, which are part of the file: nothing is fetched from anywhere."""
    return "".join(
        f'@font-face {{ font-family: "Report Inter"; font-weight: {weight}; '
        f"src: url(data:font/woff2;base64,{web_font(font)}) format('woff2'); }}\n"
        for font, weight in ((REGULAR, 400), (BOLD, 600))
    )


def _contents(sections: Sequence[Section]) -> str:
    entries = (f'<li><a href="#{_text(s.key)}">{_text(s.title)}</a></li>' for s in sections)
    return f"<nav><ol>{''.join(entries)}</ol></nav>"


def _section(section: Section) -> list[str]:
    inner = [_block(block) for block in section.blocks]
    foot = [f'<p class="foot">{_text(section.foot)}</p>'] if section.foot else []
    kind = ' class="page"' if section.is_page else ""
    title = f"<h2>{_text(section.title)}</h2>"
    return [f'<section id="{_text(section.key)}"{kind}>', title, *inner, *foot, "</section>"]


def _block(block: Block) -> str:
    match block:
        case Paragraph():
            return _paragraph(block)
        case Facts() if block.look != "list":
            entries = (
                f"<div><dt>{_text(f.title)}</dt><dd>{_isolated(_tile(f))}</dd></div>" for f in block.facts
            )
            return f'<dl class="{block.look}">{"".join(entries)}</dl>'
        case Facts():
            return _facts(block)
        case FigureTable():
            return _table(block)
        case Chart():
            return _figure(block)
        case Source():
            return f"<h3>{_text(block.title)}</h3>\n<pre>{_text(block.text)}</pre>"
        case Signatures():
            people = (_("{name}, date").format(name=person) for person in block.people)
            return f"<p class='signatures'>{''.join(f'<span>{_text(words)}</span>' for words in people)}</p>"


def _paragraph(block: Paragraph) -> str:
    """Return a text; a clause has a mark and what it rests on, and a box leads to its reasons."""
    mark = MARKS.get(block.tone, "")
    if not mark:
        return f'<p class="{_text(block.tone)}">{_text(block.text)}</p>'
    before = f'<b class="mark" aria-hidden="true">{mark}</b>'
    basis = f'<p class="basis">{_text(block.basis)}</p>' if block.basis else ""
    clause = f'<p class="clause {_text(block.tone)}">{before}{_text(block.text)}</p>{basis}'
    if not block.refers:
        return clause
    to = f'<p class="basis"><a href="#{_text(block.refers)}">{_text(_("Verification record"))}</a></p>'
    return f'<div class="box {_text(block.tone)}">{clause}{to}</div>'


def _tile(fact: Fact) -> str:
    return shortened(format_tile(fact))


def _glyph(columns: Sequence[tuple[int, int]], height: float) -> str:
    """Return levels as columns of steps, of which the lowest ones are filled."""
    width, shapes = height * 0.26, []
    for number, (level, steps) in enumerate(columns):
        gap = 1.0 if steps * 3 <= height else 0.0
        own = (height - gap * (steps - 1)) / max(steps, 1)
        for step in range(steps):
            top, colour = (
                height - (step + 1) * own - step * gap,
                palette.STEP if step < level else palette.NO_STEP,
            )
            box = (number * width * 1.4, top, width, own)
            x, y, wide, high = map(_coordinate, box)
            shapes.append(f'<rect x="{x}" y="{y}" width="{wide}" height="{high}" fill="{colour}"/>')
    size = f'width="{_coordinate(max(len(columns) * 1.4 - 0.4, 1) * width)}" height="{_coordinate(height)}"'
    return f'<svg {size} aria-hidden="true">{"".join(shapes)}</svg>'


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
    for number, row in enumerate(table.rows):
        changes = table.changes[number] if table.changes else (0,) * len(row)
        cells = (_cell(table, row, place, change) for place, change in enumerate(changes))
        rows.append(f"<tr>{''.join(cells)}</tr>")
    return (
        f'{_heading(table.title)}<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>\n'
        + "\n".join(rows)
        + "\n</tbody></table></div>"
    )


def _head(table: FigureTable, place: int, column: FigureColumn) -> str:
    if column.look in ("steps", "height"):
        return "" if column.look == "height" else '<th scope="col"></th>'
    unit = f'<span class="unit">{_text(_(column.unit))}</span>' if has_unit(column) else ""
    first = next((row[place] for row in table.rows if row[place] is not None), "")
    about = f' title="{_text(column.explanation)}"' if column.explanation else ""
    return f'<th scope="col"{_number(first)}{about}>{_isolated(column.title)}{unit}</th>'


def _figure(chart: Chart) -> str:
    caption = f"<figcaption>{_text(chart.reading)}</figcaption>" if chart.reading else ""
    drawn = "\n".join(_svg(part, chart.title) for part in drawings_of(chart, _BrowserText(), _WIDTH))
    return f"<figure>{_heading(chart.title)}{drawn}{caption}</figure>"


def _heading(title: str) -> str:
    return f"<h3>{_text(title)}</h3>\n" if title else ""


def _number(value: Any) -> str:
    return "" if isinstance(value, str) else ' class="number"'


def _cell(table: FigureTable, row: Sequence[Figure], place: int, change: int) -> str:
    value, column = row[place], table.columns[place]
    text = _isolated(shortened(format_value(value, is_share=column.is_share)))
    match column.look:
        case "height":
            return ""
        case "steps":
            height = row[place + 1]
            known = isinstance(value, int) and isinstance(height, int)
            return f"<td>{_glyph(((value, height),), 16) if known else ''}</td>"  # type: ignore[arg-type]
        case "bar" if isinstance(value, float):
            bar = f'<span class="bar"><i style="width:{_coordinate(100 * value)}%"></i></span>'
            return f'<td class="number">{bar}{_text(format_tile(value))}</td>'
    return f'<td class="change{change}">{text}</td>' if change else f"<td{_number(value)}>{text}</td>"


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


def svg_document(charts: Sequence[Chart]) -> str:
    """Return charts with their titles below each other, as one SVG document."""
    parts, bottom = list[str](), _EDGE
    for chart in charts:
        if chart.title:
            parts.append(
                f'<text x="{_EDGE:g}" y="{_coordinate(bottom + 10)}" font-size="11" font-weight="600" '
                f'fill="{palette.TEXT}">{_text(chart.title)}</text>'
            )
            bottom += 18
        for drawing in drawings_of(chart, _BrowserText(), _WIDTH):
            parts.append(f'<g transform="translate({_EDGE:g} {_coordinate(bottom)})">{_shapes(drawing)}</g>')
            bottom += drawing.height + _EDGE
    width, height = _coordinate(_WIDTH + 2 * _EDGE), _coordinate(bottom)
    title = "; ".join(chart.title or chart.y_title for chart in charts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" role="img" font-family="Inter, Segoe UI, Noto Sans, sans-serif" '
        f'style="max-width:100%"><title>{_text(title)}</title>\n'
        f'<rect width="{width}" height="{height}" fill="{palette.SURFACE}"/>\n'
        + "\n".join(parts)
        + "\n</svg>"
    )


def _svg(drawing: Drawing, title: str) -> str:
    width, height = _coordinate(drawing.width), _coordinate(drawing.height)
    return (
        f'<svg viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" '
        f'aria-label="{escape(visible(title), quote=True)}">\n{_shapes(drawing)}\n</svg>'
    )


def _shapes(drawing: Drawing) -> str:
    return "\n".join(_shape(shape, drawing.height) for shape in drawing.shapes)


def _shape(shape: Shape, height: float) -> str:
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
            return f'<polyline points="{points}" fill="{shape.filling or "none"}" {line}{dash}/>'
        case Dots():
            size, half = _coordinate(shape.size), shape.size / 2
            moves = (
                f"M{_coordinate(x - half)} {_coordinate(height - y - half)}h{size}v{size}h-{size}z"
                for x, y in shape.points
            )
            return f'<path d="{"".join(moves)}" fill="{shape.colour}"/>'


def _coordinate(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")
