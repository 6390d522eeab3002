"""The open project: a frozen value, pure edits, its compiled form, and its files."""

from engine.project.project import AttributeHierarchy, Project, SearchSettings
from engine.recoding import Transformation

__all__ = ["AttributeHierarchy", "Project", "SearchSettings", "Transformation"]
