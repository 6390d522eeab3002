"""Names of nodes by what they do."""

from __future__ import annotations

from dataclasses import replace

import pytest

from anonymizer_gui.models.node_name import LevelWords, named_node, node_name, own_name, short_names
from engine.project.compile import compile_problem
from engine.project.project import frozen
from engine.project.recipe.files import read_recipe
from engine.shipped import resources_path

NAMES, HEIGHTS, BEST = ("city", "age", "sex"), (3, 4, 1), (1, 2, 0)


@pytest.mark.parametrize(
    ("node", "name"),
    [
        ((1, 2, 0), "The optimum"),
        ((1, 3, 0), "Optimum, coarser in age"),
        ((0, 2, 0), "Optimum, finer in city"),
        ((2, 3, 0), "Optimum, coarser in city and age"),
        ((0, 0, 0), "Optimum, finer in city and age"),
        ((2, 1, 0), "Optimum, finer in age, coarser in city"),
        ((0, 3, 1), "Differs from the optimum in 3 columns"),
    ],
)
def test_a_node_is_named_by_its_distance_to_the_optimum(node: tuple[int, ...], name: str) -> None:
    assert node_name(node, NAMES, HEIGHTS, BEST) == name
    unproved = node_name(node, NAMES, HEIGHTS, BEST, is_proved=False)
    assert "ptimum" not in unproved
    assert "est so far" in unproved


@pytest.mark.parametrize(
    ("node", "name"),
    [
        ((0, 0, 0), "Nothing hidden"),
        ((3, 4, 1), "Everything hidden"),
        ((0, 2, 0), "Generalizes age"),
        ((1, 4, 0), "Generalizes age and city"),
        ((1, 4, 1), "Generalizes age, sex and 1 more column"),
    ],
)
def test_without_an_optimum_a_node_is_named_by_what_it_generalizes(node: tuple[int, ...], name: str) -> None:
    assert node_name(node, NAMES, HEIGHTS) == name


def test_no_name_has_digits_for_levels_and_the_tooltip_has_them() -> None:
    small_problem = compile_problem(read_recipe(resources_path() / "examples" / "hospital" / "recipe.toml"))
    lattice = small_problem.lattice
    optimum = lattice.node(lattice.n_nodes // 2)
    for number in range(lattice.n_nodes):
        node = lattice.node(number)
        named = named_node(node, small_problem, optimum)
        assert str(list(node)) not in named.name
        assert named.details.endswith(str(list(node)))
        assert named.glyph.levels == tuple(node)
        assert named.glyph.differing == {q for q, level in enumerate(node) if level != optimum[q]}
        first = named.details.split("\n")[: len(named.glyph.differing)]
        names = [small_problem.names[q] for q in sorted(named.glyph.differing)]
        assert [line.split(":")[0] for line in first] == names
    assert own_name(lattice.maximum, small_problem) == "Everything hidden"


@pytest.mark.parametrize(
    ("names", "short"),
    [
        (("sex", "age", "race", "education"), ("sex", "age", "race", "edu")),
        (("education", "education-num"), ("education", "education-")),
        (("marital-status", "martial"), ("mari", "mart")),
        ((), ()),
    ],
)
def test_short_names_stay_distinct(names: tuple[str, ...], short: tuple[str, ...]) -> None:
    assert short_names(names) == short


@pytest.mark.parametrize(
    ("node", "phrases"),
    [
        ((0, 0, 0), ("original values",)),
        ((4, 1, 2), ("everything hidden",)),
        ((4, 0, 2), ("only gender",)),
        ((3, 1, 2), ("only 20-year age",)),
        ((2, 0, 2), ("10-year age", "no city")),
        ((1, 1, 1), ("5-year age", "no gender", "2 regions")),
        ((0, 0, 1), ("2 regions",)),
    ],
)
def test_a_card_names_the_generalized_columns_shortly(
    node: tuple[int, ...], phrases: tuple[str, ...]
) -> None:
    problem = compile_problem(read_recipe(resources_path() / "examples" / "hospital" / "recipe.toml"))
    assert LevelWords(problem).short(node) == phrases


def test_levels_of_two_columns_with_the_same_name_are_told_apart_by_their_columns() -> None:
    project = read_recipe(resources_path() / "examples" / "hospital" / "recipe.toml")
    entry = project.hierarchies["age"]
    renamed = replace(entry, hierarchy=entry.hierarchy.with_level_names(["2 regions"]))
    problem = compile_problem(replace(project, hierarchies=frozen({**project.hierarchies, "age": renamed})))
    assert LevelWords(problem).short((1, 0, 1)) == ("age: 2 regions", "city: 2 regions")
