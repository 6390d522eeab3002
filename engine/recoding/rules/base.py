"""Interface of rules for the cells of columns that are not quasi-identifying, and their registry."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import ClassVar

import numpy as np

from engine.cached import cached_property
from engine.errors import InputError
from engine.hierarchies import Hierarchy
from engine.kernels.arrays import Codes, IntArray
from engine.params import Configurable
from engine.recoding.drawing import start_of
from engine.records import Column, DataType, Table
from engine.registry import Registry
from engine.words import N_, _

Texts = tuple[tuple[str, ...], Codes]


@dataclass(frozen=True, eq=False)
class RuleContext:
    """Context of a rule besides its parameters.

    Attributes
    ----------
    records : Table
        All records that are released.
    seed : int
        Of everything that is drawn at random.
    person : str or None
        Column whose values are persons; None if every record is one person.
    hierarchies : mapping of str to Hierarchy
        Hierarchies by column.
    numbers : ndarray of int64, shape (n_records,), or None
        Number of every record among all, from 0, if `records` are only some of them; None for all.
    """

    records: Table
    seed: int = 0
    person: str | None = None
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=lambda: MappingProxyType({}))
    numbers: IntArray | None = None

    @cached_property
    def start(self) -> int:
        """Seed of random numbers."""
        return start_of(self.records, self.seed)


@dataclass(frozen=True, slots=True)
class ColumnRule(Configurable):
    """Writes something else into a column that is not quasi-identifying, or leaves the column out.

    Attributes
    ----------
    title, summary : str
        A short name, and the written form in one sentence for people who do not know the field.
    unprotected : str
        What it does not protect, in one or two sentences.
    is_reversible : bool
        Whether the written texts distinguish values, so that a table of both leads back to them.
    hides_values : bool
        Whether it fits every column and leaves no value unchanged, so that it can be the default of all
        identifying columns. The other rules read numbers, dates or a hierarchy.
    is_constant : bool
        Whether all records are written alike.
    keeps_texts : bool
        Whether values that it does not replace keep their written form.
    is_true : bool
        Whether a value alone determines the written text, which is true of it: the value or a coarser one.
        Analyses then compare cells with the values that each of them stands for.
    is_by_value : bool
        Whether the text of a cell alone determines the written text, whatever the type of its column.
    is_by_record : bool
        Whether the record or its person affects the written text, besides the value.
    """

    title: ClassVar[str]
    summary: ClassVar[str]
    unprotected: ClassVar[str]
    is_reversible: ClassVar[bool] = False
    hides_values: ClassVar[bool] = True
    is_constant: ClassVar[bool] = False
    keeps_texts: ClassVar[bool] = False
    is_true: ClassVar[bool] = False
    is_by_value: ClassVar[bool] = False
    is_by_record: ClassVar[bool] = False

    @classmethod
    def fits(cls, column: Column, hierarchy: Hierarchy | None = None) -> bool:
        """Return whether a column has the type or hierarchy that it reads, so that windows offer it."""
        return True

    @classmethod
    def suggested(cls, column: Column) -> ColumnRule:
        """Return the rule with parameters that suit the values of a column."""
        return cls()

    def why_not(self, column: Column, hierarchy: Hierarchy | None = None) -> str:
        """Return why it cannot be used for the values of a column; empty if it can."""
        return ""

    def refuse_unready(self, column: str) -> None:
        """Raise `ExportError` where something is lacking to write the column as the rule says."""

    @abstractmethod
    def apply(self, column: Column, context: RuleContext) -> Texts | None:
        """Return the distinct texts that are released and a code per record; None drops the column.

        Raises
        ------
        InputError
            The rule is not defined for a value; the error names its record.
        """

    def written_type(self, column: Column) -> DataType:
        """Return the data type of its written values, which orders the values for privacy models."""
        return DataType()

    def written_hierarchy(self, hierarchy: Hierarchy) -> Hierarchy:
        """Return the hierarchy of its written values, given that of the original ones."""
        return hierarchy

    def refuse_many_values(self, column: str, n_records: int) -> None:
        """Refuse a column with more different values than can be listed, if the rule needs all of them.

        Raises
        ------
        InputError
        """
        if not self.is_by_value:
            raise InputError(
                _("The rule “{title}” needs a list of all values; '{name}' has too many.").format(
                    title=self.title, name=column
                ),
                hint=_("Use a keyed hash or a mask, drop the column, or replace it with *."),
                column=column,
            )

    def n_coded(self, column: Column) -> int | None:
        """Return the number of cells beyond its limit; None for rules without one."""
        return None

    def statement(self, person: str | None = None) -> str:
        """Return what was done to the column in one sentence, given the column of the persons, if any."""
        return self.summary


def each_value(column: Column, texts: list[str]) -> Texts:
    """Write a text for each value of a column but the missing one, which stays."""
    if column.has_missing:
        texts = [*texts, column.labels[-1]]
    places: dict[str, int] = {}
    recode = np.array([places.setdefault(text, len(places)) for text in texts] or [0], dtype=np.int32)
    return tuple(places), recode[column.codes]


def first_record(column: Column, label: int) -> int:
    """Return the number of the first record with a label, counted from 1."""
    return int(np.argmax(column.codes == label)) + 1


column_rules: Registry[ColumnRule] = Registry("engine.recoding.rules", N_("rule for columns"))
