"""The open project: a frozen value, pure edits, its compiled form, and its files."""

from engine.project.population import Population
from engine.project.project import AttributeHierarchy, Project, SearchSettings
from engine.project.subset import Subset
from engine.recoding import Transformation

__all__ = [
    "AttributeHierarchy",
    "Population",
    "Project",
    "SearchSettings",
    "Subset",
    "Transformation",
]
