"""Values of each privacy model in input and release, and the attacks that these models resist."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

from engine.findings.base import analysis_of
from engine.findings.blocks import Block, Figure, FigureColumn, FigureTable, Paragraph
from engine.findings.disclosure import WITHHELD, Disclosure
from engine.findings.risk.attacks import AttacksFound, AttackVerdict
from engine.findings.risk.resistance import Resistance, attacks_resisted
from engine.monitor import SILENT, Monitor
from engine.privacy import Attack, Group
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
from engine.report.sections.material import ReportedRelease, ReportInput
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


_ATTACK = FigureColumn("attack", N_("Attack"))
_MEANING = FigureColumn("meaning", N_("What the attacker does"))
# The input's smallest class is nearly always small, and how far it resists tells how small.
_BEFORE = FigureColumn("before", N_("Input"), explanation=N_("Resistance of the input."), is_internal=True)
_OF_MODEL = FigureColumn("value", N_("Value of the model"))
_REASON = FigureColumn("reason", N_("Reason"), is_internal=True)
_AFTER = FigureColumn("after", N_("Release"), explanation=N_("Resistance of the kept records."))
_OF_FILE = FigureColumn("resistance", N_("The file"), explanation=N_("Resistance of the file."))
_MODEL = FigureColumn(
    "model", N_("Model that decides"), explanation=N_("The strongest of the protecting models.")
)
_SENSITIVE = FigureColumn("column", N_("Sensitive column"))
_COLUMNS: tuple[FigureColumn, ...] = (_ATTACK, _BEFORE, _AFTER, _MODEL, _SENSITIVE, _OF_MODEL, _REASON)


def attacks(material: ReportInput, monitor: Monitor = SILENT) -> Iterator[Block]:
    """Yield the attack table."""
    analysis, disclosure = analysis_of("attacks"), material.disclosure
    if isinstance(material, ReportedRelease):
        found = material.found(analysis, monitor)
        assert isinstance(found, AttacksFound), "it can be asked of every release"
        tested = material.attack_test(monitor)
        words = "" if tested is None else tested.inference_words(material.moment)
        attacks = [verdict.attack for verdict in found.attacks]
        columns = _COLUMNS
        rows: list[tuple[Figure, ...]] = [
            (
                one.attack.title,
                one.before.value,
                *_decided(disclosure, one.after, one.model),
                _value(disclosure, one),
                _sentence(one.reason),
            )
            for one in found.with_measured(words).attacks
        ]
    else:
        reports = attacks_resisted(material.models.models)
        attacks = [attack for attack in Attack if attack is not Attack.MEMBERSHIP]
        columns = (_ATTACK, _OF_FILE, _MODEL, _SENSITIVE)
        rows = [
            (one.attack.title, *_decided(disclosure, one.resistance, one.model))
            for one in reports
            if one.attack in attacks
        ]
    yield Paragraph(analysis.summary)
    yield FigureTable("attacks", "", columns, rows)
    yield Paragraph(analysis.reading, "note")
    meanings = [(attack.title, attack.meaning) for attack in attacks]
    yield FigureTable("attack_meanings", _("What the attackers do"), (_ATTACK, _MEANING), meanings)


def _decided(
    disclosure: Disclosure, resistance: Resistance, model: MeasuredModel | None
) -> tuple[Figure, ...]:
    named = ("", "") if model is None else (model.kind.title, model.column)
    return (_resistance(disclosure, resistance), *named)


def _value(disclosure: Disclosure, verdict: AttackVerdict) -> Figure:
    if disclosure.is_public and verdict.model is not None:
        return published_value(disclosure, verdict.model)
    return verdict.value


def _resistance(disclosure: Disclosure, resistance: Resistance) -> str:
    """Return the reason for a resistance; the size of a small class is withheld from the public."""
    is_known = resistance in (Resistance.RESISTED, Resistance.UNKNOWN)
    return resistance.value if is_known or not disclosure.is_small(disclosure.smallest) else _("not resisted")


def _sentence(reason: str) -> str:
    return f"{reason[:1].upper()}{reason[1:]}." if reason else ""
