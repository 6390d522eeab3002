"""The singleton method: what stands out is coarsened, as little as can be, and never for the worse."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import CancelledError
from engine.frequency import Problem
from engine.hierarchies.builders.grouping import GroupingBuilder
from engine.hierarchies.builders.suppress import SuppressBuilder
from engine.monitor import SILENT
from engine.pipeline import anonymize, export_release
from engine.privacy import Requirement
from engine.privacy.average_risk import AverageRisk
from engine.privacy.k_anonymity import KAnonymity
from engine.project import AttributeHierarchy
from engine.project.compile import compile_problem
from engine.project.project import frozen
from engine.project.recipe.files import read_recipe
from engine.recoding import Recoding, Release, make_local_release, make_release, rooted
from engine.recoding.base import RecodingTask
from engine.recoding.distinct import DistinctRecords
from engine.recoding.singleton_variants import choices, singleton_variants
from engine.recoding.singletons import Singletons, Trials
from engine.records import Kind
from tests.engine.recoding.driver_licenses import COLUMNS, published, ways
from tests.engine.recoding.test_local import recodings
from tests.stopping import Stopping
from tests.strategies import Attributes, Case, cases_with_requirement, few, modest, nodes

TWO = Requirement((KAnonymity(2),), 0.0)

# Alone are (m, 21, A), (f, 33, B) and (f, 35, C).
PEOPLE = Case(
    (
        Attributes("sex", ("m", "m", "m", "f", "f"), rows=(("m", "*"), ("f", "*"))),
        Attributes(
            "age",
            ("20", "20", "21", "33", "35"),
            Kind.INTEGER,
            tuple((age, f"{age[0]}0s", "*") for age in ("20", "21", "33", "35")),
        ),
        Attributes(
            "town",
            ("A", "A", "A", "B", "C"),
            rows=(("A", "A", "*"), ("B", "BC", "*"), ("C", "BC", "*")),
        ),
    )
)  # fmt: skip


def improved(case: Case, requirement: Requirement, method: Singletons, node: Any = None) -> Release:
    problem = rooted(case.problem)
    start = None
    if node is not None:
        start = Recoding.of_node(node, make_release(case.under(requirement), case.problem, node).suppressed)
    recoding = method.improve(RecodingTask(problem, requirement, start=start), SILENT)
    return make_local_release(case.under(requirement), problem, recoding)


def rows(release: Release) -> list[tuple[str, ...]]:
    columns = [release.column(name) for name in release.problem.names]
    return [tuple(column.text(i) for column in columns if column) for i in range(release.n_records)]


def test_only_who_stands_out_is_coarsened_and_as_little_as_can_be() -> None:
    # In age and town one level up, the two women are alike. The man of 21 is alone whatever is done, unless
    # all three are hidden; that is no better than to suppress him.
    release = improved(PEOPLE, replace(TWO, suppression_limit=0.2), Singletons())
    assert rows(release) == [("m", "20", "A")] * 2 + [("*", "*", "*")] + [("f", "30s", "BC")] * 2
    assert release.n_suppressed == 1


def test_where_nobody_may_be_suppressed_hiding_all_of_a_class_is_left() -> None:
    release = improved(PEOPLE, TWO, Singletons())
    assert rows(release) == [("m", "20", "A")] * 2 + [("*", "*", "*")] * 3
    assert (release.satisfies, release.n_suppressed) == (True, 0)


def test_globally_a_column_is_coarsened_in_all_records() -> None:
    release = improved(PEOPLE, TWO, Singletons(scope="global"))
    assert rows(release) == [("m", "20s", "A")] * 3 + [("f", "30s", "BC")] * 2
    # Nobody is left alone, and only by this.
    assert rows(improved(PEOPLE, TWO, Singletons(scope="both"))) == rows(release)


def test_fewer_columns_and_levels_are_tried_when_asked() -> None:
    # Age one level up, then the towns: two rounds of one column each come to the same.
    one = Singletons(scope="global", most_columns=1, rounds=1)
    assert improved(PEOPLE, TWO, one).n_suppressed == 2
    assert improved(PEOPLE, TWO, replace(one, rounds=2)).n_suppressed == 0
    # Town up two levels would hide it; one level is enough for the women.
    low = improved(PEOPLE, replace(TWO, suppression_limit=0.2), Singletons(levels=1))
    assert rows(low)[3:] == [("f", "30s", "BC")] * 2


def test_from_scratch_forgets_the_node() -> None:
    node = (1, 2, 2)
    assert set(rows(improved(PEOPLE, TWO, Singletons(), node))) == {("*", "*", "*")}
    again = improved(PEOPLE, TWO, Singletons(from_scratch=True), node)
    assert rows(again) == rows(improved(PEOPLE, TWO, Singletons()))


def test_what_satisfies_is_kept_where_beginning_anew_would_not() -> None:
    lines = (("20", "*"), ("31", "*"))
    case = Case((Attributes("age", ("20", "20", "31"), Kind.INTEGER, lines),))
    assert rows(improved(case, TWO, Singletons(), (0,))) == [("20",)] * 2 + [("*",)]  # which is too much
    assert rows(improved(case, TWO, Singletons(from_scratch=True), (1,))) == [("*",)] * 3


def test_singletons_are_fewer_records_than_those_of_classes_too_small() -> None:
    ages = ("20", "21", "20", "21", "30", "34", "34", "34")
    lines = tuple((age, f"{age[0]}0s", "*") for age in ("20", "21", "30", "34"))
    case = Case((Attributes("age", ages, Kind.INTEGER, lines),))
    three = Requirement((KAnonymity(3),), 0.2)
    assert rows(improved(case, three, Singletons())) == [("20s",)] * 4 + [("*",)] + [("34",)] * 3
    # Alone is only the one of 30; as long as he is, coarsening him changes nothing.
    alone = Singletons(records="singletons")
    all_may_go = replace(three, suppression_limit=1.0)
    assert rows(improved(case, all_may_go, alone)) == [("*",)] * 5 + [("34",)] * 3


def test_what_is_kept_as_a_whole_is_judged_too() -> None:
    # An average risk of 1/5 takes one class of all five; no class misses anything by itself.
    lines = (("20", "20 or 31", "*"), ("31", "20 or 31", "*"))
    case = Case((Attributes("age", ("20", "20", "20", "20", "31"), Kind.INTEGER, lines),))
    requirement = Requirement((AverageRisk(0.2),), 0.0)
    release = improved(case, requirement, Singletons(scope="both"))
    assert rows(release) == [("20 or 31",)] * 5
    assert release.satisfies


@modest
@given(st.data())
def test_trials_judge_as_the_release_will_be(data: st.DataObject) -> None:
    case, requirement = data.draw(cases_with_requirement())
    problem = rooted(case.problem)
    records = DistinctRecords(problem)
    recoding = data.draw(recodings(problem))
    first = np.unique(records.row_of, return_index=True)[1]
    levels = recoding.levels[first]
    trials = Trials(RecodingTask(problem, requirement), records, levels)
    whole = Recoding(levels[records.row_of], np.zeros(problem.n_records, dtype=np.bool_))
    release = make_local_release(case.under(requirement), problem, whole)
    for outcome in (trials.start, trials.outcome_at(levels)):
        texts = whole_rows(problem, whole)
        sizes = Counter(texts)
        stars = np.array([set(text) == {"*"} for text in texts])
        alone = np.array([sizes[text] == 1 for text in texts])
        assert outcome.missing[records.row_of].tolist() == release.suppressed.tolist()
        assert outcome.alone[records.row_of].tolist() == alone.tolist()
        assert outcome.n_missing == int((release.suppressed | stars).sum())
        assert outcome.n_alone == int((alone | stars).sum())
        assert outcome.satisfies == release.satisfies


def whole_rows(problem: Problem, recoding: Recoding) -> list[tuple[str, ...]]:
    return [
        tuple(
            a.hierarchy.label(a.hierarchy.values[a.leaves[i]], recoding.levels[i, q])
            for q, a in enumerate(problem.attributes)
        )
        for i in range(problem.n_records)
    ]


METHODS = [
    Singletons(),
    Singletons(scope="both", rounds=1),
    Singletons(scope="global", levels=1),
    Singletons(records="singletons", rounds=2),
]


@few
@given(st.data(), st.sampled_from(METHODS))
def test_a_release_never_gets_worse(data: st.DataObject, method: Singletons) -> None:
    case, requirement = data.draw(cases_with_requirement())
    node = data.draw(nodes(case))
    before = make_local_release(
        case.under(requirement),
        rooted(case.problem),
        Recoding.of_node(node, np.zeros(case.n_records, dtype=np.bool_)),
    )
    after = improved(case, requirement, method, node)
    assert after.satisfies >= before.satisfies
    if method.records == "unmet" and after.satisfies == before.satisfies:
        assert after.n_suppressed <= before.n_suppressed
    if method.scope == "local":
        for old, new, suppressed in zip(rows(before), rows(after), before.suppressed, strict=True):
            if not suppressed and method.records == "unmet":
                assert new == old


@few
@given(st.data(), st.sampled_from(METHODS))
def test_a_release_of_any_levels_keeps_what_it_satisfies(data: st.DataObject, method: Singletons) -> None:
    case, requirement = data.draw(cases_with_requirement(max_records=12))
    problem = rooted(case.problem)
    start = data.draw(recodings(problem))
    before = make_local_release(case.under(requirement), problem, start)
    found = method.improve(RecodingTask(problem, requirement, start=before.recoding), SILENT)
    after = make_local_release(case.under(requirement), problem, found)
    assert after.satisfies >= before.satisfies


@few
@given(st.data(), st.sampled_from(["local", "global", "both"]))
def test_the_elected_variant_is_the_best_of_all(data: st.DataObject, scope: str) -> None:
    case, requirement = data.draw(cases_with_requirement(max_records=10, max_qi=2))
    problem = rooted(case.problem)
    method = Singletons(scope=scope, most_columns=2, rounds=1)
    nobody = np.zeros(case.n_records, dtype=np.bool_)
    low = Recoding.of_node(problem.lattice.minimum, nobody)
    source = case.under(requirement)

    def merit(recoding: Recoding) -> tuple[bool, int, int, int]:
        release = make_local_release(source, problem, recoding)
        old, new = whole_rows(problem, low), whole_rows(problem, recoding)
        cells = [sum(a != b for a, b in zip(*pair, strict=True)) for pair in zip(old, new, strict=True)]
        n_left = sum(set(row) == {"*"} for row in rows(release))  # suppressed, or all of it hidden
        return not release.satisfies, n_left, sum(map(bool, cells)), sum(cells)

    stands_out = make_local_release(source, problem, low).suppressed
    best = merit(low)
    for is_local in (True, False):
        if scope not in ("both", "local" if is_local else "global"):
            continue
        allowed = [
            [n for n in range(a.minimum + 1, a.hierarchy.height + 1)
             if n <= a.maximum or (is_local and n == a.hierarchy.height)]
            for a in problem.attributes
        ]  # fmt: skip
        for choice in choices([len(levels) for levels in allowed], 2):
            levels = low.levels.copy()
            for q, way in choice:
                levels[stands_out if is_local else slice(None), q] = allowed[q][way]
            best = min(best, merit(Recoding(levels, nobody)))
    found = method.improve(RecodingTask(problem, requirement), SILENT)
    assert merit(found) == best


def test_the_study_of_the_paper_and_the_method_agree(
    data: Path, reference_data: Path, tmp_path: Path
) -> None:
    entry = published(data)
    own = ways(reference_data, entry)
    whole = pd.read_csv(reference_data / entry["dataset"]).dropna().astype({"anno_nascita": int})
    whole.to_csv(tmp_path / "whole.csv", index=False)
    lines = ["[data]", 'path = "whole.csv"', "[roles]", f"quasi_identifying = {list(COLUMNS)}"]
    (tmp_path / "recipe.toml").write_text("\n".join(lines).replace("'", '"'), encoding="utf-8")
    project = read_recipe(tmp_path / "recipe.toml")
    sex, town, year = (project.table.column(name) for name in COLUMNS)
    trees = {
        sex.name: SuppressBuilder().build(sex),
        town.name: own[town.name]["province"],
        year.name: GroupingBuilder(sizes=(4,), label="range").build(year),
    }
    hierarchies = {n: AttributeHierarchy(tree, max_level=1) for n, tree in trees.items()}  # type: ignore[arg-type]
    project = replace(project, hierarchies=frozen(hierarchies), requirement=TWO)
    problem = rooted(compile_problem(project))
    study = singleton_variants(
        project.table, COLUMNS, {name: {"way": tree} for name, tree in trees.items()}, scope="local"
    )
    found = Singletons(levels=1).improve(RecodingTask(problem, TWO), SILENT)
    release, counted = make_local_release(project, problem, found), study.best.counted
    changed = np.array(rows(release)) != np.array(
        [project.table.record(i, problem.names) for i in range(87464)]
    )
    assert (counted.singletons, counted.modified) == (0, 1684)
    assert (release.n_suppressed, release.n_classes) == (0, counted.distinct)
    assert (int(changed.any(axis=1).sum()), int(changed.sum())) == (counted.modified, counted.cells)
    assert {name for name, _ in study.best.coarsened} == {
        name for name, is_changed in zip(problem.names, changed.any(axis=0), strict=True) if is_changed
    }


def test_a_known_population_is_no_hindrance_where_no_model_counts_its_people(tmp_path: Path) -> None:
    (tmp_path / "all.csv").write_text("age\n20\n21\n21\n30\n31\n", encoding="utf-8")
    (tmp_path / "some.csv").write_text("age\n20\n21\n21\n", encoding="utf-8")
    (tmp_path / "recipe.toml").write_text(
        """
        data = {path = "some.csv"}
        roles = {quasi_identifying = ["age"]}
        population = {path = "all.csv"}
        recoding = {method = "singletons"}
        hierarchies.age = {builder = "rounding", bases = [10]}
        privacy = [{model = "k_anonymity", k = 2}, {model = "average_risk", threshold = 0.5}]
        transformation = {suppression_limit = 0.4}
        """,
        encoding="utf-8",
    )
    project = read_recipe(tmp_path / "recipe.toml")
    outcome = anonymize(project)
    assert (outcome.release.method, outcome.release.satisfies) == ("singletons", True)
    assert export_release(project, outcome.release, tmp_path / "out.csv").ok


def test_it_stops_when_it_is_asked_to() -> None:
    monitor = Stopping(4)
    with pytest.raises(CancelledError):
        Singletons().improve(RecodingTask(rooted(PEOPLE.problem), TWO), monitor)
    assert all(0 <= done <= total for done, total, _ in monitor.steps)
