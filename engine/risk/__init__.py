"""How likely it is that somebody finds a person in a table."""

from engine.risk.attackers import AttackerRisk, attacker_risk, record_risks
from engine.risk.distribution import RiskDistribution, risk_distribution
from engine.risk.population import PopulationUniques, population_uniques

__all__ = [
    "AttackerRisk",
    "PopulationUniques",
    "RiskDistribution",
    "attacker_risk",
    "population_uniques",
    "record_risks",
    "risk_distribution",
]
