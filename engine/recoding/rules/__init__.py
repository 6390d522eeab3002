"""Rules for the cells of columns that are not quasi-identifying: each rule a file."""

from __future__ import annotations

from engine.recoding.rules.base import ColumnRule, RuleContext, column_rules

__all__ = ["ColumnRule", "RuleContext", "column_rules"]
