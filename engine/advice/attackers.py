"""Findings about attackers who know some columns, and about what an attack costs."""

from __future__ import annotations

from collections.abc import Iterator

from engine.advice.findings import Finding, Severity
from engine.privacy import PrivacyModel
from engine.privacy.attackers import AttackerModel
from engine.privacy.profitability import Profitability
from engine.project.edits import remove_model
from engine.project.project import Project
from engine.words import _


def attacker_findings(project: Project) -> Iterator[Finding]:
    """Yield the attackers whose demand follows from that of another model."""
    models, names = project.requirement.models, tuple(project.quasi_identifying)
    for index, model in enumerate(models):
        if not isinstance(model, AttackerModel):
            continue
        if model.confidence < 1.0 and project.person is not None:
            continue  # a share of people may be larger in a union of groups
        for place, other in enumerate(models):
            # of two that follow from each other, the first stays
            is_same = isinstance(other, AttackerModel) and other.follows_from(model, names)
            if place == index or (is_same and place > index) or not model.follows_from(other, names):
                continue
            yield Finding(
                f"follows:{index}",
                Severity.LOOK_AT,
                _("{model} adds nothing").format(model=_named(model)),
                _("It follows from {other}: same or more columns, and k at least as large").format(
                    other=_named(other)
                ),
                _("remove it"),
                lambda p, index=index: remove_model(p, index),  # type: ignore[misc]
            )
            break


def _named(model: PrivacyModel) -> str:
    return f"{model.title} ({model.details})" if model.details else model.title


def cost_findings(project: Project) -> Iterator[Finding]:
    """Yield the models that unchanged records meet whatever their classes, as attacks cost too little."""
    for index, model in enumerate(project.requirement.models):
        if not isinstance(model, Profitability):
            continue
        sums = model.sums
        if sums.most_attacked < 1:
            reason = _("No attack gains more than it costs")
        elif sums.loss < sums.benefit:
            reason = _("Even a record that is surely re-identified pays more than its damage")
        else:
            continue
        yield Finding(
            f"pays_unchanged:{index}",
            Severity.LOOK_AT,
            _("These sums never refuse to publish the table unchanged, so they give no protection"),
            reason,
        )
