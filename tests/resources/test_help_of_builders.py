"""The page on builders has every builder and parameter, and its examples can be built."""

from __future__ import annotations

import re
import tomllib

import pytest

from engine.hierarchies.builders.base import builders
from engine.hierarchies.builders.dates import DatesBuilder
from engine.params import describe
from tests.conftest import ROOT

PAGE = (ROOT / "resources" / "help" / "hierarchies.md").read_text(encoding="utf-8")
EXAMPLES = [
    (column, dict(values))
    for block in re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    for column, values in tomllib.loads(block)["hierarchies"].items()
]


@pytest.mark.parametrize("key", builders)
def test_a_builder_is_named_with_each_of_its_parameters(key: str) -> None:
    assert f"`{key}`" in PAGE
    for descriptor in describe(builders[key]):
        assert f"`{descriptor.name}`" in PAGE


def test_every_granularity_is_named() -> None:
    options = next(d for d in describe(DatesBuilder) if d.name == "granularities")
    assert all(f"`{key}`" in PAGE for key, _ in options.options)  # type: ignore[attr-defined]  # Choices


@pytest.mark.parametrize(("column", "values"), EXAMPLES, ids=[column for column, _ in EXAMPLES])
def test_an_example_can_be_built(column: str, values: dict[str, object]) -> None:
    key = values.pop("builder")
    assert builders.create(str(key), **values).key == key


def test_the_readme_links_to_the_page() -> None:
    assert "(resources/help/hierarchies.md)" in (ROOT / "README.md").read_text(encoding="utf-8")
