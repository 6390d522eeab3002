"""Numbers and data of Anonymizer: no Qt, usable from a script.

The public names below are imported when they are first used, so that `import engine` takes no time:

- `anonymize` makes a verified release of a DataFrame, a `Released`; `KAnonymizer` does so in scikit-learn.
- `apply` makes the release of a recipe from a DataFrame; `verify` verifies one by its recipe.
- `check`, `risk` and `utility` measure finished tables; `detect` and `singletons` find unique records.
- `suggest_roles` and `suggest_hierarchies` propose settings for a table.
- `Hierarchy` and the privacy models, such as `KAnonymity` and `TCloseness`, are settings.
- `AnonymizerError` is raised for every error in data or calls.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine.errors import AnonymizerError
    from engine.findings import assess_risk as risk
    from engine.findings import check, detect
    from engine.findings import measure_utility as utility
    from engine.hierarchies import Hierarchy
    from engine.privacy.alpha_k_anonymity import AlphaKAnonymity
    from engine.privacy.average_risk import AverageRisk
    from engine.privacy.basic_beta_likeness import BasicBetaLikeness
    from engine.privacy.delta_disclosure import DeltaDisclosure
    from engine.privacy.distinct_l_diversity import DistinctLDiversity
    from engine.privacy.enhanced_beta_likeness import EnhancedBetaLikeness
    from engine.privacy.entropy_l_diversity import EntropyLDiversity
    from engine.privacy.highest_risk import HighestRisk
    from engine.privacy.k_anonymity import KAnonymity
    from engine.privacy.records_at_risk import RecordsAtRisk
    from engine.privacy.recursive_c_l_diversity import RecursiveCLDiversity
    from engine.privacy.sample_uniqueness import SampleUniqueness
    from engine.privacy.t_closeness import TCloseness
    from engine.python.anonymizing import anonymize, suggest_hierarchies, suggest_roles
    from engine.python.estimator import KAnonymizer
    from engine.python.recipes import apply, verify
    from engine.python.released import Released
    from engine.recoding.singleton_variants import singleton_variants as singletons

_PLACES = {
    "AlphaKAnonymity": "privacy.alpha_k_anonymity",
    "AnonymizerError": "errors",
    "AverageRisk": "privacy.average_risk",
    "BasicBetaLikeness": "privacy.basic_beta_likeness",
    "DeltaDisclosure": "privacy.delta_disclosure",
    "DistinctLDiversity": "privacy.distinct_l_diversity",
    "EnhancedBetaLikeness": "privacy.enhanced_beta_likeness",
    "EntropyLDiversity": "privacy.entropy_l_diversity",
    "Hierarchy": "hierarchies",
    "HighestRisk": "privacy.highest_risk",
    "KAnonymity": "privacy.k_anonymity",
    "KAnonymizer": "python.estimator",
    "RecordsAtRisk": "privacy.records_at_risk",
    "RecursiveCLDiversity": "privacy.recursive_c_l_diversity",
    "Released": "python.released",
    "SampleUniqueness": "privacy.sample_uniqueness",
    "TCloseness": "privacy.t_closeness",
    "anonymize": "python.anonymizing",
    "apply": "python.recipes",
    "check": "findings.model_check",
    "detect": "findings.identifiers.detect",
    "risk": "findings.risk.of_table:assess_risk",
    "singletons": "recoding.singleton_variants:singleton_variants",
    "suggest_hierarchies": "python.anonymizing",
    "suggest_roles": "python.anonymizing",
    "verify": "python.recipes",
}
"""Module of each public name, and its name there if that is another one.

`utility` is missing: it is the package of the metrics, which can be called like a function.
"""

__all__ = [
    "AlphaKAnonymity",
    "AnonymizerError",
    "AverageRisk",
    "BasicBetaLikeness",
    "DeltaDisclosure",
    "DistinctLDiversity",
    "EnhancedBetaLikeness",
    "EntropyLDiversity",
    "Hierarchy",
    "HighestRisk",
    "KAnonymity",
    "KAnonymizer",
    "RecordsAtRisk",
    "RecursiveCLDiversity",
    "Released",
    "SampleUniqueness",
    "TCloseness",
    "anonymize",
    "apply",
    "check",
    "detect",
    "risk",
    "singletons",
    "suggest_hierarchies",
    "suggest_roles",
    "utility",
    "verify",
]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    if name == "utility":
        return import_module("engine.utility")
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, _colon, own = _PLACES[name].partition(":")
    found = getattr(import_module(f"{__name__}.{module}"), own or name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    """Return the public names with those that are imported."""
    return sorted({*globals(), *__all__})
