"""pyCANON's figures in the shape that `anonymizer check` and `anonymizer utility` print."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from engine.compat.pycanon import metrics, models
from engine.errors import InputError
from engine.findings.given_table import GivenTable
from engine.records import Table


def check(given: GivenTable) -> dict[str, Any]:
    """pyCANON's nine models of a table.

    Returns
    -------
    dict
        As `CheckReport.as_dict` has it. Where the library raises an exception, the model's values are
        None and "error" says why; a value it gives as nan is None.
        Under "by_attribute" is what it gives for one sensitive column alone, among the same classes;
        k is that of the quasi-identifying columns.

    Raises
    ------
    InputError
        There is not even a k.
    """
    k = models.k_anonymity(given)
    found = _models(given, k)
    if len(given.sensitive) == 1:
        found["by_attribute"] = {given.sensitive[0]: dict(found)}
    else:
        found["by_attribute"] = {name: _models(_alone(given, name), k) for name in given.sensitive}
    return found


def utility(raw: Table, anonymized: GivenTable) -> dict[str, Any]:
    """pyCANON's metrics of a table and its anonymized form.

    Returns
    -------
    dict
        As `anonymizer utility` prints it; "classification" has a figure for every sensitive column
        alone, and of several also for their values counted together ("pooled"). Where the library
        raises an exception a figure is None and "errors" says why.

    Raises
    ------
    InputError
        The anonymized table has no classes.
    """
    errors: dict[str, str] = {}

    def kept(place: str, figure: Callable[..., Any], *of: Any) -> Any:
        try:
            return figure(*of)
        except InputError as error:
            errors[place] = error.problem
            return None

    sizes, table = metrics.sizes_ec(anonymized), anonymized.table
    single = {name: replace(anonymized, sensitive=(name,)) for name in anonymized.sensitive}
    bags = single | ({"pooled": anonymized} if len(single) > 1 else {})
    found = {
        "records": {"raw": raw.n_records, "anonymized": anonymized.n_records},
        "c_avg": metrics.average_ecsize(raw, anonymized),
        "discernibility": metrics.discernability_metric(raw, anonymized),
        "classification": {
            name: kept(f"classification.{name}", metrics.classification_metric, raw, own)
            for name, own in bags.items()
        },
        "classes": dict(zip(("count", "min", "max", "mean", "median"), sizes.values(), strict=True)),
        "columns": {
            name: kept(f"columns.{name}", metrics.stats_quasi_ident, table, name)
            for name in anonymized.quasi_identifying
        },
        "risk": {"average": metrics.average_rir(anonymized), "max": metrics.max_rir(anonymized)},
        "entropy": {
            name: kept(f"entropy.{name}", metrics.sa_entropy, table, name) for name in anonymized.sensitive
        },
    }
    return found | ({"errors": errors} if errors else {})


def _alone(given: GivenTable, name: str) -> GivenTable:
    """A table with one sensitive column, and the others known if they are."""
    known = given.known_beside(name)
    return replace(given, quasi_identifying=known, sensitive=(name,), others_as_qi=False)


def _models(given: GivenTable, k: int) -> dict[str, Any]:
    def of(names: tuple[str, ...], model: Callable[..., Any]) -> dict[str, Any]:
        if not given.sensitive:
            return dict.fromkeys(names)
        try:
            found = model(given)
        except InputError as error:
            return dict.fromkeys(names) | {"error": error.problem}
        return dict(zip(names, found if isinstance(found, tuple) else (found,), strict=True))

    alpha = of(("alpha", "k"), models.alpha_k_anonymity)
    return {
        "k_anonymity": {"k": k},
        "alpha_k_anonymity": alpha | {"k": k if given.sensitive else None},
        "distinct_l_diversity": of(("l",), models.l_diversity),
        "entropy_l_diversity": of(("l",), models.entropy_l_diversity),
        "recursive_c_l_diversity": of(("c", "l"), models.recursive_c_l_diversity),
        "basic_beta_likeness": of(("beta",), models.basic_beta_likeness),
        "enhanced_beta_likeness": of(("beta",), models.enhanced_beta_likeness),
        "t_closeness": of(("t", "distance"), models.t_and_distance),
        "delta_disclosure": of(("delta",), models.delta_disclosure),
    }
