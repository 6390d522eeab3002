"""Recipes: they are read as they were written, and every mistake is named with its file."""
# ruff: noqa: E501  one mistake of a recipe per line reads best

from __future__ import annotations

import tempfile
import tomllib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import AnonymizerError, RecipeError, TableError
from engine.hierarchies import Hierarchy
from engine.hierarchies.builders.base import builders
from engine.privacy import Requirement
from engine.privacy.distinct_l_diversity import DistinctLDiversity
from engine.privacy.k_anonymity import KAnonymity
from engine.privacy.t_closeness import TCloseness
from engine.project import AttributeHierarchy, Project, SearchSettings, Transformation
from engine.project.compile import compile_problem
from engine.project.edits import set_column, set_hierarchy, set_weights
from engine.project.pins_and_runs import ProjectState
from engine.project.project import frozen
from engine.project.recipe.files import read_recipe, recipe_text, write_recipe
from engine.project.storage.file import open_project, save_project
from engine.records import DataType, Kind, Role, Table
from engine.records.opening.files import read_table
from engine.records.options import ReadOptions
from engine.records.values import make_column, retype
from tests.project_differences import project_differences
from tests.strategies import rarer_models

ROOT = Path(__file__).resolve().parents[3]
EXAMPLES = ROOT / "resources" / "examples"

TABLE = "name;age;zip;illness\nAnn;31;01067;flu\nBob;35;01069;cold\nCem;52;04103;flu\nDee;58;04109;asthma\n"
RECIPE = """\
format = 1

[data]
path = "people.csv"

[roles]
identifying = ["name"]
quasi_identifying = ["zip", "age"]
sensitive = ["illness"]

[hierarchies."zip"]
builder = "masking"
[hierarchies."age"]
path = "age.csv"
max_level = 1

[[privacy]]
model = "k_anonymity"
k = 2
[[privacy]]
model = "t_closeness"
column = "illness"
t = 0.5

[transformation]
suppression_limit = 0.29

[search]
metric = "precision"
[search.weights]
"age" = 2
"""


@pytest.fixture
def recipe(tmp_path: Path) -> Path:
    """Write a small recipe with all it names."""
    (tmp_path / "people.csv").write_text(TABLE, encoding="utf-8")
    (tmp_path / "age.csv").write_text("31;30-39;*\n35;30-39;*\n52;50-59;*\n58;50-59;*\n", encoding="utf-8")
    path = tmp_path / "people.toml"
    path.write_text(RECIPE, encoding="utf-8")
    return path


def test_a_recipe_gives_every_choice_it_names(recipe: Path) -> None:
    project = read_recipe(recipe)
    assert project.name == "people"
    assert project.source == recipe.with_name("people.csv")
    assert project.quasi_identifying == ("zip", "age")
    assert (project.identifying, project.sensitive, project.target) == (("name",), ("illness",), None)
    assert project.requirement == Requirement((KAnonymity(2), TCloseness("illness", 0.5)), 0.29)
    assert project.search.metric == "precision"
    assert dict(project.search.weights) == {"age": 2.0}
    assert project.transformation == Transformation()
    assert project.hierarchies["age"].path == recipe.with_name("age.csv")
    assert project.hierarchies["age"].max_level == 1
    assert project.hierarchies["zip"].hierarchy.label("01067", 1) == "0106*"
    assert project.table.column("zip").data_type.kind is Kind.TEXT


def test_what_a_recipe_leaves_out_takes_the_documented_defaults(recipe: Path) -> None:
    recipe.write_text('[data]\npath = "people.csv"\n', encoding="utf-8")
    project = read_recipe(recipe)
    assert project.requirement == Requirement((), 0.05)
    assert project.transformation == Transformation()
    assert project.search == SearchSettings()
    assert project.options.missing == ("",)
    assert project.undecided == project.table.names


def test_the_documented_defaults_of_later_work_are_accepted(recipe: Path) -> None:
    more = '[sensitive]\nothers_as_qi = false\n[population]\n[recoding]\nmethod = "none"\n'
    recipe.write_text(RECIPE + more, encoding="utf-8")
    assert read_recipe(recipe).quasi_identifying == ("zip", "age")


def test_that_others_may_be_known_is_carried(recipe: Path) -> None:
    recipe.write_text(RECIPE + "[sensitive]\nothers_as_qi = true\n", encoding="utf-8")
    project = read_recipe(recipe)
    assert project.others_as_qi
    assert compile_problem(project).others_as_qi
    assert not project_differences(project, read_again(project, recipe.parent))
    assert project_differences(project, replace(project, others_as_qi=False)) == ("Set what attackers know",)


