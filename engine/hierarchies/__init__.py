"""Generalization hierarchies: level maps and labels, their checks, their file form, their builders."""

from engine.hierarchies.hierarchy import Hierarchy, Level

__all__ = ["Hierarchy", "Level"]
