"""`anonymizer lattice`: score every node and write the table of them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from engine.cli.console import Format, FormatOption, QuietOption, number, progress, show
from engine.cli.node_table import check_ending, node_columns, write_nodes
from engine.cli.targets import check_target, files_of
from engine.project.compile import check_metric, compile_problem
from engine.project.objective import objective_of
from engine.project.recipe.files import read_recipe
from engine.scoring import LatticeProfile, fetch_kernels, score_lattice
from engine.search.exhaustive import check_size


def lattice(
    recipe: Annotated[Path, typer.Argument(metavar="RECIPE", help="A recipe (.toml).")],
    out: Annotated[Path, typer.Option("--out", help="Where to write the nodes: .csv or .parquet.")],
    output: FormatOption = Format.TABLE,
    quiet: QuietOption = False,
) -> None:
    """Score every node of a recipe's lattice: one line per node, the last quasi-identifier fastest.

    The classes, k, l and t of a line are those of all its classes; all that follows is under the
    recipe's requirement. Nodes that do not satisfy are listed with the rest, so this never fails for
    the sake of the requirement.
    """
    check_ending(out)
    with progress(quiet) as monitor:
        project = read_recipe(recipe, monitor, may_connect=True)
        check_target(out, files_of(project, recipe))
        problem = compile_problem(project)
        check_metric(problem, project.search.metric)
        check_size(problem.lattice.n_nodes)
        profile = LatticeProfile(problem, project.requirement)
        fetch_kernels(profile, monitor)
        score_lattice(problem, monitor, profile)
        objective = objective_of(project, problem)
        evaluation = profile.evaluate(project.requirement, objective).watched_by(monitor)
        best = evaluation.optimum(project.search.metric)
        columns = node_columns(evaluation)
        write_nodes(out, columns, monitor)
    metric = project.search.metric
    value = None if best is None else float(evaluation.metric(metric)[best])
    node = None if best is None else dict(zip(problem.names, problem.lattice.node(best), strict=True))
    result = {
        "records": problem.n_records,
        "nodes": problem.lattice.n_nodes,
        "satisfying": evaluation.n_satisfying,
        "metric": metric,
        "optimum": node,
        "value": value,
    }
    words = "no node satisfies" if node is None else ", ".join(f"{q}: {level}" for q, level in node.items())
    rows = [
        ("records", number(problem.n_records)),
        ("nodes", number(problem.lattice.n_nodes)),
        ("satisfying nodes", number(evaluation.n_satisfying)),
        ("optimum", words),
        (metric, number(value)),
        ("written", str(out)),
    ]
    show(result, rows, output, quiet, ("lattice", ""))
