"""One reader and one writer of declared settings, for the tables of a recipe and for a project file."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from itertools import chain
from typing import Any, TypeVar

from engine.errors import ParameterError
from engine.params import Entries, Kept, MemberKey, default_of, describe, plain_values_of, stored_in
from engine.project.project import frozen
from engine.project.recipe.members import member_of
from engine.project.recipe.section import IN_RECIPE, KEYS, Section

S = TypeVar("S")

_IN_PROJECT = (Kept.SOURCE, Kept.BOTH)


def read_settings(section: Section, *kinds: type) -> list[dict[str, Any]]:
    """Return what a table says of the settings of each kind, by their names.

    The parameters of a member stand beside its key.

    Raises
    ------
    RecipeError
        A key is unknown, or a value cannot be obeyed.
    """
    known = [stored_in(kind, IN_RECIPE) for kind in kinds]
    found = [
        {d.name: section.checked(d) for d in settings if d.stored in section.values} for settings in known
    ]
    named = [
        (values, descriptor, values.get(descriptor.name, default_of(kind, descriptor.name)))
        for kind, settings, values in zip(kinds, known, found, strict=True)
        for descriptor in settings
        if isinstance(descriptor, MemberKey)
    ]
    own = [describe(descriptor.members[key]) for _, descriptor, key in named]
    further = KEYS.get(section.name, ())
    section.check_keys(
        (*further, *(d.stored for d in chain(*known)), *(d.name for d in chain.from_iterable(own)))
    )
    for (values, descriptor, key), parameters in zip(named, own, strict=True):
        names = {d.name for d in parameters}
        given = {name: value for name, value in section.values.items() if name in names}
        member = member_of(section, descriptor.members, key, given, section.title)
        values[descriptor.options] = frozen({name: getattr(member, name) for name in given})
    return found


def written(settings: Any, kept: Collection[Kept] = IN_RECIPE) -> dict[str, Any]:
    """Return what a table has to say of settings, by key; what is as usual is left out."""
    kind = type(settings)
    held = [(descriptor, getattr(settings, descriptor.name)) for descriptor in stored_in(kind, kept)]
    values = {
        d.stored: d.plain(value)
        for d, value in held
        if value is not None and (d.is_always_written or value != default_of(kind, d.name))
    }
    for descriptor, key in held:
        if isinstance(descriptor, MemberKey):
            options = getattr(settings, descriptor.options)
            plain = plain_values_of(descriptor.members.create(key, **options)) if options else {}
            values |= {name: plain[name] for name in options}
    return values


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
