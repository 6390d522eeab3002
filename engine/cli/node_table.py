"""The table of all nodes that `anonymizer lattice` writes: one line per node, exact figures."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.errors import InputError
from engine.files import atomic_write
from engine.frequency import Measure
from engine.frequency.classes import DISTINCT
from engine.monitor import SILENT, Monitor
from engine.pipeline import LATTICE_METRICS
from engine.scoring import Evaluation
from engine.table.writing import write_csv

if TYPE_CHECKING:
    import pyarrow as pa

ENDINGS = (".csv", ".parquet")

Cells = list[Any]  # None where a figure does not exist


def node_columns(evaluation: Evaluation) -> dict[str, Cells]:
    """Return the columns by name, one entry per node by number.

    `classes`, `k`, `l` and `t` are those of all classes, the others those under the requirement.
    """
    profile, problem = evaluation.profile, evaluation.problem
    columns: dict[str, Cells] = {}
    for position, name in enumerate(problem.names):
        columns[f"level.{name}"] = evaluation.levels[:, position].tolist()
    columns["classes"] = profile.n_classes.tolist()
    columns["k"] = profile.k.tolist()
    for attribute in problem.sensitive:
        columns[f"l.{attribute.name}"] = profile.worst(Measure(DISTINCT, attribute.name)).tolist()
        distance = evaluation.requirement.distance(attribute.name) or attribute.default_distance
        columns[f"t.{attribute.name}"] = profile.worst(Measure(distance, attribute.name)).tolist()
    columns["suppressed"] = evaluation.suppressed.tolist()
    columns["kept_classes"] = evaluation.kept_classes.tolist()
    columns["kept_k"] = [size or None for size in evaluation.kept_k.tolist()]
    columns["satisfies"] = evaluation.satisfies.tolist()
    for key in LATTICE_METRICS:
        columns[key] = [None if math.isnan(v) else v for v in evaluation.metric(key).tolist()]
    return columns


def check_ending(path: Path) -> None:
    """Refuse a file whose ending names no format of this table."""
    if path.suffix.lower() not in ENDINGS:
        raise InputError(
            f"The table of nodes cannot be written to '{path.name}'.",
            hint=f"Choose a name that ends in {' or '.join(ENDINGS)}.",
        )


def write_nodes(path: Path, columns: dict[str, Cells], monitor: Monitor = SILENT) -> None:
    """Write the columns as CSV with commas, or as Parquet, by the ending of the path."""
    check_ending(path)
    if path.suffix.lower() == ".csv":
        texts = [[_text(value) for value in cells] for cells in columns.values()]
        write_csv(path, list(columns), texts, ",", monitor)
        return
    with atomic_write(path) as file:
        _write_parquet(file, columns)


def _write_parquet(file: Any, columns: dict[str, Cells]) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    def array(name: str, cells: Cells) -> pa.Array[Any]:
        if name == "satisfies":
            return pa.array(cells, pa.bool_())
        real = name in LATTICE_METRICS or name.startswith("t.")
        return pa.array(cells, pa.float64() if real else pa.int64())

    arrays = [array(name, cells) for name, cells in columns.items()]
    parquet.write_table(pa.Table.from_arrays(arrays, names=list(columns)), file)


def _text(value: Any) -> str:
    """Full precision: the shortest text that reads back as the same number."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value)
