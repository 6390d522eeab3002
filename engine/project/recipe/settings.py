"""One reader and one writer of declared settings, for the tables of a recipe and for a project file."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from engine.errors import ParameterError
from engine.params import Entries, Kept, default_of, stored_in
from engine.project.recipe.section import IN_RECIPE, Section

S = TypeVar("S")

_IN_PROJECT = (Kept.SOURCE, Kept.BOTH)


def read_settings(section: Section, kind: type) -> dict[str, Any]:
    """Return what a table says of the settings of a kind, by their names.

    Raises
    ------
    RecipeError
        A value cannot be obeyed.
    """
    known = stored_in(kind, IN_RECIPE)
    return {d.name: section.checked(d) for d in known if d.stored in section.values}


def written(settings: Any, kept: Collection[Kept] = IN_RECIPE) -> dict[str, Any]:
    """Return what a table has to say of settings, by key; what is as usual is left out."""
    kind = type(settings)
    held = ((descriptor, getattr(settings, descriptor.name)) for descriptor in stored_in(kind, kept))
    return {
        d.stored: d.plain(value)
        for d, value in held
        if value is not None and (d.is_always_written or value != default_of(kind, d.name))
    }


def settings_to_json(settings: Any) -> dict[str, Any]:
    """Return what a recipe does not say of a table that lies in the project file."""
    entries = {d.stored for d in stored_in(type(settings), _IN_PROJECT) if isinstance(d, Entries)}
    return {
        key: [list(entry.values()) for entry in value] if key in entries else value
        for key, value in written(settings, _IN_PROJECT).items()
    }


def settings_from_json(settings: S, values: Any) -> S:
    """Return the settings with what was kept; what is no such value is passed over.

    They serve for reading the file again only, which shows and asks before it changes anything.
    """
    found = {}
    given = values if isinstance(values, Mapping) else {}
    for descriptor in stored_in(type(settings), _IN_PROJECT):
        if descriptor.stored in given:
            try:
                found[descriptor.name] = descriptor.check(given[descriptor.stored])
            except ParameterError:
                continue
    return replace(settings, **found)  # type: ignore[type-var]  # settings are dataclasses
