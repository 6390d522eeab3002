"""A node applied to the records: labels by hierarchy, suppressed records by rule."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InputError
from engine.privacy import Requirement
from engine.privacy.k_anonymity import KAnonymity
from engine.project import Transformation
from engine.project.compile import compile_problem
from engine.project.edits import set_roles
from engine.project.project import Project
from engine.recoding import Release, make_release
from engine.recoding.rules.mask import Mask
from engine.records import Kind, Role
from tests.slow_reference import SlowNode, default_distance
from tests.strategies import Attributes, Case, cases_with_requirement, modest, nodes

AGES = tuple((age, f"{age[0]}0s", "*") for age in ("21", "25", "34", "36", "47"))
SEXES = (("f", "*"), ("m", "*"))


def people() -> Case:
    """Five people; at node (1, 0) two pairs are kept for k = 2 and the one in the forties is not."""
    return Case(
        (
            Attributes("age", ("21", "34", "25", "36", "47"), Kind.INTEGER, AGES),
            Attributes("sex", ("f", "m", "f", "m", "f"), rows=SEXES),
        ),
        (
            Attributes("name", ("Ann", "Bob", "Cleo", "Dan", "Eve")),
            Attributes("illness", ("flu", "cold", "cold", "flu", "gout")),
            Attributes("note", ("a", "", "c", "d", "e")),
        ),
    )


def project(**transformation: object) -> Project:
    plain = set_roles(people().project, ["name"], Role.IDENTIFYING)
    plain = set_roles(plain, ["note"], Role.INSENSITIVE)
    plain = replace(plain, requirement=Requirement((KAnonymity(2),), 0.2))
    return replace(plain, transformation=Transformation(**transformation))  # type: ignore[arg-type]


def released(of: Project) -> Release:
    return make_release(of, compile_problem(of), (1, 0))


def texts(release: Release, name: str) -> list[str]:
    column = release.column(name)
    return [column.text(i) for i in release.rows()]


@modest
@given(st.data())
def test_every_released_cell_is_the_label_of_its_value_or_a_star(data: st.DataObject) -> None:
    case, requirement = data.draw(cases_with_requirement())
    node = data.draw(nodes(case))
    slow = SlowNode(case, node)
    expected = slow.under(requirement)
    release = make_release(case.under(requirement), case.problem, node)
    assert np.flatnonzero(release.suppressed).tolist() == sorted(expected.suppressed_records)
    assert (release.n_suppressed, release.satisfies) == (expected.suppressed, expected.satisfies)
    assert (release.n_classes, release.k) == (len(expected.kept), expected.kept_k or None)
    for attribute in case.qi:
        column = release.column(attribute.name)
        labels = [
            "*" if i in expected.suppressed_records else text
            for i, text in enumerate(slow.frame[attribute.name])
        ]
        assert [column.text(i) for i in range(case.n_records)] == labels
    blank = expected.suppressed_records if release.cells == "blank" else []
    assert (release.cells == "blank") == (release.group is not None and not release.group.held)
    for attribute in case.sensitive:
        assert texts(release, attribute.name) == [
            "*" if record in blank else text for record, text in enumerate(attribute.texts)
        ]


@modest
@given(st.data())
def test_what_a_release_says_of_itself_is_about_its_kept_classes(data: st.DataObject) -> None:
    case, requirement = data.draw(cases_with_requirement(min_sensitive=1))
    node = data.draw(nodes(case))
    slow = SlowNode(case, node)
    met = slow.under(requirement).met
    release = make_release(case.under(requirement), case.problem, node)
    for attribute in case.sensitive:
        kinds = [
            m.distance
            for m in requirement.models
            if m.columns == (attribute.name,) and getattr(m, "distance", None)
        ]
        kind = kinds[-1] if kinds else default_distance(attribute)
        distinct = [n for n, kept in zip(slow.distinct(attribute.name), met, strict=True) if kept]
        distances = [d for d, kept in zip(slow.distances(attribute.name, kind), met, strict=True) if kept]
        assert release.l[attribute.name] == min(distinct, default=None)
        assert release.t[attribute.name] == (float(max(distances)) if distances else None)


def test_suppressed_records_become_stars_and_keep_their_other_cells() -> None:
    release = released(project(suppressed_group="ignore"))
    assert texts(release, "age") == ["20s", "30s", "20s", "30s", "*"]
    assert texts(release, "sex") == ["f", "m", "f", "m", "*"]
    assert texts(release, "illness") == ["flu", "cold", "cold", "flu", "gout"]
    assert texts(release, "note") == ["a", "", "c", "d", "e"]
    assert (release.n_suppressed, release.satisfies, release.k, release.n_classes) == (1, True, 2, 2)


def test_suppressed_records_can_be_removed_instead() -> None:
    release = released(project(suppressed_records="remove"))
    assert texts(release, "age") == ["20s", "30s", "20s", "30s"]
    assert texts(release, "illness") == ["flu", "cold", "cold", "flu"]
    assert release.n_records == 5


def test_the_other_cells_of_suppressed_records_can_be_blanked() -> None:
    release = released(project(blank_suppressed=True))
    assert texts(release, "illness") == ["flu", "cold", "cold", "flu", "*"]
    assert texts(release, "note") == ["a", "", "c", "d", "*"]
    assert texts(release, "age")[-1] == "*"


def test_cells_of_suppressed_records_that_alone_miss_the_requirement_are_blank_in_all_columns() -> None:
    release = released(project(identifiers={"name": Mask(keep_first=1)}))
    assert (release.group.records, release.group.k, release.group.held) == (1, 1, False)
    assert release.cells == "blank"
    assert {column.text(4) for column in release.columns} == {"*"}


def test_identifying_columns_become_stars_or_are_dropped() -> None:
    assert texts(released(project()), "name") == ["*"] * 5
    dropped = released(project(identifying="drop"))
    assert dropped.column("name") is None
    assert [column.name for column in dropped.columns] == ["age", "sex", "illness", "note"]


def test_a_release_that_misses_the_limit_says_so_and_is_still_made() -> None:
    release = make_release(project(), people_problem(), (0, 0))
    assert (release.n_suppressed, release.satisfies, release.k) == (5, False, None)
    assert all(value is None for value in (*release.l.values(), *release.t.values()))


def people_problem():  # type: ignore[no-untyped-def]
    return compile_problem(project())


def test_another_requirement_than_the_projects_can_be_tried() -> None:
    release = make_release(project(), people_problem(), (1, 0), Requirement((KAnonymity(1),), 0.0))
    assert release.n_suppressed == 0


def test_a_node_outside_the_lattice_is_refused() -> None:
    with pytest.raises(InputError, match="not in the lattice"):
        make_release(project(), people_problem(), (3, 0))