def test_a_seed_and_the_limits_of_a_search_are_carried(recipe: Path) -> None:
    text = RECIPE.replace("0.29", "0.29\nshuffle = false\nseed = 7").replace(
        '"precision"', '"precision"\nsteps = 100\nseconds = 2.5'
    )
    recipe.write_text(text, encoding="utf-8")
    project = read_recipe(recipe)
    assert project.transformation == Transformation(seed=7)
    assert (project.search.steps, project.search.seconds) == (100, 2.5)
    assert not project_differences(project, read_again(project, recipe.parent))


def test_types_are_read_as_declared(recipe: Path) -> None:
    types = (
        '[data.types]\n"age" = "decimal"\n"zip" = {type = "ordered", '
        'values = ["04109", "04103", "01069", "01067"]}\n'
    )
    recipe.write_text(RECIPE.replace("[roles]", types + "[roles]", 1), encoding="utf-8")
    project = read_recipe(recipe)
    assert project.table.column("age").data_type.kind is Kind.DECIMAL
    assert project.table.column("zip").labels == ("04109", "04103", "01069", "01067")
    assert not project_differences(project, read_again(project, recipe.parent))


def test_categories_of_a_column_without_values_have_no_order(recipe: Path) -> None:
    project = read_recipe(recipe)
    empty = make_column("zip", [""], np.zeros(project.table.n_records, np.int32), DataType(Kind.ORDERED), "")
    project = set_column(replace(set_hierarchy(project, "zip", None), source=None), empty)
    assert not project_differences(read_again(project, recipe.parent), project)
    save_project(project, recipe.parent / "people.anon")
    assert not project_differences(open_project(recipe.parent / "people.anon")[0], project)


