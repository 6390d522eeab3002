"""Population and subset of a recipe -> `Population`, `Subset`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias, TypeVar

from engine.errors import InputError, RecipeError
from engine.params import describe
from engine.project.population import Population, options_beside, without_other_columns
from engine.project.recipe.section import BESIDE, Section
from engine.project.subset import Subset, records_of
from engine.records import Table
from engine.records.options import ReadOptions
from engine.words import _

T = TypeVar("T")

# Takes a path and options; returns the table, the options with everything detected, and its path.
Fetch: TypeAlias = Callable[[str, ReadOptions], tuple[Table, ReadOptions, Path | None]]

WAYS = {"population": ("size", "sampling_fraction", "path"), "subset": ("filter", "path", "fraction", "size")}


def read_population(
    recipe: Section, table: Table, options: ReadOptions, fetch: Fetch, *, judges: bool = True
) -> Population | None:
    """Read [population]; None if the recipe has none.

    Parameters
    ----------
    table : Table
        The records.
    options : ReadOptions
        How they were read: missing tokens, trimming and decimal mark apply to the population table too.
    judges : bool
        Whether a population that does not fit the table is refused.

    Raises
    ------
    RecipeError
        It gives none or several of size, fraction and path, or an invalid value; or there is a subset too.
    TableError
        The population table cannot be read.
    """
    section = recipe.section("population")
    if not section.values:
        return None
    if recipe.section("subset").values:
        raise section.error(
            _(
                "[population] and [subset] exclude each other: for a subset, the complete table "
                "is the population."
            ),
            _("Use only one of the two."),
            "population",
        )
    way = _way(section)
    if way == "path":
        people, found, path = fetch(section.get("path", str, ""), _options(section, options))
        if judges:
            people = _checked(section, lambda: without_other_columns(people, table))
        return _checked(section, lambda: Population(table=people, path=path, options=found))
    size, fraction = section.get("size", int, None), section.get("sampling_fraction", float, None)
    return _checked(section, lambda: Population(size, fraction))


def read_subset(
    recipe: Section, table: Table, options: ReadOptions, fetch: Fetch, *, judges: bool = True
) -> Subset | None:
    """Read [subset]; None if the recipe has none. Parameters and errors as `read_population`."""
    section = recipe.section("subset")
    if not section.values:
        return None
    way = _way(section)
    if "seed" in section.values and way not in ("fraction", "size"):
        raise section.error(
            _("[subset]: 'seed' is only used for a random sample."),
            _("Remove it, or give a fraction or a size instead."),
            "seed",
        )
    if way == "path":
        rows, found, path = fetch(section.get("path", str, ""), _options(section, options))
        subset = Subset(rows=rows, path=path, options=found)
    else:
        subset = _checked(
            section,
            lambda: Subset(
                section.get("filter", str, ""),
                fraction=section.get("fraction", float, None),
                size=section.get("size", int, None),
                seed=section.count("seed", 0),
            ),
        )
    if judges:
        _checked(section, lambda: records_of(subset, table))
    return subset


def _way(section: Section) -> str:
    ways = WAYS[section.name]
    given = [way for way in ways if way in section.values]
    if len(given) != 1:
        problem = (
            _("{title}: {keys} exclude each other.") if given else _("{title}: none of {known} is given.")
        )
        raise section.error(
            problem.format(title=section.title, keys=", ".join(given), known=", ".join(ways)),
            _("Give exactly one of {keys}.").format(keys=", ".join(ways)),
            given[1] if given else ways[0],
        )
    if given[0] != "path":
        for key in BESIDE:
            if key in section.values:
                raise section.error(
                    _("{title}: '{key}' is only used with a path.").format(title=section.title, key=key),
                    _("Remove it."),
                    key,
                )
    elif not section.get("path", str, ""):
        raise section.wrong("path", _("the path of a table"))
    return given[0]


def _options(section: Section, options: ReadOptions) -> ReadOptions:
    known = [setting for setting in describe(ReadOptions) if setting.stored in BESIDE]
    given = {d.name: section.checked(d) for d in known if d.stored in section.values}
    return replace(options_beside(options), **given)


def _checked(section: Section, make: Callable[[], T]) -> T:
    try:
        return make()
    except RecipeError:
        raise
    except InputError as error:
        raise section.error(f"{section.title}: {error.problem}", error.hint) from None
