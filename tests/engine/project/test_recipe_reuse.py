"""A recipe on next month's table: what fits is kept, what does not is said, and nothing new leaves unseen."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import numpy as np
import pytest

from engine.advice.preflight import preflight
from engine.errors import InputError
from engine.pipeline import anonymize, export_release
from engine.project.attack_settings import AttackSettings
from engine.project.recipe.files import read_recipe, write_recipe
from engine.project.recipe.reuse import apply_recipe
from engine.project.reimport import reimport
from engine.records import Kind, Role, Table
from engine.records.databases.address import DatabaseAddress, file_url
from engine.records.options import ReadOptions

RECIPE = """
[data]
path = "june.csv"
delimiter = ";"
missing = ["", "?"]
columns = [{source = "Name", name = "name"}, {source = "age", name = "age"}, {source = "zip", name = "zip"},
           {source = "ill", name = "illness"}]
replace = [{column = "illness", old = "flue", new = "flu"}]
[data.types]
"name" = "text"
"age" = "integer"
"zip" = "text"
"illness" = "text"
[roles]
identifying = ["name"]
quasi_identifying = ["age", "zip"]
sensitive = ["illness"]
[hierarchies."age"]
builder = "intervals"
width = 10
[hierarchies."zip"]
path = "zip.csv"
[[privacy]]
model = "k_anonymity"
k = 2
[[privacy]]
model = "distinct_l_diversity"
column = "illness"
l = 2
[transformation]
identifying = "pseudonym"
suppression_limit = 0.5
[search.weights]
"zip" = 2.0
"""
JUNE = "Name;age;zip;ill;note\nAnn;31;10;flu;a\nBob;34;10;gout;b\nCid;52;20;?;c\n"
JULY = "Name;zip;age;ill;note\nDan;10;33;flue;x\nEve;30;38;gout;y\nFay;20;57;flu;z\n"


@pytest.fixture
def recipe(tmp_path: Path) -> Path:
    (tmp_path / "june.csv").write_text(JUNE)
    (tmp_path / "july.csv").write_text(JULY)
    (tmp_path / "zip.csv").write_text("10;*\n20;*\n")
    path = tmp_path / "recipe.toml"
    path.write_text(RECIPE)
    return path


def test_the_next_table_is_read_and_treated_as_the_recipe_says_and_gaps_are_reported(recipe: Path) -> None:
    (recipe.parent / "june.csv").unlink()
    project, changes = apply_recipe(recipe, recipe.parent / "july.csv")
    assert project.table.names == ("name", "age", "zip", "illness")
    assert project.table.column("illness").labels == ("flu", "gout")
    assert project.table.column("zip").data_type.kind is Kind.TEXT
    assert (project.quasi_identifying, project.sensitive) == (("age", "zip"), ("illness",))
    assert [model.key for model in project.requirement.models] == ["k_anonymity", "distinct_l_diversity"]
    assert (project.source, dict(project.search.weights)) == (recipe.parent / "july.csv", {"zip": 2.0})
    assert (changes.n_before, changes.n_after, changes.gaps) == (None, 3, {"zip": ("30",)})
    assert (changes.added, changes.removed, changes.retyped) == ((), (), {})


def test_its_release_is_verified_against_the_new_table(recipe: Path) -> None:
    (recipe.parent / "zip.csv").write_text("10;*\n20;*\n30;*\n")
    project, _ = apply_recipe(recipe, recipe.parent / "july.csv")
    verdict = export_release(project, anonymize(project).release, recipe.parent / "out.csv")
    assert verdict.ok


def test_on_its_own_table_a_recipe_gives_what_it_always_does(recipe: Path) -> None:
    project, changes = apply_recipe(recipe, recipe.parent / "june.csv")
    usual = read_recipe(recipe)
    assert project.roles == usual.roles
    assert project.table.names == usual.table.names
    assert [c.labels for c in project.table.columns] == [c.labels for c in usual.table.columns]
    assert not any((changes.added, changes.removed, changes.retyped, changes.gaps, changes.n_models_lost))


def test_removed_columns_take_their_settings_along(recipe: Path) -> None:
    recipe.write_text(f'{RECIPE}\n[[attackers]]\nname = "neighbour"\ncolumns = ["age", "zip"]\nk = 2\n')
    (recipe.parent / "july.csv").write_text("Name;age\nDan;33\nEve;38\n")
    project, changes = apply_recipe(recipe, recipe.parent / "july.csv")
    assert changes.removed == ("zip", "illness")
    assert changes.n_models_lost == 1
    first, attacker = project.requirement.models
    assert (first.key, getattr(attacker, "known", None)) == ("k_anonymity", ("age",))
    assert (project.quasi_identifying, tuple(project.hierarchies), dict(project.search.weights)) == (
        ("age",),
        ("age",),
        {},
    )


def test_an_attack_test_does_without_removed_columns(recipe: Path) -> None:
    names = 'columns = ["age", "zip", "illness"]\nfirst = ["zip"]\nsecret = "illness"\n'
    recipe.write_text(f"{RECIPE}\n[attack_test]\nseed = 4\n{names}")
    (recipe.parent / "july.csv").write_text("Name;age\nDan;33\nEve;38\n")
    project, _ = apply_recipe(recipe, recipe.parent / "july.csv")
    assert project.attack_test == AttackSettings(seed=4, columns=("age",))
    before = read_recipe(recipe)
    after, _ = reimport(before, before.table.take(np.arange(2)), before.options, None)
    assert after.attack_test == before.attack_test
    some = Table(tuple(c for c in before.table.columns if c.name != "zip"))
    after, _ = reimport(before, some, before.options, None)
    assert after.attack_test == AttackSettings(seed=4, columns=("age", "illness"), secret="illness")


def test_persons_of_the_recipe_are_counted_or_reported_as_lost(recipe: Path) -> None:
    recipe.write_text(RECIPE.replace('["name"]', '["name"]\nperson = "name"'))
    project, changes = apply_recipe(recipe, recipe.parent / "july.csv")
    assert (project.person, changes.lost_person) == ("name", "")
    (recipe.parent / "july.csv").write_text("age;zip;ill\n33;10;flu\n38;30;gout\n")
    project, changes = apply_recipe(recipe, recipe.parent / "july.csv")
    assert (project.person, changes.lost_person) == (None, "name")


def test_weights_of_the_recipe_are_kept_or_reported_as_lost(recipe: Path) -> None:
    text = RECIPE.replace('["name"]', '["name"]\nweight = "w"\nhousehold = "name"')
    recipe.write_text(text.replace('name = "illness"}]', 'name = "illness"}, {source = "w", name = "w"}]'))
    (recipe.parent / "july.csv").write_text("Name;age;w\nDan;33;10\nEve;38;12\n")
    project, changes = apply_recipe(recipe, recipe.parent / "july.csv")
    assert (project.weight, project.household) == ("w", "name")
    (recipe.parent / "july.csv").write_text("age;zip;ill\n33;10;flu\n38;30;gout\n")
    project, changes = apply_recipe(recipe, recipe.parent / "july.csv")
    assert (project.weight, project.household) == (None, None)
    assert (changes.lost_weight, changes.lost_household) == ("w", "name")


def test_a_column_that_is_new_has_no_role_also_where_the_recipe_lists_those_it_knows(recipe: Path) -> None:
    text = "\n".join(line for line in RECIPE.splitlines() if not line.startswith(("columns", "        ")))
    recipe.write_text(text.replace('"illness"', '"ill"').replace('"name"', '"Name"'))
    project, changes = apply_recipe(recipe, recipe.parent / "july.csv")
    assert (changes.added, project.undecided) == (("note",), ("note",))
    assert project.transformation.identifier_rule("Name").key == "pseudonym"


def test_a_column_no_recipe_names_has_no_role_and_the_preflight_says_so(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("age,sex,note\n1,f,x\n2,m,y\n")
    recipe = tmp_path / "recipe.toml"
    recipe.write_text(
        '[data]\npath = "none.csv"\n[roles]\nquasi_identifying = ["age"]\nsensitive = ["sex"]\n'
    )
    project, changes = apply_recipe(recipe, tmp_path / "t.csv")
    assert (changes.added, project.undecided, dict(project.roles)) == (
        ("note",),
        ("note",),
        {"age": Role.QUASI_IDENTIFYING, "sex": Role.SENSITIVE},
    )
    finding = next(found for found in preflight(project) if found.key == "undecided")
    assert "1 of 3 columns has no role yet: note." in finding.detail


def test_a_type_that_no_longer_fits_is_reported(recipe: Path) -> None:
    (recipe.parent / "july.csv").write_text(JULY.replace("33", "thirty"))
    project, changes = apply_recipe(recipe, recipe.parent / "july.csv")
    assert [(was.kind, now.kind) for was, now in changes.retyped.values()] == [(Kind.INTEGER, Kind.TEXT)]
    assert project.table.column("age").data_type.kind is Kind.TEXT


def test_a_hierarchy_built_from_a_removed_column_is_reported_and_omitted(recipe: Path) -> None:
    steps = 'builder = "intervals"\nwidth = 10'
    text = RECIPE.replace(steps, 'builder = "taxonomy"\nfrom_column = "note"')
    note = '{source = "note", name = "note"}, {source = "ill"'
    recipe.write_text(text.replace('{source = "ill"', note))
    assert "age" in apply_recipe(recipe, recipe.parent / "july.csv")[0].hierarchies
    (recipe.parent / "july.csv").write_text("Name;zip;age;ill\nDan;10;33;flu\nEve;20;38;gout\n")
    project, changes = apply_recipe(recipe, recipe.parent / "july.csv")
    assert dict(changes.lost_hierarchies) == {"age": "A column that it is built from was removed."}
    assert ("age" in project.hierarchies, "age" in project.quasi_identifying) == (False, True)


def test_a_table_with_other_columns_altogether_is_refused(recipe: Path) -> None:
    (recipe.parent / "july.csv").write_text("a;b\n1;2\n")
    with pytest.raises(InputError, match="none of the columns"):
        apply_recipe(recipe, recipe.parent / "july.csv")


def test_a_hierarchy_that_is_not_there_is_named_as_the_recipe_does(recipe: Path) -> None:
    moved = (recipe.parent / "zip.csv").rename(recipe.parent / "codes.csv")
    with pytest.raises(InputError) as refusal:
        apply_recipe(recipe, recipe.parent / "july.csv")
    assert refusal.value.context["missing"] == "zip.csv"
    project, _ = apply_recipe(recipe, recipe.parent / "july.csv", moved={"zip.csv": moved})
    assert project.hierarchies["zip"].path == moved


def test_the_table_is_read_differently_on_request(recipe: Path) -> None:
    (recipe.parent / "july.csv").write_text(JULY.replace(";", "|"))
    with pytest.raises(InputError, match="none of the columns"):
        apply_recipe(recipe, recipe.parent / "july.csv")
    how = ReadOptions(delimiter="|", types={"age": read_recipe(recipe).table.column("name").data_type})
    project, _ = apply_recipe(recipe, recipe.parent / "july.csv", how=how)
    assert project.table.n_records == 3
    assert project.table.column("age").data_type.kind is Kind.TEXT


def test_a_recipe_is_applied_to_a_table_of_a_database_and_written_for_it(recipe: Path) -> None:
    connection = sqlite3.connect(recipe.parent / "t.db")
    with connection:
        connection.execute("CREATE TABLE july (Name TEXT, age INTEGER, zip TEXT, ill TEXT)")
        connection.executemany(
            "INSERT INTO july VALUES (?, ?, ?, ?)", [("Dan", 33, "10", "flue"), ("Eve", 38, "20", "gout")]
        )
    connection.close()
    project, _ = apply_recipe(recipe, DatabaseAddress(file_url(recipe.parent / "t.db"), "july"))
    assert project.table.column("illness").labels == ("flu", "gout")
    assert project.source is None
    write_recipe(project, recipe.parent / "july.toml")
    again = read_recipe(recipe.parent / "july.toml")
    assert (again.database, again.table.names) == (project.database, project.table.names)
    assert again.table.column("illness").labels == ("flu", "gout")
