"""pyCANON's reports, against what pyCANON 1.3.5 gave for the published tables."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from anonymizer_compat.pycanon.reports import pycanon_report
from engine.errors import InputError
from engine.findings.given_table import given_table
from engine.records.opening.files import read_csv
from engine.report import ReportSettings, rendered
from tests.conftest import DATA, TABLES
from tests.resources.compat.published import agrees

KEYS = [
    *("data", "k_anonymity", "alpha_k_anonymity", "l_diversity", "entropy_l_diversity"),
    *("recursive_c_l_diversity", "basic_beta_likeness", "enhanced_beta_likeness", "t_closeness"),
    "delta_disclosure",
]
MODELS = json.loads((DATA / "published" / "models.json").read_text(encoding="utf-8"))
HOSPITAL = [entry for entry in MODELS if "hospital" in entry["dataset"] and entry["gen"] and entry["pycanon"]]


@pytest.mark.parametrize("entry", HOSPITAL, ids=lambda entry: str(entry["id"]))
def test_the_json_report_has_the_keys_and_figures_of_the_library(entry: dict[str, Any]) -> None:
    given = given_table(TABLES / entry["dataset"], entry["qi"], entry["sa"])
    report = json.loads(pycanon_report(given).as_json())
    known = entry["pycanon"]
    assert list(report) == KEYS
    assert report["data"] == {"quasi-identifiers": entry["qi"], "sensitive attributes": entry["sa"]}
    expected = {
        "k_anonymity": {"k": known["k"]},
        "alpha_k_anonymity": {"alpha": known["alpha"], "k": known["alpha_k"]},
        "l_diversity": {"l": known["l"]},
        "entropy_l_diversity": {"l": known["entropy_l"]},
        "recursive_c_l_diversity": {"c": known["c"], "l": known["c_l"]},
        "basic_beta_likeness": {"beta": known["basic_beta"]},
        "enhanced_beta_likeness": {"beta": known["enhanced_beta"]},
        "t_closeness": {"t": known["t"]},
        "delta_disclosure": {"delta": known["delta"]},
    }
    for key, values in expected.items():
        assert list(report[key]) == list(values)
        assert all(agrees(report[key][name], value) for name, value in values.items()), key


def test_c_is_that_of_gen_true_also_where_other_columns_may_be_known() -> None:
    given = given_table(TABLES / "hospital_extended.csv", ["gender", "city"], ["disease", "religion"])
    both = [pycanon_report(replace(given, others_as_qi=others)).values for others in (False, True)]
    assert both[0]["recursive_c_l_diversity"] == both[1]["recursive_c_l_diversity"]
    assert both[0]["basic_beta_likeness"] != both[1]["basic_beta_likeness"]


def test_c_that_does_not_exist_is_null_and_said_to_be() -> None:
    given = given_table(TABLES / "hospital_extended.csv", ["gender", "city"], ["disease"])
    report = pycanon_report(given)
    assert report.values["recursive_c_l_diversity"] == {"c": None, "l": 1}
    assert b'"recursive_c_l_diversity": {"c": null, "l": 1}' in report.as_json()
    assert any("NaN" in note for note in report.notes)


def test_the_utility_report_has_the_figures_of_the_library() -> None:
    raw = read_csv(TABLES / "hospital_extended.csv")
    given = given_table(
        TABLES / "anonymized" / "hospital_anonymized.csv", ["age", "gender", "city"], ["disease"]
    )
    values = pycanon_report(given, raw).values
    sizes = given.classes.measured.sizes
    assert values["sizes_ec"]["n_ec"] == len(sizes)
    assert values["discernability_metric"] == int(sizes @ sizes)
    assert values["average_ecsize"] == given.n_records / (len(sizes) * sizes.min())
    content = pycanon_report(given, raw).written(ReportSettings())
    assert [section.title for section in content.sections][1:4] == [
        *("Anonymity", "Utility models", "Equivalence classes information")
    ]
    assert rendered(content, ".pdf").startswith(b"%PDF")


def test_a_report_without_a_sensitive_column_is_refused() -> None:
    given = given_table(TABLES / "hospital.csv", ["gender"], [])
    with pytest.raises(InputError, match="sensitive column"):
        pycanon_report(given)
