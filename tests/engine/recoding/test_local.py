"""Local recoding: whatever levels a method answers with, the release says of itself what the file has."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InputError
from engine.frequency import Problem
from engine.pipeline import export_release
from engine.privacy import Requirement
from engine.privacy.k_anonymity import KAnonymity
from engine.project import Project, Transformation
from engine.project.compile import compile_problem
from engine.recoding import Recoding, Release, make_local_release, make_release, rooted
from engine.recoding.base import recoded_records
from engine.recoding.local import remade
from engine.records import Kind
from engine.scoring import LatticeProfile, score_lattice
from engine.scoring.evaluate import evaluate
from tests.engine.recoding.test_full_domain import project as people_project
from tests.strategies import Attributes, Case, cases, cases_with_requirement, modest, nodes

METRICS = ("loss", "gen_iloss", "precision", "discernibility", "aecs", "c_avg", "non_uniform_entropy")
JOINT = ("classification", "ambiguity", "kl_divergence")


@st.composite
def recodings(draw: st.DrawFn, problem: Problem) -> Recoding:
    """Any allowed level for any cell, hidden cells among them, and some records suppressed."""
    n_records = problem.n_records
    columns = []
    for attribute in problem.attributes:
        allowed = [*range(attribute.minimum, attribute.maximum + 1), attribute.hierarchy.height]
        columns.append(draw(st.lists(st.sampled_from(allowed), min_size=n_records, max_size=n_records)))
    hidden = draw(st.lists(st.integers(0, 5), min_size=n_records, max_size=n_records))
    return Recoding(np.array(columns, dtype=np.int16).T, np.array(hidden) == 0)


def rows(release: Release, names: tuple[str, ...]) -> list[tuple[str, ...]]:
    columns = [release.column(name) for name in names]
    return [tuple(column.text(i) for column in columns if column) for i in range(release.n_records)]


@modest
@given(st.data())
def test_classes_are_the_records_that_are_written_alike(data: st.DataObject) -> None:
    case, requirement = data.draw(cases_with_requirement())
    problem = rooted(case.problem)
    recoding = data.draw(recodings(problem))
    release = make_local_release(case.under(requirement), problem, recoding)
    written = rows(release, problem.names)
    groups: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for i, row in enumerate(written):
        if not release.suppressed[i]:
            groups[row].append(i)
        else:
            assert set(row) == {"*"}
    assert release.n_classes == len(groups)
    assert release.k == min(map(len, groups.values()), default=None)
    assert not (recoding.suppressed & ~release.suppressed).any()
    if release.n_suppressed:
        assert all(set(row) != {"*"} for row in groups)


@modest
@given(st.data())
def test_what_is_written_of_a_recoding_is_what_is_said_of_it(data: st.DataObject) -> None:
    case, requirement = data.draw(cases_with_requirement())
    transformation = Transformation(
        suppressed_records=data.draw(st.sampled_from(["star", "remove"])),
        blank_suppressed=data.draw(st.booleans()),
    )
    project = replace(case.under(requirement), transformation=transformation)
    problem = rooted(case.problem)
    release = make_local_release(project, problem, data.draw(recodings(problem)))
    with TemporaryDirectory() as folder:
        verdict = export_release(project, release, Path(folder) / "out.csv")
    assert verdict.ok, verdict.problems
    assert verdict.measured["suppressed"] == release.n_suppressed


@modest
@given(st.data())
def test_a_recoding_to_one_node_is_the_node(data: st.DataObject) -> None:
    case, requirement = data.draw(cases_with_requirement())
    node = data.draw(nodes(case))
    whole = make_release(case.under(requirement), case.problem, node)
    problem = rooted(case.problem)
    local = make_local_release(case.under(requirement), problem, Recoding.of_node(node, whole.suppressed))
    if (
        whole.n_suppressed == local.n_suppressed
    ):  # else the node has a class of stars beside suppressed records
        assert rows(local, problem.names) == rows(whole, problem.names)
        assert (local.k, local.l, local.t) == (whole.k, whole.l, whole.t)
    else:
        assert local.n_suppressed > whole.n_suppressed > 0


@modest
@given(st.data())
def test_figures_of_a_recoding_to_one_node_are_those_of_the_node(data: st.DataObject) -> None:
    case, requirement = data.draw(cases_with_requirement())
    node = data.draw(nodes(case))
    profile = LatticeProfile(case.problem, requirement)
    evaluation = evaluate(score_lattice(case.problem, profile=profile), requirement)
    number = case.problem.lattice.number(node)
    suppressed = make_release(case.under(requirement), case.problem, node).suppressed
    problem = rooted(case.problem)
    found = recoded_records(problem, Recoding.of_node(node, suppressed), requirement.k)
    for key in (*METRICS, *JOINT):
        expected = float(evaluation.metric(key)[number])
        if key != "precision" or all(a.hierarchy.top_label is not None for a in case.problem.attributes):
            assert float(found.metric(key)[0]) == pytest.approx(expected, rel=1e-9, abs=1e-9, nan_ok=True), (
                key
            )


@modest
@given(st.data())
def test_figures_of_any_recoding_are_those_of_a_slow_count(data: st.DataObject) -> None:
    case: Case = data.draw(cases())
    problem = rooted(case.problem)
    recoding = data.draw(recodings(problem))
    found = recoded_records(problem, recoding, 2)
    kept = [i for i in range(case.n_records) if not recoding.suppressed[i]]
    n_records, n_qi = case.n_records, len(problem.attributes)
    classes: dict[tuple[str, ...], int] = defaultdict(int)
    precision, loss = 0.0, 1.0
    for q, attribute in enumerate(problem.attributes):
        levels = attribute.hierarchy.levels
        n_leaves = attribute.hierarchy.n_leaves
        covered, steps = n_leaves * (n_records - len(kept)), float(n_records - len(kept))
        for i in kept:
            level = levels[recoding.levels[i, q]]
            code = level.codes[attribute.leaves[i]]
            covered += int((level.codes == code).sum())
            steps += recoding.levels[i, q] / attribute.hierarchy.height if attribute.hierarchy.height else 0
        if attribute.hierarchy.height:
            precision += steps / n_records / n_qi
        share = covered / n_records / n_leaves
        loss *= 1 + max((share - 1 / n_leaves) / (1 - 1 / n_leaves), 0.0) if n_leaves > 1 else 1.0
    for i in kept:
        row = tuple(
            a.hierarchy.levels[recoding.levels[i, q]].labels[
                a.hierarchy.levels[recoding.levels[i, q]].codes[a.leaves[i]]
            ]
            for q, a in enumerate(problem.attributes)
        )
        classes[row] += 1
    n_suppressed = n_records - len(kept)
    assert float(found.metric("precision")[0]) == pytest.approx(precision)
    assert float(found.metric("loss")[0]) == pytest.approx(loss ** (1 / n_qi) - 1)
    squares = sum(size * size for size in classes.values())
    assert float(found.metric("discernibility")[0]) == squares + n_suppressed * n_records
    groups = len(classes) + (n_suppressed > 0)
    assert float(found.metric("aecs")[0]) == pytest.approx(n_records / groups)


def test_a_class_of_stars_beside_suppressed_records_is_suppressed_too() -> None:
    problem = rooted(compile_problem(people_project()))
    project = replace(people_project(), requirement=Requirement((KAnonymity(2),), 1.0))
    levels = np.array([[2, 1], [2, 1], [0, 0], [0, 0], [0, 0]], dtype=np.int16)
    nobody = np.zeros(5, dtype=np.bool_)
    assert make_local_release(project, problem, Recoding(levels, nobody)).n_suppressed == 5
    levels[2:] = (2, 1)
    assert make_local_release(project, problem, Recoding(levels, nobody)).n_suppressed == 0


def test_levels_that_are_not_allowed_are_refused() -> None:
    ages = tuple((age, f"{age[0]}0s", "*") for age in ("21", "25"))
    case = Case((Attributes("age", ("21", "25"), Kind.INTEGER, ages, min_level=1, max_level=1),))
    problem = rooted(case.problem)
    project: Project = case.under(Requirement((KAnonymity(1),), 0.0))
    nobody = np.zeros(2, dtype=np.bool_)
    hidden = make_local_release(project, problem, Recoding(np.array([[1], [2]], dtype=np.int16), nobody))
    assert rows(hidden, ("age",)) == [("20s",), ("*",)]
    with pytest.raises(InputError, match="'age' cannot be on level 0"):
        make_local_release(project, problem, Recoding(np.array([[0], [1]], dtype=np.int16), nobody))


def test_a_release_is_written_in_another_way_without_changing_its_levels() -> None:
    project = people_project()
    problem = rooted(compile_problem(project))
    levels = np.array([[1, 0], [1, 0], [1, 0], [1, 0], [0, 0]], dtype=np.int16)
    release = make_local_release(
        project, problem, Recoding(levels, np.zeros(5, dtype=np.bool_)), "by hand", (1, 0)
    )
    other = remade(replace(project, transformation=Transformation(suppressed_records="remove")), release)
    assert (release.rows().tolist(), other.rows().tolist()) == ([0, 1, 2, 3, 4], [0, 1, 2, 3])
    assert (other.method, other.node, other.n_suppressed) == ("by hand", (1, 0), 1)
