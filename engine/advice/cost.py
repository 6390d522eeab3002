"""Pre-flight findings on models of cost and benefit."""

from __future__ import annotations

from collections.abc import Iterator

from engine.advice.findings import Finding, Severity
from engine.privacy.profitability import Profitability
from engine.project.project import Project
from engine.words import _


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
            _("Under these sums, publishing unchanged is never refused, which is no protection"),
            reason,
        )
