"""Facts that the assessments of a given table begin with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from engine.findings.blocks import Fact
from engine.findings.given_table import GivenTable
from engine.findings.not_assessed import not_assessed
from engine.findings.words import quoted
from engine.numbers import as_exact_count
from engine.words import N_, _

NOT_COUNTED = N_("All cells of these rows are *. They are not counted.")


def given_facts(given: GivenTable, persons: Mapping[str, Any] | None = None) -> Iterator[Fact]:
    """Yield what is assessed: columns that are not, records, classes and people.

    `persons` are those of `GivenTable.persons_as_dict`, if they were computed before.
    """
    given = given.count()
    if (beside := not_assessed(given)) is not None:
        n, total = as_exact_count(len(beside.columns)), as_exact_count(beside.n_columns)
        clauses = "; ".join(beside.clauses()) or _("Nothing suggests that they identify people.")
        value = _("{n} of {total} columns").format(n=n, total=total)
        yield Fact("not_assessed", _("Not assessed"), value, explanation=clauses, tone=beside.tone)
    yield Fact("records", _("Records"), given.n_records, "records", _("Assessed records."))
    if given.n_blank:
        yield Fact("blank_rows", _("Blank rows"), given.n_blank, "records", _(NOT_COUNTED))
    alike = _("Sets of records that are equal in {columns}.").format(
        columns=", ".join(quoted(given.quasi_identifying))
    )
    yield Fact("classes", _("Classes"), len(given.classes.first), "classes", alike)
    if given.person:
        yield from person_facts(persons or given.persons_as_dict())


def person_facts(persons: Mapping[str, Any]) -> Iterator[Fact]:
    """Yield the values of `GivenTable.persons_as_dict`."""
    column, without = persons["column"], persons["records_without_person"]
    meaning = _("Distinct values of '{column}'; values count people.").format(column=column)
    yield Fact("persons", _("People"), persons["count"], "people", meaning)
    if without:
        meaning = _("They have no value of '{column}' and count as one person.").format(column=column)
        yield Fact("records_without_person", _("Records without a person"), without, "records", meaning)
    yield Fact("k", _("Fewest people in a class (k)"), persons["k"], "people")
    yield Fact("k_records", _("Fewest records in a class"), persons["k_records"], "records")
    if fewest := persons.get("chained", {}).get("all"):
        meaning = _("Fewest people who match all records of a person; '{column}' shows which these are.")
        yield Fact("chained", _("By all records"), fewest, "people", meaning.format(column=column))
