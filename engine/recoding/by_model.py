"""Cost of each privacy model of a requirement, measured alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from engine.numbers import as_exact_count
from engine.privacy import PrivacyModel
from engine.privacy.limit import is_within
from engine.recoding.release import Release
from engine.words import _


class ModelReport(NamedTuple):
    """One model of a requirement, as if it were the only one.

    Attributes
    ----------
    model : PrivacyModel
    column : str
        The sensitive column it looks at; empty where it looks at none.
    suppressed : int
        Records in classes that miss it. Where levels differ by record, of classes that are released: what
        was suppressed before has no class of its own any more.
    met : bool
        Whether these are within the suppression limit, and what is kept under all models meets it as a whole.
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


def by_model(release: Release) -> tuple[ModelReport, ...]:
    """Report on every model of a release's requirement, in its order."""
    found = []
    for model in release.requirement.models:
        missing = ~model.fulfilled(release.classes)
        if release.recoding is not None:
            missing &= release.kept
        suppressed = int(release.classes.records[missing].sum())
        met = is_within(release.problem, release.requirement, release.classes, ~missing)
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
