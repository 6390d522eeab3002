"""Privacy losses of releases under differential privacy add up."""

from __future__ import annotations

import math
from dataclasses import replace

from engine.privacy import Requirement
from engine.privacy.differential_privacy import DifferentialPrivacy
from engine.privacy.k_anonymity import KAnonymity
from engine.project.pins_and_runs import Choice, Run, SpentBudget


def run(epsilon: float, delta: float, node: tuple[int, ...] = (1, 0), made_at: str = "2026-01-01") -> Run:
    requirement = Requirement((DifferentialPrivacy(epsilon, delta),))
    return Run(Choice(("age", "sex"), node, requirement), made_at)


def test_losses_add_up_over_different_releases() -> None:
    without = Run(Choice(("age", "sex"), (0, 0), Requirement((KAnonymity(5),))), "2026-01-01")
    spent = SpentBudget.of([run(1.0, 1e-5), without, run(0.5, 1e-6), run(1.0, 1e-5, (1, 1))])
    assert spent.n_releases == 3
    assert math.isclose(spent.epsilon, 2.5)
    assert math.isclose(spent.delta, 2.1e-5)
    assert spent.words() == (
        "3 releases under differential privacy, if all are published: ε = 2.5, δ = 2.1e−05"
    )
    assert SpentBudget.of([without]).words() == ""


def test_a_release_that_is_applied_again_counts_once_but_another_draw_counts() -> None:
    first = replace(run(1.0, 1e-5), settings="secret 1")
    again = replace(first, made_at="2026-02-01")
    drawn_anew = replace(first, settings="secret 2")
    assert SpentBudget.of([first, again]).n_releases == 1
    assert SpentBudget.of([first, again, drawn_anew]).epsilon == 2.0
