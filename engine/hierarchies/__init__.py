"""Generalization hierarchies: level maps and labels, their checks, their file form, their builders."""

from engine.hierarchies.files import read_hierarchy, write_hierarchy
from engine.hierarchies.hierarchy import SUPPRESSED, Hierarchy, Level

__all__ = ["SUPPRESSED", "Hierarchy", "Level", "read_hierarchy", "write_hierarchy"]
