"""Nothing is released before every column has a role, and it is kept who decided each."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.advice.columns import set_suggested
from engine.errors import InputError, RecipeError
from engine.pipeline import anonymize, export_release, summary
from engine.project import Project
from engine.project.deciding import by_recipe
from engine.project.edits import set_roles
from engine.project.recipe.files import read_recipe, recipe_text, write_recipe
from engine.project.recipe.reuse import apply_recipe
from engine.project.run_settings import settings_of, with_settings
from engine.project.storage.file import open_project, save_project
from engine.records import Decider, ReadOptions, Role
from engine.records.opening.files import read_table

PEOPLE = "name,age,postal code,visit date,illness\n" + "".join(
    f"{name},{age},{code},2024-01-{day:02d},{illness}\n"
    for day, (name, age, code, illness) in enumerate(
        [("Ann", 31, "01067", "flu"), ("Bob", 31, "01069", "cold"), ("Cem", 52, "04103", "flu")], start=1
    )
)
RECIPE = """\
[data]
path = "people.csv"
[roles]
identifying = ["name"]
quasi_identifying = ["age"]
sensitive = ["illness"]
{others}
[hierarchies."age"]
builder = "suppress"
[[privacy]]
model = "k_anonymity"
k = 2
"""

Recipe = Callable[[str], Path]


@pytest.fixture
def recipe(tmp_path: Path) -> Recipe:
    (tmp_path / "people.csv").write_text(PEOPLE)

    def _recipe(others: str) -> Path:
        path = tmp_path / "people.toml"
        path.write_text(RECIPE.format(others=others))
        return path

    return _recipe


@pytest.fixture
def fresh(tmp_path: Path) -> Project:
    (tmp_path / "people.csv").write_text(PEOPLE)
    table, options = read_table(tmp_path / "people.csv", ReadOptions())
    return Project("people", tmp_path / "people.csv", options, table)


def released(project: Project, folder: Path) -> list[str]:
    assert export_release(project, anonymize(project).release, folder / "out.csv").ok
    return (folder / "out.csv").read_text().splitlines()


def test_a_fresh_table_has_no_roles_and_none_of_it_is_taken_for_insensitive(fresh: Project) -> None:
    assert fresh.undecided == fresh.table.names
    assert {fresh.role(name) for name in fresh.table.names} == {None}
    assert {fresh.decider(name) for name in fresh.table.names} == {None}
    assert fresh.columns_of(Role.INSENSITIVE) == ()


@pytest.mark.parametrize("others", ["", 'others = "refuse"'])
def test_a_release_is_refused_and_names_every_column_with_the_role_suggested(
    recipe: Recipe, others: str
) -> None:
    project = read_recipe(recipe(others))
    assert project.undecided == ("postal code", "visit date")
    with pytest.raises(InputError) as caught:
        anonymize(project)
    assert "2 columns have no role" in caught.value.problem
    for name in project.undecided:
        assert f"'{name}' (suggested: quasi-identifying)" in caught.value.problem
    assert 'others = "withhold"' in caught.value.hint
    assert caught.value.context["columns"] == project.undecided


def test_a_release_made_before_is_not_exported_once_a_column_has_no_role(
    recipe: Recipe, tmp_path: Path
) -> None:
    project = read_recipe(recipe('insensitive = ["postal code", "visit date"]'))
    release = anonymize(project).release
    with pytest.raises(InputError, match="1 column has no role"):
        export_release(set_roles(project, ["visit date"], None), release, tmp_path / "out.csv")
    assert not (tmp_path / "out.csv").exists()


def test_columns_that_a_recipe_withholds_are_not_written_and_the_verifier_knows(
    recipe: Recipe, tmp_path: Path
) -> None:
    project = read_recipe(recipe('others = "withhold"'))
    assert (project.undecided, by_recipe(project)) == ((), ("postal code", "visit date"))
    assert released(project, tmp_path)[0] == "name,age,illness"
    figures = summary(project, anonymize(project), verified=True)
    assert figures["others"] == {"rule": "withhold", "columns": ["postal code", "visit date"]}


def test_columns_that_a_recipe_calls_insensitive_are_released_unchanged_and_the_summary_says_so(
    recipe: Recipe, tmp_path: Path
) -> None:
    project = read_recipe(recipe('others = "insensitive"'))
    assert project.decider("visit date") is Decider.OTHERS
    assert released(project, tmp_path)[1] == "*,*,01067,2024-01-01,flu"
    figures = summary(project, anonymize(project), verified=True)
    assert figures["others"] == {"rule": "insensitive", "columns": ["postal code", "visit date"]}


@pytest.mark.parametrize("others", ["withhold", "insensitive", "refuse"])
def test_what_a_recipe_says_of_other_columns_is_said_again_when_it_is_written(
    recipe: Recipe, others: str
) -> None:
    path = recipe(f'others = "{others}"')
    project = read_recipe(path)
    write_recipe(project, path.parent / "again.toml")
    again = read_recipe(path.parent / "again.toml")
    assert again.others == others
    assert dict(again.roles) == dict(project.roles)
    assert dict(again.decided_by) == dict(project.decided_by)
    assert again.transformation == project.transformation


def test_a_recipe_names_insensitive_columns(recipe: Recipe) -> None:
    project = read_recipe(recipe('insensitive = ["postal code", "visit date"]'))
    text = recipe_text(project, Path())
    assert 'insensitive = ["postal code", "visit date"]' in text
    assert "others" not in text
    assert {project.decider(name) for name in project.table.names} == {Decider.PERSON}


@pytest.mark.parametrize("others", ["withhold", "insensitive"])
def test_a_column_without_a_role_gets_none_by_a_recipe_that_is_written(recipe: Recipe, others: str) -> None:
    project = set_roles(read_recipe(recipe(f'others = "{others}"')), ["illness"], None)
    path = recipe("").parent / "again.toml"
    write_recipe(project, path)
    again = read_recipe(path)
    assert again.undecided == ("illness",)
    assert dict(again.roles) == dict(project.roles)
    assert again.transformation == project.transformation


@pytest.mark.parametrize(
    ("line", "problem", "hint"),
    [
        ('others = "witholds"', "unknown rule for other columns 'witholds'", "'withhold'"),
        ('insensitve = ["x"]', "unknown key 'insensitve' in [roles]", "'insensitive'"),
        ('other = "refuse"', "unknown key 'other' in [roles]", "'others'"),
        ('insensitive = ["age"]', "'age' is listed as quasi-identifying and as insensitive", "once"),
        ('others = "withhold"\ntarget = "visit date"', "the target 'visit date' has no role", "roles"),
    ],
)
def test_a_mistake_in_the_roles_is_named(recipe: Recipe, line: str, problem: str, hint: str) -> None:
    with pytest.raises(RecipeError) as caught:
        read_recipe(recipe(line))
    assert problem in caught.value.problem
    assert hint in caught.value.hint


def test_a_person_who_gives_a_withheld_column_a_role_lets_it_be_written(
    recipe: Recipe, tmp_path: Path
) -> None:
    project = read_recipe(recipe('others = "withhold"'))
    for role, text in ((Role.INSENSITIVE, "01067"), (Role.IDENTIFYING, "*")):
        decided = set_roles(project, ["postal code"], role)
        assert decided.decider("postal code") is Decider.PERSON
        assert released(decided, tmp_path)[1] == f"*,*,{text},flu"


def test_a_role_is_taken_back_to_none(fresh: Project) -> None:
    project = set_suggested(fresh)
    assert project.undecided == ()
    assert set(project.decided_by.values()) == {Decider.SUGGESTION}
    back = set_roles(project, ["age", "name"], None)
    assert back.undecided == ("name", "age")
    assert "age" not in back.qi_order
    assert back.decider("age") is None


def test_who_decided_is_kept_in_the_project_file_and_in_the_settings_of_a_run(
    recipe: Recipe, tmp_path: Path
) -> None:
    for others in ("withhold", "insensitive"):
        project = read_recipe(recipe(f'others = "{others}"'))
        project = set_roles(project, ["age"], Role.QUASI_IDENTIFYING, Decider.SUGGESTION)
        save_project(project, tmp_path / "p.anon")
        opened = open_project(tmp_path / "p.anon").project
        for found in (opened, with_settings(set_roles(project, ["age"], None), settings_of(project))):
            assert dict(found.decided_by) == dict(project.decided_by)
            assert found.decider("age") is Decider.SUGGESTION
            assert (found.others, dict(found.roles)) == (others, dict(project.roles))
            assert found.transformation == project.transformation


def as_in_format_2(path: Path, without_role: list[str] | None, version: int = 2) -> None:
    """Rewrite a project file as programs wrote it that did not name insensitive columns."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    about = json.loads(members["project.json"])
    lines = members["recipe.toml"].decode().splitlines(keepends=True)
    members["recipe.toml"] = "".join(line for line in lines if not line.startswith("insensitive")).encode()
    about = {key: part for key, part in about.items() if key not in ("decided_by", "others", "checksums")}
    about["format"] = version
    if version > 1:
        from engine.project.storage.members import checksum

        checked = {name: checksum(data) for name, data in members.items() if name != "project.json"}
        about["checksums"] = checked
    if without_role is not None:
        about["without_role"] = without_role
    members["project.json"] = json.dumps(about).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)


