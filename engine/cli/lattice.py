"""`anonymizer lattice`: score every node and write a table of the nodes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray

from engine.cli.console import Format, FormatOption, QuietOption, number, progress, show
from engine.cli.settings import with_settings
from engine.cli.targets import check_target, files_of
from engine.errors import InputError
from engine.files import atomic_write
from engine.monitor import SILENT, Monitor
from engine.privacy.differential_privacy import DifferentialPrivacy
from engine.project import Project
from engine.project.compile import check_metric, compile_problem, objective_of
from engine.project.recipe.files import read_recipe
from engine.project.trade_off import complete_problem, expected_shares
from engine.records.opening import memory_of
from engine.records.options import AS_IN_RECIPE, Placing
from engine.records.text.writing import write_csv
from engine.scoring import LatticeProfile, score_lattice
from engine.scoring.in_parts import Cells, listed_nodes
from engine.search.exhaustive import check_size
from engine.utility.base import LATTICE_METRICS

if TYPE_CHECKING:
    import pyarrow as pa


@with_settings
def lattice(
    recipe: Annotated[Path, typer.Argument(metavar="RECIPE", help="A recipe (.toml).")],
    out: Annotated[Path, typer.Option("--out", help="Where to write the nodes: .csv or .parquet.")],
    placing: Placing = AS_IN_RECIPE,
    output: FormatOption = Format.TABLE,
    quiet: QuietOption = False,
) -> None:
    """Score every node of a recipe's lattice and write one line per node.

    The last quasi-identifying column varies fastest. Classes, k, l and t of a line are those of all its
    classes; the other columns are under the recipe's requirement. Nodes that fail it are listed too, so the
    command never fails because of the requirement. With differential privacy all are those of drawn records,
    but expected_kept, the records of the whole table that a draw is expected to keep.
    """
    check_ending(out)
    with progress(quiet) as monitor:
        project = read_recipe(recipe, monitor, may_connect=True, placing=placing)
        check_target(out, files_of(project, recipe))
        problem = compile_problem(project)
        check_metric(problem, project.search.metric)
        check_size(problem.lattice.n_nodes)
        metric, objective = project.search.metric, objective_of(project, problem)
        memory = memory_of(project.options)
        columns, best = listed_nodes(problem, project.requirement, metric, objective, memory, monitor)
        if project.requirement.sampling is not None:
            columns["expected_kept"] = _expected_kept(project, project.requirement.sampling, monitor)
        write_nodes(out, columns, monitor)
    optimum, n_satisfying = best.optimum(metric), sum(columns["satisfies"])
    value, node = None, None
    if optimum is not None:
        value = float(best.metric_at(metric, np.array([optimum]))[0])
        node = dict(zip(problem.names, best.lattice.node(optimum), strict=True))
    result = {
        "records": problem.n_records,
        "nodes": problem.lattice.n_nodes,
        "satisfying": n_satisfying,
        "metric": metric,
        "optimum": node,
        "value": value,
    }
    words = "no node satisfies" if node is None else ", ".join(f"{q}: {level}" for q, level in node.items())
    rows = [
        ("records", number(problem.n_records)),
        ("nodes", number(problem.lattice.n_nodes)),
        ("satisfying nodes", number(n_satisfying)),
        ("optimum", words),
        (metric, number(value)),
        ("written", str(out)),
    ]
    show(result, rows, output, quiet, ("lattice", ""))


ENDINGS = (".csv", ".parquet")


def _expected_kept(project: Project, model: DifferentialPrivacy, monitor: Monitor) -> Cells:
    """Return the records of the complete table that each node is expected to keep, without drawing any."""
    whole = complete_problem(project)
    profile = LatticeProfile(whole)
    score_lattice(whole, monitor, profile)
    shares = expected_shares(profile, model.beta, project.requirement.k or 1)
    return [float(share) for share in shares * whole.n_records]


def check_ending(path: Path) -> None:
    """Refuse a file ending that is not a format of this table."""
    if path.suffix.lower() not in ENDINGS:
        raise InputError(
            f"The table of nodes cannot be written to '{path.name}'.",
            hint=f"Choose a name that ends in {' or '.join(ENDINGS)}.",
        )


def write_nodes(path: Path, columns: dict[str, Cells], monitor: Monitor = SILENT) -> None:
    """Write the columns as CSV with commas, or as Parquet, by the ending of the path."""
    check_ending(path)
    if path.suffix.lower() == ".csv":
        write_csv(path, list(columns), [_coded(cells) for cells in columns.values()], ",", monitor)
        return
    with atomic_write(path) as file:
        _write_parquet(file, columns)


def _write_parquet(file: Any, columns: dict[str, Cells]) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    def array(name: str, cells: Cells) -> pa.Array[Any]:
        if name in ("satisfies", "group_held"):
            return pa.array(cells, pa.bool_())
        real = name in LATTICE_METRICS or name.startswith("t.") or name == "expected_kept"
        return pa.array(cells, pa.float64() if real else pa.int64())

    arrays = [array(name, cells) for name, cells in columns.items()]
    parquet.write_table(pa.Table.from_arrays(arrays, names=list(columns)), file)


def _coded(cells: Cells) -> tuple[list[str], NDArray[np.int32]]:
    """Return the distinct texts of a column, and which of them each node has."""
    index = {value: code for code, value in enumerate(dict.fromkeys(cells))}
    codes = np.fromiter(map(index.__getitem__, cells), np.int32, len(cells))
    return [_text(value) for value in index], codes


def _text(value: Any) -> str:
    """Format with full precision: the shortest text that reads back as the same number."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value)
