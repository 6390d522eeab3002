"""The numbers other libraries give, slips included; one module each, and never what is shown by default."""

from engine.compat.figures import check, measure_utility

__all__ = ["check", "measure_utility"]
