"""Preferences are stored between runs and never cause a failure."""

from __future__ import annotations

import json
import stat
import sys
from pathlib import Path

import pytest

from anonymizer_gui.session.preferences import MAX_RECENT, Preferences, load_preferences, save_preferences
from engine.records.options import ExportOptions


def test_saved_preferences_are_restored(config_dir: Path) -> None:
    saved = Preferences(
        theme="dark",
        font_scale=1.2,
        reduced_motion=True,
        recent_files=("a.csv",),
        splitters={"x": (3, 4)},
        score_memory=4096,
        threads=3,
        autosave_seconds=20,
        release=ExportOptions(delimiter="\t", line_end="crlf", header=False, safe_cells=True),
        missing=("", "-9"),
        default_k=7,
        default_suppression=0.1,
        default_metric="precision",
        window_place=(-20, 30),
        is_maximised=True,
        perspective="configure",
        list_columns={"classes": False, "level.age": True},
        folds={"section.why": False},
        column_widths={"age": 90, "city": 240},
    )
    save_preferences(saved)
    assert load_preferences() == saved


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        '{"theme": 3, "font_scale": "big", "splitters": [1], "list_columns": [2], "score_memory": 1}',
        '{"release": {"delimiter": ";;", "line_end": [1], "kind": "doc"}, "export_delimiter": ["tab"]}',
        '{"release": [2], "safe_cells": "yes"}',
        '{"threads": -1, "default_k": 1, "default_suppression": 2, "default_metric": 4, "is_maximised": 1}',
        '{"folds": [3], "column_widths": {"age": -3}, "threads": "many"}',
        '{"reduced_motion": "yes", "window_place": [1, 2, 3], "window_size": "big", "perspective": "judge"}',
    ],
)
def test_a_damaged_file_gives_the_defaults(config_dir: Path, text: str) -> None:
    (config_dir / "preferences.json").write_text(text)
    assert load_preferences() == Preferences()


def test_options_of_files_of_earlier_versions_are_taken_over(config_dir: Path) -> None:
    stored = {"export_delimiter": "tab", "export_line_end": "crlf", "safe_cells": True}
    (config_dir / "preferences.json").write_text(json.dumps(stored | {"default_missing": "-9 N"}))
    assert load_preferences().missing == ("", "-9", "N")
    assert load_preferences().release == ExportOptions(delimiter="\t", line_end="crlf", safe_cells=True)


def test_a_font_scale_outside_the_range_is_clipped(config_dir: Path) -> None:
    (config_dir / "preferences.json").write_text('{"font_scale": 9, "theme": "light"}')
    assert load_preferences() == Preferences(theme="light", font_scale=2.0)


def test_a_file_opened_again_is_moved_to_the_front_of_a_short_list() -> None:
    preferences = Preferences()
    for number in range(MAX_RECENT + 3):
        preferences = preferences.with_recent(Path(f"{number}.csv"))
    preferences = preferences.with_recent(Path("5.csv"))
    assert preferences.recent_files[0] == "5.csv"
    assert len(preferences.recent_files) == len(set(preferences.recent_files)) == MAX_RECENT


@pytest.mark.skipif(sys.platform == "win32", reason="the folder of a person is private there")
def test_the_folder_is_readable_by_the_user_only(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    folder = tmp_path / "new"
    monkeypatch.setenv("ANONYMIZER_CONFIG_DIR", str(folder))
    save_preferences(Preferences(recent_files=("patients of ward 3.csv",)))
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_a_read_only_folder_is_ignored(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setenv("ANONYMIZER_CONFIG_DIR", str(blocked / "inside"))
    save_preferences(Preferences())
    assert load_preferences() == Preferences()
