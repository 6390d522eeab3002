"""The same project with another table: what is preserved, and which changes are reported."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from engine.errors import InputError
from engine.hierarchies import Hierarchy
from engine.hierarchies.builders.base import builders
from engine.pipeline import export_release
from engine.privacy import Requirement
from engine.privacy.distinct_l_diversity import DistinctLDiversity
from engine.privacy.k_anonymity import KAnonymity
from engine.project import Project, edits
from engine.project.compile import compile_problem
from engine.project.project import AttributeHierarchy, frozen
from engine.project.reimport import Changes, reimport
from engine.project.storage.file import open_project, save_project
from engine.project.subset import Subset
from engine.recoding import make_release
from engine.records import Role
from engine.records.opening.files import read_table
from engine.records.options import ReadOptions, Replacement
from engine.records.types import DataType, Kind

FIRST = "age,sex,illness\n30,f,flu\n40,m,flu\n40,m,asthma\n"


def made(folder: Path, text: str = FIRST) -> Project:
    path = folder / "first.csv"
    path.write_text(text)
    table, options = read_table(path)
    project = edits.set_roles(Project("p", path, options, table), ("age", "sex"), Role.QUASI_IDENTIFYING)
    project = edits.set_roles(project, ("illness",), Role.SENSITIVE)
    sexes = Hierarchy.from_rows([("f", "*"), ("m", "*")])
    project = edits.set_hierarchy(project, "sex", AttributeHierarchy(sexes))
    project = edits.set_weights(project, {"sex": 0.5, "age": 2.0})
    models = (KAnonymity(3), DistinctLDiversity("illness", 2))
    return replace(project, requirement=Requirement(models, 0.1))


def again(project: Project, folder: Path, text: str) -> tuple[Project, Changes]:
    path = folder / "second.csv"
    path.write_text(text)
    table, options = read_table(path, ReadOptions(missing=project.options.missing))
    return reimport(project, table, options, path)


def test_the_same_table_changes_nothing_and_keeps_every_column(tmp_path: Path) -> None:
    project = made(tmp_path)
    after, changes = again(project, tmp_path, FIRST)
    assert changes == Changes(3, 3)
    assert all(a is b for a, b in zip(after.table.columns, project.table.columns, strict=True))


def test_roles_hierarchies_and_settings_are_preserved_and_what_is_new_is_reported(tmp_path: Path) -> None:
    project = made(tmp_path)
    after, changes = again(project, tmp_path, "illness,sex,age,town\nflu,f,31,x\nflu,d,40,y\n")
    assert (after.roles, after.qi_order, after.requirement) == (
        project.roles,
        project.qi_order,
        project.requirement,
    )
    assert after.search == project.search
    assert after.source == tmp_path / "second.csv"
    assert (changes.added, after.undecided) == (("town",), ("town",))
    assert changes.gaps == {"sex": ("d",)}
    assert changes.new_values == {"age": 1, "sex": 1}
    assert changes.gone_values == {"age": 1, "sex": 1, "illness": 1}
    assert (changes.n_before, changes.n_after) == (3, 2)


def test_an_identifier_by_another_name_is_not_released_until_the_user_decides(tmp_path: Path) -> None:
    (tmp_path / "names.csv").write_text("id,age\nAnn,1\nBob,1\n")
    table, options = read_table(tmp_path / "names.csv")
    project = edits.set_roles(Project("p", None, options, table), ["id"], Role.IDENTIFYING)
    project = edits.set_roles(project, ["age"], Role.QUASI_IDENTIFYING)
    masking = replace(project.transformation, identifying="mask", identifying_options={"keep_first": 2})
    for before in (project, replace(project, transformation=masking)):
        before = replace(before, requirement=Requirement((), 1.0))
        after, changes = again(before, tmp_path, "Id,age\nCara,1\nDave,1\n")
        assert (changes.added, after.undecided) == (("Id",), ("Id",))
        problem = compile_problem(after)
        release = make_release(after, problem, problem.lattice.node(0))
        assert release.column("Id") is None
        with pytest.raises(InputError, match=r"1 column has no role.*'Id' \(suggested: "):
            export_release(after, release, tmp_path / "out.csv")
        assert not (tmp_path / "out.csv").exists()


def test_columns_added_before_any_role_is_given_have_none_either(tmp_path: Path) -> None:
    project = replace(made(tmp_path), roles=frozen({}), qi_order=(), requirement=Requirement((), 0.1))
    after, changes = again(project, tmp_path, "age,town\n30,x\n")
    assert (changes.added, after.undecided, dict(after.roles)) == (("town",), ("age", "town"), {})


def test_a_builder_that_looks_at_a_column_that_is_no_more_goes_and_its_hierarchy_stays(
    tmp_path: Path,
) -> None:
    project = made(tmp_path)
    sexes = replace(project.hierarchies["sex"], builder=builders.create("taxonomy", from_column="illness"))
    project = edits.set_hierarchy(project, "sex", sexes)
    after, _ = again(project, tmp_path, "age,sex\n30,f\n41,m\n")
    assert after.hierarchies["sex"].builder is None
    assert after.hierarchies["sex"].hierarchy is sexes.hierarchy
    save_project(after, tmp_path / "p.anon")
    assert set(open_project(tmp_path / "p.anon").project.hierarchies) == {"sex"}


def test_everything_about_a_removed_column_is_removed_and_reported(tmp_path: Path) -> None:
    project = replace(made(tmp_path), target="illness")
    after, changes = again(project, tmp_path, "age\n30\n41\n")
    assert changes.removed == ("sex", "illness")
    assert changes.n_models_lost == 1
    assert after.quasi_identifying == ("age",)
    assert dict(after.hierarchies) == {}
    assert dict(after.search.weights) == {"age": 2.0}
    assert after.target is None
    assert set(after.roles) == {"age"}


def test_persons_of_a_removed_column_are_no_longer_counted_and_that_is_reported(tmp_path: Path) -> None:
    project = made(tmp_path, "id,age,sex,illness\n1,30,f,flu\n1,40,m,flu\n")
    project = edits.set_person(edits.set_roles(project, ["id"], Role.IDENTIFYING), "id")
    kept, unchanged = again(project, tmp_path, "id,age,sex,illness\n2,30,f,flu\n")
    assert (kept.person, unchanged.lost_person) == ("id", "")
    after, changes = again(project, tmp_path, FIRST)
    assert (after.person, changes.lost_person) == (None, "id")


def test_removed_weights_and_households_are_reported(tmp_path: Path) -> None:
    project = made(tmp_path, "w,home,age,sex,illness\n1.5,a,30,f,flu\n2,b,40,m,flu\n")
    project = edits.set_roles(project, ["w", "home"], Role.INSENSITIVE)
    project = edits.set_household(edits.set_weight(project, "w"), "home")
    kept, unchanged = again(project, tmp_path, "w,home,age,sex,illness\n3,a,30,f,flu\n")
    assert (kept.weight, kept.household) == ("w", "home")
    assert (unchanged.lost_weight, unchanged.lost_household) == ("", "")
    after, changes = again(project, tmp_path, FIRST)
    assert (after.weight, after.household) == (None, None)
    assert (changes.lost_weight, changes.lost_household) == ("w", "home")


def test_a_type_is_preserved_if_the_values_fit_and_reported_if_they_do_not(tmp_path: Path) -> None:
    project = made(tmp_path, "age,sex,illness\n30,f,flu\n40,m,flu\n4x,m,asthma\n")
    assert project.table.column("age").data_type.kind is Kind.TEXT
    after, changes = again(project, tmp_path, FIRST)
    assert after.table.column("age").data_type.kind is Kind.TEXT  # the numbers are texts as before
    assert changes.retyped == {}
    back, changes = again(made(tmp_path), tmp_path, FIRST + "old,f,flu\n")
    assert [kind.kind for kind in changes.retyped["age"]] == [Kind.INTEGER, Kind.TEXT]
    assert back.options.types["age"].kind is Kind.TEXT


def test_a_type_chosen_for_this_table_is_used_and_reported(tmp_path: Path) -> None:
    project = made(tmp_path)
    table, options = read_table(tmp_path / "first.csv", ReadOptions(types={"age": DataType()}))
    after, changes = reimport(project, table, options, None, chosen=["age"])
    assert after.table.column("age").data_type.kind is Kind.TEXT
    assert list(changes.retyped) == ["age"]


def test_a_subset_that_is_lost_stays_and_is_reported(tmp_path: Path) -> None:
    project = edits.set_subset(made(tmp_path), Subset(filter="sex = 'm'"))
    after, changes = again(project, tmp_path, "age,illness\n30,flu\n")
    assert after.subset == project.subset  # without it all records would be released
    assert changes.subset


def test_replaced_values_are_reported_to_be_as_in_the_file_again(tmp_path: Path) -> None:
    project = made(tmp_path)
    options = replace(project.options, replacements=(Replacement("sex", "f", "w"),))
    assert again(replace(project, options=options), tmp_path, FIRST)[1].n_replaced == 1


def test_a_table_of_something_else_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="none of the columns"):
        again(made(tmp_path), tmp_path, "x,y\n1,2\n")
