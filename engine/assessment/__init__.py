"""Utility and risk of a release compared with its input, and of a table anonymized elsewhere."""

from engine.assessment.base import (
    Analysis,
    FigureColumn,
    FigureTable,
    Findings,
    risk_analyses,
    utility_analyses,
)
from engine.assessment.check import CheckReport, check
from engine.assessment.given_table import GivenTable, given_table
from engine.assessment.identifiers.detect import Detection, detect
from engine.assessment.risk.of_table import RiskReport, assess_risk
from engine.assessment.subject import Subject
from engine.assessment.utility.of_table import UtilityReport, measure_utility

__all__ = [
    "Analysis",
    "CheckReport",
    "Detection",
    "FigureColumn",
    "FigureTable",
    "Findings",
    "GivenTable",
    "RiskReport",
    "Subject",
    "UtilityReport",
    "assess_risk",
    "check",
    "detect",
    "given_table",
    "measure_utility",
    "risk_analyses",
    "utility_analyses",
]
