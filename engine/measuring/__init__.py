"""What can be said of a table as it is, without hierarchies or a lattice."""

from engine.measuring.check import CheckReport, check
from engine.measuring.given import GivenTable, given_table

__all__ = ["CheckReport", "GivenTable", "check", "given_table"]
