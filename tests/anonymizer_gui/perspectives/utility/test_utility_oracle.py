"""The values of Analyze utility compared with those of ARX for the same release of Adult."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.findings.format_value import format_value
from engine.numbers import as_decimal, as_exact_count
from engine.privacy import Requirement
from engine.privacy.k_anonymity import KAnonymity
from tests.adult import ARX_COLUMNS, arx_project
from tests.anonymizer_gui.perspectives.utility.conftest import Bench, texts


@pytest.fixture(scope="module")
def expected(data: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((data / "arx" / "risk_quality.json").read_text())
    release: dict[str, Any] = found["output_k5_s5_loss"]
    return release


def test_classes_and_quality_on_screen_are_those_of_arx(empty_bench: Bench, expected: dict[str, Any]) -> None:
    project = replace(arx_project(), requirement=Requirement((KAnonymity(5),), 0.05))
    empty_bench.apply(project, tuple(expected["node"][column] for column in ARX_COLUMNS))
    classes, quality = expected["class_stats"], expected["quality"]
    tiles = {key: tile.value() for key, tile in empty_bench.utility.view.strip.tiles.items()}
    assert tiles["suppressed"] == as_exact_count(classes["suppressed_rows"])
    assert tiles["classes"] == as_exact_count(classes["classes"])
    assert tiles["mean"] == as_decimal(classes["avg_class"], 1)
    assert tiles["kept"] == as_exact_count(classes["rows"] - classes["suppressed_rows"])

    empty_bench.open_pane("columns", "class_sizes")
    line = texts(empty_bench.find("class_sizes.class_sizes").model())[1]
    assert line[1:4] == [as_exact_count(classes[key]) for key in ("classes", "min_class", "max_class")]

    empty_bench.open_pane("pairs", "metrics")
    by_column = {
        (title, column): value
        for title, column, value in texts(empty_bench.find("metrics.quality_of_columns").model())
    }
    for title, key in (
        ("Granularity", "granularity"),
        ("Generalization intensity", "generalization_intensity"),
        ("Non-uniform entropy", "non_uniform_entropy"),
        ("Missing values", "missings"),
    ):
        assert by_column[title, "arithmetic mean"] == format_value(quality[key]["arithmetic_mean"])
    by_record = {line[0]: line[1] for line in texts(empty_bench.find("metrics.quality_of_records").model())}
    for title, key in (
        ("Discernibility", "discernibility"),
        ("Average class size", "average_class_size"),
        ("Ambiguity", "ambiguity"),
    ):
        assert by_record[title] == format_value(quality[key]["value"])
    for name, value in quality["granularity"]["by_attribute"].items():
        assert by_column["Granularity", name] == format_value(value)
