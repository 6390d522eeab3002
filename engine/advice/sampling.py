"""Findings on differential privacy: what it refuses, and parameters that protect little."""

from __future__ import annotations

from collections.abc import Iterator

from engine.advice.findings import Finding, Severity, listed
from engine.errors import InputError
from engine.numbers import as_exact_count, as_typed
from engine.project.edits import set_roles
from engine.project.project import Project
from engine.project.refusals import refuse_uncovered, uncovered_columns
from engine.records import Role
from engine.words import _

WEAK_EPSILON = 3.0


def sampling_findings(project: Project) -> Iterator[Finding]:
    """Yield findings on a model that draws records at random."""
    model = project.requirement.sampling
    if model is None:
        return
    uncovered = uncovered_columns(project)
    if uncovered:
        yield Finding(
            "sampling.columns",
            Severity.BLOCKING,
            _("Differential privacy does not cover {columns}").format(columns=listed(uncovered)),
            _("Released unchanged. Make them quasi-identifying with a hierarchy, or hide them"),
            _("hide {columns}").format(columns=listed(uncovered)),
            lambda p: set_roles(p, uncovered, Role.IDENTIFYING),
        )
    else:
        try:
            refuse_uncovered(project)
        except InputError as error:
            yield Finding(
                "sampling.refused",
                Severity.BLOCKING,
                error.problem.removesuffix("."),
                error.hint.removesuffix("."),
            )
    n_records = project.table.n_records
    try:
        n_drawn = project.records.n_records
    except InputError as error:
        yield Finding(
            "sampling.none", Severity.BLOCKING, error.problem.removesuffix("."), error.hint.removesuffix(".")
        )
    else:
        yield Finding(
            "sampling.drawn",
            Severity.NOTE,
            _("Drawn at random"),
            _("{n} of {total} records").format(n=as_exact_count(n_drawn), total=as_exact_count(n_records)),
        )
    if model.delta * n_records >= 1:
        yield Finding(
            "sampling.delta",
            Severity.LOOK_AT,
            _("δ is {delta}, at least 1 / {n}").format(
                delta=as_typed(model.delta, 0), n=as_exact_count(n_records)
            ),
            _("A release could reveal a whole record. Choose δ well below 1 / records"),
        )
    if model.epsilon > WEAK_EPSILON:
        yield Finding(
            "sampling.epsilon",
            Severity.LOOK_AT,
            _("ε is {epsilon}, above {weak}").format(
                epsilon=as_typed(model.epsilon, 0), weak=as_typed(WEAK_EPSILON, 0)
            ),
            _("Little is guaranteed. Up to 1 is strong"),
        )
    if not model.is_node_fixed:
        yield Finding(
            "sampling.node",
            Severity.LOOK_AT,
            _("Differential privacy does not cover the choice of the node"),
            _("Declare a degree or levels before looking at the data, for the full guarantee"),
        )
