"""What `check` measures of many tables, against an independent implementation of the definitions."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from engine.cli import main
from engine.findings.given_table import GivenTable, given_table
from engine.findings.model_check import CheckReport, check, check_given

PUBLISHED = Path(__file__).parents[2] / "data" / "published"
MICRO = json.loads((PUBLISHED / "micro.json").read_text(encoding="utf-8"))
TABLES = json.loads((PUBLISHED / "models.json").read_text(encoding="utf-8"))
FIELDS = {  # of the reference, by model
    "k": "k_anonymity",
    "alpha": "alpha_k_anonymity",
    "l": "distinct_l_diversity",
    "exp_entropy_min": "entropy_l_diversity",
    "beta": "basic_beta_likeness",
    "enh_lit": "enhanced_beta_likeness",
    "delta_lit": "delta_disclosure",
    "t": "t_closeness",
}
# Files of every shape: packed, with semicolons, with blanks in names, several sensitive columns.
BY_COMMAND = [
    "3577b8161a",  # hospital_extended.csv, two sensitive columns
    "ce790db1e0",  # the same, the other one known
    "35851b88a2",  # hospital_anonymized.csv
    "83194f9c68",  # adult_arx.csv, separated by semicolons, the other one known
    "802efc912f",  # adult.csv, a number and a text, the other one known
    "7bf55cb50c",  # adult_k3.csv.gz
    "1b589bdaa6",  # adult_k3_arx_raw.csv.gz, with records of stars
    "42fa7f3c04",  # adult_k10_anjana.csv.gz, whose first column, an index, has no name
    "6e4700039d",  # airline_k20.csv.gz, blanks and slashes in names
]


def agree(report: CheckReport, known: dict[str, Any]) -> None:
    for field, model in FIELDS.items():
        measured = report[model].value
        assert measured == pytest.approx(float(known[field]), rel=1e-9, abs=1e-12), field
    diversity = report["recursive_c_l_diversity"]
    assert diversity.reported == {"l": int(known["l"])}
    ratio = known["recursive_c_ratio_lit"]
    assert (diversity.value is None) == (ratio is None) == (int(known["l"]) == 1)
    if ratio is not None:
        assert diversity.value == pytest.approx(float(ratio), rel=1e-9)
    assert report["alpha_k_anonymity"].reported == {"k": report.k}
    entropy = report["entropy_l_diversity"].value
    assert math.floor(float(entropy or 0) + 1e-9) == known["entropy_l_floor_exact"]
    distances = [report.by_attribute[name] for name in report.sensitive]
    kinds = [
        model.reported["distance"] for models in distances for model in models if model.key == "t_closeness"
    ]
    assert kinds == known["t_kinds"]


def ordered(table: pd.DataFrame, columns: list[str]) -> pd.DataFrame:
    """The table with its texts in these columns as categories in alphabetical order."""
    texts = [name for name in columns if not pd.api.types.is_numeric_dtype(table[name])]
    return table.assign(**{name: pd.Categorical(table[name], ordered=True) for name in texts})


def agree_with_a_frame(entry: dict[str, Any], table: pd.DataFrame) -> GivenTable:
    known, qi, sa = entry["independent"], entry["qi"], entry["sa"]
    asked = {"others_as_qi": not entry["gen"], "drop_missing": entry.get("dropna_qi", False)}
    given = given_table(table, qi, sa, **asked)
    agree(check_given(given), known)
    equal = check_given(given, distances=dict.fromkeys(sa, "equal"))["t_closeness"]
    assert equal.value == pytest.approx(known["t_equal"], rel=1e-9, abs=1e-12)
    by_order = check(ordered(table, sa), qi, sa, distances=dict.fromkeys(sa, "ordered"), **asked)
    assert by_order["t_closeness"].value == pytest.approx(known["t_ordered"], rel=1e-9, abs=1e-12)
    return given


@pytest.mark.parametrize("entry", [pytest.param(entry, id=entry["id"]) for entry in MICRO])
def test_tables_to_count_by_hand_have_the_values_of_the_definitions(entry: dict[str, Any]) -> None:
    agree_with_a_frame(entry, pd.DataFrame(entry["data"]))


@pytest.mark.parametrize("entry", [pytest.param(entry, id=entry["id"]) for entry in TABLES])
def test_released_and_raw_tables_have_the_values_of_the_definitions(
    entry: dict[str, Any], table_path: Callable[[str], Path]
) -> None:
    columns = list(dict.fromkeys([*entry["qi"], *entry["sa"]]))
    table = pd.read_csv(table_path(entry["dataset"]), sep=entry["sep"], usecols=columns)
    sizes = agree_with_a_frame(entry, table).classes.measured.sizes
    classes = entry["equivalence_classes"]
    assert (len(sizes), sizes.min(), sizes.max(), sizes.sum()) == tuple(
        classes[name] for name in ("n", "min", "max", "rows_in_classes")
    )
    assert int((sizes == 1).sum()) == classes["singletons"]


@pytest.mark.parametrize(
    "entry",
    [
        pytest.param(entry, id=entry["id"], marks=() if entry["id"] in BY_COMMAND else pytest.mark.thorough)
        for entry in TABLES
    ],
)
def test_a_file_has_the_values_of_the_frame_that_pandas_reads_of_it(
    entry: dict[str, Any], table_path: Callable[[str], Path]
) -> None:
    path = table_path(entry["dataset"])
    assert not entry["dropna_qi"]
    agree(check(path, entry["qi"], entry["sa"], others_as_qi=not entry["gen"]), entry["independent"])


@pytest.mark.parametrize("number", BY_COMMAND)
def test_the_command_prints_the_values_of_the_definitions(
    number: str, table_path: Callable[[str], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    entry = next(entry for entry in TABLES if entry["id"] == number)
    words = ["check", str(table_path(entry["dataset"])), "--format", "json"]
    words += [word for name in entry["qi"] for word in ("--qi", name)]
    words += [word for name in entry["sa"] for word in ("--sa", name)]
    assert main([*words, *([] if entry["gen"] else ["--update-qi"])]) == 0
    printed, known = json.loads(capsys.readouterr().out), entry["independent"]
    parameters = {"beta": "beta", "enh_lit": "beta", "delta_lit": "delta", "exp_entropy_min": "l"}
    for field, model in FIELDS.items():
        value = float(printed[model][parameters.get(field, field)])
        assert value == pytest.approx(float(known[field]), rel=1e-9, abs=1e-12), field
    assert set(printed["by_attribute"]) == set(entry["sa"])
