"""Metrics of complete classes: by hand, on Adult by pandas, and their needs of a project."""

from __future__ import annotations

from dataclasses import replace
from math import log2
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from engine.advice.findings import Severity
from engine.advice.preflight import preflight
from engine.errors import InputError
from engine.frequency.population import PopulationMembers
from engine.lattice import Node
from engine.pipeline import anonymize
from engine.privacy import Requirement
from engine.privacy.k_anonymity import KAnonymity
from engine.privacy.k_map import KMap
from engine.privacy.t_closeness import TCloseness
from engine.project.compile import compile_problem
from engine.project.recipe.files import read_recipe
from engine.records import Kind
from engine.scoring import Evaluation, score_lattice
from engine.scoring.evaluate import evaluate
from engine.scoring.explored import ExploredProfile
from engine.utility.kl_divergence import MOST_OF_SUPPRESSING, KLDivergence
from tests.adult import arx_project
from tests.strategies import Attributes, Case

AGES = (("10", "young", "*"), ("20", "young", "*"), ("30", "old", "*"), ("50", "old", "*"))
SEXES = (("f", "*"), ("m", "*"))


def women_and_a_man(target: str | None = None) -> Case:
    return Case(
        (
            Attributes("age", ("10", "20", "20", "30"), Kind.INTEGER, AGES),
            Attributes("sex", ("f", "f", "f", "m"), rows=SEXES),
        ),
        (Attributes("illness", ("flu", "flu", "cough", "flu")),),
        target,
    )


def value(key: str, node: Node, *, k: int = 2, case: Case | None = None) -> float:
    """A metric if the three young women are kept and the man of 30 is not (node (1, 0), k = 2)."""
    case = women_and_a_man() if case is None else case
    evaluation = evaluate(score_lattice(case.problem), Requirement((KAnonymity(k),), 1.0))
    return float(evaluation.metric(key)[case.problem.lattice.number(node)])


def test_classification_loses_the_suppressed_and_all_but_the_most_frequent_value() -> None:
    assert value("classification", (1, 0)) == (1 + 1) / 4  # the man, and the cough among the flus
    assert value("classification", (2, 1)) == 1 / 4


def test_of_tied_values_one_is_lost() -> None:
    case = Case((Attributes("q", ("a",) * 4, rows=(("a", "*"),)),), (Attributes("s", ("u", "u", "v", "v")),))
    assert value("classification", (0,), case=case) == 2 / 4


@pytest.mark.parametrize(("target", "lost"), [("illness", 1), ("sex", 0), ("age", 1)])
def test_the_target_may_have_any_role_and_keeps_its_original_values(target: str, lost: int) -> None:
    # One class at (1, 0): ages 10, 20, 20, two of them 20, all women.
    assert value("classification", (1, 0), case=women_and_a_man(target)) == (1 + lost) / 4


def test_ambiguity_multiplies_the_leaves_covered_and_a_suppressed_record_covers_all() -> None:
    assert value("ambiguity", (1, 0)) == (3 * 2 * 1 + 4 * 2) / 4
    assert value("ambiguity", (0, 0), k=1) == 1
    assert value("ambiguity", (2, 1)) == 4 * 2


def test_divergence_compares_with_the_release_distributed_over_all_it_covers() -> None:
    # Kept: three women on 2 x 1 combinations; the man's quarter is spread over all eight.
    everywhere = 1 / 4 / 8
    young = 3 / 4 / 2 + everywhere
    by_hand = 1 / 4 * log2(1 / 4 / young) + 2 / 4 * log2(2 / 4 / young) + 1 / 4 * log2(1 / 4 / everywhere)
    assert value("kl_divergence", (1, 0)) == pytest.approx(by_hand, rel=1e-12)
    assert value("kl_divergence", (0, 0), k=1) == 0
    uniform = 2 * (1 / 4 * log2(1 / 4 * 8)) + 2 / 4 * log2(2 / 4 * 8)
    assert value("kl_divergence", (2, 1)) == pytest.approx(uniform, rel=1e-12)
    assert value("kl_divergence", (0, 0), k=5) == pytest.approx(uniform, rel=1e-12)


def test_divergence_can_come_close_to_its_bound() -> None:
    """Half of the records in a class that covers almost all combinations, and some suppressed ones."""
    n_leaves, n_lost = 400, 37
    rows = tuple((f"v{i}", "most" if i else "rest", "*") for i in range(n_leaves))
    # One value of the kept class only: the input has little entropy, the release much.
    texts = ("v1",) * (100 - n_lost) + ("v0",) * n_lost
    case = Case((Attributes("q", texts, rows=rows),))
    evaluation = evaluate(score_lattice(case.problem), Requirement((KAnonymity(n_lost + 1),), 1.0))
    found = float(evaluation.metric("kl_divergence")[1])
    low, high = KLDivergence().bounds(case.problem)
    assert low == 0
    assert high - 0.01 < found <= high
    assert found > high - MOST_OF_SUPPRESSING  # more than losing everything costs


ADULT_NODES: tuple[Node, ...] = (
    (0, 0, 0, 0, 0, 0, 0, 0, 0),
    (1, 2, 0, 1, 1, 0, 2, 1, 0),
    (0, 3, 1, 1, 2, 1, 1, 1, 1),
    (1, 4, 1, 2, 3, 2, 2, 2, 1),
)


@pytest.fixture(scope="module")
def adult() -> Evaluation:
    """Adult's nine columns as quasi-identifiers, with salary-class as the target too; k = 5."""
    project = arx_project()
    problem = compile_problem(replace(project, target="salary-class"))
    profile = ExploredProfile(problem)
    for node in ADULT_NODES:
        profile.score(node)
    return evaluate(profile, Requirement((KAnonymity(5),), 0.05))


