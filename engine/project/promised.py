"""What a recipe promises of any release, without the values of a run: for verifying a file alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice, product
from pathlib import Path

from engine.errors import TableError
from engine.frequency import Problem
from engine.frequency.problem import Attribute
from engine.lattice import Node
from engine.monitor import SILENT, Monitor
from engine.project.claims import has_header
from engine.project.project import Project
from engine.recoding.release import Release
from engine.recoding.transformation import BLANK
from engine.sources.opening import open_table
from engine.table import Column
from engine.table.options import CSV, JUDGED, ExportOptions
from engine.table.variable_names import variable_names
from engine.verification.claims import Expected, ReleaseClaim

MOST_NODES = 64  # that a file is verified as
_STAR = "*"


def released_columns(
    release: Release,
    written: Path,
    options: ExportOptions,
    monitor: Monitor = SILENT,
    *,
    project: Project,
) -> Mapping[str, Column]:
    """Return the columns of a file under their names in a release; none if it cannot be read as a table."""
    reading = project.options
    given = replace(
        JUDGED,
        delimiter=(options.delimiter or reading.delimiter) if options.kind == CSV else None,
        encoding=options.text_encoding if options.kind == CSV else None,
        header=has_header(options, reading),
        missing=reading.missing,
    )
    try:
        table = open_table(written, given, monitor).table
    except TableError:
        return {}
    if has_header(options, reading):
        names = [column.name for column in release.columns]
        own = dict(zip(variable_names(names, options.kind), names, strict=True))
        return {own.get(column.name, column.name): column for column in table.columns}
    return dict(zip((column.name for column in release.columns), table.columns, strict=False))


def nodes_of(problem: Problem, columns: Mapping[str, Column]) -> list[Node]:
    """Return the nodes that a file can be a release of, the likeliest first and at most `MOST_NODES`.

    Per column, these are the levels with most of the file's records; of labels that several levels have,
    the lowest level comes first.
    """
    levels = [list(_levels(attribute, columns.get(attribute.name))) for attribute in problem.attributes]
    return list(islice(product(*levels), MOST_NODES))


def _levels(attribute: Attribute, column: Column | None) -> Iterator[int]:
    """Yield the possible levels of one column."""
    allowed = range(attribute.minimum, attribute.maximum + 1)
    if attribute.released_as:
        yield from allowed  # the file shows aggregates instead of labels
        return
    if column is None:
        yield attribute.minimum
        return
    counts = dict(zip(column.labels, column.counts.tolist(), strict=True))
    stars = counts.pop(_STAR, 0)  # suppressed records, or the label of a level
    hidden = [level for level in allowed if set(attribute.hierarchy.levels[level].labels) == {_STAR}]
    if not counts and stars and hidden:
        yield from hidden
        return
    found = {
        level: sum(counts.get(label, 0) for label in set(attribute.hierarchy.levels[level].labels))
        for level in allowed
    }
    most = max(found.values())
    yield from (level for level, n_records in found.items() if n_records == most)


def n_all_star(problem: Problem, columns: Mapping[str, Column]) -> int:
    """Return the number of a file's records whose quasi-identifying cells are all `*`."""
    own = [columns[name] for name in problem.names if name in columns]
    if not own or any(_STAR not in column.labels for column in own):
        return 0
    is_hidden = own[0].codes == own[0].labels.index(_STAR)
    for column in own[1:]:
        is_hidden = is_hidden & (column.codes == column.labels.index(_STAR))
    if own[0].records is not None:
        return int(own[0].records[is_hidden].sum())
    return int(is_hidden.sum())


def promised(claim: ReleaseClaim, n_suppressed: int, *, is_local: bool, way: str = "") -> ReleaseClaim:
    """Return a claim of a recipe's promises alone: every model is met, and suppression is within its limit.

    Parameters
    ----------
    claim : ReleaseClaim
        What the program claims of a release of the same settings.
    n_suppressed : int
        Suppressed records that the file seems to have.
    is_local : bool
        Whether levels may differ by record.
    way : str
        Whether suppressed records are "blank" or "kept", if the claim does not tell.
    """
    return replace(
        claim,
        expected=Expected(claim.expected.records, 0, n_suppressed, 0, None, are_claimed=False),
        models=tuple(replace(model, met=True, holds=True) for model in claim.models),
        satisfies=True,
        node=None if is_local else claim.node,
        blank_suppressed=way == BLANK if way else claim.blank_suppressed,
        kept_records=None,
    )
