"""What recipes name: registered members with their parameters, and columns of the table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from engine.errors import InputError, ParameterError, nearest
from engine.params import Configurable
from engine.project.recipe.section import Section
from engine.registry import Registry
from engine.table import Table

T = TypeVar("T", bound=Configurable)


def member_of(section: Section, registry: Registry[T], key: str, values: Mapping[str, Any], where: str) -> T:
    """Construct a registered member; what is wrong with it is said with its place in the recipe."""
    in_place = Section(section.file, section.name, section.values)
    if key not in registry:
        in_place.check_word(key, registry.family, registry, key)
    try:
        return registry.create(key, **values)
    except ParameterError as error:
        raise section.error(f"{where} ({key}): {error.problem}", error.hint) from None
    except InputError as error:
        problem = error.problem[:1].lower() + error.problem[1:]
        raise section.error(f"{where}: {problem}", error.hint) from None


def check_column(recipe: Section, column: str, table: Table, where: str) -> None:
    """Refuse a column that the table does not have, naming the nearest one."""
    if column not in table.names:
        raise recipe.error(
            f"{where}: the table has no column '{column}'.", nearest(column, table.names), column
        )