@pytest.mark.parametrize("node", ADULT_NODES)
def test_on_adult_metrics_agree_with_counts_by_pandas(adult: Evaluation, node: Node, tables: Path) -> None:
    frame = pd.read_csv(tables / "adult_arx.csv", sep=";", dtype=str)
    released, covered, n_all = pd.DataFrame(index=frame.index), np.ones(len(frame)), 1
    for name, level in zip(frame.columns, node, strict=True):
        path = tables / "hierarchies" / "adult_arx" / f"adult_hierarchy_{name}.csv"
        lines = pd.read_csv(path, sep=";", header=None, dtype=str)
        label = dict(zip(lines[0], lines[level], strict=True))
        leaves = lines[level].value_counts()
        released[name] = frame[name].map(label)
        covered *= released[name].map(leaves).to_numpy()
        n_all *= len(lines)
    names = list(frame.columns)
    sizes = released.groupby(names)[names[0]].transform("size").to_numpy()
    kept = sizes >= 5
    n, lost = len(frame), int((~kept).sum())
    told = frame[kept].groupby([released.loc[kept, c] for c in names])["salary-class"]
    right = told.agg(lambda values: values.value_counts().max()).sum() if kept.any() else 0
    number = adult.lattice.number(node)
    assert adult.suppressed[number] == lost
    assert adult.metric("classification")[number] == pytest.approx(1 - right / n, rel=1e-12, abs=1e-15)
    combinations = (covered[kept].sum() + lost * n_all) / n
    assert adult.metric("ambiguity")[number] == pytest.approx(combinations, rel=1e-12)
    shares = frame.groupby(names)[names[0]].transform("size").to_numpy() / n
    mass = np.where(kept, sizes / n / covered, 0.0) + lost / n / n_all
    divergence = np.log2(shares / mass).sum() / n
    assert adult.metric("kl_divergence")[number] == pytest.approx(divergence, rel=1e-9, abs=1e-11)


def test_other_sensitive_columns_being_known_does_not_make_the_target_known() -> None:
    case = women_and_a_man()
    beside = Attributes("county", ("n", "n", "s", "s"))
    both = replace(case, sensitive=(*case.sensitive, beside), target="age")
    problem = replace(both.problem, others_as_qi=True)
    requirement = Requirement((TCloseness("illness", 1.0, "equal"), KAnonymity(2)), 1.0)
    found = evaluate(score_lattice(problem), requirement).metric("classification")
    assert found[problem.lattice.number((1, 0))] == (1 + 1) / 4


def test_a_known_population_does_not_disturb_the_target() -> None:
    problem = replace(women_and_a_man("sex").problem, sensitive=())
    people = PopulationMembers(8.0, tuple(np.tile(attribute.leaves, 2) for attribute in problem.attributes))
    requirement = Requirement((KMap(4), KAnonymity(2)), 1.0)
    found = evaluate(score_lattice(replace(problem, people=people)), requirement)
    assert found.suppressed[problem.lattice.number((1, 0))] == 1  # the man has a match in the population
    assert found.metric("classification")[problem.lattice.number((1, 0))] == 1 / 4


def test_without_a_target_classification_has_no_value_and_a_search_by_it_is_refused() -> None:
    case = replace(women_and_a_man(), sensitive=())
    project = replace(case.project, search=replace(case.project.search, metric="classification"))
    assert compile_problem(project).target is None
    assert np.isnan(value("classification", (1, 0), case=case))
    with pytest.raises(InputError, match="needs a target"):
        anonymize(project)
    finding = next(f for f in preflight(project) if f.key == "target")
    assert finding.severity is Severity.BLOCKING
    assert not [f for f in preflight(replace(project, target="sex")) if f.key == "target"]


def test_the_first_sensitive_column_is_the_target_unless_one_is_named() -> None:
    target = compile_problem(women_and_a_man().project).target
    assert target.name == "illness"
    named = compile_problem(women_and_a_man("sex").project).target
    assert named.name == "sex"


@pytest.mark.parametrize("metric", ["classification", "ambiguity", "kl_divergence"])
def test_a_recipe_may_search_by_each_of_them(metric: str, tmp_path: Path) -> None:
    rows = "age,sex,illness\n" + "10,f,flu\n20,f,flu\n20,f,cough\n30,m,flu\n" * 3
    (tmp_path / "people.csv").write_text(rows, encoding="utf-8")
    (tmp_path / "age.csv").write_text("".join(";".join(row) + "\n" for row in AGES), encoding="utf-8")
    recipe = tmp_path / "recipe.toml"
    recipe.write_text(
        '[data]\npath = "people.csv"\n[roles]\nquasi_identifying = ["age", "sex"]\n'
        'insensitive = ["illness"]\ntarget = "illness"\n'
        '[hierarchies."age"]\npath = "age.csv"\n[[privacy]]\nmodel = "k_anonymity"\nk = 4\n'
        f'[transformation]\nsuppression_limit = 1.0\n[search]\nmetric = "{metric}"\n',
        encoding="utf-8",
    )
    outcome = anonymize(read_recipe(recipe))
    found = float(outcome.evaluation.metric(metric)[0])
    everything = evaluate(score_lattice(outcome.problem), outcome.release.requirement)
    assert found == pytest.approx(np.nanmin(everything.metric(metric)), rel=1e-12)
    assert outcome.guarantee == "optimal"
