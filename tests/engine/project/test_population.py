"""The population and the research subset: read, written, kept in project files, refused with a reason."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.advice.findings import Finding, Severity
from engine.advice.preflight import preflight
from engine.errors import HierarchyGapError, InputError, ParameterError, RecipeError
from engine.privacy import PrivacyModel, Requirement
from engine.privacy.delta_presence import DeltaPresence
from engine.privacy.k_map import KMap
from engine.privacy.population_uniqueness import PopulationUniqueness
from engine.project import Population, Project, Subset
from engine.project.compile import compile_problem
from engine.project.edits import set_column, set_population, set_subset
from engine.project.recipe.files import read_recipe, write_recipe
from engine.project.storage.file import open_project, save_project
from engine.project.subset import draw_sample, records_of, size_of
from engine.records import DataType, Kind
from engine.records.opening.files import read_csv
from engine.records.values import retype
from tests.project_differences import project_differences

TABLE = "name;age;zip;illness\nAnn;31;01067;flu\nBob;35;01069;\nCem;52;04103;flu\nDee;58;04109;asthma\n"
PEOPLE = "age,zip,street\n" + "".join(
    f"{age},{code},x\n" for age in (31, 35, 52, 58) for code in ("01067", "")
)
RECIPE = """\
[data]
path = "people.csv"
[roles]
identifying = ["name"]
quasi_identifying = ["age"]
sensitive = ["illness"]
[hierarchies."age"]
path = "age.csv"
"""
Make = Callable[[str], Path]


@pytest.fixture
def recipe(tmp_path: Path) -> Make:
    """Return a function that writes the recipe with something added."""
    (tmp_path / "people.csv").write_text(TABLE, encoding="utf-8")
    (tmp_path / "all.csv").write_text(PEOPLE, encoding="utf-8")
    (tmp_path / "rows.csv").write_text("illness;age\nflu;31\n;35\n", encoding="utf-8")
    (tmp_path / "age.csv").write_text("31;30-39;*\n35;30-39;*\n52;50-59;*\n58;50-59;*\n", encoding="utf-8")

    def make(more: str) -> Path:
        path = tmp_path / "people.toml"
        path.write_text(RECIPE + more, encoding="utf-8")
        return path

    return make


SIZE = "[population]\nsize = 1000\n"
FRACTION = "[population]\nsampling_fraction = 0.02\n"
PATH = '[population]\npath = "all.csv"\ndelimiter = ","\n'
FILTER = "[subset]\nfilter = \"age >= 35 and not illness = 'asthma'\"\n"
ROWS = '[subset]\npath = "rows.csv"\n'
DRAWN = "[subset]\nfraction = 0.5\nseed = 7\n"
COUNTED = "[subset]\nsize = 3\n"


def test_the_population_of_a_recipe_is_a_size_a_fraction_or_a_table(recipe: Make) -> None:
    assert read_recipe(recipe(SIZE)).population == Population(size=1000)
    assert read_recipe(recipe(FRACTION)).population == Population(sampling_fraction=0.02)
    people = read_recipe(recipe(PATH)).population
    assert people.table.names == ("age", "zip"), "other columns play no part"
    assert people.table.n_records == 8
    assert read_recipe(recipe("")).population is None


def test_a_population_knows_its_size_and_its_sampling_fraction(recipe: Make) -> None:
    for text, size, fraction in ((SIZE, 1000, 0.004), (FRACTION, 200, 0.02), (PATH, 8, 0.5)):
        project = read_recipe(recipe(text))
        people = compile_problem(project).people
        for found in (people.size, project.population.size_for(4)):
            assert found == pytest.approx(size, rel=1e-12)
        for found in (people.fraction(4), project.population.fraction_for(4)):
            assert found == pytest.approx(fraction, rel=1e-12)
        assert people.n_members == (8 if text == PATH else 0)


def test_members_of_the_population_are_covered_by_the_hierarchies_of_the_records(recipe: Make) -> None:
    problem = compile_problem(read_recipe(recipe(PATH)))
    assert problem.people.leaves is not None
    (attribute,), (leaves,) = problem.attributes, problem.people.leaves
    assert [attribute.hierarchy.values[leaf] for leaf in leaves] == [
        age for age in ("31", "35", "52", "58") for _ in range(2)
    ]


@pytest.mark.parametrize(
    ("more", "expected"), [(FILTER, [1, 2]), (ROWS, [0, 1]), (COUNTED, None), (DRAWN, None)]
)
def test_a_subset_is_released_and_the_table_is_its_population(
    recipe: Make, more: str, expected: list[int] | None
) -> None:
    project = read_recipe(recipe(more))
    assert project.subset is not None
    chosen = records_of(project.subset, project.table).tolist()
    assert expected is None or chosen == expected
    assert len(chosen) == {COUNTED: 3, DRAWN: 2}.get(more, 2)
    names = [project.table.record(number, ["name"]) for number in chosen]
    assert [project.records.record(number, ["name"]) for number in range(len(chosen))] == names
    problem = compile_problem(project)
    assert problem.n_records == len(chosen)
    assert (problem.people.size, problem.people.n_members) == (4, 4)
    assert problem.sensitive[0].table_counts.sum() == len(chosen)


def test_the_records_of_a_subset_are_the_same_object_until_it_changes(recipe: Make) -> None:
    project = read_recipe(recipe(FILTER))
    assert project.subset is not None
    assert project.records is project.records
    column = project.records.column("age")
    again = set_subset(project, Subset("age >= 35 and age < 58"))
    assert again.records.column("age") is column, "the same records were chosen in other words"
    assert set_subset(project, Subset("age >= 52")).records.n_records == 2


@pytest.mark.parametrize("more", [SIZE, FRACTION, PATH, FILTER, ROWS, DRAWN, COUNTED, ""])
def test_population_and_subset_survive_recipes_and_project_files(
    recipe: Make, tmp_path: Path, more: str
) -> None:
    project = read_recipe(recipe(more))
    write_recipe(project, tmp_path / "again.toml")
    assert project_differences(read_recipe(tmp_path / "again.toml"), project) == ()
    save_project(project, tmp_path / "people.anon")
    kept, _, _ = open_project(tmp_path / "people.anon")
    assert project_differences(kept, project) == ()
    assert str(tmp_path).encode() not in (tmp_path / "people.anon").read_bytes()
    (tmp_path / "elsewhere").mkdir()
    write_recipe(kept, tmp_path / "elsewhere" / "kept.toml")
    assert project_differences(read_recipe(tmp_path / "elsewhere" / "kept.toml"), project) == ()


def test_what_differs_in_population_or_subset_is_a_difference(recipe: Make) -> None:
    projects = [
        read_recipe(recipe(more)) for more in (SIZE, FRACTION, PATH, FILTER, ROWS, DRAWN, COUNTED, "")
    ]
    for number, project in enumerate(projects):
        assert [bool(project_differences(project, other)) for other in projects].count(False) == 1
        assert not project_differences(project, projects[number])


def test_a_population_and_a_subset_take_each_others_place(recipe: Make) -> None:
    project = read_recipe(recipe(SIZE))
    of_subset = set_subset(project, Subset(size=2))
    assert (of_subset.population, of_subset.subset) == (None, Subset(size=2))
    back = set_population(of_subset, Population(size=9))
    assert (back.population, back.subset) == (Population(size=9), None)
    assert set_subset(back, None).population == Population(size=9)
    assert set_population(of_subset, None).subset == Subset(size=2)


def test_drawing_is_the_same_everywhere_and_as_documented() -> None:
    def mixed(z: int) -> int:
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB % 2**64
        return z ^ (z >> 31)

    gamma = 0x9E3779B97F4A7C15
    # The reference sequence of SplitMix64 started with 0.
    assert [mixed(i * gamma % 2**64) for i in (1, 2)] == [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4]
    for seed in (0, 1, 12345, 2**64 + 1):
        start = mixed((seed + gamma) % 2**64)
        numbers = [mixed((start + (i + 1) * gamma) % 2**64) for i in range(100)]
        expected = sorted(sorted(range(100), key=numbers.__getitem__)[:30])
        assert draw_sample(100, 30, seed).tolist() == expected
    assert draw_sample(5, 5, 3).tolist() == [0, 1, 2, 3, 4]


def test_every_record_is_drawn_about_equally_often() -> None:
    times = np.zeros(20, dtype=int)
    for seed in range(2000):
        times[draw_sample(20, 5, seed)] += 1
    # 500 expected, standard deviation 19.4; five of them on either side.
    assert times.min() > 400
    assert times.max() < 600


@pytest.mark.parametrize(
    ("more", "problem", "hint"),
    [
        ("[population]\nsize = 0\n", "[population]: Population size cannot be 0", "at least|from 1"),
        ("[population]\nsize = 1.5\n", "'size' cannot be 1.5", "whole number"),
        ("[population]\nsampling_fraction = 0\n", "Sampling fraction cannot be 0", "above 0"),
        ("[population]\nsampling_fraction = 2\n", "Sampling fraction cannot be 2", "at most 1"),
        ("[population]\nsize = 9\nsampling_fraction = 0.1\n", "size, sampling_fraction exclude", "one of"),
        ("[population]\nsise = 9\n", "unknown key 'sise'", "size"),
        ("[population]\nsize = 9\nheader = true\n", "'header' is only used with a path", "Remove"),
        ("[population]\nheader = true\n", "none of size, sampling_fraction, path is given", "one of"),
        ('[population]\npath = ""\n', "'path' cannot be", "path of a table"),
        ("[population]\nsize = 9\n[subset]\nsize = 2\n", "exclude each other", "only one"),
        ("[subset]\nsize = 5\n", "5 records cannot be drawn from 4", "at most 4"),
        ("[subset]\nsize = 0\n", "Subset size cannot be 0", "at least 1"),
        ("[subset]\nfraction = 0.1\n", "less than one record", "larger"),
        ("[subset]\nfraction = 1.1\n", "cannot be 1.1", "at most 1"),
        ("[subset]\nfraction = 0.5\nsize = 2\n", "exclude each other", "one of"),
        ("[subset]\nfilter = 'age > 30'\nseed = 1\n", "'seed' is only used for a random sample", "Remove"),
        ("[subset]\nsize = 2\nseed = -1\n", "'seed' cannot be -1", "at least 0"),
        ("[subset]\nfilter = 'aeg > 30'\n", "aeg", "age"),
        ("[subset]\nfilter = 'age > 99'\n", "No record meets the filter", "age > 99"),
    ],
)
def test_a_mistake_in_population_or_subset_is_named(recipe: Make, more: str, problem: str, hint: str) -> None:
    with pytest.raises(RecipeError, match=r"people\.toml") as raised:
        read_recipe(recipe(more))
    assert problem in raised.value.problem
    assert any(word in raised.value.hint for word in hint.split("|"))


def test_rows_that_no_record_of_their_own_matches_are_named(recipe: Make, tmp_path: Path) -> None:
    for text, shown in (("age\n31\n31\n", "age '31'"), ("age;illness\n31;cold\n", "illness 'cold'")):
        (tmp_path / "rows.csv").write_text(text, encoding="utf-8")
        with pytest.raises(RecipeError, match="have no matching record") as raised:
            read_recipe(recipe('[subset]\npath = "rows.csv"\nheader = true\n'))
        assert shown in raised.value.problem
    (tmp_path / "rows.csv").write_text("age;ilness\n31;flu\n", encoding="utf-8")
    with pytest.raises(RecipeError, match="which the table does not have") as raised:
        read_recipe(recipe(ROWS))
    assert "'illness'" in raised.value.hint


def test_a_population_must_have_room_for_the_records_and_a_place_for_every_value(
    recipe: Make, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match="population of 3 is smaller than the table of 4"):
        compile_problem(read_recipe(recipe("[population]\nsize = 3\n")))
    (tmp_path / "all.csv").write_text("age\n31\n35\n52\n58\n99\n", encoding="utf-8")
    with pytest.raises(HierarchyGapError, match="lacks 1 value of the population: '99'"):
        compile_problem(read_recipe(recipe('[population]\npath = "all.csv"\nheader = true\n')))
    (tmp_path / "all.csv").write_text("zip,x\n" + "01067,1\n" * 5, encoding="utf-8")
    with pytest.raises(InputError, match="population table has no column 'age'"):
        compile_problem(read_recipe(recipe(PATH)))
    (tmp_path / "all.csv").write_text("y,x\n" + "01067,1\n" * 5, encoding="utf-8")
    with pytest.raises(RecipeError, match="none of the columns of the table"):
        read_recipe(recipe(PATH))


def test_a_population_or_subset_is_given_in_one_way_only(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(TABLE, encoding="utf-8")
    table = read_csv(path)
    for make in (
        Population,
        lambda: Population(9, 0.1),
        lambda: Population(9, table=table),
        Subset,
        lambda: Subset("age > 3", size=2),
        lambda: Subset(rows=table, size=2),
        lambda: Subset(size=2, seed=-1),
    ):
        with pytest.raises(ParameterError) as raised:
            make()
        assert raised.value.hint


def test_a_project_without_either_has_all_its_records(recipe: Make) -> None:
    project: Project = read_recipe(recipe(""))
    assert project.records is project.table
    assert compile_problem(project).people is None


def test_how_large_a_subset_would_be_is_known_before_it_is_set(recipe: Make) -> None:
    table = read_recipe(recipe("")).table
    found = size_of(Subset("age >= 35 and not illness = 'asthma'"), table)
    assert (found.n_records, found.n_people, found.fraction) == (2, 4, 0.5)
    with pytest.raises(InputError, match="No record meets"):
        size_of(Subset("age > 99"), table)


def test_a_subset_that_no_longer_can_be_found_is_refused_when_compiled(recipe: Make) -> None:
    project = read_recipe(recipe(FILTER))
    as_text = set_column(project, retype(project.table.column("age"), DataType(Kind.TEXT)))
    assert as_text.n_records == 4
    with pytest.raises(InputError, match="age"):
        compile_problem(as_text)


def findings(project: Project) -> dict[str, Finding]:
    return {finding.key: finding for finding in preflight(project)}


def test_preflight_says_who_and_how_many_are_released_and_looked_among(recipe: Make) -> None:
    assert findings(read_recipe(recipe(FILTER)))["subset"].detail == "2 of 4 records are released"
    assert "population" not in findings(read_recipe(recipe(FILTER)))
    found = findings(read_recipe(recipe(SIZE)))["population"]
    assert (found.severity, found.detail) == (
        Severity.NOTE,
        "1\u202f000 people; 0.4 % of them are in the table",
    )


def fixed(project: Project, key: str) -> Project:
    finding = findings(project)[key]
    assert finding.severity is Severity.BLOCKING
    assert finding.fix
    with pytest.raises(InputError):
        compile_problem(project)
    after = finding.edit(project)
    assert key not in findings(after) or findings(after)[key].severity is not Severity.BLOCKING
    compile_problem(after)
    return after


def test_preflight_fixes_what_population_and_subset_lack(recipe: Make, tmp_path: Path) -> None:
    fixed(read_recipe(recipe("[population]\nsize = 3\n")), "population")
    filtered = read_recipe(recipe(FILTER))
    as_text = set_column(filtered, retype(filtered.table.column("age"), DataType(Kind.TEXT)))
    assert fixed(as_text, "subset").records.n_records == 4
    (tmp_path / "all.csv").write_text("age\n31\n35\n52\n58\n99\n", encoding="utf-8")
    gaps = read_recipe(recipe('[population]\npath = "all.csv"\nheader = true\n'))
    assert fixed(gaps, "population_gaps:age").hierarchies["age"].hierarchy.label("99", 2) == "*"
    (tmp_path / "all.csv").write_text("zip,x\n" + "01067,1\n" * 5, encoding="utf-8")
    fixed(read_recipe(recipe(PATH)), "population_columns")


@pytest.mark.parametrize("model", [KMap(2), KMap(2, "poisson"), PopulationUniqueness()])
def test_preflight_offers_to_take_the_records_as_the_population_for_a_model_that_needs_one(
    recipe: Make, model: PrivacyModel
) -> None:
    project = replace(read_recipe(recipe("")), requirement=Requirement((model,), 0.5))
    finding = findings(project)["needs_population:0"]
    assert finding.title == f"{model.title} needs a population"
    assert "or release only a subset" in finding.detail
    after = fixed(project, "needs_population:0")
    assert compile_problem(after).sampling_fraction == 1.0


def test_preflight_has_no_safe_guess_of_a_population_for_presence(recipe: Make) -> None:
    for more, title in (
        ("", "δ-presence needs a population"),
        (SIZE, "δ-presence needs a population table"),
    ):
        project = replace(read_recipe(recipe(more)), requirement=Requirement((DeltaPresence(),), 0.5))
        finding = findings(project)["needs_population:0"]
        assert finding.title.startswith(title)
        assert (finding.fix, finding.edit) == ("", None)
    impossible = replace(read_recipe(recipe(DRAWN)), requirement=Requirement((DeltaPresence(0.5, 0.2),), 0.5))
    assert fixed(impossible, "never:0").requirement.models == (DeltaPresence(0.0, 0.2),)


BUILT = RECIPE.replace('path = "age.csv"', 'builder = "intervals"\nwidth = 10\nlabel = "interval"')


def test_a_builder_of_a_recipe_builds_for_the_whole_population(recipe: Make, tmp_path: Path) -> None:
    (tmp_path / "all.csv").write_text("age\n" + "\n".join(map(str, range(20, 70))) + "\n", encoding="utf-8")
    path = recipe("")
    path.write_text(BUILT + '[population]\npath = "all.csv"\nheader = true\n', encoding="utf-8")
    project = read_recipe(path)
    hierarchy = project.hierarchies["age"].hierarchy
    assert set(hierarchy.values) == set(map(str, range(20, 70)))
    assert hierarchy.label("27", 1) == hierarchy.label("29", 1) != hierarchy.label("31", 1)
    assert compile_problem(project).people is not None
    write_recipe(project, tmp_path / "again.toml")
    assert project_differences(read_recipe(tmp_path / "again.toml"), project) == ()
    save_project(project, tmp_path / "kept.anon")
    assert project_differences(open_project(tmp_path / "kept.anon")[0], project) == ()


def test_people_whose_values_are_not_of_the_type_are_named_not_built_in(recipe: Make, tmp_path: Path) -> None:
    (tmp_path / "all.csv").write_text("age\nunknown\n31\n35\n52\n58\n", encoding="utf-8")
    path = recipe("")
    path.write_text(BUILT + '[population]\npath = "all.csv"\nheader = true\n', encoding="utf-8")
    with pytest.raises(HierarchyGapError, match="'unknown'"):
        compile_problem(read_recipe(path))


def test_preflight_rebuilds_a_hierarchy_for_the_values_of_the_population(
    recipe: Make, tmp_path: Path
) -> None:
    path = recipe("")
    path.write_text(BUILT, encoding="utf-8")
    (tmp_path / "all.csv").write_text("age\n31\n35\n52\n58\n33\n", encoding="utf-8")
    people = read_csv(tmp_path / "all.csv")
    project = set_population(read_recipe(path), Population(table=people))
    after = fixed(project, "population_gaps:age")
    assert after.hierarchies["age"].builder == project.hierarchies["age"].builder
    hierarchy = after.hierarchies["age"].hierarchy
    assert hierarchy.label("33", 1) == hierarchy.label("31", 1)


def test_a_builder_counts_the_records_and_places_the_values_of_the_population(recipe: Make) -> None:
    path = recipe('[population]\npath = "all.csv"\n')
    other = path.read_text(encoding="utf-8").replace(
        'path = "age.csv"', 'builder = "grouping"\nrecords = [2]\nlabel = "range"'
    )
    path.write_text(other, encoding="utf-8")
    (path.parent / "all.csv").write_text("age\n31\n31\n33\n35\n52\n58\n", encoding="utf-8")
    hierarchy = read_recipe(path).hierarchies["age"].hierarchy
    # Two records of the table make a group; of the people alone is the one of 33.
    assert [row[1] for row in hierarchy.rows()] == ["31-35"] * 3 + ["52-58"] * 2
