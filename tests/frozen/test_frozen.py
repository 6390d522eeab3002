"""Figures of commands, reports and window are those of the program before it was restructured."""

from __future__ import annotations

from collections.abc import Mapping
from operator import attrgetter
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from engine.findings.base import risk_analyses, utility_analyses
from engine.hierarchies.builders.base import builders
from engine.privacy import privacy_models
from engine.recoding import recoding_methods
from engine.recoding.aggregation import aggregate_functions
from engine.recoding.rules import column_rules
from engine.report.order import SECTIONS
from engine.search import search_algorithms
from engine.utility import utility_metrics
from tests.frozen.cases import CASES, LEFT_OUT, Case, used_words, write_tables
from tests.frozen.comparing import differences, lost_numbers
from tests.frozen.window import shown
from tests.frozen.writing import LANGUAGES, PARTS, Figure, keep, kept, kept_path, said

OF_RECIPES = (
    privacy_models,
    utility_metrics,
    search_algorithms,
    recoding_methods,
    aggregate_functions,
    column_rules,
    builders,
)
# Chosen by a recipe that says nothing, so that no recipe names it.
BY_DEFAULT = {"exhaustive"}


of_each_case = pytest.mark.parametrize("case", CASES, ids=attrgetter("name"))
of_each_language = pytest.mark.parametrize("language", LANGUAGES)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_tables(tmp_path)
    return tmp_path


@pytest.mark.thorough
@of_each_language
@of_each_case
def test_commands_and_reports_have_the_kept_figures(case: Case, language: str, folder: Path) -> None:
    found = differences(kept(kept_path(case, "said", language)), said(case, folder, language))
    assert found == [], "\n".join(found)


@pytest.mark.thorough
@of_each_language
@of_each_case
def test_the_window_has_the_kept_numbers(
    case: Case, language: str, folder: Path, qtbot: QtBot, qapp: QApplication
) -> None:
    now = shown(case, folder, language, qtbot, qapp)
    found = lost_numbers(kept(kept_path(case, "window", language)), now)
    assert found == [], "\n".join(found)


def test_every_member_has_a_case() -> None:
    used = used_words() | BY_DEFAULT
    members = {key for registry in OF_RECIPES for key in registry}
    assert members - used == set(LEFT_OUT)


@pytest.mark.thorough
def test_every_analysis_and_section_has_figures() -> None:
    keys = {key for case in CASES for key, _value in kept(kept_path(case, "said", "en"))}
    reported = {key.split("/")[3] for key in keys if key.startswith("report/internal/sections/")}
    analysed = {key.split("/")[1] for key in keys if key.startswith("analyze/") and key.endswith("/sentence")}
    assert {section.key for section in SECTIONS} <= reported
    assert {*utility_analyses, *risk_analyses} <= analysed


@pytest.mark.thorough
def test_there_are_files_of_all_cases_and_of_no_others() -> None:
    expected = {kept_path(case, part, language) for case in CASES for part in PARTS for language in LANGUAGES}
    assert set(kept_path(CASES[0], "said", "en").parent.iterdir()) == expected


@pytest.mark.parametrize(
    ("now", "moved", "explained", "found"),
    [
        ([("a/x", "1"), ("b", "2.2 m")], {}, {}, []),
        ([("a/x", "1")], {}, {}, ["b\n@@ -1 +0,0 @@\n-2.2 m"]),
        ([("a/x", "1"), ("b", "2.2 m"), ("c", "3")], {}, {}, ["c\n@@ -0,0 +1 @@\n+3"]),
        ([("n/x", "1"), ("b", "2.2 m")], {"a": "n"}, {}, []),
        ([("a/x", "5"), ("b", "2.2 m")], {}, {"a": "rounded"}, []),
        ([("a/x", "1"), ("b", "2.2000000000000002 m")], {}, {}, []),
        ([("a/x", "1"), ("b", "2.20000000001 m")], {}, {}, ["b\n@@ -1 +1 @@\n-2.2 m\n+2.20000000001 m"]),
        ([("a/x", "1"), ("b", "2.2 g")], {}, {}, ["b\n@@ -1 +1 @@\n-2.2 m\n+2.2 g"]),
    ],
    ids=["same", "gone", "new", "moved", "explained", "last-digit", "other-number", "other-text"],
)
def test_every_figure_of_both_sides_counts(
    now: list[Figure], moved: Mapping[str, str], explained: Mapping[str, str], found: list[str]
) -> None:
    assert differences([("a/x", "1"), ("b", "2.2 m")], now, moved, explained) == found


def test_a_kept_figure_is_read_as_written(tmp_path: Path) -> None:
    figures = [("a/b", "x\u2028y"), ("a/b", ""), ("c", '"quoted" ü')]
    assert keep(figures, tmp_path / "kept.xz") == len(figures)
    assert kept(tmp_path / "kept.xz") == figures
