"""Numbers and data of Anonymizer: no Qt, usable from a script.

The public names below are imported when they are first used, so that `import engine` takes no time:

- `anonymize` makes a verified release of a DataFrame, a `Released`; `KAnonymizer` does so in scikit-learn.
- `apply` makes the release of a recipe from a DataFrame; `verify` verifies one by its recipe.
- `check`, `risk` and `utility` measure finished tables; `detect` and `singletons` find unique records.
- `suggest_roles` and `suggest_hierarchies` propose settings for a table.
- `Hierarchy`, `Population`, `Subset`, all privacy models, builders of hierarchies, and rules of columns, such
  as `KAnonymity`, `IntervalsBuilder` and `Round`, are settings.
- `AnonymizerError` is raised for every error in data or calls.
"""

import re
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    __version__: str
    from engine.errors import AnonymizerError
    from engine.findings import assess_risk as risk
    from engine.findings import check, detect
    from engine.findings import measure_utility as utility
    from engine.hierarchies import Hierarchy
    from engine.hierarchies.builders.dates import DatesBuilder
    from engine.hierarchies.builders.frequency import FrequencyBuilder
    from engine.hierarchies.builders.grouping import GroupingBuilder
    from engine.hierarchies.builders.intervals import IntervalsBuilder
    from engine.hierarchies.builders.masking import MaskingBuilder
    from engine.hierarchies.builders.rounding import RoundingBuilder
    from engine.hierarchies.builders.suppress import SuppressBuilder
    from engine.hierarchies.builders.table import TableBuilder
    from engine.hierarchies.builders.taxonomy import TaxonomyBuilder
    from engine.hierarchies.builders.top_bottom import TopBottomBuilder
    from engine.privacy.alpha_k_anonymity import AlphaKAnonymity
    from engine.privacy.any_columns import AnyColumns
    from engine.privacy.average_risk import AverageRisk
    from engine.privacy.basic_beta_likeness import BasicBetaLikeness
    from engine.privacy.delta_disclosure import DeltaDisclosure
    from engine.privacy.delta_presence import DeltaPresence
    from engine.privacy.differential_privacy import DifferentialPrivacy
    from engine.privacy.distinct_l_diversity import DistinctLDiversity
    from engine.privacy.enhanced_beta_likeness import EnhancedBetaLikeness
    from engine.privacy.entropy_l_diversity import EntropyLDiversity
    from engine.privacy.highest_risk import HighestRisk
    from engine.privacy.individual_risk import IndividualRisk
    from engine.privacy.k_anonymity import KAnonymity
    from engine.privacy.k_map import KMap
    from engine.privacy.known_columns import KnownColumns
    from engine.privacy.population_uniqueness import PopulationUniqueness
    from engine.privacy.profitability import Profitability
    from engine.privacy.profitability_no_attack import ProfitabilityNoAttack
    from engine.privacy.records_at_risk import RecordsAtRisk
    from engine.privacy.recursive_c_l_diversity import RecursiveCLDiversity
    from engine.privacy.sample_uniqueness import SampleUniqueness
    from engine.privacy.t_closeness import TCloseness
    from engine.project.population import Population
    from engine.project.subset import Subset
    from engine.python.anonymizing import anonymize, suggest_hierarchies, suggest_roles
    from engine.python.estimator import KAnonymizer, LevelTransformer
    from engine.python.recipes import apply, verify
    from engine.python.released import Released
    from engine.recoding.rules.band import Band
    from engine.recoding.rules.bottom_code import BottomCode
    from engine.recoding.rules.constant import Constant
    from engine.recoding.rules.date_shift import DateShift
    from engine.recoding.rules.drop import Drop
    from engine.recoding.rules.keyed_hash import KeyedHash
    from engine.recoding.rules.mask import Mask
    from engine.recoding.rules.pseudonym import Pseudonym
    from engine.recoding.rules.round import Round
    from engine.recoding.rules.star import Star
    from engine.recoding.rules.top_code import TopCode
    from engine.recoding.singleton_variants import singleton_variants as singletons

_PLACES = {
    "AnonymizerError": "errors",
    "Hierarchy": "hierarchies",
    "KAnonymizer": "python.estimator",
    "LevelTransformer": "python.estimator",
    "Population": "project.population",
    "Released": "python.released",
    "Subset": "project.subset",
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
"""Module of each public name that is no member of a family, and its name there if that is another one.

`utility` is missing: it is the package of the metrics, which can be called like a function.
"""

_FAMILIES = ("privacy", "hierarchies.builders", "recoding.rules")
"""Packages with one public class per module, which is named like it."""

__all__ = [
    "AlphaKAnonymity",
    "AnonymizerError",
    "AnyColumns",
    "AverageRisk",
    "Band",
    "BasicBetaLikeness",
    "BottomCode",
    "Constant",
    "DateShift",
    "DatesBuilder",
    "DeltaDisclosure",
    "DeltaPresence",
    "DifferentialPrivacy",
    "DistinctLDiversity",
    "Drop",
    "EnhancedBetaLikeness",
    "EntropyLDiversity",
    "FrequencyBuilder",
    "GroupingBuilder",
    "Hierarchy",
    "HighestRisk",
    "IndividualRisk",
    "IntervalsBuilder",
    "KAnonymity",
    "KAnonymizer",
    "KMap",
    "KeyedHash",
    "KnownColumns",
    "LevelTransformer",
    "Mask",
    "MaskingBuilder",
    "Population",
    "PopulationUniqueness",
    "Profitability",
    "ProfitabilityNoAttack",
    "Pseudonym",
    "RecordsAtRisk",
    "RecursiveCLDiversity",
    "Released",
    "Round",
    "RoundingBuilder",
    "SampleUniqueness",
    "Star",
    "Subset",
    "SuppressBuilder",
    "TCloseness",
    "TableBuilder",
    "TaxonomyBuilder",
    "TopBottomBuilder",
    "TopCode",
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
    if name == "__version__":
        return import_module("engine.shipped").program_version()
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, _colon, own = (_PLACES.get(name) or _place(name)).partition(":")
    found = getattr(import_module(f"{__name__}.{module}"), own or name)
    globals()[name] = found
    return found


def _place(name: str) -> str:
    """Return the module of a member: that of `TopBottomBuilder` is `hierarchies.builders.top_bottom`."""
    stem = re.sub("(?<!^)(?=[A-Z])", "_", name.removesuffix("Builder")).lower()
    places = (f"{family}.{stem}" for family in _FAMILIES)
    return next(place for place in places if find_spec(f"{__name__}.{place}"))


def __dir__() -> list[str]:
    """Return the public names, and no other that this module uses."""
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
