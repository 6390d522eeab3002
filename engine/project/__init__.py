"""The open project: a frozen value, pure edits, and its compiled form."""

from engine.project.project import AttributeHierarchy, Project, SearchSettings, Transformation

__all__ = ["AttributeHierarchy", "Project", "SearchSettings", "Transformation"]
