"""Plots of releases and reports: the charts of reports, as SVG for notebooks and files."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

import engine
from engine import KAnonymity, Released, anonymize
from engine.errors import ExportError, InputError
from engine.utility.base import utility_metrics

KNOWN = ["age", "sex", "town", "job"]
SHAPE = re.compile(r"<(?:text|rect|polyline|path) [^>]*>")


@pytest.fixture(scope="module")
def people() -> pd.DataFrame:
    source = np.random.default_rng(7)
    return pd.DataFrame(
        {
            "age": source.integers(18, 90, 300),
            "sex": source.choice(["f", "m"], 300),
            "town": source.choice(["<Rome>", "Oslo", "Bari"], 300),
            "job": source.choice(["baker", "nurse", "smith", "clerk"], 300),
            "ill": source.choice(["flu", "cold", "asthma"], 300),
        }
    )


@pytest.fixture(scope="module")
def large(people: pd.DataFrame) -> Released:
    """A release whose lattice has too many nodes to show each with its levels."""
    ages = [
        [str(age), *(f"{age // step * step}+" for step in (2, 4, 8, 16, 32)), "*"] for age in range(18, 90)
    ]
    jobs = {"baker": "craft", "smith": "craft", "nurse": "office", "clerk": "office"}
    found = anonymize(
        people, [*KNOWN, "ill"], models=KAnonymity(3),
        hierarchies={
            "age": ages, "job": [[job, jobs[job], "*"] for job in jobs], "sex": "suggest", "town": "suggest",
            "ill": [["flu", "cough", "*"], ["cold", "cough", "*"], ["asthma", "asthma", "*"]],
        },
    )  # fmt: skip
    assert found.outcome.nodes_total > 120
    return found


@pytest.fixture(scope="module")
def small(people: pd.DataFrame) -> Released:
    return anonymize(people, ["sex", "town"], "ill", models=KAnonymity(90), suppression_limit=0.4)


@pytest.mark.parametrize("kind", ["lattice", "prices", "risk", "distributions"])
def test_a_plot_is_drawn_as_in_the_report(large: Released, kind: str, tmp_path: Path) -> None:
    plot = large.plot(kind)
    shapes = SHAPE.findall(plot._repr_svg_())
    report = {*SHAPE.findall(large.report(tmp_path / "report.html").read_text(encoding="utf-8"))}
    titles = [shape for shape in shapes if 'font-size="11"' in shape]
    drawn = [shape for shape in shapes[1:] if shape not in titles]  # the first one is the sheet
    assert len(drawn) >= 10
    assert [shape for shape in drawn if shape not in report] == []
    assert len(titles) == {"lattice": 0, "prices": 1, "risk": 2, "distributions": 5}[kind]
    assert plot.save(tmp_path / "plot.svg") == tmp_path / "plot.svg"
    root = ElementTree.parse(tmp_path / "plot.svg").getroot()
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert repr(plot) == f"Plot(kind='{kind}')"


def test_a_small_lattice_has_its_nodes_coloured_by_the_metric(small: Released) -> None:
    svg = small.plot().svg
    ElementTree.fromstring(svg)
    nodes = small.lattice()
    fills = re.findall(r"r='7' fill='([^']+)'", svg)
    assert len(fills) == len(nodes)
    assert fills.count("none") == (~nodes["satisfies"]).sum() > 0
    assert len({*fills} - {"none"}) == nodes[nodes["satisfies"]]["loss"].nunique() > 1
    assert "sex 1, town 1: satisfies, 0 suppressed" in svg
    assert small._repr_html_().endswith(svg)


def test_a_notebook_shows_the_map_of_a_large_lattice_that_was_scored(
    large: Released, people: pd.DataFrame
) -> None:
    assert large._repr_html_().endswith(large.plot("lattice").svg)
    assert "this release" in large.plot("lattice").svg
    given = anonymize(
        people,
        [*KNOWN, "ill"],
        models=KAnonymity(3),
        hierarchies=large.project.hierarchies,
        node=[6, 1, 1, 2, 2],
    )
    assert "<svg" not in given._repr_html_()
    assert "this release, 1.000" in given.plot("lattice").svg, "who asks for it waits for it"


@pytest.mark.parametrize("metric", utility_metrics)
def test_a_lattice_is_shown_by_every_metric(people: pd.DataFrame, metric: str) -> None:
    found = anonymize(people, ["sex", "town"], "ill", models=KAnonymity(5), metric=metric)
    assert "<svg" in found._repr_html_()


def test_a_distribution_is_of_any_column(large: Released, small: Released) -> None:
    text = small.plot("distributions", ["ill", "town"]).svg
    assert re.findall(r'font-size="11"[^>]*>([^<]+)<', text) == ["ill", "town"]
    assert "&lt;Rome&gt;" in text
    with pytest.raises(InputError, match=r"no column 'illl'\. Did you mean 'ill'"):
        small.plot("distributions", "illl")


def test_the_risk_of_a_table_is_the_curve_of_its_records() -> None:
    table = pd.DataFrame({"sex": ["f"] * 4 + ["m"] * 2, "who": [1, 1, 2, 3, 4, 5]})
    report = engine.risk(table, "sex")
    assert report.distribution.shares_above([0, 0.25, 0.3, 0.5]) == pytest.approx((1, 1 / 3, 1 / 3, 0))
    lines = re.findall(r'points="([^"]+)" fill="none" stroke="#2B5BD7"', report.plot().svg)
    corners = [tuple(map(float, corner.split(","))) for corner in lines[-1].split()]
    top, third, bottom = sorted({y for _x, y in corners})
    assert (third - top) / (bottom - top) == pytest.approx(2 / 3, abs=0.01)
    assert (corners[2][0] - corners[0][0]) * 2 == pytest.approx(corners[-1][0] - corners[0][0], abs=0.1)
    assert "People by risk" in engine.risk(table, "sex", person="who").plot().svg


def test_what_cannot_be_plotted_is_said(small: Released, people: pd.DataFrame, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no plot 'lattices'\. Did you mean 'lattice'"):
        small.plot("lattices")
    local = anonymize(people, ["age", "sex"], "ill", models=KAnonymity(3), recoding="mondrian")
    with pytest.raises(InputError, match="levels of this release vary by record") as refused:
        local.plot()
    assert "'lattice'" in refused.value.problem
    assert "<svg" not in local._repr_html_()
    assert local.plot("risk").svg.count("<polyline") > 5
    whole = anonymize(people, ["sex", "town"], "ill", models=KAnonymity(1))
    with pytest.raises(InputError, match="no plot 'prices'"):
        whole.plot("prices")
    for name in ("plot.png", "plot.pdf", "plot"):
        with pytest.raises(ExportError, match=r"must end in \.svg"):
            small.plot("risk").save(tmp_path / name)
    assert list(tmp_path.iterdir()) == []
