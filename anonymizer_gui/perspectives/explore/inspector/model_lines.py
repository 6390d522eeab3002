"""What every model measures at a node, put into lines: required ones marked, the others for comparison."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from anonymizer_gui.models.measured_text import explained, named, value_text
from anonymizer_gui.perspectives.explore.inspector.inspector_values import ModelLine
from anonymizer_gui.widgets.numbers import DASH
from engine.privacy import PrivacyModel, Requirement, privacy_models
from engine.privacy.base import Group

if TYPE_CHECKING:
    from engine.frequency import Problem
    from engine.frequency.counted import Noun
    from engine.privacy.values import MeasuredModel
    from engine.scoring.inspection import NodeReport


def model_lines(report: NodeReport) -> list[ModelLine]:
    """Every registered model: those that can be measured of classes by value, the others with the reason."""
    required = [found.model for found in report.models]
    counted = report.table.problem.counted
    lines = [_measured(found, required, counted) for found in report.values]
    measured = {found.key for found in report.values}
    groups = list(Group)
    rest = [kind for kind in privacy_models.values() if kind.key not in measured]
    for kind in sorted(rest, key=lambda kind: (groups.index(kind.group), kind.title)):
        reason = _why_not(kind) if report.values else "nothing is kept"
        lines.append(ModelLine(counted.worded(kind.title), "", DASH, False, explained(kind), reason))
    return lines


def model_kinds(report: NodeReport) -> list[tuple[type[PrivacyModel], str] | None]:
    """Model and sensitive column of every line; None for those without a value."""
    n_without = len(model_lines(report)) - len(report.values)
    return [*((found.kind, found.column) for found in report.values), *[None] * n_without]


def figure_names(problem: Problem, requirement: Requirement) -> dict[tuple[type[PrivacyModel], str], str]:
    """What the values of a model at all nodes are called among the details, by model and column."""
    from engine.privacy.k_anonymity import KAnonymity
    from engine.scoring.node_figures import figure_models

    names: dict[tuple[type[PrivacyModel], str], str] = {(KAnonymity, ""): "k"}
    for name, model in figure_models(problem, requirement).items():
        names.setdefault((type(model), "".join(model.columns)), name)
    return names


def _measured(found: MeasuredModel, required: Sequence[PrivacyModel], counted: Noun) -> ModelLine:
    is_required = any(
        type(model) is found.kind and (not model.columns or found.column in model.columns)
        for model in required
    )
    detail = explained(found.kind)
    if found.value is None:
        none = "There is no such value where a class has one sensitive value."
        detail = f"{none if found.column else 'The estimator has no answer.'}\n{detail}"
    return ModelLine(counted.worded(named(found)), found.column, value_text(found), is_required, detail)


def _why_not(kind: type[PrivacyModel]) -> str:
    """Why a model has no value at all."""
    return "needs a population" if kind.group is Group.POPULATION else "needs a sensitive column"
