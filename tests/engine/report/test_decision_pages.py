"""The two pages by which one decides: what they hold, where it comes from, and that no word is broken."""

from __future__ import annotations

import io
import json
import re
from dataclasses import replace
from math import isfinite
from typing import Any

import numpy as np
import pytest
from pypdf import PdfReader

from engine.findings.blocks import Chart, FigureTable
from engine.findings.subject import Subject
from engine.pipeline import anonymize, export_release
from engine.project.compile import objective_of
from engine.project.recipe.files import read_recipe
from engine.report import (
    PUBLIC,
    ReportedRelease,
    ReportSettings,
    SearchFacts,
    Verification,
    rendered,
    report_of,
)
from engine.report.typesetting import scripts, typesetter
from engine.scoring.in_parts import evaluated_parts
from tests.conftest import ROOT
from tests.engine.report.reports import DATE, pages_of

SETTINGS = ReportSettings(
    "Research on lengths of stay", "University of Example", "Data protection office", date=DATE
)


def material_of(example: str, folder: Any) -> ReportedRelease:
    recipe = ROOT / "resources" / "examples" / example / "recipe.toml"
    project = read_recipe(recipe)
    outcome = anonymize(project)
    verdict = export_release(project, outcome.release, folder / "released.csv")
    verified = Verification.of(folder / "released.csv", verdict)
    return ReportedRelease(
        Subject(project, outcome.release), SETTINGS, SearchFacts.of_outcome(outcome), verified, recipe.parent
    )


@pytest.fixture(scope="module")
def clinic(tmp_path_factory: pytest.TempPathFactory) -> ReportedRelease:
    return material_of("clinic", tmp_path_factory.mktemp("clinic"))


def chart_of(material: ReportedRelease, key: str) -> Chart:
    return next(b for b in report_of(material).blocks() if isinstance(b, Chart) and b.key == key)


@pytest.mark.parametrize(("paper", "size"), [("a4", (595, 842)), ("letter", (612, 792))])
@pytest.mark.parametrize("language", ["en", "de"])
def test_the_decision_and_its_reason_are_a_page_each_on_any_paper_and_no_word_is_broken(
    clinic: ReportedRelease,
    monkeypatch: pytest.MonkeyPatch,
    paper: str,
    size: tuple[int, int],
    language: str,
) -> None:
    broken: list[str] = []
    monkeypatch.setattr(
        typesetter, "graphemes", lambda word: broken.append(word.strip()) or scripts.graphemes(word)
    )
    content = report_of(replace(clinic, settings=replace(SETTINGS, paper=paper, language=language)))
    pdf = rendered(content, ".pdf")
    pages, box = pages_of(pdf), PdfReader(io.BytesIO(pdf)).pages[0].mediabox
    assert (round(float(box.width)), round(float(box.height))) == size
    first, second, *appendix = pages
    signed = "Data protection office, "
    assert (
        first.index("69") < first.index("hidden" if language == "en" else "verborgen") < first.index(signed)
    )
    assert signed not in second
    if language == "en":
        assert all(
            word in second for word in ("Why this release", "limit 5.0", "+0.0", "Records by class size")
        )
    assert "[data]" in "".join(appendix)
    assert [word for word in broken if not re.fullmatch("[0-9a-f]{64}", word)] == []


def test_the_prices_of_a_report_are_those_of_a_count_over_all_nodes(clinic: ReportedRelease) -> None:
    chart, problem, node = chart_of(clinic, "prices"), clinic.release.problem, clinic.release.node
    assert node is not None
    (found,) = evaluated_parts(
        problem, clinic.release.requirement, objective_of(clinic.project, problem), 1 << 30
    )
    nodes = np.flatnonzero(found.satisfies)
    levels, values = found.lattice.levels[nodes], found.metric_at("loss", nodes)
    expected = {}
    for column, (name, own) in enumerate(zip(problem.names, node, strict=True)):
        least = [float(np.min(values[levels[:, column] == level], initial=np.inf)) for level in range(own)]
        prices = [price - float(values.min()) for price in least if isfinite(price)]
        if prices:
            expected[name] = {min(prices), max(prices)}
    told: dict[str, set[float]] = {}
    for label, price in zip(chart.labels, chart.series[0].values, strict=True):
        told.setdefault(label.rpartition(", ")[0], set()).add(price)
    assert {name: sorted(prices) for name, prices in told.items()} == {
        name: pytest.approx(sorted(prices)) for name, prices in expected.items()
    }
    star = next(series for series in chart_of(clinic, "nodes").series if series.side == "release")
    assert star.values[0] == pytest.approx(float(values.min()))


def test_the_public_is_shown_no_other_node_and_no_record(clinic: ReportedRelease) -> None:
    blocks = {audience: list(report_of(replace(clinic, settings=own)).blocks()) for audience, own in (
        ("internal", SETTINGS), (PUBLIC, replace(SETTINGS, audience=PUBLIC)))}  # fmt: skip
    keys = {
        who: {block.key for block in own if isinstance(block, Chart | FigureTable)}
        for who, own in blocks.items()
    }
    assert keys["internal"] >= {"nodes", "prices", "record", "changed"}
    assert keys[PUBLIC] & {"nodes", "prices", "record", "changed"} == {"changed"}


def test_a_release_whose_lattice_was_not_searched_completely_says_so(clinic: ReportedRelease) -> None:
    assert clinic.search is not None
    for search, why in (
        (None, "not recorded"),
        (replace(clinic.search, nodes_checked=40), "40 of 864 nodes"),
    ):
        report = json.loads(rendered(report_of(replace(clinic, search=search)), ".json"))
        (reason,) = (section for section in report["sections"] if section["key"] == "reason")
        assert why in reason["blocks"][0]["text"]
        assert [block["key"] for block in reason["blocks"][1:]] == ["class_sizes"]


@pytest.mark.thorough
def test_the_report_of_a_census_has_at_most_fourteen_pages(tmp_path: Any) -> None:
    content = report_of(material_of("adult", tmp_path))
    assert len(pages_of(rendered(content, ".pdf"))) <= 14
