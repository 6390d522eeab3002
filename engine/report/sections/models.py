"""Values of each privacy model in input and release."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

from engine.findings.blocks import Block, Figure, FigureColumn, FigureTable, Paragraph
from engine.findings.disclosure import WITHHELD, Disclosure
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
from engine.report.material.reported import ReportInput
from engine.words import N_, _

_SIDES = {
    "before": FigureColumn("before", N_("Input"), explanation=N_("Of all records of the input.")),
    "after": FigureColumn("after", N_("Release"), explanation=N_("Of the kept records.")),
    "value": FigureColumn("value", N_("Value"), explanation=N_("Of the assessed records.")),
}
_MEASURING = {
    "before": N_("Measuring the input"),
    "after": N_("Measuring the release"),
    "value": N_("Measuring privacy models"),
}
_LIKENESS = (BasicBetaLikeness.key, EnhancedBetaLikeness.key)
_READING = N_(
    "Each value is that of the class furthest from meeting the model, by the definition "
    "in its paper: a minimum for k and l, a maximum for the others. Logarithms for delta "
    "are natural; “without limit” means that no threshold is met."
)


def blocks(material: ReportInput, monitor: Monitor = SILENT) -> Iterator[Block]:
    """Yield all models that a table alone can be measured by."""
    measured = {}
    for number, side in enumerate(material.sides):
        monitor.step(number, len(material.sides), _(_MEASURING[side]))
        measured[side] = {(model.key, model.column): model for model in material.models_of(side)}
    if material.settings.is_public:
        # The worst class of the input is often a single record: its value tells how many have the rarest.
        measured.pop("before", None)
    names = dict.fromkeys(name for models in measured.values() for name in models)
    rows = [_row(material.disclosure, [own.get(name) for own in measured.values()]) for name in names]
    yield Paragraph(_(_READING))
    yield _table(measured, rows)
    if measured.get("after") == {}:
        yield Paragraph(_("No record is kept, so nothing is measured for the release."))


def _row(disclosure: Disclosure, sides: Sequence[MeasuredModel | None]) -> tuple[Figure, ...]:
    values: list[Figure] = []
    for model in sides:
        values += (
            [None, ""] if model is None else [published_value(disclosure, model), _with(disclosure, model)]
        )
    named = next(model for model in sides if model is not None)
    return (named.kind.title, named.column, named.kind.symbol, *values)


def _shown(disclosure: Disclosure, model: MeasuredModel) -> tuple[Figure, str]:
    return published_value(disclosure, model), _with(disclosure, model)


def published_value(disclosure: Disclosure, model: MeasuredModel) -> Figure:
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


def _table(sides: Iterable[str], rows: Sequence[tuple[Figure, ...]]) -> FigureTable:
    columns = [
        FigureColumn("model", _("Model")),
        FigureColumn("column", _("Sensitive column")),
        FigureColumn("symbol", _("Symbol")),
    ]
    for side in sides:
        explanation = _("Further parameters the value was measured with.")
        columns += [_SIDES[side], FigureColumn(f"{side}_with", _("With"), explanation=explanation)]
    return FigureTable("models", "", tuple(columns), rows)
