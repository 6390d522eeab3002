"""Time of a turned knob on a scored lattice."""

from __future__ import annotations

import os
import statistics

import numpy as np

from engine.privacy import Requirement
from engine.privacy.distinct_l_diversity import DistinctLDiversity
from engine.privacy.k_anonymity import KAnonymity
from engine.privacy.t_closeness import TCloseness
from engine.scoring import Evaluation, LatticeProfile, acceleration
from engine.scoring.evaluate import evaluate
from engine.utility import utility_metrics
from engine.utility.non_uniform_entropy import coarsening_bits
from tests.benchmarks.measuring import Figures, seconds

LIMIT = 0.05
SIZES = range(2, 30)
LAGGING = ("non_uniform_entropy", "ambiguity", "kl_divergence", "classification")


def size_turn(profile: LatticeProfile, k: int) -> Evaluation:
    """Evaluate another k: suppressed records, satisfying and minimal nodes, the optimum by loss."""
    found = evaluate(profile, Requirement((KAnonymity(k),), LIMIT))
    _ = found.suppressed, found.satisfies, found.minimal, found.optimum("loss")
    return found


def metrics_turn(profile: LatticeProfile, k: int) -> None:
    """Evaluate another k with every metric of all nodes that is fast enough for a knob.

    Entropy without labels of suppressed records; metrics that need complete classes are computed later.
    """
    found = size_turn(profile, k)
    for key, metric in utility_metrics.items():
        if not metric.costly:
            found.metric(key)
    for q, attribute in enumerate(found.problem.attributes):
        _ = coarsening_bits(attribute)[found.levels[:, q]]


def lagging_seconds(profile: LatticeProfile, key: str) -> float:
    """Return the time until a costly metric of all nodes is complete for one k."""
    found = evaluate(profile, Requirement((KAnonymity(5),), LIMIT))
    return seconds(lambda: found.metric(key))


def lagging_by_numpy(profile: LatticeProfile, key: str) -> float:
    """Return the time until the same is complete without compiled kernels; the values must agree."""
    by_kernels, found = (evaluate(profile, Requirement((KAnonymity(5),), LIMIT)) for _ in range(2))
    expected = by_kernels.metric(key)
    os.environ[acceleration.CHOICE] = "numpy"
    try:
        spent = seconds(lambda: found.metric(key))
    finally:
        del os.environ[acceleration.CHOICE]
    np.testing.assert_allclose(found.metric(key), expected, rtol=1e-9, atol=1e-12)
    return spent


def joint_turn(profile: LatticeProfile, step: int) -> None:
    """Evaluate another k, l and t: suppressed records and satisfying nodes."""
    column = profile.problem.sensitive[0].name
    models = (
        KAnonymity(3 + step),
        DistinctLDiversity(column=column, l=2 + step % 4),
        TCloseness(column=column, t=0.1 + step / 25),
    )
    found = evaluate(profile, Requirement(models, LIMIT))
    _ = found.suppressed, found.satisfies


def warm_up(by_size: LatticeProfile, by_value: LatticeProfile) -> None:
    """Compute data that the first change creates for all later ones."""
    metrics_turn(by_size, SIZES[0])
    joint_turn(by_value, 0)
    for key in LAGGING:
        lagging_seconds(by_size, key)


def knob_round(by_size: LatticeProfile, by_value: LatticeProfile) -> Figures:
    """Return the usual time of a change of each knob."""
    return {
        "size": statistics.median(seconds(lambda k=k: size_turn(by_size, k)) for k in SIZES),  # type: ignore[misc]
        "metrics": statistics.median(seconds(lambda k=k: metrics_turn(by_size, k)) for k in SIZES),  # type: ignore[misc]
        "joint": statistics.median(seconds(lambda s=s: joint_turn(by_value, s)) for s in range(12)),  # type: ignore[misc]
        **{f"lagging {key}": lagging_seconds(by_size, key) for key in LAGGING},
    }
