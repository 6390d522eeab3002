"""Damaged project files: readable parts are opened, lost ones reported, and nothing is put in their place."""

from __future__ import annotations

import json
import random
import zipfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from engine.errors import InputError, ProjectFileError
from engine.hierarchies import Hierarchy
from engine.hierarchies.builders.base import builders
from engine.privacy import Requirement
from engine.privacy.k_anonymity import KAnonymity
from engine.project import Project, edits
from engine.project.compile import compile_problem
from engine.project.pins_and_runs import Choice, Pin, ProjectState, Run
from engine.project.population import Population
from engine.project.project import AttributeHierarchy, frozen
from engine.project.reimport import reimport
from engine.project.storage.file import hierarchy_text, open_project, save_project
from engine.project.storage.members import DamagedFileError
from engine.project.storage.opened_project import OpenedProject
from engine.project.storage.salvage import salvage
from engine.project.subset import Subset
from engine.recoding.rules import column_rules
from engine.records import Column, Kind, Role, Table
from engine.records.opening.files import read_table
from tests.project_differences import project_differences

CHOICE = Choice(("age", "sex"), (2, 0), Requirement((KAnonymity(5),), 0.29), "precision")
RUNS, PINS = (Run(CHOICE, "2026-11-22T09:30", {"k": 5}),), (Pin(CHOICE, "idea"),)
STATE = ProjectState((0, 1, 0, 2, 1), (0, 0, 0, 0, 0), RUNS, PINS)


