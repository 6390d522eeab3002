"""Loss of every quasi-identifier: its level in words, and the number of remaining values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from engine.findings.base import Analysis, utility_analyses
from engine.findings.blocks import (
    SHARE,
    Block,
    Chart,
    FigureTable,
    Findings,
    Series,
    Statement,
    as_column,
    figure_row,
)
from engine.findings.subject import Subject
from engine.hierarchies.words import describe_level
from engine.monitor import SILENT, Monitor
from engine.numbers import as_decimal, as_exact_count
from engine.project.compile import objective_of
from engine.utility.loss import Loss
from engine.words import N_, _, lazy, ngettext, within_sentence


@figure_row
class AttributeLoss:
    """Loss of one quasi-identifier; suppressed records cost 1, and aggregates have no level.

    Levels are those of kept records, in words such as "20-year bands", "kept", or "mean of each class".
    """

    name: str = as_column(N_("Column"), key="column")
    loss: float = as_column(
        N_("Loss"), SHARE, N_("Share of the domain that a cell covers; 0 = original values, 1 = all hidden.")
    )
    level: int | None = as_column(N_("Lowest level"))
    last_level: int | None = as_column(N_("Highest level"))
    height: int = as_column(N_("Levels"))
    words: str = as_column(N_("In words"))
    values_before: int = as_column(N_("Values before"), "values")
    values_after: int = as_column(N_("Values after"), "values", N_("Distinct cells of the kept records."))

    @property
    def summary(self) -> str:
        """Level and values in words, such as "level 2 of 3 · 14 to 1 value"."""
        values = ngettext("{before} to {n} value", "{before} to {n} values", self.values_after).format(
            before=as_exact_count(self.values_before), n=as_exact_count(self.values_after)
        )
        if self.level is None:
            return f"{self.words} · {values}"
        text = (
            _("level {first} of {height} · {values}")
            if self.level == self.last_level
            else _("levels {first} to {last} of {height} · {values}")
        )
        return text.format(first=self.level, last=self.last_level, height=self.height, values=values)


@dataclass(frozen=True)
class LossByAttributeFound(Findings):
    """Loss of the quasi-identifiers in the order of the lattice.

    Attributes
    ----------
    loss : float
        Metric "loss" of the release: the losses combined with the weights and the aggregate of the
        project, by default a geometric mean.
    """

    attributes: tuple[AttributeLoss, ...]
    loss: float

    def statement(self) -> Statement:
        most = max(self.attributes, key=lambda attribute: attribute.loss)
        return Statement(
            _("The loss is {loss}; '{name}' loses most, {loss_2}.").format(
                loss=as_decimal(self.loss, 3), name=most.name, loss_2=as_decimal(most.loss, 3)
            ),
            caption=_("per column"),
        )

    def blocks(self) -> tuple[Block, ...]:
        """Return one row per quasi-identifier."""
        ranked = sorted(self.attributes, key=lambda attribute: -attribute.loss)
        return (
            Chart(
                "loss",
                _("Loss by column"),
                "rows",
                _("loss"),
                _("quasi-identifying column"),
                (Series(_("Release"), tuple(a.loss for a in ranked)),),
                labels=tuple(a.name for a in ranked),
                captions=tuple(a.summary for a in ranked),
            ),
            FigureTable.of(
                "loss_by_attribute", _("Loss by column"), AttributeLoss, self.attributes, is_listed=False
            ),
        )


@utility_analyses.register("loss_by_attribute")
@dataclass(frozen=True, slots=True)
class LossByAttribute(Analysis):
    """Metric "loss" by attribute, with the levels that cause it.

    References
    ----------
    .. [1] Iyengar (2002). Transforming Data to Satisfy Privacy Constraints. KDD.
    """

    title: ClassVar[str] = lazy("Loss by column")
    summary: ClassVar[str] = lazy(
        "How much detail of each quasi-identifying column the release gives up for protection."
    )
    reading: ClassVar[str] = lazy(
        "0 % means that every value is released unchanged, 100 % that the column is lost. "
        "Suppressed records count as 100 % in every column. A column that loses almost "
        "everything can often be released more precisely if another column loses a little "
        "more."
    )
    source: ClassVar[str] = "Iyengar 2002"
    needs_kept: ClassVar[bool] = True

    def run(self, subject: Subject, monitor: Monitor = SILENT) -> LossByAttributeFound:
        self.refuse_impossible(subject)
        problem = subject.release.problem
        metric = objective_of(subject.project, problem).member("loss")
        assert isinstance(metric, Loss)
        losses = metric.by_attribute(subject.recoded)[0]
        found = []
        for number, name in enumerate(problem.names):
            monitor.step(number, len(problem.names), _("Examining {name}").format(name=name))
            level, last_level, words = _levels(subject, number)
            found.append(
                AttributeLoss(
                    name,
                    float(losses[number]),
                    level,
                    last_level,
                    problem.attributes[number].hierarchy.height,
                    words,
                    len(subject.input.column(name).labels),
                    len(subject.cells(name).labels),
                )
            )
        return LossByAttributeFound(tuple(found), float(subject.recoded.metric("loss")[0]))


def _levels(subject: Subject, number: int) -> tuple[int | None, int | None, str]:
    """Return the lowest and highest level of kept records in a column, and both in words."""
    release = subject.release
    attribute = release.problem.attributes[number]
    function = release.aggregates.get(attribute.name)
    if function is not None:
        return None, None, _("{title} of each class").format(title=within_sentence(function.title))
    if release.recoding is None:
        assert release.node is not None, "what is no recoding is a node"
        low = high = release.node[number]
    else:
        levels = np.unique(attribute.hierarchy.step_of[release.recoding.levels[subject.kept, number]])
        low, high = int(levels[0]), int(levels[-1])
    kind = attribute.column.data_type
    words = [describe_level(attribute.hierarchy, level, kind, attribute.name) for level in (low, high)]
    if words[0] == words[1]:
        return low, high, words[0]
    return low, high, _("{first} to {last}").format(first=words[0], last=words[1])
