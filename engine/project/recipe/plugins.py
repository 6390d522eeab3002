"""[plugins] of a recipe: the packages that offer its members, and errors if they are missing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePath
from typing import Any

from engine import plugins
from engine.frequency.measures.base import MEASURES
from engine.hierarchies.builders.base import builders
from engine.privacy.base import PrivacyModel, privacy_models
from engine.project.project import Project
from engine.project.recipe.section import Section
from engine.recoding import recoding_methods
from engine.records.databases.address import is_database
from engine.records.opening.readers import table_readers
from engine.records.table_files import TABLE_ENDINGS, UNWRITABLE
from engine.registry import Registry
from engine.search import search_algorithms
from engine.shipped import installed_version
from engine.utility import utility_metrics
from engine.verification.plugged import is_plugged, plugged_readers
from engine.words import _

_DISTANCE = "equal"  # a measure of the program itself, whichever the column has
_NONE = "none"  # the recoding method of a release by one node

Named = tuple[Registry[Any], str]


def check_plugins(recipe: Section) -> None:
    """Refuse a recipe whose members a missing plug-in offers, before any file that it names is read.

    Raises
    ------
    RecipeError
        [plugins] is not a table of versions by package, the program lacks a member, or an installed package
        is older than the recipe's.
    """
    packages = recipe.section("plugins")
    wanted = {package: packages.get(package, str, "") for package in packages.values}
    installed = {package: installed_version(package) for package in wanted}
    absent = [plugins.titled(package, wanted[package]) for package in wanted if installed[package] is None]
    lacking = [
        (registry, key)
        for registry, key in _named_in(recipe)
        if key not in registry and (absent or not registry.is_typo(key))
    ]
    if lacking:
        members = dict.fromkeys((plugins.KINDS[registry.group], key) for registry, key in lacking)
        raise recipe.lacking(list(members), _what_to_install(lacking, absent))
    for package, version in wanted.items():
        found = installed[package]
        if found is not None and plugins.is_older(found, version):
            raise recipe.error(
                _("it needs the plug-in {package} {version}, but version {found} is installed.").format(
                    package=package, version=version, found=found
                ),
                _("Update the plug-in."),
                package,
            )


def _what_to_install(lacking: Sequence[Named], absent: Sequence[str]) -> str:
    """Return a hint: why installed plug-ins lack members, and which packages offer them."""
    reasons = (plugins.why_refused(registry.group, key) for registry, key in lacking)
    hints = list(dict.fromkeys(filter(None, reasons)))
    if len(absent) == 1:
        hints.append(_("Install the plug-in {package}.").format(package=absent[0]))
    elif absent:
        hints.append(_("Install the plug-ins {packages}.").format(packages=", ".join(absent)))
    elif not hints and len(lacking) > 1:
        hints.append(_("Install the plug-in that offers them."))
    elif not hints:
        registry, key = lacking[0]
        hints.append(registry.hint_for(key))
    return " ".join(hints)


def plugins_of(project: Project, data_path: str | None = None) -> dict[str, str]:
    """Return the packages of plug-ins that take part in a release, with their versions.

    These offer a member of the project, a measure of its models, or verify what their models and readers
    claim.

    Parameters
    ----------
    data_path : str, optional
        Path of the table in a recipe; by default that of the file that it was read from.
    """
    path = str(project.source or "") if data_path is None else data_path
    return _packages_of(_used_by(project), path, project.requirement.models)


def plugins_of_file(path: str) -> dict[str, str]:
    """Return the packages of plug-ins that read a file, with their versions."""
    return _packages_of((), path)


def _packages_of(used: Iterable[Named], path: str, models: Iterable[PrivacyModel] = ()) -> dict[str, str]:
    offers = {registry.offer_of(key) for registry, key in used}
    if is_plugged(f".{(ending := _ending(path))}") and ending in table_readers:
        offers |= {table_readers.offer_of(ending), plugins.offer_of(plugged_readers().get(ending))}
    for model in models:
        if privacy_models.offer_of(model.key) is not None:
            from engine.verification.models.base import plugged_verifiers  # loads pandas

            measured = [MEASURES.get(measure.name) for measure in model.measures(_DISTANCE)]
            offers |= {plugins.offer_of(own) for own in (plugged_verifiers().get(model.key), *measured)}
    return plugins.packages_of({offer for offer in offers if offer is not None})


def _used_by(project: Project) -> Iterator[Named]:
    for model in project.requirement.models:
        yield privacy_models, model.key
    for entry in project.hierarchies.values():
        if entry.builder is not None:
            yield builders, entry.builder.key
    yield utility_metrics, project.search.metric
    yield search_algorithms, project.search.algorithm
    if project.recoding is not None:
        yield recoding_methods, project.recoding.key


def _named_in(recipe: Section) -> Iterator[Named]:
    """Yield the members that a recipe names; wrong values are reported by their reader."""
    models = recipe.values.get("privacy")
    for model in models if isinstance(models, list) else ():
        yield from _text(privacy_models, model, "model")
    hierarchies = recipe.values.get("hierarchies")
    for entry in hierarchies.values() if isinstance(hierarchies, dict) else ():
        yield from _text(builders, entry, "builder")
    yield from _text(utility_metrics, recipe.values.get("search"), "metric")
    yield from _text(search_algorithms, recipe.values.get("search"), "algorithm")
    for registry, key in _text(recoding_methods, recipe.values.get("recoding"), "method"):
        if key != _NONE:
            yield registry, key
    data = recipe.values.get("data")
    path = data.get("path") if isinstance(data, dict) else None
    if "plugins" in recipe.values and isinstance(path, str) and not is_database(path):
        ending = _ending(path)  # any other one would be read as text
        if ending and not path.lower().endswith((*TABLE_ENDINGS, *UNWRITABLE)):
            yield table_readers, ending


def _text(registry: Registry[Any], values: Any, word: str) -> Iterator[Named]:
    if isinstance(values, dict) and isinstance(key := values.get(word), str):
        yield registry, key


def _ending(path: str) -> str:
    return PurePath(path).suffix.lower().removeprefix(".")
