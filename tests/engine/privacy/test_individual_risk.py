"""Individual risk and k-map of survey weights: scored, released and verified, by node and by record."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import AnonymizerError, InputError
from engine.frequency import Measure
from engine.frequency.classes import INDIVIDUAL_RISK, WEIGHT, WEIGHTED_PEOPLE
from engine.kernels.survey import individual_risks
from engine.pipeline import anonymize, export_release
from engine.privacy import PrivacyModel, Requirement
from engine.privacy.individual_risk import IndividualRisk
from engine.privacy.k_anonymity import KAnonymity
from engine.privacy.k_map import KMap
from engine.privacy.known_columns import KnownColumns
from engine.project import Project, edits
from engine.project.claims import release_claim
from engine.project.compile import compile_problem
from engine.project.recipe.files import read_recipe
from engine.recoding import make_release
from engine.recoding.mondrian import Mondrian
from engine.records import Kind, Role
from engine.records.text.writing import write_csv
from engine.scoring import LatticeProfile, score_lattice
from engine.scoring.acceleration import warm_up
from engine.scoring.evaluate import evaluate
from engine.verification import verify
from engine.verification.claims import ModelClaim
from engine.verification.models.individual_risk import _risk
from tests.contracts.populated import weighted
from tests.engine.findings.risk.slow_survey import slow_risk
from tests.engine.scoring.alike import Expected, by_kernels
from tests.strategies import Attributes, Case, cases, column_of, few, modest, nodes


def survey(case: Case, seed: int, *models: PrivacyModel, limit: float = 1.0) -> Project:
    project = weighted(case.project, random.Random(seed))
    return replace(project, requirement=Requirement(models, limit))


def groups_of(project: Project, rows: Sequence[tuple[str, ...]]) -> list[tuple[int, float]]:
    """Records and sum of weights of the class of every record."""
    column = project.table.column("weight")
    found: dict[tuple[str, ...], list[float]] = defaultdict(list)
    for row, code in zip(rows, column.codes.tolist(), strict=True):
        found[row].append(float(column.labels[code]))
    return [(len(found[row]), sum(found[row])) for row in rows]


@modest
@given(st.data(), st.sampled_from([0.02, 0.1, 0.3, 0.6]), st.booleans())
def test_a_node_keeps_the_classes_that_a_recount_keeps(data: st.DataObject, t: float, exact: bool) -> None:
    case, k = data.draw(cases()), data.draw(st.integers(1, 40))
    models = IndividualRisk(t, exact), KMap(k, "weights")
    project, node = survey(case, data.draw(st.integers(0, 99)), *models), data.draw(nodes(case))
    problem = compile_problem(project)
    levels = [a.hierarchy.levels[g] for a, g in zip(problem.attributes, node, strict=True)]
    columns = [
        [level.labels[code] for code in level.codes[a.leaves]]
        for a, level in zip(problem.attributes, levels, strict=True)
    ]
    classes = groups_of(project, list(zip(*columns, strict=True)))
    kept = [slow_risk(f, people, exact=exact) <= t and people >= k for f, people in classes]
    assert make_release(project, problem, node).suppressed.tolist() == [not own for own in kept]


@modest
@given(cases(max_qi=4), st.integers(0, 99), st.integers(1, 2))
def test_random_tables_with_weights_are_scored_as_by_numpy(case: Case, seed: int, n_workers: int) -> None:
    assert warm_up()
    problem = compile_problem(survey(case, seed))
    asked = Requirement((KAnonymity(1), IndividualRisk(0.3), IndividualRisk(0.3, exact=True)))
    Expected(problem, asked).holds(by_kernels(problem, n_workers))


@few
@given(st.data(), st.booleans(), st.sampled_from(["star", "remove"]))
def test_the_written_file_of_any_release_is_verified(data: st.DataObject, by_cells: bool, left: str) -> None:
    case = data.draw(cases(max_records=20))
    models = data.draw(
        st.lists(
            st.sampled_from([IndividualRisk(0.3), IndividualRisk(0.1, exact=True), KMap(20, "weights")]),
            min_size=1,
            unique=True,
        )
    )
    project = survey(case, data.draw(st.integers(0, 99)), *models)
    project = replace(project, transformation=replace(project.transformation, suppressed_records=left))
    if by_cells:
        project = replace(project, recoding=Mondrian())
    with TemporaryDirectory() as folder:
        outcome = anonymize(project)
        verdict = export_release(project, outcome.release, Path(folder) / "out.csv")
        assert verdict.ok, verdict.problems


def test_a_file_below_its_claimed_risk_is_found(tmp_path: Path) -> None:
    case = Case((_letters("aabbbb"),))
    project = survey(case, 3, IndividualRisk(0.9))
    release = anonymize(project).release
    assert not release.n_suppressed
    original, written = tmp_path / "original.csv", tmp_path / "written.csv"
    columns = [(column.labels, column.codes) for column in project.table.columns]
    write_csv(original, project.table.names, columns)
    write_csv(written, project.table.names, columns)
    claim = release_claim(project, release, original, written, is_copy=True)
    assert verify(claim).ok
    stricter = ModelClaim("individual_risk", {"threshold": 0.001, "exact": False}, met=True)
    verdict = verify(replace(claim, models=(stricter,), node=None))
    assert "individual risk of at most 0.001" in verdict.problems[0]
    unweighted = verify(replace(claim, weight=""))
    assert "needs weights" in unweighted.problems[0]


def _letters(texts: str) -> Attributes:
    return Attributes("q0", tuple(texts), rows=tuple((letter, "*") for letter in sorted({*texts})))


@modest
@given(st.integers(1, 120), st.integers(1, 10**6), st.booleans())
def test_the_verifier_computes_the_risk_in_another_way(f: int, tenths: int, exact: bool) -> None:
    people = f + Fraction(tenths, 10)
    assert float(_risk(f, people, exact)) == pytest.approx(slow_risk(f, float(people), exact=exact), rel=1e-7)


@modest
@given(st.lists(st.tuples(st.integers(1, 60), st.floats(0.1, 5000)), min_size=2, max_size=2), st.booleans())
def test_joining_classes_never_raises_the_risk_of_either(
    classes: list[tuple[int, float]], exact: bool
) -> None:
    (f, people), (g, others) = classes
    sizes, sums = np.array([f, g, f + g]), np.array([people, others, people + others])
    first, second, joint = individual_risks(sizes, sums, exact=exact).tolist()
    assert joint <= min(first, second) * (1 + 1e-12)


def test_weights_of_few_decimals_are_added_exactly() -> None:
    case = Case((_letters("aaa"),))
    project = survey(case, 0, KMap(5, "weights"))
    column = column_of(Attributes("weight", ("1.1", "1.2", "2.7"), Kind.DECIMAL))
    project = replace(project, table=project.table.replace_column(column))
    problem = compile_problem(project)
    assert problem.weight.units == (pytest.approx([11, 12, 27]), 10)
    release = make_release(project, problem, (0,))
    assert release.classes.measured(Measure(WEIGHTED_PEOPLE, WEIGHT)).tolist() == [5.0]
    assert release.n_suppressed == 0


def test_the_optimum_is_found_for_weights(tmp_path: Path) -> None:
    case = Case((_letters("aabbccdd"),))
    project = survey(case, 1, IndividualRisk(0.02), limit=0.0)
    profile = score_lattice(compile_problem(project))
    found = evaluate(profile, project.requirement)
    risks = profile.worst(Measure(INDIVIDUAL_RISK, WEIGHT))
    assert found.satisfies.tolist() == (risks <= 0.02).tolist()


def test_models_of_weights_are_refused_without_them() -> None:
    case = Case((_letters("ab"),))
    for model in (IndividualRisk(0.5), KMap(2, "weights")):
        with pytest.raises(InputError, match="needs the weights of the records"):
            compile_problem(replace(case.project, requirement=Requirement((model,))))
        repeated = replace(case, persons=("p", "p"))
        with pytest.raises(InputError, match="one record per person"):
            compile_problem(survey(repeated, 0, model))


def test_weights_and_households_need_a_suitable_column() -> None:
    project = survey(Case((_letters("ab"),)), 0)
    for edit in (edits.set_weight, edits.set_household):
        with pytest.raises(InputError, match="weights and households need"):
            edit(project, "q0")
        assert edit(edit(project, "weight"), None) is not None
    households = edits.set_household(project, "weight")
    gone = edits.set_roles(households, ["weight"], Role.SENSITIVE)
    assert (gone.weight, gone.household) == (None, None)
    kept = edits.set_roles(households, ["weight"], Role.IDENTIFYING)
    assert (kept.weight, kept.household) == ("weight", "weight")


def test_a_recipe_names_weights_and_households(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("age,w,home\n30,1.5,h1\n31,2,h1\n", encoding="utf-8")
    recipe = tmp_path / "recipe.toml"
    text = '[data]\npath = "people.csv"\n[roles]\nquasi_identifying = ["age"]\n'
    text += 'weight = "w"\nhousehold = "home"\n'
    recipe.write_text(text, encoding="utf-8")
    project = read_recipe(recipe)
    assert (project.weight, project.household) == ("w", "home")
    assert project.role("w") is Role.IDENTIFYING  # not released unless asked
    for wrong, problem in (("age", "has the role"), ("nowhere", "no column 'nowhere'")):
        recipe.write_text(text.replace('"w"', f'"{wrong}"'), encoding="utf-8")
        with pytest.raises(AnonymizerError, match=problem):
            read_recipe(recipe)
    recipe.write_text(text.replace('weight = "w"', 'weight = "home"'), encoding="utf-8")
    with pytest.raises(AnonymizerError, match="is not numeric"):
        read_recipe(recipe)


@few
@given(st.data())
def test_persons_with_one_record_each_do_not_disturb_weights(data: st.DataObject) -> None:
    case = data.draw(cases(max_records=12))
    persons = tuple(f"p{i}" for i in range(case.n_records))
    project = survey(replace(case, persons=persons), 5, IndividualRisk(0.3))
    node = data.draw(nodes(case))
    made = [
        make_release(one, compile_problem(one), node).suppressed.tolist()
        for one in (project, replace(project, person=None))
    ]
    assert made[0] == made[1]


@few
@given(st.data(), st.sampled_from(["star", "remove"]))
def test_weights_and_attackers_of_some_columns_are_verified_together(data: st.DataObject, left: str) -> None:
    case = data.draw(cases(max_records=20, max_qi=2))
    known = KnownColumns(attacker="neighbour", known=(case.qi[0].name,), k=data.draw(st.integers(1, 4)))
    project = survey(case, data.draw(st.integers(0, 99)), IndividualRisk(0.3), known)
    project = replace(project, transformation=replace(project.transformation, suppressed_records=left))
    node, problem = data.draw(nodes(case)), compile_problem(project)
    profile = score_lattice(problem, profile=LatticeProfile(problem, project.requirement))
    release = make_release(project, problem, node)
    number = problem.lattice.number(node)
    assert evaluate(profile, project.requirement).suppressed[number] == release.n_suppressed
    with TemporaryDirectory() as folder:
        verdict = export_release(project, release, Path(folder) / "out.csv")
        assert verdict.ok, verdict.problems
