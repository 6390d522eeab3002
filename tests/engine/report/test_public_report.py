"""What a report for the public does not tell: any cell of the table, and any small count."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.findings.blocks import Chart, FigureColumn, FigureTable, Source
from engine.findings.disclosure import PEOPLE, Disclosure
from engine.findings.given_table import given_table
from engine.records.opening.files import read_csv
from engine.report import (
    INTERNAL,
    PUBLIC,
    ReportContent,
    ReportedFile,
    ReportedRelease,
    ReportSettings,
    rendered,
    report_of,
)
from engine.report.sections.material import FileMark
from tests.engine.findings.risk.subjects import Released, releases
from tests.engine.report.reports import (
    MARK,
    everything_in,
    marked_recipe,
    material_of,
    people_recipe,
    report_on,
)
from tests.strategies import few

THRESHOLD = 5
SIDES = st.lists(st.lists(st.integers(0, 12), min_size=6, max_size=6), min_size=1, max_size=2)


@pytest.fixture(scope="module")
def marked(tmp_path_factory: pytest.TempPathFactory) -> dict[str, ReportContent]:
    """Reports on the marked table, by audience."""
    recipe = marked_recipe(tmp_path_factory.mktemp("marked"))
    return {audience: report_on(recipe, audience=audience) for audience in (INTERNAL, PUBLIC)}


@pytest.mark.parametrize("ending", [".json", ".html"])
def test_no_cell_of_the_input_is_in_a_public_report(marked: dict[str, ReportContent], ending: str) -> None:
    assert MARK in rendered(marked[INTERNAL], ending).decode("utf-8")  # the marks would be seen
    assert MARK not in rendered(marked[PUBLIC], ending).decode("utf-8")


def test_no_cell_of_the_input_is_anywhere_in_a_public_pdf(marked: dict[str, ReportContent]) -> None:
    assert MARK in everything_in(rendered(marked[INTERNAL], ".pdf"))
    assert MARK not in everything_in(rendered(marked[PUBLIC], ".pdf"))


def test_a_public_report_on_a_given_file_has_none_of_its_cells(tmp_path: Path) -> None:
    marked_recipe(tmp_path)
    table = read_csv(tmp_path / "marked.csv")
    given_file = given_table(table, ["street", "trade"], ["ailment"])
    for audience in (INTERNAL, PUBLIC):
        settings = ReportSettings(audience=audience)
        mark = FileMark.of(tmp_path / "marked.csv")
        content = report_of(ReportedFile(given_file, mark, settings, table, mark))
        assert (MARK in rendered(content, ".json").decode("utf-8")) == (audience == INTERNAL)


def counts_of(report: dict[str, Any]) -> list[tuple[str, int]]:
    """Every count of people in a report, with its name."""
    found = []
    for section in report["sections"]:
        for block in section["blocks"]:
            if block["type"] == "facts":
                found += [(f["key"], f["value"]) for f in block["facts"] if f["unit"] in PEOPLE]
            if block["type"] == "table":
                units = [column["unit"] in PEOPLE for column in block["columns"]]
                for row in block["rows"]:
                    found += [(block["key"], v) for v, is_count in zip(row, units, strict=True) if is_count]
    return [(name, value) for name, value in found if isinstance(value, (int, float))]


@few
@given(releases(), st.integers(2, 8))
def test_of_any_release_no_cell_and_no_small_count_is_told(found: Released, threshold: int) -> None:
    settings = ReportSettings(audience=PUBLIC, threshold=threshold)
    data = rendered(report_of(ReportedRelease(found.subject, settings)), ".json")
    text = data.decode("utf-8")
    cells = {cell for a in (*found.case.qi, *found.case.sensitive) for cell in a.texts}
    labels = {label for a in found.case.qi for row in a.rows for label in row}
    words = {word for word in cells | labels if word[:1] in ("q", "s", "l") and len(word) > 2}
    assert not [word for word in words if word in text]
    report = json.loads(text)
    counts = counts_of(report)
    assert not [(name, count) for name, count in counts if 0 < count < threshold]
    n_records = found.subject.n_records
    parts = [count for name, count in counts if name in ("suppressed", "kept", "missing")]
    assert not [count for count in parts if 0 < n_records - count < threshold]


@few
@given(releases())
def test_any_release_has_an_internal_report_with_its_own_figures(found: Released) -> None:
    content = report_of(ReportedRelease(found.subject, ReportSettings()))
    report = json.loads(rendered(content, ".json"))
    counts = dict(counts_of(report))
    assert counts["suppressed"] == found.subject.release.n_suppressed
    assert rendered(content, ".html")


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> ReportedRelease:
    return material_of(people_recipe(tmp_path_factory.mktemp("people")), ReportSettings())


@pytest.mark.parametrize("threshold", [2, 5, 11, 60, 119, 1000])
def test_no_count_below_the_threshold_is_told_nor_left_by_subtracting(
    people: ReportedRelease, threshold: int
) -> None:
    settings = ReportSettings(audience=PUBLIC, threshold=threshold)
    n_records = people.release.n_records
    material = ReportedRelease(people.subject, settings, people.search, people.verification)
    report = json.loads(rendered(report_of(material), ".json"))
    counts = counts_of(report)
    assert not [(name, count) for name, count in counts if 0 < count < threshold]
    parts = [count for name, count in counts if name in ("suppressed", "kept", "attackers", "missing")]
    assert not [count for count in parts if 0 < n_records - count < threshold]


def test_suppressed_records_so_few_cannot_be_worked_out_of_anything_else(people: ReportedRelease) -> None:
    n_suppressed = people.release.n_suppressed
    assert n_suppressed > 0
    settings = ReportSettings(audience=PUBLIC, threshold=n_suppressed + 1)
    material = ReportedRelease(people.subject, settings, people.search, people.verification)
    report = json.loads(rendered(report_of(material), ".json"))
    sections = {section["key"]: section["blocks"] for section in report["sections"]}
    facts = {fact["key"]: fact["value"] for fact in sections["suppressed"][0]["facts"]}
    few_records = f"fewer than {n_suppressed + 1}"
    assert facts["suppressed"] == few_records
    assert facts["suppressed_share"] == f"{few_records} records"  # a share of itself would be another thing
    assert facts["kept"] == f"all but {few_records}"
    assert "Utility is withheld" in sections["utility"][0]["text"]
    attackers = next(block for block in sections["risks"] if block["type"] == "table")
    assert {row[3] for row in attackers["rows"]} == {"withheld"}  # of both sides, which differ by them
    assert not [block for block in sections["risks"] if block["type"] == "chart"]


def test_a_public_report_has_no_recipe_no_seed_and_no_source_file(people: ReportedRelease) -> None:
    settings = ReportSettings(audience=PUBLIC)
    material = ReportedRelease(people.subject, settings, people.search, people.verification)
    text = rendered(report_of(material), ".json").decode("utf-8")
    assert "people.csv" not in text
    assert "[hierarchies" not in text
    assert '"seed"' not in text


def test_the_last_net_takes_out_what_a_section_should_not_have_written() -> None:
    disclosure = Disclosure(is_public=True, threshold=THRESHOLD)
    columns = (FigureColumn("who", "Who"), FigureColumn("n", "Records", "records"))
    by_record = FigureTable("classes", "", columns, [("a", 9)], is_by_record=True)
    counted = FigureTable("counts", "", columns, [("a", 4), ("b", 5)])
    seen = disclosure.shown([by_record, counted, Source("recipe", "", "path")])
    assert len(seen) == 1
    assert isinstance(seen[0], FigureTable)
    assert [row[1] for row in seen[0].rows] == ["fewer than 5", 5]


@few
@given(
    st.lists(st.lists(st.integers(0, 12), min_size=6, max_size=6), min_size=1, max_size=2), st.integers(2, 9)
)
def test_groups_are_joined_until_none_has_a_small_count(sides: list[list[int]], threshold: int) -> None:
    disclosure = Disclosure(is_public=True, threshold=threshold)
    groups = disclosure.joined(sides)
    assert [i for first, last in groups for i in range(first, last + 1)] == list(range(6))
    if len(groups) > 1:
        sums = [sum(counts[first : last + 1]) for counts in sides for first, last in groups]
        assert not [count for count in sums if 0 < count < threshold]


@given(st.integers(0, 300), st.integers(1, 300), st.integers(2, 20))
def test_what_is_told_of_a_count_never_leaves_a_small_one(count: int, total: int, threshold: int) -> None:
    disclosure = Disclosure(is_public=True, threshold=threshold)
    count = min(count, total)
    for told in (disclosure.count(count, total), disclosure.share(count, total)):
        if not isinstance(told, str):
            assert not 0 < count < threshold
            assert not 0 < total - count < threshold
    if not isinstance(disclosure.total(total, count), str):
        assert total >= threshold
        assert not 0 < total - count < threshold


def test_an_internal_report_tells_everything() -> None:
    disclosure = Disclosure(is_public=False, threshold=THRESHOLD)
    assert (disclosure.count(1, 2), disclosure.share(1, 3), disclosure.risk(1.0)) == (1, 1 / 3, 1.0)


def test_charts_for_the_public_hold_no_group_that_the_table_does_not_allow(people: ReportedRelease) -> None:
    threshold = people.release.n_suppressed  # of which there are enough then
    settings = ReportSettings(audience=PUBLIC, threshold=threshold)
    material = ReportedRelease(people.subject, settings, people.search, people.verification)
    content = report_of(material)
    charts = [block for block in content.blocks() if isinstance(block, Chart)]
    assert {chart.key for chart in charts} == {"class_sizes", "loss_by_attribute"}
    sizes = next(chart for chart in charts if chart.key == "class_sizes")
    before = people.subject.input_sizes
    for label, share in zip(sizes.labels, sizes.series[0].values, strict=True):
        low, _, high = label.removesuffix(" or more").partition(" to ")
        most = np.inf if label.endswith("more") else int(high or low)
        held = before[(before >= int(low)) & (before <= most)].sum()
        assert held == 0 or held >= threshold
        assert share == pytest.approx(held / people.release.n_records, abs=1e-3)
