"""Conversion of an assessment into the values shown by the perspective."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from anonymizer_gui.models.measured_text import (
    RESISTANCE_ICONS,
    explained,
    parameters_text,
    titled,
    value_text,
)
from anonymizer_gui.widgets.texts_table import Cell, Heading
from engine.numbers import (
    DASH,
    UNBOUNDED,
    as_exact_count,
    as_risk,
    as_significant,
    as_size,
)
from engine.words import _

if TYPE_CHECKING:
    from engine.assessment.risk.resistance import AttackReport
    from engine.assessment.rows import Row
    from engine.assessment.table_assessment import ExposedClass, TableAssessment
    from engine.privacy.values import MeasuredModel

Rows = list[list[Cell]]
MOST_SENSITIVE = 4  # columns of values side by side


@dataclass(frozen=True)
class AttackRow:
    """An attack with the resistance of the table, and the evidence."""

    title: str
    meaning: str
    value: str
    status: str
    tone: str
    icon: str
    reason: str


def model_rows(found: TableAssessment) -> tuple[list[Heading], Rows]:
    """Return every model with its value over all sensitive columns, and for each if there are several.

    The models of survey weights follow, if there are weights.
    """
    columns = list(found.check.by_attribute)
    several = columns[:MOST_SENSITIVE] if len(columns) > 1 else []
    headings = [
        Heading(_("Model")),
        Heading(_("Value"), True, _("The worst value over all classes and sensitive columns")),
        *[Heading(name, True, _("The value for {name} only").format(name=name)) for name in several],
        Heading(_("Meaning")),
    ]
    rows = []
    for place, model in enumerate((*found.check.models, *found.check.weighted)):
        cells = [
            Cell(titled(model, found.given.counted), explained(model.kind)),
            _value(model, is_strong=True),
        ]
        for name in several:
            if place >= len(found.check.models):
                cells.append(Cell(""))  # of no sensitive column
                continue
            own = found.check.by_attribute[name][place]
            # A column may be measured with another l or distance than the worst of all.
            other = parameters_text(own) if parameters_text(own) != parameters_text(model) else ""
            cells.append(_value(own, other) if own.column else Cell(""))
        cells.append(Cell(model.kind.summary, explained(model.kind), "text_2"))
        rows.append(cells)
    return headings, rows


def _value(model: MeasuredModel, remark: str = "", *, is_strong: bool = False) -> Cell:
    text = value_text(model)
    reason = ""
    if text == DASH:
        needs = _("Requires a sensitive column.")
        reason = _("Undefined: a class has only one sensitive value.") if model.column else needs
    elif text == UNBOUNDED:
        reason = _("No threshold is met: in a class, a value gains without limit or is absent.")
    elif parameters_text(model):
        reason = _("{value} with {parameters}").format(value=text, parameters=parameters_text(model))
    shown = f"{text} ({remark})" if remark and text != DASH else text
    exact = reason or f"{model.value:g}"
    return Cell(shown, exact, is_strong=is_strong, spoken=reason and f"{text}. {reason}")


def attack_rows(found: Sequence[AttackReport]) -> list[AttackRow]:
    """Return every attack with its decisive value."""
    from engine.assessment.risk.resistance import decided_words

    rows = []
    for report in found:
        model, tone = report.model, report.resistance.tone
        value, reason = "", _("No model measured here protects against it.")
        if model is not None:
            value = f"{model.kind.symbol} = {value_text(model)}"
            reason = decided_words(model, report.usual, report.weaker)
        rows.append(
            AttackRow(
                report.attack.title[:1].upper() + report.attack.title[1:],
                report.attack.meaning,
                value,
                report.resistance.title,
                tone,
                RESISTANCE_ICONS[tone],
                reason,
            )
        )
    return rows


def risk_values(found: TableAssessment) -> list[Row]:
    """Return the main values of the risks."""
    from engine.assessment.rows import Numbers, risk_rows, survey_rows

    numbers = Numbers(_number, as_risk)
    rows = [row for row in risk_rows(found.risk, numbers) if row.key in _SHOWN]
    if found.survey is not None:
        rows += survey_rows(found.survey, numbers)
    return [row._replace(title=capitalized(row.title)) for row in rows]


_SHOWN = (
    "blank_rows",
    "prosecutor.highest",
    "prosecutor.at_risk",
    "marketer.average",
    "unique",
    "population_uniques.dankar",  # the rule that chooses among the estimators
)


def capitalized(words: str) -> str:
    """Return words with a capital first letter."""
    return words[:1].upper() + words[1:]


def exposed_rows(found: TableAssessment) -> tuple[list[Heading], Rows]:
    """Return the smallest classes with their values."""
    request = found.given
    headings = [
        Heading(found.given.counted.many.capitalize(), True, _("Class size")),
        Heading(_("Risk"), True, _("Probability that a guess among them is right")),
        *[Heading(name) for name in request.quasi_identifying],
        *[
            Heading(
                _("{name}: values").format(name=name),
                True,
                _("Distinct values of {name} among them").format(name=name),
            )
            for name in request.sensitive
        ],
        Heading(_("First record"), True, _("Position of the first of them in the table")),
    ]
    return headings, [_exposed(entry) for entry in found.exposed]


def _exposed(entry: ExposedClass) -> list[Cell]:
    return [
        Cell(as_exact_count(entry.size), is_strong=True),
        Cell(as_risk(entry.risk), tone="danger" if entry.size == 1 else "text"),
        *[Cell(value or _("(missing)"), tone="text" if value else "text_3") for value in entry.values],
        *[Cell(as_exact_count(n), tone="danger" if n == 1 else "text") for n in entry.n_values],
        Cell(as_exact_count(entry.record + 1), tone="text_3"),
    ]


def utility_rows(found: TableAssessment) -> tuple[list[Heading], Rows]:
    """Return the utility lost against the original."""
    from engine.assessment.rows import Numbers, utility_rows

    headings = [Heading(_("Value")), Heading(_("Value"), True), Heading(_("Meaning"))]
    if found.utility is None:
        return headings, []
    rows = utility_rows(found.utility.as_dict(), Numbers(_number, as_risk))
    return headings, [
        [
            Cell(capitalized(row.title)),
            Cell(row.value.replace("\n", " · "), is_strong=True),
            Cell(row.meaning, tone="text_2"),
        ]
        for row in rows
    ]


def wildcard_rows(found: TableAssessment) -> tuple[list[Heading], Rows, str]:
    """Return every value with wildcards beside that as values, and what was counted; no rows without."""
    headings = [
        Heading(_("Value")),
        Heading(_("With wildcards"), True, _("A wildcard could be anything")),
        Heading(_("As values"), True, _("A wildcard is an ordinary value")),
        Heading(_("Meaning")),
    ]
    read = found.wildcards
    if read is None:
        return headings, [], ""
    rows = []
    for value in read.compared:
        words = as_risk if value.is_share else _size if value.key == "k" else _number
        rows.append(
            [
                Cell(value.heading),
                Cell(words(value.read), is_strong=True),
                Cell(words(value.as_values), is_strong=True),
                Cell(value.meaning, tone="text_2"),
            ]
        )
    return headings, rows, read.counts


def _size(size: float | None) -> str:
    """Return a size, which has a fraction if matches by wildcard have a weight."""
    return DASH if size is None else as_size(size)


def _number(value: int | float | None) -> str:
    """Return counts with all their digits, other numbers with significant digits."""
    return as_exact_count(value) if isinstance(value, int) else as_significant(value)


def as_text(name: str, found: TableAssessment) -> str:
    """Return the complete assessment as plain text for the clipboard."""
    statement = found.statement()
    lines = [
        name,
        statement.sentence,
        statement.caption,
        _("Known: {names}").format(names=", ".join(found.given.quasi_identifying)),
        "",
    ]
    lines += _plain(*model_rows(found), without_last=True)
    lines.append("")
    lines += [f"{row.title}\t{row.status}\t{row.reason}" for row in attack_rows(found.attacks)]
    lines.append("")
    lines += [f"{row.title}\t{row.value}" for row in risk_values(found)]
    if found.wildcards is not None:
        headings, rows, counts = wildcard_rows(found)
        lines += ["", counts, *_plain(headings, rows, without_last=True)]
    if found.utility is not None:
        lines.append("")
        lines += _plain(*utility_rows(found), without_last=True)
    return "\n".join(lines) + "\n"


def _plain(headings: Sequence[Heading], rows: Rows, *, without_last: bool) -> list[str]:
    end = -1 if without_last else None
    return [
        "\t".join(heading.text for heading in headings[:end]),
        *["\t".join(cell.text for cell in row[:end]) for row in rows],
    ]
