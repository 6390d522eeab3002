"""Values as other libraries compute them, known bugs included; one module each, never shown by default."""

from engine.compat.figures import check, measure_utility

__all__ = ["check", "measure_utility"]
