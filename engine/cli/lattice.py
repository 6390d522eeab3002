"""`anonymizer lattice`: score every node and write a table of the nodes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray

from engine.cli.console import Format, FormatOption, QuietOption, number, progress, show
from engine.cli.settings import with_settings
from engine.cli.targets import check_apart, check_target, files_of
from engine.errors import InputError
from engine.files import atomic_write
from engine.frequency import Problem
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
from engine.scoring.in_parts import BestOfParts, Cells, evaluated_parts, extend
from engine.scoring.prices import Prices, prices_of, prices_over
from engine.search.exhaustive import check_size
from engine.utility.base import LATTICE_METRICS

if TYPE_CHECKING:
    import pyarrow as pa


@with_settings
def lattice(
    recipe: Annotated[Path, typer.Argument(metavar="RECIPE", help="A recipe (.toml).")],
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", help="Where to write the nodes: .csv or .parquet. May be omitted beside --prices."
        ),
    ] = None,
    prices: Annotated[
        Path | None,
        typer.Option(
            "--prices",
            metavar="FILE.csv",
            help="Where to write what every level of every column costs: the extra loss, or other metric of "
            "the recipe, of the best node that has it.",
        ),
    ] = None,
    keep: Annotated[
        list[str] | None,
        typer.Option(
            "--keep",
            metavar="COLUMN=LEVEL",
            help="Insist on a level of a column, by its number or its name; the prices of the other columns "
            "are then those of nodes that have it (may be repeated).",
        ),
    ] = None,
    placing: Placing = AS_IN_RECIPE,
    output: FormatOption = Format.TABLE,
    quiet: QuietOption = False,
) -> None:
    """Score every node of a recipe's lattice and write one line per node.

    The last quasi-identifying column varies fastest. Classes, k, l and t of a line are those of all its
    classes; the other columns are under the recipe's requirement. Nodes that fail it are listed too, so the
    command never fails because of the requirement. With differential privacy all are those of drawn records,
    but expected_kept, the records of the whole table that a draw is expected to keep.

    A price is the difference to the optimum, and never negative. It is empty where no node satisfies. A
    column with --keep shows the prices of all its levels too: its own level does not count for them.
    """
    _check_paths(out, prices)
    with progress(quiet) as monitor:
        project = read_recipe(recipe, monitor, may_connect=True, placing=placing)
        for path in filter(None, (out, prices)):
            check_target(path, files_of(project, recipe))
        problem = compile_problem(project)
        insisted = insisted_levels(keep or [], problem)
        check_metric(problem, project.search.metric)
        check_size(problem.lattice.n_nodes)
        metric, objective = project.search.metric, objective_of(project, problem)
        memory = memory_of(project.options)
        best, found = BestOfParts(problem, project.requirement, metric, objective), list[Prices]()
        columns, n_satisfying = dict[str, Cells](), 0
        n_levels = [attribute.hierarchy.height + 1 for attribute in problem.attributes]
        for part in evaluated_parts(problem, project.requirement, objective, memory, monitor):
            best.add(part)
            n_satisfying += part.n_satisfying
            if prices is not None or insisted:
                found.append(prices_of(part, metric, n_levels, insisted))
            if out is not None:
                extend(columns, part)
            del part  # its memory is for the next one
        if out is not None:
            if project.requirement.sampling is not None:
                columns["expected_kept"] = _expected_kept(project, project.requirement.sampling, monitor)
            write_nodes(out, columns, monitor)
        if prices is not None:
            _write_prices(prices, problem.names, prices_over(found), monitor)
    evaluation = best.evaluation
    optimum = evaluation.optimum(metric)
    value, node = None, None
    if optimum is not None:
        value = float(evaluation.metric_at(metric, np.array([optimum]))[0])
        node = dict(zip(problem.names, evaluation.lattice.node(optimum), strict=True))
    result: dict[str, Any] = {
        "records": problem.n_records,
        "nodes": problem.lattice.n_nodes,
        "satisfying": n_satisfying,
        "metric": metric,
        "optimum": node,
        "value": value,
    }
    rows = [
        ("records", number(problem.n_records)),
        ("nodes", number(problem.lattice.n_nodes)),
        ("satisfying nodes", number(n_satisfying)),
        ("optimum", _words(node)),
        (metric, number(value)),
    ]
    if insisted:
        chosen = prices_over(found).chosen
        kept = None if chosen is None else dict(zip(problem.names, chosen.node, strict=True))
        price = None if chosen is None or value is None else max(chosen.value - value, 0.0)
        result |= {
            "insisted": {problem.names[column]: level for column, level in insisted.items()},
            "chosen": kept,
            "price": price,
        }
        rows += [("with insisted levels", _words(kept)), ("their price", number(price))]
    rows += [("written", str(path)) for path in (out, prices) if path is not None]
    show(result, rows, output, quiet, ("lattice", ""))


def _words(node: Mapping[str, int] | None) -> str:
    """Return the levels of a node as a text."""
    return "no node satisfies" if node is None else ", ".join(f"{q}: {level}" for q, level in node.items())


def insisted_levels(texts: Iterable[str], problem: Problem) -> dict[int, int]:
    """Return the level insisted on by column, from texts such as "age=2" or "age=10-year bands".

    Raises
    ------
    InputError
        A text names no quasi-identifying column or no level of it, or a column is named twice.
    """
    found: dict[int, int] = {}
    for text in texts:
        column, level = _insisted(text, problem)
        if column in found:
            name = problem.names[column]
            raise InputError(
                f"--keep insists on two levels of '{name}'.", hint="Keep one of them.", column=name
            )
        found[column] = level
    return found


def _insisted(text: str, problem: Problem) -> tuple[int, int]:
    """Return column and level of one text; names may contain the sign between them."""
    for column, attribute in enumerate(problem.attributes):
        if not text.startswith(f"{attribute.name}="):
            continue
        wanted = text[len(attribute.name) + 1 :]
        names = [level.name or level.proposed for level in attribute.hierarchy.levels]
        levels = {name: level for level, name in reversed(list(enumerate(names))) if name}
        levels |= {str(level): level for level in range(len(names))}
        if wanted in levels:
            return column, levels[wanted]
        raise InputError(
            f"--keep {text}: '{attribute.name}' has no level '{wanted}'.",
            hint=f"Its levels are {', '.join(_titles(names))}.",
            column=attribute.name,
        )
    raise InputError(
        f"--keep {text} names no quasi-identifying column.",
        hint=f"Write COLUMN=LEVEL with one of {', '.join(problem.names)}.",
    )


def _titles(names: Sequence[str]) -> list[str]:
    """Return the number of each level, with its name if it has one."""
    return [f"{number} ({name})" if name else str(number) for number, name in enumerate(names)]


def _check_paths(out: Path | None, prices: Path | None) -> None:
    """Refuse files that cannot be written, or nothing to write."""
    if out is None and prices is None:
        raise InputError("No file is named.", hint="Name one by --out or --prices.")
    if out is not None:
        check_ending(out)
    if prices is None:
        return
    if prices.suffix.lower() != PRICES_ENDING:
        raise InputError(
            f"Prices cannot be written to '{prices.name}'.",
            hint=f"Choose a name that ends in {PRICES_ENDING}.",
        )
    check_apart({"--out": out, "--prices": prices})


def _write_prices(path: Path, names: Sequence[str], prices: Prices, monitor: Monitor) -> None:
    """Write one row per column and level, in full digits; a price is empty where no node satisfies."""
    rows = [
        (name, str(level), _text(float(price)) if price < inf else "", str(n))
        for column, name in enumerate(names)
        for level, (price, n) in enumerate(
            zip(prices.of(column), prices.n_nodes[column].tolist(), strict=True)
        )
    ]
    header = ("column", "level", "price", "nodes")
    write_csv(path, header, list(zip(*rows, strict=True)), ",", monitor)


ENDINGS, PRICES_ENDING = (".csv", ".parquet"), ".csv"


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
