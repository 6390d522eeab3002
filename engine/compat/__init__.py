"""Values as other libraries compute them, with their known bugs; one module each, never a default."""

from engine.compat.figures import check, measure_utility

__all__ = ["check", "measure_utility"]