@pytest.mark.parametrize(
    ("old", "new", "problem", "hint"),
    [
        ("format = 1", "fromat = 1", "unknown key 'fromat' in the recipe", "'format'"),
        ("format = 1", "format = 2", "format 2, but this version supports formats up to 1", "newer version"),
        ("format = 1", "format = true", "'format' cannot be true", "a whole number"),
        ("suppression_limit", "supression_limit", "unknown key 'supression_limit' in [transformation]", "'suppression_limit'"),
        ("suppression_limit = 0.29", "suppression_limit = 5", "'suppression_limit' cannot be 5", "from 0 to 1"),
        ("suppression_limit = 0.29", "blank_suppressed = 1", "'blank_suppressed' cannot be 1", "true or false"),
        ("suppression_limit = 0.29", "seed = -1", "'seed' cannot be -1", "at least 0"),
        ('path = "people.csv"', 'paht = "people.csv"', "unknown key 'paht' in [data]", "'path'"),
        ('path = "people.csv"', "", "[data] has no path", "path ="),
        ('path = "people.csv"', 'path = "postgresql://me:pw@h/d?table=b"', "contains a password", "ANONYMIZER_DATABASE_PASSWORD"),
        ('["zip", "age"]', '["zip", "aeg"]', "[roles]: the table has no column 'aeg'", "'age'"),
        ('["zip", "age"]', '["zip", "zip"]', "'zip' is listed twice as quasi-identifying", "once"),
        ('["zip", "age"]', '["zip", "name"]', "'name' is listed as identifying and as quasi-identifying", "once"),
        ('["zip", "age"]', '"zip"', "'quasi_identifying' cannot be", "a list"),
        ('["illness"]', '["illness"]\ntarget = "ilness"', "no column 'ilness'", "'illness'"),
        ('["name"]', '["name"]\nperson = "nmae"', "no column 'nmae'", "'name'"),
        ('["name"]', '["name"]\nperson = "age"', "[roles] person: 'age' has the role 'quasi-identifying'", "identifying too"),
        ('["name"]', '["name"]\nperson = "illness"', "[roles] person: 'illness' has the role 'sensitive'", "identifying too"),
        ('["name"]', '["name"]\nperson = ["name"]', "'person' cannot be", "a text"),
        ('"k_anonymity"', '"k_anonimity"', "unknown privacy model 'k_anonimity'", "'k_anonymity'"),
        ('model = "k_anonymity"', "", "[[privacy]] number 1 has no model", "k_anonymity"),
        ("k = 2", "kk = 2", "Unknown parameter 'kk'", "'k'"),
        ("k = 2", "k = 2.5", "k cannot be 2.5", "a whole number"),
        ("k = 2", "k = 0", "k cannot be 0", "from 1"),
        ("t = 0.5", "t = 1.5", "t cannot be 1.5", "from 0 to 1"),
        ("t = 0.5", 't = 0.5\ndistance = "taxicab"', "Distance cannot be 'taxicab'", "Known"),
        ('column = "illness"', 'column = "ilness"', "[[privacy]] number 2: the table has no column 'ilness'", "'illness'"),
        ('column = "illness"', "", "(t_closeness) needs a sensitive column", "column ="),
        ('builder = "masking"', 'builder = "maskin"', "unknown hierarchy builder 'maskin'", "'masking'"),
        ('builder = "masking"', 'builder = "dats"', "unknown hierarchy builder 'dats'", "'dates'"),
        ('builder = "masking"', 'builder = "dates"\ngranularities = ["month", "week"]', "(dates): Granularities: 'week' cannot follow 'month'", "Coarser than"),
        ('builder = "masking"', 'builder = "taxonomy"\nfrom_column = "agee"', "(taxonomy): the table has no column 'agee'", "'age'"),
        ('builder = "masking"', 'builder = "taxonomy"', "(taxonomy): No groups defined", "tree"),
        ('builder = "masking"', 'builder = "masking"\ndirektion = 1', "Unknown parameter 'direktion'", "'direction'"),
        ('builder = "masking"', 'builder = "masking"\nmin_level = -1', "'min_level' cannot be -1", "at least 0"),
        ('builder = "masking"', "", '[hierarchies."zip"] has neither a path nor a builder', "masking"),
        ('[hierarchies."age"]', '[hierarchies."aeg"]', "[hierarchies]: the table has no column 'aeg'", "'age'"),
        ('"precision"', '"precison"', "unknown utility metric 'precison'", "'precision'"),
        ('"precision"', '"loss"\nalgorithm = "flsh"', "unknown search algorithm 'flsh'", "'flash'"),
        ('"precision"', '"loss"\nalgorithm = "flash"\nvariant = "cube"', "unknown key 'variant' in [search]", ""),
        ('"age" = 2', '"aeg" = 2', "[search.weights]: the table has no column 'aeg'", "'age'"),
        ('"age" = 2', '"age" = -2', "'age' cannot be -2", "at least 0"),
        ("[roles]", '[data.types]\n"age" = "intger"\n[roles]', "unknown column type 'intger'", "'integer'"),
        ("[roles]", '[data.types]\n"age" = "ordered"\n[roles]', "an ordered column needs its values", "low"),
        ("[roles]", '[data.types]\n"age" = {type = "text", format = "x"}\n[roles]', "'format' is not used for the type", "Remove"),
        ("[roles]", "[recoding]\nmethod = \"covr\"\n[roles]", "unknown recoding method 'covr'", "'cover'"),
        ("[roles]", "[recoding]\nmethod = \"none\"\nk = 1\n[roles]", "unknown key 'k' in [recoding]", ""),
        ("[roles]", "[sensitive]\nothers_as_qi = 1\n[roles]", "'others_as_qi' cannot be 1", "true or false"),
        ("[roles]", '[transformation]\nidentifying = "mask"\n[roles]', "TOML", "line"),
        ("0.29", "0.29\nshuffle = 1", "'shuffle' cannot be 1", "true or false"),
        ("0.29", '0.29\nidentifying = "pseudonim"', "unknown rule for columns 'pseudonim'", "'pseudonym'"),
        ("0.29", '0.29\nsuppressed_records = "stars"', "'suppressed_records' cannot be \"stars\"", "'star'"),
    ],
)  # fmt: skip
def test_a_mistake_names_the_recipe_and_what_would_be_right(
    recipe: Path, old: str, new: str, problem: str, hint: str
) -> None:
    assert old in RECIPE
    recipe.write_text(RECIPE.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(RecipeError) as raised:
        read_recipe(recipe)
    assert raised.value.problem.startswith("'people.toml'")
    assert problem in raised.value.problem
    assert hint in raised.value.hint


def test_a_misspelt_recipe_names_the_file_next_to_it(recipe: Path) -> None:
    with pytest.raises(RecipeError, match=r"does not exist\. Did you mean 'people\.toml'\?"):
        read_recipe(recipe.with_name("poeple.toml"))


def test_a_recipe_that_is_not_text_is_refused(recipe: Path) -> None:
    recipe.write_bytes(b"format = 1 # \xff")
    with pytest.raises(RecipeError, match="not valid UTF-8: byte 14"):
        read_recipe(recipe)
    with pytest.raises(RecipeError, match="cannot be read"):
        read_recipe(recipe.parent)


def test_a_table_that_is_not_there_is_named(recipe: Path) -> None:
    recipe.with_name("people.csv").rename(recipe.with_name("persons.csv"))
    with pytest.raises(TableError, match=r"people\.csv' does not exist"):
        read_recipe(recipe)


def test_every_column_name_is_quoted_when_written(recipe: Path) -> None:
    text = recipe_text(read_recipe(recipe), recipe.parent)
    for line in ('"age" = "integer"', '[hierarchies."zip"]', '"age" = 2.0', 'path = "age.csv"'):
        assert line in text.splitlines()


def test_paths_are_written_as_seen_from_the_recipe(recipe: Path) -> None:
    folder = recipe.parent / "elsewhere"
    folder.mkdir()
    project = read_recipe(recipe)
    write_recipe(project, folder / "moved.toml")
    values = tomllib.loads((folder / "moved.toml").read_text(encoding="utf-8"))
    assert values["data"]["path"] == "../people.csv"
    assert values["hierarchies"]["age"]["path"] == "../age.csv"
    assert not project_differences(read_recipe(folder / "moved.toml"), project)


def test_an_edited_hierarchy_is_written_next_to_the_recipe(recipe: Path) -> None:
    rows = [["31", "a;b", "*"], ["35", "a;b", "*"], ["52", 'c "d"', "*"], ["58", 'c "d"', "*"]]
    project = set_hierarchy(
        read_recipe(recipe), "age", AttributeHierarchy(Hierarchy.from_rows(rows), min_level=1)
    )
    again = read_again(project, recipe.parent)
    assert project_differences(project, again) == ()
    assert again.hierarchies["age"].path == recipe.parent / "again-files" / "age.csv"


def test_columns_of_alike_names_get_files_of_their_own(recipe: Path) -> None:
    names = ("a/b", "a:b", "DATA", "con")
    columns = tuple(
        make_column(name, [name, "x"], np.array([0, 1], dtype=np.int32), DataType()) for name in names
    )
    project = Project("odd", None, ReadOptions(delimiter=";", decimal=".", header=True), Table(columns))
    for column in columns:
        entry = AttributeHierarchy(
            Hierarchy.from_rows([[label, f"{column.name}!", "*"] for label in column.labels])
        )
        project = set_hierarchy(project, column.name, entry)
    assert project_differences(project, read_again(project, recipe.parent)) == ()
    written = sorted(path.name for path in (recipe.parent / "again-files").iterdir())
    assert len(written) == 5
    assert not {"con.csv", "DATA.csv"} & set(written)


@pytest.mark.parametrize("example", ["adult", "hospital", "clinic"])
def test_an_example_written_and_read_is_the_same_project(example: str, tmp_path: Path) -> None:
    project = read_recipe(EXAMPLES / example / "recipe.toml")
    assert project_differences(project, read_again(project, tmp_path)) == ()


def test_a_different_choice_is_a_different_project(recipe: Path) -> None:
    project = read_recipe(recipe)
    assert project_differences(project, set_weights(project, {"age": 3.0})) == ("weights",)
    entry = replace(project.hierarchies["age"], max_level=None)
    assert project_differences(project, set_hierarchy(project, "age", entry)) == ("hierarchy of 'age'",)
    assert project_differences(project, replace(project, target="age"))


def test_the_person_column_is_read_and_written_next_to_the_role_whose_rule_releases_it(
    recipe: Path,
) -> None:
    assert read_recipe(recipe).person is None
    recipe.write_text(RECIPE.replace('["name"]', '["name"]\nperson = "name"'), encoding="utf-8")
    project = read_recipe(recipe)
    assert (project.person, project.role("name")) == ("name", Role.IDENTIFYING)
    assert 'person = "name"' in recipe_text(project, recipe.parent)
    assert project_differences(project, replace(project, person=None)) == ("person",)


def read_again(project: Project, folder: Path) -> Project:
    write_recipe(project, folder / "again.toml")
    return read_recipe(folder / "again.toml")


words = st.text(
    st.characters(codec="utf-8", exclude_characters="\0", exclude_categories=("Cs",)), min_size=1, max_size=8
)
names = st.lists(words.filter(lambda name: bool(name.strip())), min_size=1, max_size=4, unique=True)


@st.composite
def projects(draw: st.DrawFn) -> Project:
    """Draw projects with every kind of column, hierarchy and setting; the table lives in memory."""
    columns = []
    n_records = draw(st.integers(1, 6))
    for name in draw(names):
        kind = draw(
            st.sampled_from([Kind.TEXT, Kind.INTEGER, Kind.DECIMAL, Kind.ORDERED, Kind.BOOLEAN, Kind.DATE])
        )
        values = {
            Kind.TEXT: words,
            Kind.ORDERED: words,
            Kind.INTEGER: st.integers(-99, 99).map(str),
            Kind.DECIMAL: st.decimals(-9, 9, places=1).map(str),
            Kind.BOOLEAN: st.sampled_from(["true", "false", "TRUE"]),
            Kind.DATE: st.dates().map(lambda day: day.strftime("%Y-%m-%d").rjust(10, "0")),
        }[kind]
        texts = draw(st.lists(st.one_of(values, st.just("")), min_size=n_records, max_size=n_records))
        data_type = DataType(
            kind,
            "%Y-%m-%d" if kind is Kind.DATE else "",
            tuple(dict.fromkeys(text for text in texts if text)) or ("x",) if kind is Kind.ORDERED else (),
        )
        distinct = list(dict.fromkeys(texts))
        codes = np.array([distinct.index(text) for text in texts], dtype=np.int32)
        columns.append(make_column(name, distinct, codes, data_type, ""))
    roles = {c.name: draw(st.sampled_from(list(Role))) for c in columns}
    quasi = draw(st.permutations([name for name, role in roles.items() if role is Role.QUASI_IDENTIFYING]))
    sensitive = [name for name, role in roles.items() if role is Role.SENSITIVE]
    models = [KAnonymity(draw(st.integers(1, 9)))]
    for name in sensitive:
        models.append(DistinctLDiversity(name, draw(st.integers(1, 4))))
        models.append(
            TCloseness(
                name,
                draw(st.floats(0, 1)),
                draw(st.sampled_from([None, "equal", "ordered", "hierarchical"])),
            )
        )
        models.append(draw(rarer_models(name)))
    return Project(
        name="drawn",
        source=None,
        options=ReadOptions(
            delimiter=draw(st.sampled_from(";,\t|")),
            encoding="utf-8",
            decimal=".",
            header=draw(st.just(True)),
            missing=("", "NA"),
            types={c.name: c.data_type for c in columns},
        ),
        table=Table(tuple(columns)),
        roles=frozen(roles),
        qi_order=tuple(quasi),
        target=draw(st.sampled_from([None, columns[0].name])),
        person=draw(st.sampled_from([None, *(n for n, role in roles.items() if role is Role.IDENTIFYING)])),
        hierarchies=frozen({c.name: draw(hierarchies(c)) for c in columns if draw(st.booleans())}),
        requirement=Requirement(tuple(models), draw(st.floats(0, 1))),
        transformation=Transformation(
            draw(st.sampled_from(["star", "remove"])), draw(st.sampled_from(["star", "drop"])),
            draw(st.booleans()), False, draw(st.integers(0, 2**40)),
        ),
        search=SearchSettings(
            metric=draw(st.sampled_from(["loss", "aecs", "precision"])),
            steps=draw(st.integers(0, 9)),
            seconds=draw(st.floats(0, 9)),
            weights=frozen({name: draw(st.floats(0, 9)) for name in quasi}),
        ),
    )  # fmt: skip


@st.composite
def hierarchies(draw: st.DrawFn, column) -> AttributeHierarchy:  # type: ignore[no-untyped-def]
    bounds = (draw(st.integers(0, 1)), draw(st.sampled_from([None, 1, 2])))
    if draw(st.booleans()):
        builder = builders.create("masking", character=draw(st.sampled_from("*#")))
        return AttributeHierarchy(builder.build(column), None, builder, *bounds)
    groups = {label: draw(st.sampled_from(["low", 'so "so"', "hi;gh"])) for label in column.labels}
    rows = [(label, group, "*") for label, group in groups.items()]
    return AttributeHierarchy(Hierarchy.from_rows(rows), None, None, *bounds)


@given(projects())
def test_write_then_read_gives_the_same_project(project: Project) -> None:
    with tempfile.TemporaryDirectory() as folder:
        assert project_differences(project, read_again(project, Path(folder))) == ()


@given(projects(), st.none() | st.tuples(st.integers(0, 5)))
def test_save_then_open_gives_the_same_project_and_state(
    project: Project, node: tuple[int, ...] | None
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "drawn.anon"
        save_project(project, path, ProjectState(selected=node))
        again, state, _ = open_project(path)
    assert project_differences(project, again) == ()
    assert again.options == project.options
    assert state == ProjectState(selected=node)


def test_a_retyped_column_keeps_its_type(recipe: Path) -> None:
    project = read_recipe(recipe)
    column = retype(project.table.column("age"), DataType(Kind.DECIMAL))
    edited = replace(project, table=project.table.replace_column(column))
    assert project_differences(edited, read_again(edited, recipe.parent)) == ()


def test_decimals_with_a_comma_keep_their_mark(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("weight;height\n70,5;1\n80,5;2\n", encoding="utf-8")
    table, options = read_table(tmp_path / "a.csv")
    project = Project("a", tmp_path / "a.csv", options, table)
    whole = retype(table.column("height"), DataType(Kind.DECIMAL))
    for variant in (project, replace(project, table=table.replace_column(whole))):
        assert project_differences(variant, read_again(variant, tmp_path)) == ()


# Names of levels -------------------------------------------------------------------------------


def test_names_of_levels_are_written_read_and_saved(recipe: Path, tmp_path: Path) -> None:
    text = recipe.read_text(encoding="utf-8")
    for old, new in (
        ('builder = "masking"\n', 'builder = "masking"\nlevel_names = ["areas", "", "regions"]\n'),
        ("max_level = 1\n", 'max_level = 1\nlevel_names = ["decades", "all", "more than there are"]\n'),
    ):
        assert old in text
        text = text.replace(old, new)
    recipe.write_text(text, encoding="utf-8")
    project = read_recipe(recipe)
    assert project.hierarchies["zip"].hierarchy.level_names[:3] == ("areas", "", "regions")
    assert project.hierarchies["zip"].builder is not None
    assert project.hierarchies["age"].hierarchy.level_names == ("decades", "")
    again = tmp_path / "again" / "recipe.toml"
    again.parent.mkdir()
    write_recipe(project, again)
    save_project(project, tmp_path / "saved.anon")
    for other in (read_recipe(again), open_project(tmp_path / "saved.anon")[0]):
        for name in ("zip", "age"):
            assert (
                other.hierarchies[name].hierarchy.level_names
                == project.hierarchies[name].hierarchy.level_names
            )


def test_names_of_levels_that_are_no_texts_are_refused(recipe: Path) -> None:
    text = recipe.read_text(encoding="utf-8")
    recipe.write_text(text.replace("max_level = 1\n", "level_names = [1]\n"), encoding="utf-8")
    with pytest.raises(RecipeError, match="level_names"):
        read_recipe(recipe)


NUMBERS = """
format = 1
[data]
path = "a.csv"
[roles]
quasi_identifying = ["n"]
insensitive = ["s"]
[hierarchies."n"]
builder = "intervals"
"""


def recipe_of_numbers(folder: Path, line: str) -> Path:
    (folder / "a.csv").write_text("n,s\n1,x\n2,y\n30,z\n", encoding="utf-8")
    (folder / "recipe.toml").write_text(NUMBERS + line, encoding="utf-8")
    return folder / "recipe.toml"


def test_levels_of_the_largest_merges_are_built(tmp_path: Path) -> None:
    recipe = recipe_of_numbers(tmp_path, f"width = 5\nmerge = {[2**31 - 1] * 100}")
    assert read_recipe(recipe).hierarchies["n"].hierarchy.height > 1


@pytest.mark.parametrize(
    "line",
    [
        f"width = 5\nmerge = {[2] * 20_000}",
        f"width = 5\nmerge = [{10**400}]",
        f"width = {10**400}",
        f"cuts = [1, {10**400}]",
        f"width = 5\nmerge = [{'9' * 5000}]",
        f"width = 5\nmerge = {'[' * 50_000}",
    ],
)
def test_numbers_and_lists_beyond_bounds_are_refused_in_a_sentence(tmp_path: Path, line: str) -> None:
    with pytest.raises(AnonymizerError):
        read_recipe(recipe_of_numbers(tmp_path, line))
