"""HIPAA's identifiers in a release: what they are, what becomes of them, and whether they still look so."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.findings.risk.hipaa import Hipaa, HipaaColumn, Treatment
from engine.findings.subject import Subject
from engine.hierarchies import Hierarchy
from engine.project import AttributeHierarchy, Transformation
from engine.project.compile import compile_problem
from engine.recoding import make_release
from engine.records import Column, DataType, Kind, Role, Table
from engine.records.values import make_column
from tests.engine.findings.risk.subjects import letters

DATES = [f"{year}-{month:02d}-03" for year in (2020, 2021) for month in range(1, 11)]
MAILS = [f"person{i}@example.org" for i in range(20)]
OLD = ["30", "40", "50", "60", "95"] * 4
AGES = [str(age) for age in range(79, 99)]
ZIPS = [f"{41100 + 7 * i}" for i in range(20)]
NAMES = [f"Person {i}" for i in range(20)]


def column(name: str, texts: list[str], kind: Kind = Kind.TEXT) -> Column:
    labels = sorted(set(texts))
    codes = np.array([labels.index(text) for text in texts], dtype=np.int32)
    return make_column(name, labels, codes, DataType(kind, "%Y-%m-%d" if kind is Kind.DATE else ""), "")


def judged(level: int = 1, rule: str = "star") -> dict[str, HipaaColumn]:
    project = letters(q="a" * 10 + "b" * 10).subject.project
    columns = (column("visit", DATES, Kind.DATE), column("contact", MAILS), column("surname", NAMES))
    years = Hierarchy.from_rows([(date, date[:4], "*") for date in DATES])
    project = replace(
        project,
        table=Table((*project.table.columns, *columns)),
        roles={
            **project.roles,
            "visit": Role.QUASI_IDENTIFYING,
            "contact": Role.INSENSITIVE,
            "surname": Role.IDENTIFYING,
        },
        qi_order=("q", "visit"),
        hierarchies={**project.hierarchies, "visit": AttributeHierarchy(years)},
        transformation=Transformation(identifying=rule),
    )
    subject = Subject(project, make_release(project, compile_problem(project), (0, level)))
    return {entry.column: entry for entry in Hipaa().run(subject).columns}


def test_columns_are_found_and_what_becomes_of_them_is_said() -> None:
    found = judged()
    assert list(found) == ["surname", "visit", "contact"]  # A, C and F of the rule
    contact = found["contact"]
    assert (contact.treatment, contact.release, contact.still_looks) == (
        Treatment.UNCHANGED,
        "released unchanged",
        True,
    )
    assert contact.identifier == "e-mail addresses (F)"
    assert found["surname"].treatment is Treatment.REMOVED
    assert found["surname"].release == "star"
    assert found["visit"].release == "level 1 of 2: 2020, 2021"
    assert not found["visit"].still_looks


@pytest.mark.parametrize(("level", "treatment"), [(0, Treatment.UNCHANGED), (2, Treatment.REMOVED)])
def test_dates_are_judged_by_the_level_they_are_released_on(level: int, treatment: Treatment) -> None:
    assert judged(level)["visit"].treatment is treatment
    assert judged(level)["visit"].share_unchanged == (1.0 if level == 0 else 0.0)


@pytest.mark.parametrize(
    ("rule", "treatment"), [("drop", Treatment.REMOVED), ("pseudonym", Treatment.CHANGED)]
)
def test_names_are_judged_by_the_rule_for_identifying_columns(rule: str, treatment: Treatment) -> None:
    assert judged(rule=rule)["surname"].treatment is treatment
    assert not judged(rule=rule)["surname"].still_looks


def test_a_table_without_identifiers_is_no_proof_that_there_are_none() -> None:
    found = Hipaa().run(letters(q="aabb").subject)
    assert found.columns == ()
    assert found.sentence == (
        "No column looks like one of the 18 identifiers of HIPAA's Safe Harbor; free text "
        "may contain any of them."
    )


def test_the_sentence_counts_what_still_looks_like_an_identifier() -> None:
    project = letters(q="a" * 10 + "b" * 10).subject.project
    table = Table((*project.table.columns, column("mail", MAILS)))
    project = replace(project, table=table, roles={**project.roles, "mail": Role.INSENSITIVE})
    subject = Subject(project, make_release(project, compile_problem(project), (0,)))
    found = Hipaa().run(subject)
    assert found.n_still == 1
    assert found.sentence == (
        "One column looks like an identifier of HIPAA's Safe Harbor, and may still be one in the release."
    )


@pytest.mark.parametrize(
    ("values", "rows", "remains"),
    [
        # Quarters tell more than the year that may stay of a date.
        (
            ("visit", Kind.DATE, DATES),
            [(d, f"{d[:4]} Q{int(d[5:7]) // 4}", "*") for d in DATES],
            "more than the year",
        ),
        (("visit", Kind.DATE, DATES), [(d, f"{d[:3]}0-{d[:3]}9", "*") for d in DATES], ""),
        # All ages over 89 are one category.
        (
            ("age", Kind.INTEGER, AGES),
            [(a, f"{int(a) // 20 * 20}-{int(a) // 20 * 20 + 19}", "*") for a in AGES],
            "",
        ),
        (("age", Kind.INTEGER, AGES), [(a, "<90" if int(a) < 90 else "90+", "*") for a in AGES], ""),
        (
            ("age", Kind.INTEGER, OLD),
            [(a, "[90, 100)" if a == "95" else "<90", "*") for a in dict.fromkeys(OLD)],
            "",
        ),
        (
            ("age", Kind.INTEGER, OLD),
            [(a, "[95, 96)" if a == "95" else "<90", "*") for a in dict.fromkeys(OLD)],
            "a group of ages over 89 that is narrower than “90 and over”",
        ),
        (
            ("age", Kind.INTEGER, AGES),
            [(a, f"{int(a) // 5 * 5}-{int(a) // 5 * 5 + 4}", "*") for a in AGES],
            "several groups of ages over 89",
        ),
        (("zip", Kind.TEXT, ZIPS), [(z, f"{z[:4]}*", "*") for z in ZIPS], "more than 3 digits"),
        (("zip", Kind.TEXT, ZIPS), [(z, f"{z[:3]}**", "*") for z in ZIPS], ""),
        (
            ("town", Kind.TEXT, NAMES),
            [(n, f"region {n[-1]}", "*") for n in NAMES],
            "the released values may still be smaller than a state",
        ),
    ],
)
def test_what_a_level_leaves_is_held_against_the_rule(
    values: tuple[str, Kind, list[str]], rows: list[tuple[str, ...]], remains: str
) -> None:
    name, kind, texts = values
    project = letters(q="a" * 10 + "b" * 10).subject.project
    project = replace(
        project,
        table=Table((*project.table.columns, column(name, texts, kind))),
        roles={**project.roles, name: Role.QUASI_IDENTIFYING},
        qi_order=("q", name),
        hierarchies={**project.hierarchies, name: AttributeHierarchy(Hierarchy.from_rows(rows))},
    )
    subject = Subject(project, make_release(project, compile_problem(project), (0, 1)))
    (found,) = Hipaa().run(subject).columns
    assert (found.treatment, found.remains) == (Treatment.CHANGED, remains)


def test_cells_of_suppressed_records_count_where_they_can_still_be_read() -> None:
    project = letters(q="abcdefghijklmnopqrst", k=2).subject.project
    table = Table((*project.table.columns, column("mail", MAILS)))
    project = replace(project, table=table, roles={**project.roles, "mail": Role.INSENSITIVE})
    subject = Subject(project, make_release(project, compile_problem(project), (0,)))
    assert not subject.kept.any()
    assert Hipaa().run(subject).columns[0].remains == "completely"
