"""Reader and writer of declared settings and members, for tables of a recipe and project files."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import chain
from typing import Any, TypeVar

from engine.errors import InputError, ParameterError
from engine.params import (
    Configurable,
    Entries,
    Kept,
    MemberKey,
    default_of,
    describe,
    plain_values_of,
    stored_in,
    with_valid,
)
from engine.project.project import frozen
from engine.project.recipe.section import IN_RECIPE, KEYS, Section
from engine.registry import Registry
from engine.words import _

S = TypeVar("S")
T = TypeVar("T", bound=Configurable)

_IN_PROJECT = (Kept.SOURCE, Kept.BOTH)


def read_settings(section: Section, *kinds: type) -> list[dict[str, Any]]:
    """Return the settings of each kind that a table contains, by name.

    The parameters of a member are next to its key.

    Raises
    ------
    RecipeError
        A key is unknown, or a value is invalid.
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
    own = [describe(descriptor.members[key]) for _unused, descriptor, key in named]
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
    """Return the entries of a table for settings, by key, without defaults."""
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
    """Return the settings that a recipe omits for a table that is in the project file."""
    entries = {d.stored for d in stored_in(type(settings), _IN_PROJECT) if isinstance(d, Entries)}
    return {
        key: [list(entry.values()) for entry in value] if key in entries else value
        for key, value in written(settings, _IN_PROJECT).items()
    }


def settings_from_json(settings: S, values: Any) -> S:
    """Return the settings with the stored values; invalid values are ignored.

    They are only used to read the file again, which asks before it changes anything.
    """
    given = values if isinstance(values, Mapping) else {}
    return with_valid(settings, given, stored_in(type(settings), _IN_PROJECT))


def read_member(entry: Section, registry: Registry[T], word: str, where: str = "") -> T:
    """Return the member that a table names, with its parameters next to the key.

    Parameters
    ----------
    word : str
        Key of the table that names the member.
    where : str
        Name of the table in messages, if not its title.

    Raises
    ------
    RecipeError
        The member does not exist, or has invalid parameters.
    """
    key = entry.get(word, str, "")
    where = where or entry.title
    if not key:
        known = ", ".join(registry)
        raise entry.error(
            _("{where} has no {word}.").format(where=where, word=word),
            _("Add {word} = ..., one of {known}.").format(word=word, known=known),
            word,
        )
    given = {name: value for name, value in entry.values.items() if name != word}
    return member_of(entry, registry, key, given, where)


def read_members(section: Section, registry: Registry[T], word: str) -> dict[str, T]:
    """Return the members that a table of tables names, by column."""
    found = {}
    for column in section.values:
        entry = Section(section.file, f'{section.name}."{column}"', section.get(column, dict, {}))
        found[column] = read_member(entry, registry, word)
    return found


def written_member(member: Configurable, word: str) -> dict[str, Any]:
    """Return the entries of a table for a member."""
    return {word: member.key, **plain_values_of(member)}


def member_of(section: Section, registry: Registry[T], key: str, values: Mapping[str, Any], where: str) -> T:
    """Construct a registered member; errors contain its place in the recipe."""
    section.check_member(key, registry, key)
    try:
        return registry.create(key, **values)
    except ParameterError as error:
        raise section.error(f"{where} ({key}): {error.problem}", error.hint) from None
    except InputError as error:
        raise section.error(f"{where}: {error.problem}", error.hint) from None