@pytest.mark.parametrize(
    ("version", "without_role", "undecided"),
    [(2, ["visit date"], ("visit date",)), (2, [], ()), (1, None, ())],
)
def test_an_older_project_keeps_what_was_decided(
    recipe: Recipe, tmp_path: Path, version: int, without_role: list[str] | None, undecided: tuple[str, ...]
) -> None:
    project = read_recipe(recipe('insensitive = ["postal code", "visit date"]'))
    save_project(project, tmp_path / "old.anon")
    as_in_format_2(tmp_path / "old.anon", without_role, version)
    opened = open_project(tmp_path / "old.anon").project
    assert opened.undecided == undecided
    assert opened.role("postal code") is Role.INSENSITIVE
    assert opened.decider("postal code") is Decider.PERSON


def test_the_settings_of_an_older_run_keep_what_was_decided(recipe: Recipe) -> None:
    project = read_recipe(recipe('insensitive = ["postal code", "visit date"]'))
    kept = json.loads(settings_of(project))
    lines = kept["recipe.toml"].splitlines(keepends=True)
    kept["recipe.toml"] = "".join(line for line in lines if not line.startswith("insensitive"))
    del kept["format"]
    kept["without_role"] = ["visit date"]
    found = with_settings(project, json.dumps(kept))
    assert (found.undecided, found.role("postal code")) == (("visit date",), Role.INSENSITIVE)


def test_next_month_s_new_column_has_no_role_or_the_one_the_recipe_gives_to_others(
    recipe: Recipe, tmp_path: Path
) -> None:
    rows = PEOPLE.splitlines()
    july = [f"{row},{extra}" for row, extra in zip(rows, ["ward", "A", "B", "C"], strict=True)]
    (tmp_path / "july.csv").write_text("\n".join(july) + "\n")
    project, changes = apply_recipe(recipe(""), tmp_path / "july.csv")
    assert project.undecided == ("postal code", "visit date", "ward")
    assert "ward" in changes.added
    project, _ = apply_recipe(recipe('others = "withhold"'), tmp_path / "july.csv")
    assert by_recipe(project) == ("postal code", "visit date", "ward")
    assert released(project, tmp_path)[0] == "name,age,illness"
