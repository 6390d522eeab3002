"""Setup of the tests: which are deselected, and what must not influence them."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import NAMED_ONLY, ROOT, pytest_ignore_collect
from tests.strategies import modest


def test_preferences_of_a_test_are_in_its_own_folder(config_dir):
    assert os.environ["ANONYMIZER_CONFIG_DIR"] == str(config_dir)
    assert list(config_dir.iterdir()) == []


@given(st.integers())
def test_property_tests_can_use_shared_fixtures(number):
    assert os.environ["ANONYMIZER_CONFIG_DIR"]
    assert number == number + 0


def test_laws_repeat_their_examples_and_draw_random_ones_only_on_request(pytestconfig):
    drawn = []

    @modest
    @given(st.integers())
    def law(number):
        drawn.append(number)

    law()
    law()
    half = len(drawn) // 2
    assert len(set(drawn)) > min(20, modest.max_examples // 2)
    assert drawn[:half] == drawn[half:]
    assert settings.default.derandomize is not bool(
        pytestconfig.getoption("--all") or pytestconfig.getoption("--examples")
    )
    assert settings.default.deadline is None  # a slow machine causes no failure


def test_missing_reference_data_fails_a_test_if_required(request, monkeypatch):
    monkeypatch.setenv("ANONYMIZER_REFERENCE_DATA", "no/such/folder")
    monkeypatch.setenv("ANONYMIZER_REQUIRE_REFERENCE", "1")
    with pytest.raises(pytest.fail.Exception, match="ANONYMIZER_REFERENCE_DATA"):
        request.getfixturevalue("reference_data")


def test_missing_reference_data_skips_a_test_elsewhere(request, monkeypatch):
    monkeypatch.setenv("ANONYMIZER_REFERENCE_DATA", "no/such/folder")
    monkeypatch.delenv("ANONYMIZER_REQUIRE_REFERENCE", raising=False)
    with pytest.raises(pytest.skip.Exception, match="ANONYMIZER_REFERENCE_DATA"):
        request.getfixturevalue("reference_data")


@pytest.mark.parametrize("words", [[], ["tests"], ["-k", "speed"], ["folder"], ["folder/test_a.py::test_b"]])
@pytest.mark.parametrize("folder", NAMED_ONLY, ids=lambda folder: folder.name)
def test_benchmarks_and_lint_run_only_when_named(monkeypatch, folder, words):
    monkeypatch.chdir(ROOT)
    named = [word.replace("folder", str(folder.relative_to(ROOT))) for word in words]
    config = SimpleNamespace(invocation_params=SimpleNamespace(args=named))
    assert bool(pytest_ignore_collect(folder, config)) is (named == words)


def test_only_the_benchmarks_and_lint_are_ignored():
    config = SimpleNamespace(invocation_params=SimpleNamespace(args=[]))
    assert pytest_ignore_collect(Path(__file__), config) is None
