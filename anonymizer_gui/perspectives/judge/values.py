"""What the page shows of a judgement, ready to show; plain functions from engine values to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from anonymizer_gui.models.measured_text import (
    RESISTANCE_ICONS,
    decided_text,
    explained,
    named,
    told_text,
    value_text,
)
from anonymizer_gui.perspectives.judge.judging import Judgement
from anonymizer_gui.widgets.numbers import (
    DASH,
    NONE,
    UNBOUNDED,
    as_count,
    as_decimal,
    as_exact_count,
    as_percent,
    as_significant,
)
from anonymizer_gui.widgets.texts_table import Cell, Heading
from engine.frequency.counted import PEOPLE, RECORDS

if TYPE_CHECKING:
    from engine.assessment.risk.exposed_classes import ExposedClass
    from engine.assessment.risk.of_table import PopulationUniques
    from engine.assessment.risk.resistance import AttackReport
    from engine.privacy.values import MeasuredModel

Rows = list[list[Cell]]
MOST_SENSITIVE = 4  # columns of values shown beside one another


@dataclass(frozen=True)
class AttackRow:
    """An attack: how far it is resisted, and what says so."""

    title: str
    meaning: str
    value: str
    status: str
    tone: str
    icon: str
    reason: str


@dataclass(frozen=True)
class Figure:
    """A number with its name."""

    caption: str
    value: str
    tone: str = "text"
    hint: str = ""


def statement(found: Judgement) -> tuple[str, str, str]:
    """One sentence that can be defended, what it rests on, and its tone."""
    n, n_columns, counted = found.check.n_records, len(found.wish.quasi_identifying), found.counted
    n_people = found.risk.distribution.n_records
    columns = f"From {'this column' if n_columns == 1 else f'these {n_columns} columns'}"
    uniques = found.risk.sample_uniques
    if uniques:
        some = f"{as_exact_count(uniques)} of {as_exact_count(n_people)} {counted.of(n_people)}"
        text = f"{columns} {some} can be distinguished from all others."
        tone = "danger"
    else:
        certainty = as_percent(1 / found.check.k)
        text = f"{columns} no {counted.one} can be matched with more than {certainty} certainty."
        is_open = any(report.resistance.name == "OPEN" for report in found.attacks)
        tone = "warn" if found.check.k <= _FEW or is_open else "ok"  # no shield over what a class reveals
    classes = found.check.n_classes
    of_people = f" of {as_exact_count(n_people)} {PEOPLE.of(n_people)}" if counted is PEOPLE else ""
    detail = f"{_records(n)}{of_people} in {as_exact_count(classes)} {'class' if classes == 1 else 'classes'}"
    left_out = found.n_records - n
    if left_out:
        detail += f", {as_exact_count(left_out)} suppressed and left out"
    sensitive = found.wish.sensitive
    detail += f"; sensitive: {', '.join(sensitive)}" if sensitive else "; no sensitive column is ticked"
    return text, detail, tone


_FEW = 2


def model_rows(found: Judgement) -> tuple[list[Heading], Rows]:
    """Every model with its value over all sensitive columns, and for each where there are several."""
    columns = list(found.check.by_attribute)
    several = columns[:MOST_SENSITIVE] if len(columns) > 1 else []
    headings = [
        Heading("Model"),
        Heading("Value", True, "The worst of all classes and sensitive columns"),
        *[Heading(name, True, f"The value for {name} alone") for name in several],
        Heading("What it says"),
    ]
    rows = []
    for place, model in enumerate(found.check.models):
        cells = [
            Cell(found.counted.worded(named(model)), explained(model.kind)),
            _value(model, is_strong=True),
        ]
        for name in several:
            own = found.check.by_attribute[name][place]
            # A column may be measured with another l or distance than the worst of all.
            other = told_text(own) if told_text(own) != told_text(model) else ""
            cells.append(_value(own, other) if own.column else Cell(""))
        cells.append(Cell(model.kind.summary, explained(model.kind), "text_2"))
        rows.append(cells)
    return headings, rows


def _value(model: MeasuredModel, told: str = "", *, is_strong: bool = False) -> Cell:
    text = value_text(model)
    reason = ""
    if text == DASH:
        needs = "It needs a sensitive column."
        reason = "There is none: a class has one sensitive value." if model.column else needs
    elif text == UNBOUNDED:
        reason = "No threshold is met: in some class a value gains without bound or is missing."
    elif told_text(model):
        reason = f"{text} with {told_text(model)}"
    shown = f"{text} ({told})" if told and text != DASH else text
    exact = reason or f"{model.value:g}"
    return Cell(shown, exact, is_strong=is_strong, spoken=reason and f"{text}. {reason}")


def attack_rows(found: Sequence[AttackReport]) -> list[AttackRow]:
    """Every attack with the value that decides."""
    rows = []
    for report in found:
        model, tone = report.model, report.resistance.tone
        value, reason = "", "No model measured here protects against it."
        if model is not None:
            value = f"{model.kind.symbol} = {value_text(model)}"
            reason = decided_text(model, report.usual, report.weaker)
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


def risk_figures(found: Judgement) -> list[Figure]:
    """What three attackers can hope for."""
    risk, people, counted = found.risk, found.risk.uniques_of_population, found.counted
    n = risk.distribution.n_records
    threshold = as_percent(found.wish.threshold)
    at_risk = round(risk.prosecutor.records_at_risk * n)
    return [
        Figure(
            "Highest risk, prosecutor",
            as_percent(risk.prosecutor.highest),
            "danger" if risk.sample_uniques else "text",
            f"Of the {counted.one} that is easiest to find, by somebody who knows that the person is in the "
            "table. This table stands in for the population, so that it is the journalist's risk too.",
        ),
        Figure(
            f"{counted.many.capitalize()} above {threshold}",
            as_percent(risk.prosecutor.records_at_risk) if at_risk else NONE,
            hint=f"{as_exact_count(at_risk)} of {as_exact_count(n)} {counted.of(n)} can be found with more "
            "certainty",
        ),
        Figure(
            "Average risk, marketer",
            as_percent(risk.marketer),
            hint=counted.worded("Share of records that guessing all of them would find"),
        ),
        Figure(
            counted.worded("Unique records"),
            as_exact_count(risk.sample_uniques) if risk.sample_uniques else NONE,
            "danger" if risk.sample_uniques else "text",
            "Records that no other looks like"
            if counted is RECORDS
            else "People with a record that nobody else's looks like",
        ),
        *([] if people is None else [_unique_people(people)]),
    ]


def _unique_people(found: PopulationUniques) -> Figure:
    """How many people of the population are alone, by the rule that chooses among the estimators."""
    caption = f"Unique people of {as_count(found.population)}"
    chosen = found.estimates["dankar"]
    if chosen.uniques is None:
        return Figure(caption, DASH, hint=f"There is no estimate: {chosen.reason}")
    share = as_percent(found.fraction("dankar"))
    return Figure(
        caption,
        as_count(round(chosen.uniques)),
        hint=f"{share} of the population, estimated by {chosen.estimator}, as Dankar's rule chose; "
        "the saved figures have all estimators",
    )


def exposed_rows(found: Judgement) -> tuple[list[Heading], Rows]:
    """The smallest classes with their values."""
    wish = found.wish
    headings = [
        Heading(found.counted.many.capitalize(), True, "How many look alike"),
        Heading("Risk", True, "How likely a guess among them is right"),
        *[Heading(name) for name in wish.quasi_identifying],
        *[
            Heading(f"{name}: values", True, f"Different values of {name} among them")
            for name in wish.sensitive
        ],
        Heading("First record", True, "Place of the first of them in the table"),
    ]
    return headings, [_exposed(entry) for entry in found.exposed]


def _exposed(entry: ExposedClass) -> list[Cell]:
    return [
        Cell(as_exact_count(entry.size), is_strong=True),
        Cell(as_percent(entry.risk), tone="danger" if entry.size == 1 else "text"),
        *[Cell(value or "(missing)", tone="text" if value else "text_3") for value in entry.values],
        *[Cell(as_exact_count(n), tone="danger" if n == 1 else "text") for n in entry.n_values],
        Cell(as_exact_count(entry.record + 1), tone="text_3"),
    ]


def utility_rows(found: Judgement) -> tuple[list[Heading], Rows]:
    """What was lost against the original."""
    headings = [Heading("Figure"), Heading("Value", True), Heading("What it says")]
    report = found.utility
    if report is None:
        return headings, []
    lost = report.n_raw - report.n_anonymized
    lines = [
        (
            "Records released",
            f"{as_exact_count(report.n_anonymized)} of {as_exact_count(report.n_raw)}",
            f"{as_exact_count(lost)} suppressed" if lost else "none suppressed",
        ),
        ("Classes", as_exact_count(report.classes.count), "records that look alike are one class"),
        (
            "Class size",
            f"{as_exact_count(report.classes.minimum)} to {as_exact_count(report.classes.maximum)}",
            f"mean {as_significant(report.classes.mean)}, median {as_significant(report.classes.median)}",
        ),
        (
            "Average class size (c avg)",
            as_significant(report.c_avg),
            f"relative to the smallest class of {as_exact_count(report.k)}{_people(found)}; 1 is the least",
        ),
        (
            "Discernibility",
            as_count(report.discernibility),
            "sum of squared class sizes, suppressed records as alike to all",
        ),
        *[
            (
                f"Classification of {name}",
                as_percent(value),
                "records suppressed or unlike most of their class; less is better",
            )
            for name, value in report.classification.items()
        ],
        *[
            (f"Entropy of {name}", as_decimal(value, 3), "variety of its values in the released table")
            for name, value in report.entropy.items()
        ],
    ]
    return headings, [[Cell(a), Cell(b, is_strong=True), Cell(c, tone="text_2")] for a, b, c in lines]


def _people(found: Judgement) -> str:
    return f" {PEOPLE.many}" if found.counted is PEOPLE else ""


def _records(n: int) -> str:
    return f"{as_exact_count(n)} {'record' if n == 1 else 'records'}"


def as_text(name: str, found: Judgement) -> str:
    """The whole judgement as plain text for the clipboard."""
    text, detail, _ = statement(found)
    lines = [name, text, detail, f"Known: {', '.join(found.wish.quasi_identifying)}", ""]
    lines += _plain(*model_rows(found), without_last=True)
    lines.append("")
    lines += [f"{row.title}\t{row.status}\t{row.reason}" for row in attack_rows(found.attacks)]
    lines.append("")
    lines += [f"{figure.caption}\t{figure.value}" for figure in risk_figures(found)]
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
