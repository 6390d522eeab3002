"""What the list of exposed records shows, and what is said of the chosen one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anonymizer_gui.perspectives.risk.exposed_model import ExposedRows
from anonymizer_gui.perspectives.risk.exposed_view import RecordWords
from anonymizer_gui.widgets.numbers import as_exact_count
from anonymizer_gui.widgets.value_text import value_text

if TYPE_CHECKING:
    from engine.assessment.risk.exposed_records import ExposedRecordsFound, RecordExplained


def exposed_rows(found: ExposedRecordsFound) -> ExposedRows:
    """The records listed with their released texts."""
    texts = []
    for name in found.columns:
        column = found.subject.release.column(name)
        if column is None:
            texts.append([""] * len(found))
        else:
            texts.append([value_text(column.labels[code]) for code in column.codes[found.records].tolist()])
    cells = tuple(zip(*texts, strict=True)) if texts else ((),) * len(found)
    return ExposedRows(
        found.records,
        found.class_sizes,
        found.risks,
        found.sizes_before,
        found.threshold,
        found.columns,
        cells,
    )


def record_words(told: RecordExplained, *, counts_people: bool = False) -> RecordWords:
    """What is said of one record."""
    size = as_exact_count(told.class_size)
    alike, people = "Records of the release that look like it, with it", ""
    if counts_people:
        alike = "People with a record of the release that looks like it, its own among them"
        people = " person" if told.class_size == 1 else " people"
    chips = [(f"class of {size}{people}", "danger" if told.class_size == 1 else "neutral", alike)]
    for name, count in told.n_values[:1]:
        text = f"{as_exact_count(count)} {'value' if count == 1 else 'different values'}"
        meaning = f"How many values of {name} the records of its class have"
        chips.append((text, "danger" if count == 1 else "neutral", meaning))
    return RecordWords(
        told.record,
        f"Record {as_exact_count(told.record + 1)}",
        tuple(chips),
        tuple((name, value_text(text)) for name, text in told.cells),
        told.sentence,
    )