@pytest.fixture(scope="module")
def whole(clinic: Project, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Return the bytes of a project file."""
    path = tmp_path_factory.mktemp("saved") / "clinic.anon"
    save_project(clinic, path, STATE)
    return path.read_bytes()


@pytest.fixture
def file(tmp_path: Path, whole: bytes) -> Path:
    """Return a project file to damage."""
    path = tmp_path / "clinic.anon"
    path.write_bytes(whole)
    return path


def rewritten(path: Path, change: Callable[[str, bytes], bytes | None]) -> None:
    """Change members of a project file but not its first one; None omits one."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, old in members.items():
            new = change(name, old)
            if new is not None:
                archive.writestr(name, new)


def without(path: Path, *names: str) -> OpenedProject:
    """Open the rest of a project whose members are missing."""
    rewritten(path, lambda name, data: None if name in names else data)
    with pytest.raises(DamagedFileError):
        open_project(path)
    return salvage(path)


def opened(path: Path) -> OpenedProject | None:
    """Open a file as the program does; None if it is refused with a sentence."""
    with suppress(DamagedFileError):
        return open_project(path)
    try:
        found = salvage(path)
    except ProjectFileError as error:
        refused = error
    else:
        assert found.losses, "a damaged file is never opened as if it were whole"
        return found
    assert refused.problem.startswith("'clinic.anon'")
    assert refused.hint
    return None


def cells(column: Column) -> list[str]:
    return [column.labels[code] for code in column.codes]


def assert_nothing_is_passed_off(found: OpenedProject, clinic: Project) -> None:
    """Whatever came back is what was saved; whatever is not is named as lost."""
    project, state, losses = found
    lost = " ".join(loss.what for loss in losses)
    assert [c.name for c in project.table.columns] == [c.name for c in clinic.table.columns]
    for column in clinic.table.columns:
        assert cells(project.table.column(column.name)) == cells(column)
    if "All settings" not in lost:
        assert project.requirement == clinic.requirement
        assert project.transformation == clinic.transformation
        assert project.quasi_identifying == clinic.quasi_identifying
    for name, entry in clinic.hierarchies.items():
        if f"hierarchy of '{name}'" not in lost:
            assert hierarchy_text(project.hierarchies[name].hierarchy) == hierarchy_text(entry.hierarchy)
        else:
            assert name not in project.hierarchies
    if "releases" not in lost:
        assert state.runs == STATE.runs
    if "pinned" not in lost:
        assert state.pins == STATE.pins
    assert state.applied in (STATE.applied, None)
    if not losses:
        assert project_differences(clinic, project) == ()
        assert state == STATE


def drawn(whole: bytes, seed: int) -> list[int]:
    """50 places of a file, half of them behind its table, which takes most of the room."""
    draw = random.Random(seed)
    end = whole.rindex(b"PK\x03\x04", 0, whole.rindex(b"notes.json", 0, whole.index(b"PK\x01\x02")))
    return draw.sample(range(end), 25) + draw.sample(range(end, len(whole)), 25)


def test_a_file_cut_short_at_any_place_is_refused(file: Path, whole: bytes) -> None:
    for place in drawn(whole, 8):
        file.write_bytes(whole[:place])
        assert opened(file) is None, "its directory is at its end"


def test_any_changed_byte_is_noticed_or_changes_nothing(file: Path, whole: bytes, clinic: Project) -> None:
    draw = random.Random(88)
    n_opened = 0
    for place in drawn(whole, 88):
        changed = bytearray(whole)
        changed[place] ^= draw.randrange(1, 256)
        file.write_bytes(bytes(changed))
        found = opened(file)
        if found is not None:
            n_opened += 1
            assert_nothing_is_passed_off(found, clinic)
    assert n_opened > 20


@pytest.mark.parametrize(
    ("member", "what"),
    [
        ("project.json", "Its name, the chosen nodes"),
        ("recipe.toml", "All settings"),
        ("hierarchies/003.csv", "The hierarchy of 'age'"),
        ("history.json", "The releases that were applied"),
        ("notes.json", "The pinned nodes"),
    ],
)
def test_lost_parts_are_named_and_the_rest_comes_back(
    file: Path, clinic: Project, member: str, what: str
) -> None:
    found = without(file, member)
    assert found.losses[0].what.startswith(what)
    assert all(loss.why and loss.hint for loss in found.losses)
    assert_nothing_is_passed_off(found, clinic)


def test_without_its_settings_the_hierarchies_keep_their_columns(file: Path, clinic: Project) -> None:
    project, state, _ = without(file, "recipe.toml")
    assert set(project.hierarchies) == set(clinic.hierarchies)
    assert not project.roles
    assert state.applied is None
    assert state.runs == STATE.runs


def test_a_release_made_from_lost_parts_is_not_taken_for_the_current_one(file: Path) -> None:
    _, state, losses = without(file, "hierarchies/003.csv")
    assert (state.applied, state.selected) == (None, None)
    assert "The applied release" in [loss.what for loss in losses]


def test_a_lost_subset_and_a_lost_population_are_named(
    clinic: Project, tmp_path: Path, examples: Path
) -> None:
    rows = replace(Subset(rows=clinic.table))
    path = tmp_path / "clinic.anon"
    save_project(replace(clinic, subset=rows), path)
    project, _, losses = without(path, "subset.parquet")
    assert project.subset is None
    assert losses[0].what == "The selection of released records"
    assert losses[0].hint == "All records are released until you select some again."


def test_a_file_without_its_table_is_refused_with_its_readable_parts(file: Path) -> None:
    words = r"its table is lost: .* Readable parts: recipe\.toml, hierarchies/"
    with pytest.raises(DamagedFileError, match=words) as caught:
        without(file, "table.parquet")
    assert "Open an earlier copy" in caught.value.hint


def test_a_member_of_another_project_is_not_taken(file: Path, clinic: Project, tmp_path: Path) -> None:
    other = tmp_path / "other.anon"
    save_project(replace(clinic, requirement=Requirement((KAnonymity(2),), 1.0)), other)
    with zipfile.ZipFile(other) as archive:
        recipe = archive.read("recipe.toml")
    rewritten(file, lambda name, data: recipe if name == "recipe.toml" else data)
    found = salvage(file)
    assert found.losses[0].what == "All settings"
    assert_nothing_is_passed_off(found, clinic)


def test_a_second_member_of_a_name_is_passed_over(file: Path, clinic: Project) -> None:
    with zipfile.ZipFile(file, "a") as archive, pytest.warns(UserWarning, match="Duplicate"):
        archive.writestr("recipe.toml", b"format = 1\n")
    found = opened(file)
    assert project_differences(clinic, found.project) == ()
    assert found.losses[0].hint.startswith("Nothing is lost")


def test_a_damaged_file_of_a_newer_version_is_refused_too(file: Path) -> None:
    def newer(name: str, data: bytes) -> bytes | None:
        about = json.loads(data) | {"format": 99} if name == "project.json" else None
        return json.dumps(about).encode() if about else data if name != "notes.json" else None

    rewritten(file, newer)
    with pytest.raises(ProjectFileError, match="format 99"):
        salvage(file)


def test_a_member_packed_beyond_measure_is_not_unpacked(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.project.storage.members.MOST_UNPACKED", 1 << 16)
    with zipfile.ZipFile(file) as old:
        members = {name: old.read(name) for name in old.namelist()}
    members["history.json"] = b"[" + b" " * (1 << 20) + b"]"
    with zipfile.ZipFile(file, "w") as new:
        for name, data in members.items():
            new.writestr(name, data, None if name.endswith(".parquet") else zipfile.ZIP_DEFLATED)
    assert "The releases that were applied" in [loss.what for loss in salvage(file).losses]


def small(folder: Path) -> Project:
    path = folder / "small.csv"
    path.write_text("id,age,town\nAnn,1,x\nBob,2,y\nCy,3,x\nDi,4,y\n", encoding="utf-8")
    table, options = read_table(path)
    project = edits.set_roles(Project("small", path, options, table), ["age"], Role.QUASI_IDENTIFYING)
    return edits.set_roles(project, ["id"], Role.IDENTIFYING)


def test_parts_that_do_not_go_with_the_rest_are_named_and_the_rest_comes_back(tmp_path: Path) -> None:
    project, path = small(tmp_path), tmp_path / "small.anon"
    taxonomy = builders.create("taxonomy", from_column="town")
    entry = AttributeHierarchy(Hierarchy.identity(tuple("1234")), builder=taxonomy)
    masking = frozen({"id": column_rules.create("mask")})
    project = replace(
        edits.set_hierarchy(project, "age", entry),
        subset=Subset(size=2),
        transformation=replace(project.transformation, identifiers=masking),
    )
    less = Table((project.table.column("age"),))
    roles = frozen({"age": Role.QUASI_IDENTIFYING})
    save_project(replace(project, table=less, roles=roles), path)
    with pytest.raises(DamagedFileError):
        open_project(path)
    found = salvage(path)
    assert [loss.what for loss in found.losses] == [
        "The rules of identifying columns",
        "The hierarchy of 'age'",
    ]
    assert all(loss.why and loss.hint for loss in found.losses)
    assert found.project.quasi_identifying == ("age",)
    assert found.project.subset == Subset(size=2)


@pytest.mark.parametrize("edited", ["replaced", "retyped", "shorter", "without the column"])
def test_a_subset_that_an_edit_has_emptied_is_saved_opened_and_reported_when_used(
    tmp_path: Path, edited: str
) -> None:
    project = small(tmp_path)
    if edited == "replaced":
        project = edits.set_subset(project, Subset(filter="town = 'x'"))
        project = edits.replace_values(project, "town", {"x": "w"})
    elif edited == "retyped":
        project = edits.set_subset(project, Subset(filter="age >= 3"))
        project = edits.set_columns(project, ["age"], kind=Kind.TEXT)
    else:
        short = "id,age,town\nAnn,1,x\n" if edited == "shorter" else "id,age\nAnn,1\n"
        chosen = Subset(size=4) if edited == "shorter" else Subset(filter="town = 'x'")
        (tmp_path / "next.csv").write_text(short, encoding="utf-8")
        table, options = read_table(tmp_path / "next.csv")
        project = edits.set_subset(project, chosen)
        project, _ = reimport(project, table, options, tmp_path / "next.csv")
    save_project(project, tmp_path / "small.anon")
    found = open_project(tmp_path / "small.anon")
    assert found.project.subset == project.subset
    assert project_differences(project, found.project) == ()
    with pytest.raises(InputError):
        compile_problem(found.project)


def test_a_population_of_other_columns_is_saved_and_opened(tmp_path: Path) -> None:
    project = small(tmp_path)
    people = Population(table=Table((project.table.column("town"),)))
    project = replace(
        project, population=people, table=Table((project.table.column("age"),)), roles=frozen({})
    )
    save_project(project, tmp_path / "small.anon")
    found = open_project(tmp_path / "small.anon").project.population
    assert found.table.names == ("town",)


def test_an_empty_file_a_missing_one_and_a_folder_are_refused(tmp_path: Path) -> None:
    (tmp_path / "clinic.anon").write_bytes(b"")
    for path, reason in (
        ("clinic.anon", "not a complete zip"),
        ("none.anon", "does not exist"),
        (".", "be read"),
    ):
        with pytest.raises(ProjectFileError, match=reason):
            salvage(tmp_path / path)
