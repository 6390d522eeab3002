"""Causes and remedies of suppression in words and numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from anonymizer_gui.models.measured_text import limit_text
from anonymizer_gui.perspectives.explore.metric_text import metric_change, metric_name, metric_text
from anonymizer_gui.perspectives.explore.node_text import LevelWords
from anonymizer_gui.widgets.numbers import as_exact_count, as_percent

if TYPE_CHECKING:
    from engine.advice.remedies import Remedy
    from engine.project import Project
    from engine.scoring.nodes.star_causes import AttributeCause, RareValue, StarCauses

_tr = partial(QCoreApplication.translate, "StarsValues")


@dataclass(frozen=True, slots=True)
class CauseRow:
    """One column: records that come back if it alone tells less."""

    name: str
    share: float  # of the suppressed records that are kept if it is hidden
    tick: float | None  # the same one level higher
    by_step: str
    if_hidden: str
    detail: str


@dataclass(frozen=True, slots=True)
class ValueRow:
    """A rare value and how many of its records are suppressed."""

    name: str
    suppressed: str
    share: str
    detail: str


@dataclass(frozen=True, slots=True)
class RemedyRow:
    """A single change: what, what it does, what else to know, and the verb that makes it."""

    title: str
    effect: str
    note: str
    verb: str
    satisfies: bool
    is_weaker: bool
    step: str  # what the undo step is called; empty where another node is selected


def summary(causes: StarCauses) -> str:
    """How many records are suppressed, in a sentence or two."""
    if not causes.suppressed:
        return _tr("No record is suppressed at this node, so there are no stars to explain.")
    share = as_percent(causes.suppressed / causes.n_records)
    losses = causes.losses
    allows = _tr("the limit allows {0}").format(as_exact_count(losses.allowed))
    if losses.are_people:
        one, many = _tr("1 person loses one, and {1}"), _tr("{0} people lose one, and {1}")
        allows = (one if losses.count == 1 else many).format(as_exact_count(losses.count), allows)
    said = _tr("{0} of {1} records are suppressed ({2}); {3}.").format(
        as_exact_count(causes.suppressed), as_exact_count(causes.n_records), share, allows
    )
    if causes.too_many:
        said += " " + _tr("That is {0} too many.").format(as_exact_count(causes.too_many))
    return said


def cause_rows(causes: StarCauses) -> list[CauseRow]:
    """The columns in the order of what they cost."""
    return [_cause_row(cause, causes.suppressed) for cause in causes.by_attribute]


def value_rows(values: Sequence[RareValue], causes: StarCauses) -> list[ValueRow]:
    """Rare values; each says how often its records are suppressed, against the table."""
    whole = as_percent(causes.suppressed / max(causes.n_records, 1), 1)
    detail = _tr("{0} of the {1} records with {2} are suppressed: {3}, where the whole table has {4}")
    rows = []
    for value in values:
        suppressed, share = as_exact_count(value.suppressed), as_percent(value.share, 1)
        name = f"{value.name}: {value.label or _tr('missing')}"
        said = detail.format(suppressed, as_exact_count(value.records), name, share, whole)
        rows.append(ValueRow(name, suppressed, share, said))
    return rows


def remedy_rows(
    remedies: Sequence[Remedy], project: Project, words: LevelWords, metric: str, was_best: float | None
) -> list[RemedyRow]:
    """Remedies in their order; `was_best` is what the optimum of now loses, if there is one."""
    return [_remedy_row(remedy, project, words, metric, was_best) for remedy in remedies]


def _cause_row(cause: AttributeCause, suppressed: int) -> CauseRow:
    whole = max(suppressed, 1)
    hidden = as_exact_count(cause.kept_if_hidden)
    said = [
        _tr("{0}: of the {1} suppressed records {2} would be kept were this column hidden").format(
            cause.name, as_exact_count(suppressed), hidden
        )
    ]
    instead = _tr("where {0} others would be suppressed instead")
    if cause.lost_if_hidden:
        said.append(instead.format(as_exact_count(cause.lost_if_hidden)))
    step = "–"
    if cause.kept_by_step is None:
        said.append(_tr("it is at the highest level allowed"))
    else:
        step = as_exact_count(cause.kept_by_step)
        said.append(_tr("{0} one level higher").format(step))
        if cause.lost_by_step:
            said.append(instead.format(as_exact_count(cause.lost_by_step)))
    tick = None if cause.kept_by_step is None else cause.kept_by_step / whole
    return CauseRow(cause.name, cause.kept_if_hidden / whole, tick, step, hidden, ", ".join(said))


def _remedy_row(
    remedy: Remedy, project: Project, words: LevelWords, metric: str, was_best: float | None
) -> RemedyRow:
    from engine.advice.remedies import RemedyKind

    title, verb = _title(remedy, project, words)
    effect = remedy.effect
    saved = as_exact_count(-remedy.saved) if remedy.saved > 0 else _tr("same")
    if remedy.saved < 0:
        saved = f"+{as_exact_count(-remedy.saved)}"
    said = _tr("{0} suppressed, {1} {2}").format(
        saved, metric_name(metric), metric_change(metric, remedy.added)
    )
    notes = [_tr("satisfies") if effect.satisfies else _tr("still fails")]
    if remedy.kind is RemedyKind.LEVEL:
        pass  # the optimum stays what it is
    elif remedy.needs_scoring:
        notes.append(_tr("the lattice is scored again"))
    elif effect.knows_optimum and effect.optimum is None:
        notes.append(_tr("no node satisfies then"))
    elif remedy.moves_to_optimum:
        notes.append(_tr("as the new optimum"))
    elif effect.knows_optimum and was_best is not None:
        best = metric_text(metric)(effect.optimum_value)
        is_same = abs(effect.optimum_value - was_best) <= abs(was_best) * 1e-12
        said_best = _tr("optimum stays at {0}") if is_same else _tr("optimum then {0}")
        notes.append(said_best.format(best))
    if remedy.is_weaker:
        notes.append(_tr("protects less"))
    step = "" if remedy.project is None else title
    return RemedyRow(title, said, " · ".join(notes), verb, effect.satisfies, remedy.is_weaker, step)


def _title(remedy: Remedy, project: Project, words: LevelWords) -> tuple[str, str]:
    """What changes, and the verb on its button."""
    from engine.advice.remedies import RemedyKind

    level = ""
    if remedy.attribute is not None and remedy.level is not None:
        level = words.level(remedy.attribute, remedy.level)
    is_hidden = level == "hidden"
    match remedy.kind:
        case RemedyKind.LEVEL:
            said = _tr("{0} hidden") if is_hidden else _tr("{0} to {1}")
            return said.format(remedy.column, level), _tr("Select")
        case RemedyKind.MERGE:
            return _tr("{0}: merge {1} with {2}").format(remedy.column, *remedy.labels), _tr("Merge")
        case RemedyKind.BOUND if remedy.is_upper:
            said = _tr("Allow {0} to be hidden") if is_hidden else _tr("Allow {0} up to {1}")
            return said.format(remedy.column, level), _tr("Allow")
        case RemedyKind.BOUND:
            said = _tr("Always hide {0}") if is_hidden else _tr("Allow {0} from {1} on")
            return said.format(remedy.column, level), _tr("Set")
        case RemedyKind.LIMIT:
            shares = as_percent(remedy.limit), as_percent(project.requirement.suppression_limit)
            return _tr("Suppression limit {0} instead of {1}").format(*shares), _tr("Set")
    assert remedy.model is not None, "only thresholds are left, which are those of models"
    assert remedy.index is not None
    model = project.requirement.models[remedy.index]
    limits = limit_text(model, remedy.limit), limit_text(model)
    said = _tr("{0} = {1} instead of {2}").format(model.symbol, *limits)
    return f"{said}, {remedy.column}" if remedy.column else said, _tr("Set")
