"""Further names of tables and keys in recipes, and the tables and keys that they mean."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.privacy.sampling import WHOLE, largest_beta
from engine.project.recipe.section import Section
from engine.words import _

_LEAST_SHARE = 0.01  # of the largest probability of drawing a record

# By table: the model of [[privacy]] that it is, and its parameters that have another name in it.
_MODELS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "attackers": ("known_columns", {"name": "attacker", "columns": "known"}),
    "attackers_any": ("any_columns", {"columns": "m"}),
    "differential_privacy": ("differential_privacy", {}),
}
_OF_SEARCH = "payout"  # table of [search] whose keys are parameters of this metric


def renamed(recipe: Section) -> Section:
    """Return a recipe with its tables and keys by the names under which they are declared.

    Raises
    ------
    RecipeError
        A table is not of the expected kind, or a value is given under both names.
    """
    values = dict(recipe.values)
    models = [model for name in _MODELS if name in values for model in _models(recipe, name)]
    if models:
        values["privacy"] = [*recipe.get("privacy", list, []), *models]
    if _OF_SEARCH in (search := recipe.get("search", dict, {})):
        inner = Section(recipe.file, "search", search)
        sums = inner.get(_OF_SEARCH, dict, {})
        for key in sums:
            if key in search:
                raise inner.error(
                    _("[search]: '{key}' is also in [search.payout].").format(key=key),
                    _("Keep one of them."),
                    key,
                )
        others = {key: value for key, value in search.items() if key != _OF_SEARCH}
        values["search"] = {"metric": _OF_SEARCH, **others, **sums}
    return Section(recipe.file, "", {key: value for key, value in values.items() if key not in _MODELS})


def _models(recipe: Section, name: str) -> list[dict[str, Any]]:
    """Return the models that a table means."""
    key, parameters = _MODELS[name]
    tables = recipe.get(name, list, []) if name == "attackers" else [recipe.get(name, dict, {})]
    found = []
    for table in tables:
        entry = Section(recipe.file, name, table if isinstance(table, dict) else {})
        own = {parameters.get(word, word): value for word, value in entry.values.items()}
        if "beta" in own:
            own["share"] = _share(entry)
            del own["beta"]
        sensitive = recipe.section("roles").texts("sensitive")
        if "confidence" in own and "column" not in own and len(sensitive) == 1:
            own["column"] = sensitive[0]
        found.append({"model": key, **own})
    return found


def _share(entry: Section) -> float:
    """Return the probability of drawing a record as a share of the largest one."""
    most = largest_beta(max(entry.get("epsilon", float, 1.0), 0.001))
    share: float = entry.get("beta", float, most) / most
    if not _LEAST_SHARE <= share <= 1 + WHOLE:
        rule = _("a number from {least:.4g} to {most:.6g}, which is 1 - exp(-epsilon)")
        raise entry.wrong("beta", rule.format(least=_LEAST_SHARE * most, most=most))
    return min(share, 1.0)
