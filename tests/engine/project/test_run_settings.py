"""The settings of an earlier release: kept as text without any record, and gone back to exactly."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.errors import InputError
from engine.project import Project, Subset, edits
from engine.project import run_settings as kept
from engine.project.pins_and_runs import Choice, Run
from engine.project.population import Population
from engine.project.run_settings import settings_of, thinned, with_settings
from engine.project.storage.file import hierarchy_text, open_project, save_project
from engine.records import Role, Table
from engine.records.opening.files import read_table

PARTS = (
    "table",
    "roles",
    "qi_order",
    "target",
    "person",
    "requirement",
    "transformation",
    "search",
    "recoding",
    "subset",
)


def other_settings(project: Project) -> Project:
    after = edits.set_roles(project, ["age"], Role.INSENSITIVE)
    after = edits.set_suppression_limit(edits.set_metric(after, "aecs"), 0.33)
    return edits.set_hierarchy(after, "age", None)


def test_going_back_gives_every_setting_and_keeps_what_is_the_same(hospital: Project) -> None:
    there = with_settings(other_settings(hospital), settings_of(hospital))
    for name in PARTS:
        assert getattr(there, name) == getattr(hospital, name), name
    assert there.name == hospital.name
    assert there.source == hospital.source
    assert there.hierarchies["zip"] is hospital.hierarchies["zip"] if "zip" in hospital.hierarchies else True
    age = there.hierarchies["age"].hierarchy
    assert hierarchy_text(age) == hierarchy_text(hospital.hierarchies["age"].hierarchy)
    assert settings_of(there) == settings_of(hospital)


def test_going_back_counts_the_persons_that_were_counted_then(hospital: Project) -> None:
    named = edits.set_person(hospital, hospital.identifying[0])
    assert with_settings(hospital, settings_of(named)).person == named.person
    assert with_settings(named, settings_of(hospital)).person is None


def test_going_back_to_the_current_settings_changes_nothing(hospital: Project) -> None:
    there = with_settings(hospital, settings_of(hospital))
    assert all(getattr(there, name) is getattr(hospital, name) for name in PARTS)
    assert all(there.hierarchies[name] is entry for name, entry in hospital.hierarchies.items())


def test_no_record_is_kept(hospital: Project) -> None:
    members = json.loads(settings_of(hospital))
    names = [
        *(f"hierarchies/{n:03d}.csv" for n in range(1, 7)),
        "recipe.toml",
        "columns",
        "format",
        "digests",
    ]
    assert set(members) <= set(names)


def test_a_table_with_other_columns_is_refused(hospital: Project) -> None:
    less = replace(hospital, table=Table(hospital.table.columns[1:]))
    with pytest.raises(InputError, match="columns of the table have changed"):
        with_settings(less, settings_of(hospital))


@pytest.mark.parametrize("text", ["", "{", "[]", "3"])
def test_settings_that_were_not_stored_are_reported(hospital: Project, text: str) -> None:
    with pytest.raises(InputError, match="were not stored"):
        with_settings(hospital, text)


@pytest.mark.parametrize("member", ["recipe.toml", "hierarchies/002.csv", "columns"])
def test_what_is_missing_or_damaged_is_refused_and_never_taken_for_something_else(
    hospital: Project, member: str
) -> None:
    settings = json.loads(settings_of(hospital))
    for changed in ({**settings, member: 5}, {name: v for name, v in settings.items() if name != member}):
        if member in settings:
            with pytest.raises(InputError):
                with_settings(hospital, json.dumps(changed))


def test_a_missing_additional_table_is_named(hospital: Project) -> None:
    rows = Table((hospital.table.columns[1],))
    with pytest.raises(InputError, match="additional table"):
        with_settings(hospital, settings_of(edits.set_subset(hospital, Subset(rows=rows))))


def with_rows(project: Project, *ages: str) -> Project:
    column = project.table.column("age")
    numbers = [int(np.flatnonzero(column.codes == column.labels.index(age))[0]) for age in ages]
    return edits.set_subset(project, Subset(rows=Table((column.take(np.array(numbers)),))))


def test_rows_of_a_subset_or_people_that_are_others_now_are_never_taken_for_those_of_then(
    hospital: Project,
) -> None:
    first, second, *_ = hospital.table.column("age").labels
    then = with_rows(hospital, first)
    with pytest.raises(InputError, match="additional table"):
        with_settings(with_rows(hospital, second), settings_of(then))
    with pytest.raises(InputError, match="additional table"):
        with_settings(with_rows(hospital, first, second), settings_of(then))
    assert with_settings(with_rows(hospital, first), settings_of(then)).subset is not None
    people = [edits.set_population(hospital, Population(table=t)) for t in (hospital.table, then.records)]
    with pytest.raises(InputError, match="additional table"):
        with_settings(people[1], settings_of(people[0]))


def test_settings_that_say_nothing_of_the_rows_they_were_made_with_are_refused(hospital: Project) -> None:
    then = with_rows(hospital, hospital.table.column("age").labels[0])
    settings = json.loads(settings_of(then))
    for digests in (None, 5, {}):
        with pytest.raises(InputError, match="additional table"):
            with_settings(then, json.dumps({**settings, "digests": digests}))


def test_the_rows_of_then_are_known_again_after_the_project_was_saved_and_opened(
    hospital: Project, tmp_path: Path
) -> None:
    (tmp_path / "rows.csv").write_text("age,city\n9,\n10,x\n", encoding="utf-8")
    rows, _ = read_table(tmp_path / "rows.csv")
    then = replace(hospital, subset=Subset(rows=rows))
    save_project(then, tmp_path / "p.anon")
    found = open_project(tmp_path / "p.anon").project
    assert json.loads(settings_of(found))["digests"] == json.loads(settings_of(then))["digests"]


def test_where_room_is_short_the_oldest_lose_their_settings_and_those_held_last(
    hospital: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    choice = Choice(("age",), (0,), hospital.requirement)
    runs = [Run(choice, f"2026-01-0{n}T12:00", settings="x" * 10, is_pinned=n == 1) for n in range(1, 5)]
    assert thinned(runs) == tuple(runs)
    monkeypatch.setattr(kept, "MOST_OF_ALL", 25)
    assert [bool(run.settings) for run in thinned(runs)] == [True, False, False, True]
    assert [run.made_at for run in thinned(runs)] == [run.made_at for run in runs]


def test_settings_too_large_to_keep_are_not_kept(hospital: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "MOST", 10)
    assert settings_of(hospital) == ""
