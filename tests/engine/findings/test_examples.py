"""The examples in the documentation of the calls give what they say."""

from __future__ import annotations

import doctest
import importlib

import pytest


@pytest.mark.parametrize("name", ["model_check", "risk.of_table", "utility.of_table"])
def test_the_examples_of_a_module_give_what_they_say(name: str) -> None:
    found = doctest.testmod(importlib.import_module(f"engine.findings.{name}"))
    assert found.attempted
    assert not found.failed
