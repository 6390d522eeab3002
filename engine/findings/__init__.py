"""Utility and risk of a release compared with its input, and of a table anonymized elsewhere."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine.findings.attack.statistics import AttackStatistics, attack_statistics
    from engine.findings.base import Analysis, risk_analyses, utility_analyses
    from engine.findings.given_table import GivenTable
    from engine.findings.identifiers.detect import Detection, detect
    from engine.findings.model_check import CheckReport, check
    from engine.findings.risk.of_table import RiskReport, assess_risk
    from engine.findings.risk.survey import (
        SpecialUniques,
        SurveyRisk,
        assess_special_uniques,
        assess_survey,
    )
    from engine.findings.risk.wildcards import WildcardRisk, assess_wildcards
    from engine.findings.subject import Subject
    from engine.findings.utility.of_table import UtilityReport, measure_utility

__all__ = [
    "Analysis",
    "AttackStatistics",
    "CheckReport",
    "Detection",
    "GivenTable",
    "RiskReport",
    "SpecialUniques",
    "Subject",
    "SurveyRisk",
    "UtilityReport",
    "WildcardRisk",
    "assess_risk",
    "assess_special_uniques",
    "assess_survey",
    "assess_wildcards",
    "attack_statistics",
    "check",
    "detect",
    "measure_utility",
    "risk_analyses",
    "utility_analyses",
]

_LATER = {
    "Analysis": "base",
    "AttackStatistics": "attack.statistics",
    "CheckReport": "model_check",
    "Detection": "identifiers.detect",
    "GivenTable": "given_table",
    "RiskReport": "risk.of_table",
    "SpecialUniques": "risk.survey",
    "Subject": "subject",
    "SurveyRisk": "risk.survey",
    "UtilityReport": "utility.of_table",
    "WildcardRisk": "risk.wildcards",
    "assess_risk": "risk.of_table",
    "assess_special_uniques": "risk.survey",
    "assess_survey": "risk.survey",
    "assess_wildcards": "risk.wildcards",
    "attack_statistics": "attack.statistics",
    "check": "model_check",
    "detect": "identifiers.detect",
    "measure_utility": "utility.of_table",
    "risk_analyses": "base",
    "utility_analyses": "base",
}


def __getattr__(name: str) -> Any:
    """Import a name when it is first requested: a command needs few of them, and all take long."""
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_LATER[name]}"), name)
