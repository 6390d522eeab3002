"""Contract of every recoding method, for any table, requirement and starting release."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from engine.errors import CancelledError
from engine.frequency import Problem
from engine.monitor import SILENT
from engine.params import Choice, Flag, describe, values_of
from engine.pipeline import export_release
from engine.privacy import PrivacyModel, Requirement
from engine.privacy.average_risk import AverageRisk
from engine.privacy.distinct_l_diversity import DistinctLDiversity
from engine.privacy.k_anonymity import KAnonymity
from engine.privacy.records_at_risk import RecordsAtRisk
from engine.privacy.sample_uniqueness import SampleUniqueness
from engine.privacy.t_closeness import TCloseness
from engine.project import Project, Transformation
from engine.project.compile import compile_problem
from engine.recoding import (
    Recoding,
    RecodingMethod,
    RecodingTask,
    Release,
    make_local_release,
    make_release,
    recoding_methods,
    rooted,
)
from engine.records import Kind
from tests.stopping import Stopping
from tests.strategies import Attributes, Case, cases_with_requirement, nodes, ten

KEYS = sorted(recoding_methods)
TABLE_WIDE = (AverageRisk(0.4), RecordsAtRisk(0.4, 0.2), SampleUniqueness(0.1))


class Asked(NamedTuple):
    """A table, its requirement, and the release that a method may start from."""

    project: Project
    task: RecodingTask
    start: Release  # by the levels of the start, or the highest ones if a method starts from scratch

    def released(self, method: RecodingMethod) -> Release:
        recoding = method.improve(self.task, SILENT)
        return make_local_release(self.project, self.task.problem, recoding, method.key)


def variants() -> list[object]:
    """Return every method with its defaults, and with every other option of its choices and flags."""
    found = []
    for key in KEYS:
        kind = recoding_methods[key]
        found.append(pytest.param(kind(), id=key))
        for descriptor in describe(kind):
            usual = getattr(kind(), descriptor.name)
            others: list[object] = []
            if isinstance(descriptor, Flag):
                others = [not usual]
            elif isinstance(descriptor, Choice):
                others = [option for option, _ in descriptor.options if option != usual]
            found += [
                pytest.param(kind(**{descriptor.name: other}), id=f"{key}-{descriptor.name}-{other}")
                for other in others
            ]
    return found


VARIANTS = variants()


def asked_of(project: Project, method: RecodingMethod, node: tuple[int, ...] | None = None) -> Asked:
    problem = compile_problem(project)
    whole = rooted(problem)
    levels = problem.lattice.maximum if node is None or not method.needs_start else node
    start = Recoding.of_node(levels, make_release(project, problem, levels).suppressed)
    released = make_local_release(project, whole, start)
    task = RecodingTask(whole, project.requirement, start=start if method.needs_start else None, seed=3)
    return Asked(project, task, released)


@st.composite
def asked(draw: st.DrawFn, method: RecodingMethod) -> Asked:
    case, requirement = draw(cases_with_requirement(max_records=25))
    models: tuple[PrivacyModel, ...] = requirement.models
    if draw(st.integers(0, 3)) == 0:
        models = (*models, draw(st.sampled_from(TABLE_WIDE)))
    project = replace(
        case.under(Requirement(models, requirement.suppression_limit)),
        others_as_qi=draw(st.booleans()),
        transformation=Transformation(
            suppressed_records=draw(st.sampled_from(["star", "remove"])), blank_suppressed=draw(st.booleans())
        ),
    )
    return asked_of(project, method, draw(nodes(case)))


def weighted(given: Asked, draw: Callable[[st.SearchStrategy[float]], float]) -> Asked:
    weights = np.array([draw(st.sampled_from([0.0, 0.5, 1.0])) for _ in given.task.problem.attributes])
    return given._replace(task=replace(given.task, weights=weights))


@pytest.mark.parametrize("method", VARIANTS)
@ten
@given(data=st.data())
def test_a_recoding_gives_every_cell_an_allowed_level(method: RecodingMethod, data: st.DataObject) -> None:
    given_ = weighted(data.draw(asked(method)), data.draw)
    problem = given_.task.problem
    recoding = method.improve(given_.task, SILENT)
    assert (recoding.levels.dtype, recoding.suppressed.dtype) == (np.int16, np.bool_)
    assert recoding.levels.shape == (problem.n_records, len(problem.attributes))
    assert recoding.suppressed.shape == (problem.n_records,)
    make_local_release(given_.project, problem, recoding)  # refuses levels that are not allowed


@pytest.mark.parametrize("method", VARIANTS)
@ten
@given(data=st.data())
def test_a_release_satisfies_if_the_one_it_is_made_from_does(
    method: RecodingMethod, data: st.DataObject
) -> None:
    given_ = data.draw(asked(method))
    assume(given_.start.satisfies)
    assert given_.released(method).satisfies


@pytest.mark.parametrize("method", VARIANTS)
@ten
@given(data=st.data())
def test_the_written_file_agrees_with_the_claims(method: RecodingMethod, data: st.DataObject) -> None:
    given_ = data.draw(asked(method))
    release = given_.released(method)
    with TemporaryDirectory() as folder:
        verdict = export_release(given_.project, release, Path(folder) / "out.csv")
    assert verdict.ok, verdict.problems
    assert verdict.measured["suppressed"] == release.n_suppressed


@pytest.mark.parametrize("key", KEYS)
@ten
@given(data=st.data())
def test_classes_are_those_of_a_slow_recount(key: str, data: st.DataObject) -> None:
    method = recoding_methods[key]()
    given_ = data.draw(asked(method))
    release = given_.released(method)
    names = list(given_.task.problem.names)
    columns = {name: release.column(name) for name in names}
    frame = pd.DataFrame(
        {name: [c.text(i) for i in range(release.n_records)] for name, c in columns.items() if c}
    )
    sizes = frame[~release.suppressed].groupby(names).size()
    assert sorted(sizes.tolist()) == sorted(release.kept_sizes.tolist())
    assert (frame[release.suppressed] == "*").all(axis=None)


@pytest.mark.parametrize("key", KEYS)
@ten
@given(data=st.data())
def test_the_same_task_has_the_same_result(key: str, data: st.DataObject) -> None:
    method = recoding_methods[key]()
    given_ = data.draw(asked(method))
    first, second = (method.improve(given_.task, SILENT) for _ in range(2))
    assert np.array_equal(first.levels, second.levels)
    assert np.array_equal(first.suppressed, second.suppressed)


def staff(n_records: int = 80, n_columns: int = 4) -> Case:
    """Return made-up records of columns with three levels each, and a sensitive one."""
    random = np.random.default_rng(7)
    rows = tuple((str(i), f"{i // 3} of 3", "*") for i in range(9))
    qi = tuple(
        Attributes(f"q{q}", tuple(map(str, random.integers(9, size=n_records).tolist())), Kind.INTEGER, rows)
        for q in range(n_columns)
    )
    illness = Attributes("s", tuple(map(str, random.integers(4, size=n_records).tolist())))
    return Case(qi, (illness,))


@pytest.mark.parametrize("after", [0, 2])
@pytest.mark.parametrize("key", KEYS)
def test_a_cancelled_method_does_not_change_its_task(key: str, after: int) -> None:
    method = recoding_methods[key]()
    given_ = asked_of(staff().under(Requirement((KAnonymity(3),), 0.5)), method, (1, 1, 1, 1))
    before = method.improve(given_.task, SILENT)
    start = given_.task.start
    kept = None if start is None else (start.levels.copy(), start.suppressed.copy())
    with pytest.raises(CancelledError):
        method.improve(given_.task, Stopping(after + 1))
    again = method.improve(given_.task, SILENT)
    assert np.array_equal(before.levels, again.levels)
    if start is not None and kept is not None:
        assert np.array_equal(start.levels, kept[0])
        assert np.array_equal(start.suppressed, kept[1])


class Satisfied:
    """A monitor for which the first valid release is good enough."""

    is_enough = True

    def step(self, done: int, total: int, text: str = "") -> None:
        assert 0 <= done <= max(total, 1)


@pytest.mark.parametrize("models", range(3), ids=["k", "l", "t"])
@pytest.mark.parametrize("key", [key for key in KEYS if recoding_methods[key].can_stop])
def test_a_stopped_method_satisfies_and_its_steps_make_the_same_release(key: str, models: int) -> None:
    method = recoding_methods[key]()
    case = staff(n_records=400).under(Requirement(MODELS[models], 0.5))
    given_ = asked_of(case, method, (1, 1, 1, 1))
    stopped = method.improve(given_.task, Satisfied())
    assert stopped.stopped_after is not None
    assert make_local_release(given_.project, given_.task.problem, stopped, key).satisfies
    again = type(method)(**{**values_of(method), "steps": stopped.stopped_after}).improve(given_.task, SILENT)
    assert again.stopped_after is None
    assert np.array_equal(again.levels, stopped.levels)
    assert np.array_equal(again.suppressed, stopped.suppressed)


MODELS: tuple[tuple[PrivacyModel, ...], ...] = (
    (KAnonymity(4),),
    (KAnonymity(2), DistinctLDiversity("s", 3)),
    (KAnonymity(2), TCloseness("s", 0.3, "equal")),
)


@pytest.mark.parametrize(
    "models",
    [
        pytest.param(MODELS[0], id="k"),
        pytest.param(MODELS[1], id="l", marks=pytest.mark.thorough),
        pytest.param(MODELS[2], id="t", marks=pytest.mark.thorough),
    ],
)
@pytest.mark.parametrize("key", KEYS)
def test_a_lattice_too_large_to_list_is_supported(key: str, models: tuple[PrivacyModel, ...]) -> None:
    case = staff(n_records=20, n_columns=20)  # 3 ** 20 nodes
    method = recoding_methods[key]()
    given_ = asked_of(case.under(Requirement(models, 0.0)), method, (2,) * 20)
    assert given_.task.problem.lattice.n_nodes > 10**9
    assert given_.released(method).satisfies


@pytest.mark.parametrize("key", KEYS)
def test_a_method_describes_what_it_does_and_what_it_reveals(key: str) -> None:
    kind = recoding_methods[key]
    assert kind.title
    assert kind.summary.endswith(".")
    assert kind.weakness.endswith(".")
    assert [other for other in recoding_methods.values() if other.summary == kind.summary] == [kind]


def mean_share(problem: Problem, release: Release) -> float:
    """Return the mean share of its column's values that a cell may represent; all of them if suppressed."""
    total = 0.0
    for q, attribute in enumerate(problem.attributes):
        shares = [
            level.n_leaves[level.codes] / attribute.hierarchy.n_leaves for level in attribute.hierarchy.levels
        ]
        own = np.array(shares)[release.recoding.levels[:, q], attribute.leaves]
        total += float(np.where(release.suppressed, 1.0, own).mean())
    return total / len(problem.attributes)


@pytest.mark.parametrize("models", MODELS, ids=["k", "l", "t"])
@pytest.mark.parametrize("key", KEYS)
def test_labels_are_more_precise_than_those_it_is_made_from(
    key: str, models: tuple[PrivacyModel, ...]
) -> None:
    method = recoding_methods[key]()
    given_ = asked_of(staff(n_records=200).under(Requirement(models, 0.9)), method, (1, 1, 1, 1))
    problem = given_.task.problem
    assert mean_share(problem, given_.released(method)) < mean_share(problem, given_.start)
