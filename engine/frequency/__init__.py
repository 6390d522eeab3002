"""Frequency sets and equivalence classes: what scoring, models and metrics share."""

from engine.frequency.classes import EquivalenceClasses, Measure
from engine.frequency.persons import Persons
from engine.frequency.population import People
from engine.frequency.problem import Attribute, Problem, SensitiveAttribute

__all__ = ["Attribute", "EquivalenceClasses", "Measure", "People", "Persons", "Problem", "SensitiveAttribute"]
