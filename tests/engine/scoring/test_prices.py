"""Prices of levels against minima over all nodes, each recounted by hand."""

from __future__ import annotations

import csv
from math import inf, isclose, isnan
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.monitor import SILENT
from engine.scoring import LatticeProfile, score_lattice
from engine.scoring.evaluate import evaluate
from engine.scoring.explored import ExploredProfile
from engine.scoring.in_parts import evaluated_parts
from engine.scoring.prices import Prices, best_node, level_totals, prices_of, prices_over
from tests.conftest import EXAMPLES
from tests.engine.cli.running import Command
from tests.slow_reference import SlowNode, all_nodes
from tests.strategies import Case, cases_with_requirement, few

METRICS = ("loss", "discernibility", "precision")
HOSPITAL, CLINIC = (EXAMPLES / name / "recipe.toml" for name in ("hospital", "clinic"))


def slow_prices(case: Case, requirement: Any, metric: str, insisted: dict[int, int]) -> Any:
    """Return per column and level the least value and the number of nodes, and the least of all nodes."""
    values = {}
    for node in all_nodes(case):
        release = SlowNode(case, node).under(requirement)
        if release.satisfies:
            value = release.metric(metric)
            values[node] = inf if isnan(value) else value
    found = []
    for column, attribute in enumerate(case.problem.attributes):
        others = {q: level for q, level in insisted.items() if q != column}
        rows = []
        for level in range(attribute.hierarchy.height + 1):
            mine = [
                value
                for node, value in values.items()
                if node[column] == level and all(node[q] == wanted for q, wanted in others.items())
            ]
            rows.append((min(mine, default=inf), len(mine)))
        found.append(rows)
    return found, min(values.values(), default=inf)


def is_equal(one: float, two: float) -> bool:
    return one == two or isclose(one, two, rel_tol=1e-12, abs_tol=1e-12)


@st.composite
def questions(draw: st.DrawFn) -> Any:
    case, requirement = draw(cases_with_requirement(max_qi=3, max_height=2))
    columns = draw(st.lists(st.integers(0, len(case.qi) - 1), unique=True, max_size=len(case.qi)))
    insisted = {q: draw(st.integers(0, case.problem.attributes[q].hierarchy.height)) for q in sorted(columns)}
    return case, requirement, draw(st.sampled_from(METRICS)), insisted


@few
@given(questions())
def test_every_price_is_the_minimum_over_all_nodes_as_a_whole_and_in_parts(question: Any) -> None:
    case, requirement, metric, insisted = question
    problem = case.problem
    n_levels = [attribute.hierarchy.height + 1 for attribute in problem.attributes]
    profile = score_lattice(problem, SILENT, LatticeProfile(problem, requirement))
    whole = prices_of(evaluate(profile, requirement), metric, n_levels, insisted)
    parts = prices_over(
        prices_of(part, metric, n_levels, insisted)
        for part in evaluated_parts(problem, requirement, memory=1)
    )
    expected, least = slow_prices(case, requirement, metric, insisted)
    totals = level_totals(problem.lattice, n_levels, insisted)
    for found in (whole, parts):
        assert all(map(np.array_equal, found.n_scored, totals))
        assert is_equal(found.reference, least)
        for column, rows in enumerate(expected):
            assert found.n_nodes[column].tolist() == [n for _, n in rows]
            assert all(map(is_equal, found.least[column], [value for value, _ in rows]))
            assert (found.of(column) >= 0).all()
        check_chosen(found, case, expected, insisted)


@few
@given(questions())
def test_the_best_node_of_a_level_has_its_least_value_and_a_partly_scored_lattice_bounds_it(
    question: Any,
) -> None:
    case, requirement, metric, insisted = question
    problem = case.problem
    n_levels = [attribute.hierarchy.height + 1 for attribute in problem.attributes]
    profile = score_lattice(problem, SILENT, LatticeProfile(problem, requirement))
    whole = evaluate(profile, requirement)
    prices = prices_of(whole, metric, n_levels, insisted)
    for column, levels in enumerate(prices.least):
        for level, least in enumerate(levels.tolist()):
            others = {q: wanted for q, wanted in insisted.items() if q != column}
            node = best_node(whole, metric, column, level, others)
            assert (node is None) == (prices.n_nodes[column][level] == 0)
            if node is not None:
                value = whole.metric(metric)[problem.lattice.number(node)]
                assert is_equal(inf if isnan(value) else value, least)
    partly = ExploredProfile(problem, requirement)
    for number in range(0, problem.lattice.n_nodes, 2):
        partly.score(problem.lattice.node(number))
    bounds = prices_of(evaluate(partly, requirement), metric, n_levels, insisted)
    for column, totals in enumerate(level_totals(problem.lattice, n_levels, insisted)):
        assert (bounds.n_scored[column] <= totals).all()
        assert (bounds.least[column] >= prices.least[column] - 1e-12).all()
        exhausted = bounds.n_scored[column] == totals
        assert all(map(is_equal, bounds.least[column][exhausted], prices.least[column][exhausted]))


