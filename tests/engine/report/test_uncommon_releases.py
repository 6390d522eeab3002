"""Releases of every kind have a report for both audiences."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from engine.report import INTERNAL, PUBLIC, ReportSettings, rendered, report_of
from tests.engine.report.reports import N_PEOPLE, PEOPLE, material_of, people_recipe

WITHOUT_SENSITIVE = PEOPLE.replace("\nsensitive", "\ninsensitive").replace(
    '[[privacy]]\nmodel = "distinct_l_diversity"\ncolumn = "illness"\nl = 2\n', ""
)
KINDS = {
    "no sensitive column": WITHOUT_SENSITIVE,
    "no model": PEOPLE.split("[[privacy]]")[0] + "[transformation]\nsuppression_limit = 0.0\n",
    "everything suppressed": PEOPLE.replace("k = 5", "k = 121").replace("limit = 0.2", "limit = 1.0"),
    "one class": PEOPLE.replace("k = 5", "k = 120").replace("limit = 0.2", "limit = 0.0"),
    "nothing suppressed": PEOPLE.replace("limit = 0.2", "limit = 0.0"),
    "removed and shuffled": PEOPLE + 'suppressed_records = "remove"\nshuffle = true\nseed = 7\n',
    "pseudonyms": PEOPLE + 'identifying = "pseudonym"\nprefix = "P"\n',
    "levels vary by record": PEOPLE + '[recoding]\nmethod = "mondrian"\n',
    "improved": PEOPLE + '[recoding]\nmethod = "singletons"\n',
    "a population": PEOPLE + "[population]\nsize = 5000\n",
    "a subset": PEOPLE.replace('["age", "sex"]', '["age", "sex"]') + "[subset]\nfilter = \"sex = 'f'\"\n",
    "weights and best first": PEOPLE + '[search]\nalgorithm = "best_first"\n[search.weights]\n"age" = 2.0\n',
    (
        "An attacker on one sensitive column is assumed to know the others: each is measured "
        "among records that are equal in the others too."
    ): PEOPLE.replace(
        'quasi_identifying = ["age", "sex"]\nsensitive = ["illness"]',
        'quasi_identifying = ["age"]\nsensitive = ["illness", "sex"]\n[sensitive]\nothers_as_qi = true',
    ).replace('[hierarchies."sex"]\nbuilder = "suppress"\n', ""),
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_release_has_a_report(tmp_path: Path, kind: str) -> None:
    recipe = people_recipe(tmp_path)
    recipe.write_text(KINDS[kind], encoding="utf-8")
    material = material_of(recipe, ReportSettings(audience=INTERNAL))
    content, release = report_of(material), material.release
    facts = {
        fact["key"]: fact["value"]
        for section in json.loads(rendered(content, ".json"))["sections"]
        for block in section["blocks"]
        if block["type"] == "facts"
        for fact in block["facts"]
    }
    assert facts["suppressed"] == release.n_suppressed
    assert facts["kept"] == release.n_records - release.n_suppressed
    assert facts["k"] == release.k
    assert rendered(content, ".pdf").startswith(b"%PDF")
    assert rendered(report_of(replace(material, settings=ReportSettings(audience=PUBLIC))), ".html")
    assert release.n_records in (N_PEOPLE, N_PEOPLE // 2)
