"""Records that columns single out together, against counting tuples of texts."""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path

import pytest

from engine.advice.columns import singled_out_together
from engine.project import Project, edits
from engine.project.recipe.files import read_recipe
from engine.records import Role


def _counted(project: Project, names: tuple[str, ...]) -> int:
    records = project.records
    columns = [records.column(name) for name in names]
    rows = [tuple(column.text(record) for column in columns) for record in range(records.n_records)]
    if project.person is None:
        counts = Counter(rows)
        return sum(counts[row] == 1 for row in rows)
    persons, holders = records.column(project.person), defaultdict(set)
    for record, row in enumerate(rows):
        holders[row].add(persons.text(record))
    return sum(len(holders[row]) == 1 for row in rows)


@pytest.mark.parametrize(
    "names",
    [("age", "sex"), ("age", "sex", "postal code"), ("sex", "insurance"), ("diagnosis", "age", "sex")],
)
@pytest.mark.parametrize("has_persons", [False, True])
def test_records_are_counted_as_by_their_texts(
    examples: Path, names: tuple[str, ...], has_persons: bool
) -> None:
    project = read_recipe(examples / "clinic" / "recipe.toml")
    if has_persons:
        project = edits.set_person(edits.set_roles(project, ["insurance"], Role.IDENTIFYING), "insurance")
        names = tuple(name for name in names if name != "insurance")
    assert singled_out_together(project, names) == _counted(project, names)
