"""Loss of every quasi-identifier: its level in words, and the number of remaining values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from engine.assessment.base import Analysis, utility_analyses
from engine.assessment.subject import Subject
from engine.findings.blocks import Block, Chart, FigureColumn, FigureTable, Findings, Series, Statement
from engine.hierarchies.words import describe_level
from engine.monitor import SILENT, Monitor
from engine.numbers import as_decimal, as_exact_count
from engine.project.compile import objective_of
from engine.utility.loss import Loss
from engine.words import N_, _, lazy, ngettext, within_sentence


@dataclass(frozen=True)
class AttributeLoss:
    """Loss of one quasi-identifier.

    Attributes
    ----------
    name : str
    loss : float
        Share of its domain that a released cell stands for, rescaled so that original values cost 0 and
        hidden ones 1; suppressed records cost 1.
    level, last_level : int or None
        Lowest and highest level of kept records; None for aggregates.
    height : int
        Highest level of its hierarchy.
    words : str
        Level in words, such as "20-year bands", "kept", or "mean of each class".
    values_before, values_after : int
        Distinct values of the input, and distinct cells of the kept records.
    """

    name: str
    loss: float
    level: int | None
    last_level: int | None
    height: int
    words: str
    values_before: int
    values_after: int

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
    attributes : tuple of AttributeLoss
    loss : float
        Metric "loss" of the release: the losses combined with the weights and the aggregate of the
        project, by default a geometric mean.
    share_suppressed : float
        Share of suppressed records, which cost 1 in every attribute.
    """

    attributes: tuple[AttributeLoss, ...]
    loss: float
    share_suppressed: float

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
        rows = tuple(
            (a.name, a.loss, a.level, a.last_level, a.height, a.words, a.values_before, a.values_after)
            for a in self.attributes
        )
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
            FigureTable("loss_by_attribute", _("Loss by column"), _COLUMNS, rows, is_listed=False),
        )


_COLUMNS = (
    FigureColumn("column", N_("Column")),
    FigureColumn(
        "loss",
        N_("Loss"),
        "",
        N_("Share of the domain that a cell covers; 0 = original values, 1 = all hidden."),
        True,
    ),
    FigureColumn("level", N_("Lowest level")),
    FigureColumn("last_level", N_("Highest level")),
    FigureColumn("height", N_("Levels")),
    FigureColumn("words", N_("In words")),
    FigureColumn("values_before", N_("Values before"), "values"),
    FigureColumn("values_after", N_("Values after"), "values", N_("Distinct cells of the kept records.")),
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
        release, problem = subject.release, subject.release.problem
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
        loss = float(subject.recoded.metric("loss")[0])
        return LossByAttributeFound(tuple(found), loss, release.n_suppressed / release.n_records)


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
        levels = np.unique(release.recoding.levels[subject.kept, number])
        low, high = int(levels[0]), int(levels[-1])
    kind = attribute.column.data_type
    words = [describe_level(attribute.hierarchy, level, kind, attribute.name) for level in (low, high)]
    if words[0] == words[1]:
        return low, high, words[0]
    return low, high, _("{first} to {last}").format(first=words[0], last=words[1])
