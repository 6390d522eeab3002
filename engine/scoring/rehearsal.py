"""First use of the kernels of scoring on six records: compiles them, or loads their machine code.

They are called as for any table, so that whatever one needs is ready before a thread waits for it. Only sums
that need more than 32 bits are compiled when a table has them.
"""

from __future__ import annotations

import numpy as np

from engine.frequency import Attribute, Problem, SensitiveAttribute
from engine.hierarchies import Hierarchy
from engine.privacy import Requirement
from engine.privacy.any_columns import AnyColumns
from engine.privacy.distinct_l_diversity import DistinctLDiversity
from engine.privacy.k_anonymity import KAnonymity
from engine.records.types import DataType, Kind
from engine.records.values import make_column
from engine.scoring.evaluate import evaluate
from engine.scoring.profile import LatticeProfile
from engine.scoring.walk.node_tuples import raised_to
from engine.scoring.walk.tuples import evaluated_classes
from engine.utility.base import LATTICE_METRICS, utility_metrics

SIZES = 2, 1_000_000  # required class sizes: one of a row of tables, and one that is searched
WALKED = {  # metrics by the module of their kernels
    "label_walk": ("non_uniform_entropy",),
    "covered_leaves": ("ambiguity", "kl_divergence"),
}
SENSITIVE = "sensitive"
DECIMALS, NO_DECIMALS = ("0", "1", "4"), ("0", "0.123456", "1")  # whose widths are integers, or reals


def rehearse(name: str) -> None:
    """Use the kernels of a module of walks, and what reads its results."""
    if name == "subtree":
        _score_and_look_up(_problem())
    elif name == "contents":
        _score_and_look_up(_problem(NO_DECIMALS))
        _score_and_look_up(_problem(sensitive=True))
        _turn()
    elif name == "known_suppression":
        _suppress_for_attackers()
    else:
        for sensitive in (False, True):
            found = evaluate(_scored(sensitive=sensitive), Requirement(_models(sensitive=sensitive), 0.5))
            for key in WALKED[name]:
                found.metric(key)


def _score_and_look_up(problem: Problem) -> None:
    profile = LatticeProfile(problem)
    profile.score_compiled(n_workers=1)
    for k in SIZES:
        found = evaluate(profile, Requirement((KAnonymity(k),), 0.5))
        _values = found.satisfies, found.kept_k
        for key in LATTICE_METRICS:
            if not utility_metrics[key].costly:
                found.metric(key)


def _turn() -> None:
    """Look up thresholds of which a class fails some."""
    from engine.kernels.compiled.contents import grown, make_contents  # imports numba

    grown(make_contents(1, 1), 2, 2)  # as for tables with many contents
    profile = _scored(sensitive=True)
    models = _models(sensitive=True)
    for limit in (0.5, 0.0):
        found = evaluate(profile, Requirement(models, limit))
        _values = (
            found.optimum("loss"),
            found.kept_k,
            found.suppressed,
            found.kept_squares,
            found.metric("loss"),
        )
        evaluate(profile, Requirement(models, limit)).complete("loss")
        found.prepare_turns()


def _suppress_for_attackers() -> None:
    for models in ((AnyColumns(m=1, k=2),), (AnyColumns(m=1, k=2, column=SENSITIVE, l=2),)):
        profile, requirement = _scored(sensitive=True), Requirement(models, 0.5)
        _values = evaluate(profile, requirement).suppressed
        lowest = profile.problem.lattice.minimum
        evaluated_classes(profile.problem, raised_to(profile.base, lowest), requirement)


def _models(*, sensitive: bool) -> tuple[KAnonymity | DistinctLDiversity, ...]:
    return (KAnonymity(2), DistinctLDiversity(SENSITIVE, 2)) if sensitive else (KAnonymity(2),)


def _scored(*, sensitive: bool) -> LatticeProfile:
    profile = LatticeProfile(_problem(sensitive=sensitive))
    profile.score_compiled(n_workers=1)
    return profile


def _problem(numbers: tuple[str, str, str] = DECIMALS, *, sensitive: bool = False) -> Problem:
    """Return six records of two quasi-identifying columns, whose labels on one level differ in weight."""
    codes = np.array([[0, 0, 1, 1, 2, 2], [0, 0, 1, 2, 2, 2], [0, 1, 1, 1, 2, 2]], dtype=np.int32)
    hierarchy = Hierarchy.from_rows(
        [(numbers[0], "low", "*"), (numbers[1], "low", "*"), (numbers[2], "high", "*")]
    )
    columns = [
        make_column(name, list(numbers), own, DataType(Kind.DECIMAL), "")
        for name, own in zip(("first", "second", SENSITIVE), codes, strict=True)
    ]
    values = SensitiveAttribute(columns[2], hierarchy)
    return Problem(
        codes.shape[1],
        tuple(Attribute(column, hierarchy, column.codes, 0, 2) for column in columns[:2]),
        (values,) if sensitive else (),
    )
