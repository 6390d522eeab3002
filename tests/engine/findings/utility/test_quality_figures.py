"""Quality figures of four releases as the reference program reports them."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from engine.findings.utility.of_table import UtilityReport, measure_utility
from engine.findings.utility.quality import QualityReport, Scale
from engine.privacy import Requirement
from engine.privacy.k_anonymity import KAnonymity
from engine.project.compile import compile_problem
from engine.project.project import Project
from engine.recoding import make_release
from engine.records import Column, Table
from engine.records.values import make_column
from tests.adult import ARX_COLUMNS, arx_project
from tests.conftest import DATA

FIGURES: dict[str, Any] = json.loads((DATA / "arx" / "risk_quality.json").read_text(encoding="utf-8"))
OUTPUTS = [name for name in FIGURES if name.startswith("output")]
# The squared errors state sources of their own.
BY_COLUMN = ("granularity", "generalization_intensity", "non_uniform_entropy", "missings")
BY_TABLE = ("discernibility", "average_class_size", "ambiguity")


def released_table(project: Project, node: tuple[int, ...], k: int) -> Table:
    asked = replace(project, requirement=Requirement((KAnonymity(k),), 1.0))
    release = make_release(asked, compile_problem(asked), node)
    rows = release.rows()
    columns: list[Column] = []
    for column in release.columns:
        original = project.table.column(column.name)
        texts = [column.labels[code] for code in column.codes[rows].tolist()]
        labels = sorted(set(texts))
        index = {text: code for code, text in enumerate(labels)}
        codes = np.array([index[text] for text in texts], dtype=np.int32)
        columns.append(make_column(column.name, labels, codes, original.data_type, ""))
    return Table(tuple(columns))


@cache
def report(name: str) -> UtilityReport:
    project = arx_project()
    node = tuple(FIGURES[name]["node"][column] for column in ARX_COLUMNS)
    table = released_table(project, node, 50 if "k50" in name else 5)
    hierarchies = {column: entry.hierarchy for column, entry in project.hierarchies.items()}
    return measure_utility(project.table, table, ARX_COLUMNS, hierarchies=hierarchies)


def quality(name: str) -> QualityReport:
    found = report(name).quality
    assert found is not None
    return found


@pytest.mark.parametrize("name", OUTPUTS)
@pytest.mark.parametrize("figure", BY_COLUMN)
def test_figures_by_column_and_their_three_means_are_reproduced(name: str, figure: str) -> None:
    expected = FIGURES[name]["quality"][figure]
    found = quality(name).columns[figure].as_dict()
    assert found.keys() == expected.keys()
    assert found["by_attribute"] == pytest.approx(expected["by_attribute"], rel=1e-9, abs=1e-10)
    for mean in ("arithmetic_mean", "geometric_mean", "maximum"):
        assert found[mean] == pytest.approx(expected[mean], rel=1e-9, abs=1e-10), mean


@pytest.mark.parametrize("name", OUTPUTS)
@pytest.mark.parametrize("figure", BY_TABLE)
def test_figures_of_whole_releases_are_reproduced(name: str, figure: str) -> None:
    expected, found = FIGURES[name]["quality"][figure], quality(name).table[figure]
    assert expected["available"]
    assert found.quality == pytest.approx(expected["value"], rel=1e-9)
    assert found == Scale(*(pytest.approx(expected["raw"][end]) for end in ("result", "minimum", "maximum")))


@pytest.mark.parametrize("name", OUTPUTS)
def test_every_quality_figure_of_the_reference_is_looked_at(name: str) -> None:
    squared = {"attribute_squared_error", "record_squared_error", "ssesst"}
    assert set(FIGURES[name]["quality"]) - squared - {"compute_ms"} == {*BY_COLUMN, *BY_TABLE}