def check_chosen(found: Prices, case: Case, expected: Any, insisted: dict[int, int]) -> None:
    """Check that the chosen node has all insisted levels, and the least value with them."""
    cells = [expected[q][level] for q, level in insisted.items()] or [
        (min(value for value, _ in expected[0]), sum(n for _, n in expected[0]))
    ]
    least, n_nodes = cells[0]  # a column's own insisted level, with those of the others: all of them
    assert (found.chosen is None) == (n_nodes == 0)
    if found.chosen is not None:
        assert is_equal(found.chosen.value, least)
        assert all(found.chosen.node[q] == level for q, level in insisted.items())
        assert found.chosen.node in case.problem.lattice


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Command:
    return Command("lattice", capsys)


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("recipe", [HOSPITAL, CLINIC])
@pytest.mark.parametrize("keep", [{}, {0: 1}, {0: 1, 1: 1}])
def test_the_command_writes_the_prices_that_its_table_of_nodes_implies(
    run: Command, tmp_path: Path, recipe: Path, keep: dict[int, int]
) -> None:
    nodes, prices = tmp_path / "nodes.csv", tmp_path / "prices.csv"
    run.json(recipe, "--out", nodes)
    listed = [row for row in rows_of(nodes) if row["satisfies"] == "true"]
    names = [name.removeprefix("level.") for name in listed[0] if name.startswith("level.")]
    words = [word for q, level in keep.items() for word in ("--keep", f"{names[q]}={level}")]
    said = run.json(recipe, "--prices", prices, *words)
    least = min(float(row["loss"]) for row in listed)
    written = rows_of(prices)
    assert list(written[0]) == ["column", "level", "price", "nodes"]
    for row in written:
        others = {names[q]: level for q, level in keep.items() if names[q] != row["column"]}
        mine = [
            float(node["loss"])
            for node in listed
            if node[f"level.{row['column']}"] == row["level"]
            and all(node[f"level.{name}"] == str(level) for name, level in others.items())
        ]
        assert int(row["nodes"]) == len(mine)
        assert row["price"] == (repr(min(mine) - least) if mine else "")
    if keep:
        assert said["insisted"] == {names[q]: level for q, level in keep.items()}
        assert said["chosen"] is None or all(said["chosen"][names[q]] == n for q, n in keep.items())


def test_levels_are_insisted_on_by_number_or_name_and_all_levels_are_listed(
    run: Command, tmp_path: Path
) -> None:
    by_number, by_name = tmp_path / "number.csv", tmp_path / "name.csv"
    adult = EXAMPLES / "adult" / "recipe.toml"
    run.json(adult, "--prices", by_number, "--keep", "occupation=1")
    said = run.json(adult, "--prices", by_name, "--keep", "occupation=3 kinds of work")
    assert by_number.read_bytes() == by_name.read_bytes()
    assert said["price"] == pytest.approx(0.004064368582712419, abs=1e-12)
    assert said["chosen"]["occupation"] == 1
    cells = {(row["column"], row["level"]): row for row in rows_of(by_number)}
    assert cells["occupation", "1"]["nodes"] == "1516"
    assert cells["occupation", "2"]["price"] == "0.0", "the own level of a column does not count for it"


def test_what_no_node_satisfies_has_no_price_and_ends_well(run: Command, tmp_path: Path) -> None:
    prices = tmp_path / "prices.csv"
    run.json(CLINIC, "--prices", prices)
    impossible = [row for row in rows_of(prices) if row["nodes"] == "0"]
    assert impossible
    assert {row["price"] for row in impossible} == {""}
    first = impossible[0]
    said = run.json(CLINIC, "--prices", prices, "--keep", f"{first['column']}={first['level']}")
    assert (said["chosen"], said["price"]) == (None, None)


def test_wrong_words_are_refused_before_anything_is_scored(run: Command, tmp_path: Path) -> None:
    prices = tmp_path / "prices.csv"
    run.refuses("No file is named.", HOSPITAL)
    run.refuses("Prices cannot be written to 'prices.parquet'.", HOSPITAL, "--prices", "prices.parquet")
    run.refuses("both name", HOSPITAL, "--prices", prices, "--out", prices)
    run.refuses("names no quasi-identifying column", HOSPITAL, "--prices", prices, "--keep", "nothing=1")
    column = rows_of_columns(HOSPITAL)[0]
    run.refuses(f"'{column}' has no level '99'", HOSPITAL, "--prices", prices, "--keep", f"{column}=99")
    twice = ("--keep", f"{column}=0", "--keep", f"{column}=1")
    run.refuses(f"two levels of '{column}'", HOSPITAL, "--prices", prices, *twice)
    assert not prices.exists()


def rows_of_columns(recipe: Path) -> tuple[str, ...]:
    from engine.project.compile import compile_problem
    from engine.project.recipe.files import read_recipe

    return compile_problem(read_recipe(recipe)).names
