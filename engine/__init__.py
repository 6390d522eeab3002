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

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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
    "AlphaKAnonymity": "privacy.alpha_k_anonymity",
    "AnonymizerError": "errors",
    "AnyColumns": "privacy.any_columns",
    "AverageRisk": "privacy.average_risk",
    "Band": "recoding.rules.band",
    "BasicBetaLikeness": "privacy.basic_beta_likeness",
    "BottomCode": "recoding.rules.bottom_code",
    "Constant": "recoding.rules.constant",
    "DateShift": "recoding.rules.date_shift",
    "DatesBuilder": "hierarchies.builders.dates",
    "DeltaDisclosure": "privacy.delta_disclosure",
    "DeltaPresence": "privacy.delta_presence",
    "DifferentialPrivacy": "privacy.differential_privacy",
    "DistinctLDiversity": "privacy.distinct_l_diversity",
    "Drop": "recoding.rules.drop",
    "EnhancedBetaLikeness": "privacy.enhanced_beta_likeness",
    "EntropyLDiversity": "privacy.entropy_l_diversity",
    "FrequencyBuilder": "hierarchies.builders.frequency",
    "GroupingBuilder": "hierarchies.builders.grouping",
    "Hierarchy": "hierarchies",
    "HighestRisk": "privacy.highest_risk",
    "IndividualRisk": "privacy.individual_risk",
    "IntervalsBuilder": "hierarchies.builders.intervals",
    "KAnonymity": "privacy.k_anonymity",
    "KAnonymizer": "python.estimator",
    "LevelTransformer": "python.estimator",
    "KMap": "privacy.k_map",
    "KeyedHash": "recoding.rules.keyed_hash",
    "KnownColumns": "privacy.known_columns",
    "Mask": "recoding.rules.mask",
    "MaskingBuilder": "hierarchies.builders.masking",
    "Population": "project.population",
    "PopulationUniqueness": "privacy.population_uniqueness",
    "Profitability": "privacy.profitability",
    "ProfitabilityNoAttack": "privacy.profitability_no_attack",
    "Pseudonym": "recoding.rules.pseudonym",
    "RecordsAtRisk": "privacy.records_at_risk",
    "RecursiveCLDiversity": "privacy.recursive_c_l_diversity",
    "Released": "python.released",
    "Round": "recoding.rules.round",
    "RoundingBuilder": "hierarchies.builders.rounding",
    "SampleUniqueness": "privacy.sample_uniqueness",
    "Star": "recoding.rules.star",
    "Subset": "project.subset",
    "SuppressBuilder": "hierarchies.builders.suppress",
    "TCloseness": "privacy.t_closeness",
    "TableBuilder": "hierarchies.builders.table",
    "TaxonomyBuilder": "hierarchies.builders.taxonomy",
    "TopBottomBuilder": "hierarchies.builders.top_bottom",
    "TopCode": "recoding.rules.top_code",
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
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, _colon, own = _PLACES[name].partition(":")
    found = getattr(import_module(f"{__name__}.{module}"), own or name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    """Return the public names, and no other that this module uses."""
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
