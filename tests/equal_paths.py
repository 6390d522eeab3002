"""Compares all ways to evaluate a lattice: numpy, compiled kernels, complete and bounded look-ups.

`python -m tests.equal_paths` prints how many lattices, requirements and values of nodes were compared, and
how many differ: random tables with thresholds that classes have exactly, and the lattices of Adult that ARX's
reference results belong to. `--cases 2000` compares more random tables.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from engine.frequency import Problem
from engine.privacy import PrivacyModel, Requirement
from engine.privacy.distinct_l_diversity import DistinctLDiversity
from engine.privacy.entropy_l_diversity import EntropyLDiversity
from engine.privacy.k_anonymity import KAnonymity
from engine.privacy.t_closeness import TCloseness
from engine.scoring import Evaluation, LatticeProfile, score_lattice
from engine.scoring.acceleration import warm_up
from engine.scoring.evaluate import evaluate
from tests.benchmarks.tables import adult
from tests.engine.scoring.lookups.test_bounded import LIMITS, QUICK, attained_models, by_full_pass
from tests.engine.scoring.lookups.test_look_up import numpy_alone
from tests.strategies import cases


@dataclass
class Counts:
    """What was compared."""

    lattices: int = 0
    requirements: int = 0
    values: int = 0
    differences: int = 0

    def compare(self, one: NDArray[Any], other: NDArray[Any]) -> None:
        """Count two arrays of values of nodes, which must be equal bit for bit."""
        self.values += one.size
        same = one == other
        if one.dtype.kind == "f":
            same |= np.isnan(one) & np.isnan(other)
        self.differences += int(np.count_nonzero(~same))

    def line(self, name: str) -> str:
        """Return one row of the table."""
        return (
            f"{name:34} {self.lattices:8,} {self.requirements:13,} {self.values:15,} {self.differences:12,}\n"
        )


def main() -> int:
    """Compare, print, and return 1 if a value differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=300)
    arguments = parser.parse_args()
    assert warm_up()
    sys.stdout.write(f"{'':34} {'lattices':>8} {'requirements':>13} {'values':>15} {'differences':>12}\n")
    random, known = Counts(), Counts()

    @settings(max_examples=arguments.cases, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.data())
    def compare_random_tables(data: st.DataObject) -> None:
        problem = data.draw(cases(min_sensitive=data.draw(st.integers(0, 1)))).problem
        fast, sizes = score_lattice(problem), st.sampled_from([1, 2, 3, 4, 6, problem.n_records])
        drawn = [
            Requirement(
                (KAnonymity(data.draw(sizes)), *attained_models(data, fast)),
                data.draw(st.sampled_from(LIMITS)),
            )
            for _ in range(3)
        ]
        slow = _by_numpy(problem, tuple(model for own in drawn for model in own.models))
        random.lattices += 1
        for requirement in drawn:
            _compare(random, fast, slow, requirement)

    compare_random_tables()
    sys.stdout.write(random.line("random tables"))
    sys.stdout.flush()
    for problem, models in ((adult(), ()), (adult("occupation"), _of_values("occupation"))):
        fast, slow = score_lattice(problem), _by_numpy(problem, models)
        known.lattices += 1
        for k in (2, 5, 20):
            for limit in (0.0, 0.04, 0.2):
                for chosen in ((), *((model,) for model in models), models):
                    _compare(known, fast, slow, Requirement((KAnonymity(k), *chosen), limit))
    sys.stdout.write(known.line("Adult with ARX's hierarchies"))
    return 1 if random.differences or known.differences else 0


def _of_values(column: str) -> tuple[PrivacyModel, ...]:
    return (
        DistinctLDiversity(column=column, l=3),
        EntropyLDiversity(column=column, l=3.0),
        TCloseness(column=column, t=0.3),
    )


def _by_numpy(problem: Problem, models: tuple[PrivacyModel, ...]) -> LatticeProfile:
    """Score without kernels; the values of classes are stored for these models."""
    with numpy_alone():
        return score_lattice(problem, profile=LatticeProfile(problem, Requirement(models)))


def _compare(counts: Counts, fast: LatticeProfile, slow: LatticeProfile, requirement: Requirement) -> None:
    """Compare a bounded and a complete look-up of kernels' scores, and numpy's evaluation of numpy's."""
    bounded, full = evaluate(fast, requirement), by_full_pass(fast, requirement)
    with numpy_alone():
        plain = evaluate(slow, requirement)
        _values = plain.satisfies, plain.suppressed, [plain.metric(key) for key in QUICK]
    counts.requirements += 1
    _compare_turn(counts, bounded, plain)
    for other in (full, bounded):  # the bounded one computes what its turn left open
        counts.compare(other.suppressed, plain.suppressed)
        for key in QUICK:
            counts.compare(other.metric(key), plain.metric(key))


def _compare_turn(counts: Counts, bounded: Evaluation, plain: Evaluation) -> None:
    """Compare what a turned knob shows at once."""
    counts.compare(bounded.satisfies, plain.satisfies)
    counts.compare(bounded.minimal, plain.minimal)
    for key in QUICK:
        found, chosen = bounded.metric_of_satisfying(key), plain.satisfies
        counts.compare(found[chosen], plain.metric(key)[chosen])
        counts.compare(np.array([bounded.optimum(key) or -1]), np.array([plain.optimum(key) or -1]))


if __name__ == "__main__":
    sys.exit(main())
