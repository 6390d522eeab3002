"""Frequency sets and equivalence classes, shared by scoring, models and metrics."""

from engine.frequency.classes import EquivalenceClasses, Measure
from engine.frequency.persons import Persons
from engine.frequency.population import PopulationMembers
from engine.frequency.problem import Attribute, Problem, SensitiveAttribute

__all__ = [
    "Attribute",
    "EquivalenceClasses",
    "Measure",
    "Persons",
    "PopulationMembers",
    "Problem",
    "SensitiveAttribute",
]
