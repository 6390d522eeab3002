"""Optima of Adult with `occupation` sensitive, as in ARX's own test suite."""

from __future__ import annotations

from functools import cache

import pytest

from engine.hierarchies.files import read_hierarchy
from engine.privacy import PrivacyModel, Requirement
from engine.privacy.basic_beta_likeness import BasicBetaLikeness
from engine.privacy.enhanced_beta_likeness import EnhancedBetaLikeness
from engine.privacy.entropy_l_diversity import EntropyLDiversity
from engine.privacy.k_anonymity import KAnonymity
from engine.privacy.t_closeness import TCloseness
from engine.project import AttributeHierarchy
from engine.project.compile import compile_problem
from engine.project.edits import set_hierarchy
from engine.scoring import LatticeProfile, score_lattice
from engine.scoring.acceleration import warm_up
from engine.scoring.evaluate import evaluate
from tests.adult import ARX_COLUMNS, TABLES, arx_project

S = "occupation"
QI = tuple(name for name in ARX_COLUMNS if name != S)
BY_TREE = (TCloseness(S, 0.2, "hierarchical"), KAnonymity(5))
# From github arx-deidentifier/arx, src/test: classes TestAnonymizationEntropyLDiversity,
# TestAnonymizationBLikeness and TestAnonymizationTCloseness. Two optima by Grassberger's entropy with
# suppression are excluded: ARX ends its sum once it exceeds the bound, although later terms may be negative
# (G(1) is), and so suppresses some classes that meet the model.
OPTIMA: list[tuple[tuple[PrivacyModel, ...], float, str, float, tuple[int, ...]]] = [
    ((EntropyLDiversity(S, 5, "grassberger"),), 0.0, "entropy", 324620.5269918692, (1, 1, 1, 1, 3, 2, 2, 1)),
    ((EntropyLDiversity(S, 5),), 0.04, "entropy", 228878.2039109517, (1, 0, 1, 1, 2, 2, 2, 1)),
    ((BasicBetaLikeness(S, 3),), 0.5, "loss", 0.34883856157237925, (0, 3, 0, 0, 2, 0, 1, 0)),
    ((BasicBetaLikeness(S, 5),), 0.4, "loss", 0.23350465152356303, (0, 2, 0, 0, 2, 0, 1, 0)),
    ((BasicBetaLikeness(S, 1),), 1.0, "loss", 0.6081345989904172, (1, 4, 0, 1, 3, 0, 2, 0)),
    ((EnhancedBetaLikeness(S, 2),), 0.0, "loss", 0.759176305345683, (1, 4, 1, 1, 3, 2, 2, 0)),
    ((EnhancedBetaLikeness(S, 10),), 1.0, "loss", 0.3419039849540606, (0, 3, 0, 0, 3, 1, 2, 0)),
    (BY_TREE, 0.0, "entropy", 398400.0741806447, (0, 4, 1, 1, 3, 2, 2, 1)),
]


@cache
def profile() -> LatticeProfile:
    warm_up()
    tree = read_hierarchy(TABLES / "hierarchies" / "adult_arx" / f"adult_hierarchy_{S}.csv")
    project = set_hierarchy(arx_project(QI, S), S, AttributeHierarchy(tree))
    problem = compile_problem(project)
    asked = Requirement(tuple(model for models, *_ in OPTIMA for model in models))
    return score_lattice(problem, profile=LatticeProfile(problem, asked))


@pytest.mark.parametrize(("models", "limit", "metric", "value", "node"), OPTIMA)
def test_the_optimum_is_the_node_and_the_value_that_arx_expects(
    models: tuple[PrivacyModel, ...], limit: float, metric: str, value: float, node: tuple[int, ...]
) -> None:
    key = "non_uniform_entropy" if metric == "entropy" else metric
    evaluation = evaluate(profile(), Requirement(models, limit))
    best = evaluation.optimum(key)
    assert best is not None
    assert evaluation.lattice.node(best) == node
    assert evaluation.metric(key)[best] == pytest.approx(value, rel=1e-9)
