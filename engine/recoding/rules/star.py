"""Every cell becomes `*`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from engine.hierarchies.hierarchy import SUPPRESSED
from engine.recoding.rules.base import ColumnRule, RuleContext, Texts, column_rules
from engine.records import Column
from engine.words import lazy


@column_rules.register("star")
@dataclass(frozen=True, slots=True)
class Star(ColumnRule):
    """Every cell becomes `*`, also a missing one."""

    title: ClassVar[str] = lazy("Star")
    summary: ClassVar[str] = lazy("Every cell becomes *.")
    unprotected: ClassVar[str] = lazy("Other columns may still reveal what the cells contained.")
    is_constant: ClassVar[bool] = True

    def apply(self, column: Column, context: RuleContext) -> Texts | None:
        """A single text for all records."""
        return (SUPPRESSED,), np.zeros(len(column.codes), dtype=np.int32)
