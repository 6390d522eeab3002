"""How a node was chosen is only told to the public if no record gains more by it than is accepted."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from engine.findings.selection_gate import anonymize
from engine.findings.subject import Subject
from engine.report import INTERNAL, PUBLIC, ReportedRelease, ReportSettings, SearchFacts, rendered, report_of
from tests.engine.findings.test_selection_gate import TOWNS, project_of

TELLS = ("Proven optimum", "Metric of the search", "Records that may be suppressed", "l ≥ 2", "Highest level")


def text_of(audience: str, folder: Path, accepted: float | None) -> str:
    project = project_of(TOWNS, folder, accepted)
    outcome = anonymize(replace(project, name="towns"))
    settings = ReportSettings(audience=audience)
    material = ReportedRelease(
        Subject(project, outcome.release), settings, SearchFacts.of_outcome(outcome, None)
    )
    return rendered(report_of(material), ".html").decode("utf-8")


@pytest.mark.parametrize("accepted", [None, 0.8])
def test_the_public_reads_how_the_node_was_chosen_only_within_the_accepted_gain(
    accepted: float | None, tmp_path: Path
) -> None:
    text = text_of(PUBLIC, tmp_path, accepted)
    assert "HIV" not in text
    assert [words in text for words in TELLS] == [accepted is not None] * len(TELLS)
    assert ("readers may gain 80.0\u202f% about" in text) == (accepted is None)
    assert ("readers gain at most 80.0\u202f% about" in text) == (accepted is not None)


def test_the_internal_report_has_the_figures_and_all_about_the_choice(tmp_path: Path) -> None:
    text = text_of(INTERNAL, tmp_path, None)
    assert all(words in text for words in TELLS)
    assert "rises from 20.0\u202f% to 100.0\u202f%" in text
