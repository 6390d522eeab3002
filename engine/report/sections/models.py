"""Values of each privacy model in input and release."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from engine.findings.blocks import Block, Figure, FigureColumn, FigureTable, Paragraph
from engine.monitor import SILENT, Monitor
from engine.privacy import Group
from engine.privacy.base import Relation
from engine.privacy.basic_beta_likeness import BasicBetaLikeness
from engine.privacy.delta_disclosure import DeltaDisclosure
from engine.privacy.delta_presence import DeltaPresence
from engine.privacy.enhanced_beta_likeness import EnhancedBetaLikeness
from engine.privacy.individual_risk import IndividualRisk
from engine.privacy.k_anonymity import KAnonymity
from engine.privacy.k_map import KMap
from engine.privacy.recursive_c_l_diversity import RecursiveCLDiversity
from engine.privacy.values import MeasuredModel
from engine.report.base import ReportSection, report_sections
from engine.report.disclosure import WITHHELD, Disclosure
from engine.report.report_input import ReportedFile, ReportedRelease
from engine.words import N_, _, lazy

_BEFORE = FigureColumn("before", N_("Input"), explanation=N_("Of all records of the input."))
_BEFORE_WITH = FigureColumn(
    "before_with", N_("With"), explanation=N_("Further parameters the value was measured with.")
)
_AFTER = FigureColumn("after", N_("Release"), explanation=N_("Of the kept records."))
_AFTER_WITH = FigureColumn(
    "after_with", N_("With"), explanation=N_("Further parameters the value was measured with.")
)
_VALUE = FigureColumn("value", N_("Value"), explanation=N_("Of the assessed records."))
_VALUE_WITH = FigureColumn(
    "value_with", N_("With"), explanation=N_("Further parameters it was measured with.")
)
_LIKENESS = (BasicBetaLikeness.key, EnhancedBetaLikeness.key)
_READING = N_(
    "Each value is that of the class furthest from meeting the model, by the definition "
    "in its paper: a minimum for k and l, a maximum for the others. Logarithms for delta "
    "are natural; “without limit” means that no threshold is met."
)


@report_sections.register("models")
@dataclass(frozen=True, slots=True)
class Models(ReportSection):
    """All models that a table alone can be measured by."""

    title: ClassVar[str] = lazy("Values of all privacy models")
    place: ClassVar[int] = 100

    def of_release(self, material: ReportedRelease, monitor: Monitor = SILENT) -> tuple[Block, ...]:
        monitor.step(0, 2, _("Measuring the input"))
        before = material.models_before
        monitor.step(1, 2, _("Measuring the release"))
        if material.settings.is_public:
            # The worst class of the input is often a single record: its value tells how many have the rarest.
            rows = [_row(material.disclosure, model, (model,)) for model in material.models_after]
            return (Paragraph(_(_READING)), _table((_AFTER, _AFTER_WITH), rows))
        after = {(model.key, model.column): model for model in material.models_after}
        rows = []
        for model in before:
            now = after.pop((model.key, model.column), None)
            rows.append(_row(material.disclosure, model, (model, now)))
        rows += [_row(material.disclosure, model, (None, model)) for model in after.values()]
        columns = (_BEFORE, _BEFORE_WITH, _AFTER, _AFTER_WITH)
        blocks: list[Block] = [Paragraph(_(_READING)), _table(columns, rows)]
        if not material.models_after:
            blocks.append(Paragraph(_("No record is kept, so nothing is measured for the release.")))
        return tuple(blocks)

    def of_file(self, material: ReportedFile, monitor: Monitor = SILENT) -> tuple[Block, ...]:
        report, disclosure = material.models, material.disclosure
        by_size = [model for model in report.models if model.kind.group is Group.CLASS_SIZES]
        of_column = [m for models in report.by_attribute.values() for m in models if m.column]
        rows = [_row(disclosure, model, (model,)) for model in (*by_size, *of_column)]
        return (Paragraph(_(_READING)), _table((_VALUE, _VALUE_WITH), rows))


def _row(
    disclosure: Disclosure, named: MeasuredModel, sides: Sequence[MeasuredModel | None]
) -> tuple[Figure, ...]:
    values: list[Figure] = []
    for model in sides:
        values += [None, ""] if model is None else [told_value(disclosure, model), _with(disclosure, model)]
    return (named.kind.title, named.column, named.kind.symbol, *values)


def told_value(disclosure: Disclosure, model: MeasuredModel) -> Figure:
    """The value of a model as an audience may read it."""
    value, kind = model.value, model.kind
    if not disclosure.is_public:
        return value
    if kind is KAnonymity:
        return disclosure.size(None if value is None else int(value))
    if kind in (DeltaPresence, IndividualRisk):
        return WITHHELD  # records by people of one class, both of which may be few
    if kind is KMap and value is not None:
        return disclosure.people(round(value))
    if kind.group is not Group.SENSITIVE_VALUES:
        return disclosure.count(value) if isinstance(value, int) else disclosure.figure(value)
    if isinstance(value, int):
        return value  # of values, not of people
    return disclosure.of_class(value, _ratio(model), is_least=kind.relation is Relation.AT_LEAST)


def _ratio(model: MeasuredModel) -> float:
    """Return the ratio of the frequency of a value to that of another, or to that among all records."""
    value, key = model.value or 0.0, model.key
    if key in _LIKENESS:
        return 1 + value
    if key == DeltaDisclosure.key:
        return math.exp(min(value, 700.0))
    return value if key == RecursiveCLDiversity.key else 0.0


def _with(disclosure: Disclosure, model: MeasuredModel) -> str:
    """Return the parameters that belong to a value; k of (alpha, k)-anonymity is a count of people."""
    parameters = {name: value for name, value in model.reported.items() if value is not None}
    if isinstance(k := parameters.get("k"), int):
        parameters["k"] = str(disclosure.size(k))
    return ", ".join(f"{name} = {value}" for name, value in parameters.items())


def _table(values: Sequence[FigureColumn], rows: Sequence[tuple[Figure, ...]]) -> FigureTable:
    columns = (
        FigureColumn("model", _("Model")),
        FigureColumn("column", _("Sensitive column")),
        FigureColumn("symbol", _("Symbol")),
        *values,
    )
    return FigureTable("models", "", columns, rows)
