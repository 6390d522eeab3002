"""Cost of each privacy model of a requirement, measured alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from engine.numbers import as_exact_count
from engine.privacy import PrivacyModel
from engine.privacy.limit import is_within
from engine.privacy.repetition import repeats
from engine.recoding.full_domain import make_release
from engine.recoding.release import Release
from engine.recoding.transformation import ReleaseSource
from engine.words import _


class ModelReport(NamedTuple):
    """One model of a requirement, as if it were the only one.

    Attributes
    ----------
    column : str
        The sensitive column it looks at; empty if it looks at none.
    suppressed : int
        Records that the node suppresses if the requirement has no other model. Where levels differ by record,
        those in released classes that miss it: what was suppressed before has no class of its own any more.
    met : bool
        Whether these are within the suppression limit, and those kept under all models meet it together.
    """

    model: PrivacyModel
    column: str
    suppressed: int
    met: bool

    @property
    def name(self) -> str:
        """The model with its column, in words."""
        return (
            _("{model} of '{column}'").format(model=self.model.title, column=self.column)
            if self.column
            else self.model.title
        )


def by_model(source: ReleaseSource, release: Release) -> tuple[ModelReport, ...]:
    """Report on every model of a release's requirement, in its order; `source` is its project.

    If suppression is repeated, the classes of the release are what all models left of them, so the node is
    released again with each model alone.
    """
    problem, requirement = release.problem, release.requirement
    found = []
    for model in requirement.models:
        if release.recoding is None and release.node is not None and repeats(problem, requirement):
            alone = make_release(source, problem, release.node, replace(requirement, models=(model,)))
            suppressed, met = alone.n_suppressed, alone.is_within
        else:
            missing = ~model.fulfilled(release.classes)
            if release.recoding is not None:
                missing &= release.kept
            suppressed = int(release.classes.records[missing].sum())
            met = is_within(problem, requirement, release.classes, ~missing)
        met = met and model not in release.missed
        found.append(ModelReport(model, ", ".join(model.columns), suppressed, met))
    return tuple(found)


def in_words(reports: Sequence[ModelReport], allowed: int) -> str:
    """One sentence: the model that suppresses most first, those that suppress nothing left out."""
    costly = sorted((r for r in reports if r.suppressed), key=lambda r: -r.suppressed)
    if not costly:
        return ""
    first, *others = (f"{report.name} {as_exact_count(report.suppressed)}" for report in costly)
    name, count = first.rsplit(" ", 1)
    return (
        "; ".join(
            (
                _("Alone, {model} suppresses {n} of {allowed} allowed").format(
                    model=name, n=count, allowed=as_exact_count(allowed)
                ),
                *others,
            )
        )
        + "."
    )


def as_json(reports: Sequence[ModelReport]) -> list[dict[str, Any]]:
    """The reports as plain values; a model without a sensitive column has None for one."""
    return [
        {"model": r.model.key, "column": r.column or None, "suppressed": r.suppressed, "met": r.met}
        for r in reports
    ]
