"""Conversion of engine results for one node into the values shown by the inspector."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from anonymizer_gui.perspectives.explore.inspector.line_grid import Item
from anonymizer_gui.widgets.small_chart import Histogram, histogram_of
from engine.frequency.counted import PEOPLE, RECORDS
from engine.numbers import as_exact_count, as_people, as_percent
from engine.privacy.earlier import ALIGNED
from engine.privacy.measured_text import figure_text, limit_text
from engine.words import _, ngettext

if TYPE_CHECKING:
    from engine.lattice import Node
    from engine.privacy import Requirement
    from engine.privacy.limit import Losses
    from engine.scoring.nodes.class_table import ClassDistribution
    from engine.scoring.nodes.inspection import NodeReport

MOST_GROUPS = 7
_HARD = "\u00a0"


@dataclass(frozen=True, slots=True)
class ModelLine:
    """Value of a model over the kept classes, or the `reason` why there is none."""

    name: str
    column: str
    value: str
    is_required: bool = False
    detail: str = ""
    reason: str = ""
    share: float | None = None  # position between the least and the largest of the lattice
    tick: float | None = None


@dataclass(frozen=True, slots=True)
class ClassShares:
    """Sensitive values of a class compared with the table, as shares per group of values."""

    labels: tuple[str, ...]
    table: tuple[float, ...]
    in_class: tuple[float, ...]
    caption: str


@dataclass(frozen=True, slots=True)
class Step:
    """Neighbour of a node: one attribute one level up or down.

    Attributes
    ----------
    words, change, suppressed : str
        The changed level, and how metric and suppressed records follow.
    n_suppressed : int or None
        None if the node is not scored.
    difference : float
        Change of the metric; nan if either node is not scored.
    attribute : int
        Index of the changed attribute.
    """

    node: Node
    is_up: bool
    words: str
    change: str
    suppressed: str
    satisfies: bool
    n_suppressed: int | None = 0
    difference: float = 0.0
    attribute: int = 0
    is_optimum: bool = False

    @property
    def is_scored(self) -> bool:
        """Return whether the node is scored."""
        return self.n_suppressed is not None


@dataclass(frozen=True, slots=True)
class StepLine:
    """Both neighbours of the node by one column, or in words why there is none.

    Attributes
    ----------
    kept : str
        Where the finer neighbour fails: the price of its level, other columns free.
    kept_at : Node or None
        The node of that price.
    """

    name: str
    finer: Step | None = None
    coarser: Step | None = None
    finest: str = ""
    coarsest: str = ""
    kept: str = ""
    kept_at: Node | None = None


def class_shares(found: ClassDistribution, caption: str) -> ClassShares:
    """Merge adjacent values into at most seven groups with similar shares of the table."""
    table, inside = found.table_counts.astype(float), found.class_counts.astype(float)
    total, size = max(table.sum(), 1.0), max(inside.sum(), 1.0)
    if len(table) <= MOST_GROUPS:
        groups = np.arange(len(table))
    elif found.kind == "ordered":
        # Each value goes to the group that contains the middle of its share.
        middle = (np.cumsum(table) - table / 2) / total
        groups = np.minimum((middle * MOST_GROUPS).astype(int), MOST_GROUPS - 1)
        groups = np.unique(groups, return_inverse=True)[1]
    else:
        rank = np.empty(len(table), dtype=int)
        rank[np.argsort(-table, kind="stable")] = np.arange(len(table))
        groups = np.minimum(rank, MOST_GROUPS - 1)
    n_groups = int(groups.max()) + 1
    labels = [""] * n_groups
    for group in range(n_groups):
        members = np.flatnonzero(groups == group)
        first, last = found.labels[members[0]], found.labels[members[-1]]
        if len(members) == 1 or (found.kind == "ordered" and 0 < group < n_groups - 1):
            labels[group] = first
        elif found.kind == "ordered":
            labels[group] = f"≤{last}" if group == 0 else f"{first}+"
        else:
            labels[group] = _("other")
    return ClassShares(
        tuple(label or _("(missing)") for label in labels),
        tuple((np.bincount(groups, weights=table) / total).tolist()),
        tuple((np.bincount(groups, weights=inside) / size).tolist()),
        caption,
    )


def sizes_of(report: NodeReport, k: int | None) -> Histogram:
    """Return the records of a node by class size, suppressed ones counted separately."""
    counted = report.table.problem.counted
    words = "" if counted is RECORDS else counted.many
    return histogram_of(report.sizes, k, report.fulfilled, report.table.n_records, words)


def requirement_lines(
    report: NodeReport, requirement: Requirement, distances: Sequence[str]
) -> list[tuple[Item, ...]]:
    """Return every model over the kept classes, then the suppressed records with their limit."""
    lines = []
    counted = report.table.problem.counted
    for number, (found, variant) in enumerate(zip(report.models, distances, strict=True)):
        model, kind = found.model, type(found.model)
        about = ", ".join(filter(None, (*model.columns, variant)))
        title = counted.worded(model, "title")
        if model.required_k is not None and counted is PEOPLE:
            title = _("{title} of people").format(title=title)
        detail = _("all classes: {kind}").format(kind=figure_text(kind, found.worst, 3))
        if found.n_missing:
            detail += _("; {n_missing} classes do not meet it").format(
                n_missing=as_exact_count(found.n_missing)
            )
        subject = ", ".join(model.columns) or title
        if model.is_of_attackers:
            about, subject = model.details, f"{title}, {attacker_words(report, number)}"
        lines.append(
            _condition(
                model.symbol,
                about or counted.worded(model, "meaning"),
                "–" if found.worst_kept is None else figure_text(kind, found.worst_kept, 3),
                f"{model.relation.value} {limit_text(model)}",
                f"{subject}, {detail}",
                # Kept classes meet every model; only table-wide models can fail.
                is_met=found.worst_kept is not None and found.holds,
            )
        )
    return [*lines, _suppressed_line(report, requirement)]


def _suppressed_line(report: NodeReport, requirement: Requirement) -> tuple[Item, ...]:
    """Return the suppressed records with their limit, which a random sample does not have."""
    losses = report.losses
    share, n_lost = as_percent(losses.count / max(losses.total, 1)), as_exact_count(losses.count)
    if requirement.sampling is not None:
        about = _("{share} of the drawn").format(share=share)
        why_none = _("No limit applies, since it would depend on the data")
        return _condition(_("suppressed"), about, n_lost, "", why_none, is_met=True)
    about, meaning = _("{share} of the records"), _("at most {share} of the records")
    if losses.are_people:
        about, meaning = _("{share} of people"), _("people who lose a record, at most {share} of them")
    return _condition(
        _("suppressed"),
        about.format(share=share),
        n_lost,
        f"≤ {as_exact_count(losses.allowed)}",
        meaning.format(share=as_percent(requirement.suppression_limit)),
        is_met=losses.are_allowed,
    )


def _condition(
    symbol: str, about: str, measured: str, threshold: str, detail: str, *, is_met: bool
) -> tuple[Item, ...]:
    return (
        Item(caption=_("met") if is_met else _("not met"), is_met=is_met),
        Item(symbol, detail, about),
        Item(measured, tone="text" if is_met else "danger"),
        Item(threshold),
    )


def attacker_words(report: NodeReport, number: int) -> str:
    """Return who the attacker of a model is, and by which of several sets of columns most records fail."""
    own = [found for found in report.sets if found.model == number]
    who = report.models[number].model.details
    worst = max(own, key=lambda found: found.records_missing, default=None)
    if worst is None or len(own) == 1 or not worst.records_missing:
        return who
    return _("{who}, most by {columns}").format(who=who, columns=", ".join(worst.columns))


def allowed_words(losses: Losses) -> str:
    """Return what the limit allows, after the people who lose a record if they are counted."""
    allows = _("the limit allows {allowed}").format(allowed=as_exact_count(losses.allowed))
    if not losses.are_people:
        return allows
    return ngettext(
        "{n} person loses a record, and {allows}", "{n} people lose a record, and {allows}", losses.count
    ).format(n=as_exact_count(losses.count), allows=allows)


def why_it_fails(report: NodeReport) -> str:
    """Return the first condition that each suppressed record fails, then those the kept records fail."""
    parts = []
    for model in report.models:
        if model.records_missing_first:
            is_least = model.model.relation.name == "AT_LEAST"
            fault = _("{n} below {symbol}") if is_least else _("{n} over {symbol}")
            symbol = model.model.details if model.model.is_of_attackers else model.model.symbol
            text = fault.format(n=as_exact_count(model.records_missing_first), symbol=symbol)
            parts.append(text.replace(" ", _HARD))
    if report.after_others:
        text = _("{n} as others are").format(n=as_exact_count(report.after_others))
        parts.append(text.replace(" ", _HARD))
    counted = report.table.problem.counted
    missed = [counted.worded(model.model, "title") for model in report.models if not model.holds]
    if missed:
        parts.append(_("the kept records do not meet {missed}").format(missed=", ".join(missed)))
    group = report.table.group if report.table.requirement.holds_group else None
    if group is not None and not group.held:
        parts.append(_("the suppressed records do not meet the requirement as one class"))
    if (beside := report.beside) is not None and not beside.withstands:
        people = beside.left.people
        if beside.attacker == ALIGNED and people is not None and people < report.table.requirement.joint_k:
            parts.append(_("beside earlier releases as few as {k} match").format(k=as_people(people)))
        else:
            parts.append(_("beside earlier releases too few values of a person are left"))
    return f"{', '.join(parts)}." if parts else _("Every record meets the requirement.")
