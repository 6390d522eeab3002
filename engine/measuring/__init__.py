"""What can be said of a table as it is, and of a released one beside its original."""

from engine.measuring.check import CheckReport, check
from engine.measuring.given import GivenTable, given_table
from engine.measuring.risk import RiskReport, assess_risk
from engine.measuring.utility import UtilityReport, measure_utility
from engine.qi_detection.detect import Detection, detect

__all__ = [
    "CheckReport",
    "Detection",
    "GivenTable",
    "RiskReport",
    "UtilityReport",
    "assess_risk",
    "check",
    "detect",
    "given_table",
    "measure_utility",
]
