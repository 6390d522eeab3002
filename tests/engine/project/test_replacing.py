"""Values are replaced in a column and its hierarchy together, and reading the file again gives the same."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InputError, TableError
from engine.hierarchies import Hierarchy
from engine.hierarchies.builders.base import builders
from engine.project import AttributeHierarchy, Project, edits
from engine.project.compile import compile_problem
from engine.project.population import Population
from engine.project.replacing import filters_that_name, find_matches
from engine.project.subset import Subset, records_of
from engine.records import DataType, Kind, ReadOptions, Role, Table
from engine.records.opening.files import read_table
from engine.records.values import make_column

CITIES = [
    ["Berlin", "East", "*"],
    ["Berln", "Berln", "*"],
    ["Bonn", "West", "*"],
    ["Köln", "West", "*"],
]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    path = tmp_path / "people.csv"
    path.write_text("city,age\nBerlin,30\nBerln,200\nBonn,40\n,50\nKöln,\nbonn,30\n", encoding="utf-8")
    table, options = read_table(path, ReadOptions())
    made = Project("people", path, options, table)
    return edits.set_hierarchy(made, "city", AttributeHierarchy(Hierarchy.from_rows(CITIES), Path("c.csv")))


def texts(project: Project, name: str) -> list[str]:
    column = project.table.column(name)
    return [column.text(record) for record in range(project.table.n_records)]


def rows(project: Project, name: str) -> list[tuple[str, ...]]:
    return project.hierarchies[name].hierarchy.rows()


def test_a_value_that_becomes_another_one_goes_from_table_and_hierarchy(project: Project) -> None:
    after = edits.replace_values(project, "city", {"Berln": "Berlin", "bonn": "Bonn"})
    assert texts(after, "city") == ["Berlin", "Berlin", "Bonn", "", "Köln", "Bonn"]
    assert rows(after, "city") == [("Berlin", "East", "*"), ("Bonn", "West", "*"), ("Köln", "West", "*")]
    assert after.hierarchies["city"].path is None
    assert after.table.column("age") is project.table.column("age")


def test_a_new_name_keeps_the_place_and_groups_of_its_own_follow(project: Project) -> None:
    after = edits.replace_values(project, "city", {"Köln": "Cologne", "Berln": "Bern"})
    assert rows(after, "city")[1] == ("Bern", "Bern", "*")
    assert rows(after, "city")[3] == ("Cologne", "West", "*")


def comes_back(start: str, changes: dict[str, str]) -> bool:
    """Whether a value takes its own place again by way of others."""
    value, seen = changes[start], {start}
    while value not in seen:
        seen.add(value)
        value = changes.get(value, value)
    return value == start and changes[start] != start


def test_reading_the_file_again_gives_the_same_table(project: Project) -> None:
    after = edits.replace_values(project, "city", {"Berln": "Berlin", "Bonn": "bonn"})
    after = edits.replace_values(after, "city", {"bonn": "Beuel", "Köln": ""})
    after = edits.replace_values(after, "age", {"200": "20"})
    assert project.source is not None
    again, _ = read_table(project.source, after.options)
    for name in ("city", "age"):
        made, read = after.table.column(name), again.column(name)
        assert (read.labels, read.codes.tolist()) == (made.labels, made.codes.tolist())
        assert (read.data_type, read.has_missing) == (made.data_type, made.has_missing)


@given(st.dictionaries(st.sampled_from("abcd"), st.sampled_from("abcde"), max_size=4))
def test_replacing_one_after_the_other_gives_what_all_at_once_gives(changes: dict[str, str]) -> None:
    column = make_column("x", list("abcd"), np.arange(4, dtype=np.int32), DataType())
    project = Project("p", None, ReadOptions(), Table((column,)))
    if any(comes_back(start, changes) for start in changes):
        with pytest.raises(InputError, match="would be swapped"):
            edits.replace_values(project, "x", changes)
        return
    after = edits.replace_values(project, "x", changes)
    assert texts(after, "x") == [changes.get(text, text) for text in "abcd"]
    found = list("abcd")
    for step in after.options.replacements:
        assert step.new is not None
        found = [step.new if text == step.old else text for text in found]
    assert found == texts(after, "x")


def test_a_hierarchy_that_was_built_is_built_again(project: Project) -> None:
    builder = builders["intervals"]()
    column = project.table.column("age")
    entry = AttributeHierarchy(builder.build(column), builder=builder, max_level=2)
    before = edits.set_hierarchy(project, "age", entry)
    after = edits.replace_values(before, "age", {"200": "31"})
    made = after.hierarchies["age"]
    assert made.builder is builder
    assert made.hierarchy.label("31", 1) == made.hierarchy.label("30", 1)


def test_a_hierarchy_whose_builder_looks_at_a_removed_column_follows_without_it(
    project: Project,
) -> None:
    builder = builders.create("taxonomy", from_column="country")
    entry = AttributeHierarchy(Hierarchy.from_rows(CITIES), builder=builder)
    after = edits.replace_values(edits.set_hierarchy(project, "city", entry), "city", {"Köln": "Cologne"})
    assert after.hierarchies["city"].builder is None
    assert rows(after, "city")[3] == ("Cologne", "West", "*")


def test_ordered_categories_follow(project: Project) -> None:
    column = project.table.column("city")
    values = ("Bonn", "bonn", "Berln", "Berlin", "Köln")
    ordered = make_column(
        "city", column.labels, column.codes, DataType(Kind.ORDERED, "", values), column.missing_label
    )
    before = edits.set_column(project, ordered)
    after = edits.replace_values(before, "city", {"Berln": "Berlin", "bonn": "Beuel"})
    assert after.table.column("city").data_type.values == ("Bonn", "Beuel", "Berlin", "Köln")


def test_a_value_that_does_not_fit_the_type_is_refused(project: Project) -> None:
    with pytest.raises(TableError, match="'many' is not a whole number"):
        edits.replace_values(project, "age", {"200": "many"})


def test_missing_cells_are_not_replaced_and_values_become_missing_only_if_there_are_missing_tokens(
    project: Project,
) -> None:
    with pytest.raises(InputError, match="Missing cells"):
        edits.replace_values(project, "city", {"": "Bonn"})
    age = project.table.column("age").take(project.table.column("age").codes == 0)
    strict = replace(project, table=Table((age,)), options=replace(project.options, missing=()))
    with pytest.raises(InputError, match="no missing tokens are set"):
        edits.replace_values(strict, "age", {"30": None})


def test_values_that_change_nothing_leave_the_project_unchanged(project: Project) -> None:
    assert edits.replace_values(project, "city", {"Bonn": "Bonn"}) is project


def test_matches_are_counted_with_what_becomes_one_and_what_becomes_missing(project: Project) -> None:
    found = find_matches(project, "city", "b", "B")
    assert found.changes == {"bonn": "Bonn"}
    assert (found.n_cells, found.n_merged, found.n_missing) == (1, 1, 0)
    assert find_matches(project, "city", "BONN", "x", case=True).changes == {}
    assert find_matches(project, "city", "Bon", "x", whole=True).changes == {}
    gone = find_matches(project, "city", "bonn", "", whole=True)
    assert gone.changes == {"Bonn": None, "bonn": None}
    assert (gone.n_cells, gone.n_missing) == (2, 2)
    assert find_matches(project, "city", "er", r"\1").changes["Berlin"] == r"B\1lin"


def test_a_filter_of_the_subset_that_names_a_replaced_value_is_reported(project: Project) -> None:
    chosen = edits.set_subset(project, Subset(filter="age in (30, 40) or city = 'Berln'"))
    assert filters_that_name(chosen, "city", ["Berln"]) == ("age in (30, 40) or city = 'Berln'",)
    assert filters_that_name(chosen, "age", ["30"])
    assert filters_that_name(chosen, "city", ["Bonn"]) == ()
    assert filters_that_name(project, "city", ["Berln"]) == ()


def of_names(tmp_path: Path, *names: str) -> Table:
    path = tmp_path / "names.csv"
    path.write_text("\n".join(["name", *names]) + "\n", encoding="utf-8")
    return read_table(path, ReadOptions())[0]


@pytest.fixture
def people(tmp_path: Path) -> Project:
    """Return four people; Ann and Cy are released."""
    path = tmp_path / "people.csv"
    path.write_text("name,age\nAnn,1\nBob,1\nCy,2\nDi,2\n", encoding="utf-8")
    table, options = read_table(path, ReadOptions())
    rows = Subset(rows=of_names(tmp_path, "Ann", "Cy"), path=tmp_path / "names.csv")
    return edits.set_subset(Project("people", path, options, table), rows)


@pytest.mark.parametrize(
    "changes", [{"Ann": "Zed", "Bob": "Ann"}, {"Ann": "12"}, {"Cy": "C"}, {"Bob": "Di"}, {"Ann": None}]
)
def test_the_rows_of_a_subset_follow_so_that_the_same_people_are_released(
    people: Project, changes: dict[str, str | None]
) -> None:
    after = edits.replace_values(people, "name", changes)
    assert records_of(after.subset, after.table).tolist() == [0, 2]
    assert (after.subset.path is None) == (not {"Ann", "Cy"}.isdisjoint(changes))


def test_a_change_after_which_other_people_would_be_released_is_refused(people: Project) -> None:
    with pytest.raises(InputError, match="other records"):
        edits.replace_values(people, "name", {"Bob": "Cy"})
    assert edits.replace_values(people, "age", {"1": "3"}).subset is people.subset


def test_rows_that_look_like_another_type_follow_as_text(tmp_path: Path) -> None:
    path = tmp_path / "codes.csv"
    path.write_text("name\nx\n1\n2\n", encoding="utf-8")
    table, options = read_table(path, ReadOptions())
    project = Project("codes", path, options, table)
    project = edits.set_subset(project, Subset(rows=of_names(tmp_path, "1")))
    after = edits.replace_values(project, "name", {"1": "one"})
    assert after.subset is not None
    assert records_of(after.subset, after.table).tolist() == records_of(project.subset, table).tolist()


@pytest.mark.parametrize("is_built", [False, True])
def test_the_table_of_a_population_follows(tmp_path: Path, *, is_built: bool) -> None:
    table = of_names(tmp_path, "Ann", "Bob")
    project = Project("people", None, ReadOptions(), table)
    project = edits.set_roles(project, ["name"], Role.QUASI_IDENTIFYING)
    project = edits.set_population(project, Population(table=of_names(tmp_path, "Ann", "Bob", "Cy")))
    entry = AttributeHierarchy(Hierarchy.from_rows([[name, "*"] for name in ("Ann", "Bob", "Cy")]))
    if is_built:
        entry = replace(entry, builder=builders.create("masking"))
    project = edits.set_hierarchy(project, "name", entry)
    after = edits.replace_values(project, "name", {"Ann": "Zoe"})
    assert after.population.table.column("name").labels == ("Bob", "Cy", "Zoe")
    assert compile_problem(after).people is not None


def test_a_release_with_replaced_values_is_confirmed_against_the_original_file(
    examples: Path, tmp_path: Path
) -> None:
    from engine.pipeline import anonymize, export_release
    from engine.project.recipe.files import read_recipe

    hospital = read_recipe(examples / "hospital" / "recipe.toml")
    disease = hospital.table.column("disease").labels[0]
    after = edits.replace_values(hospital, "disease", {disease: "something else"})
    city = after.table.column(hospital.quasi_identifying[0]).labels[0]
    other = after.table.column(hospital.quasi_identifying[0]).labels[1]
    after = edits.replace_values(after, hospital.quasi_identifying[0], {city: other})
    path = tmp_path / "released.csv"
    assert export_release(after, anonymize(after).release, path).ok
    assert "something else" in path.read_text(encoding="utf-8")
