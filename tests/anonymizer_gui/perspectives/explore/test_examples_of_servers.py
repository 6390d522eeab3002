"""Examples of a table that stays in a database: combinations, each with its number of records."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path

from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.explore.inspector.examples import (
    FIRST,
    ExampleChoice,
    ExamplesPart,
    example_records,
)
from engine.privacy import Requirement
from engine.privacy.k_anonymity import KAnonymity
from engine.project import Project
from engine.project.compile import compile_problem
from engine.project.edits import set_roles
from engine.records import Role
from engine.records.databases.address import DatabaseAddress, file_url
from engine.records.opening import open_database
from engine.records.options import MEMORY, SERVER, ReadOptions

ROWS = [("Brae", 20)] * 3 + [("Dell", 30)] * 2 + [("Holm", 40)]


def test_lines_stand_for_records_that_are_alike(qtbot: QtBot, tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "people.db") as connection:
        connection.execute("CREATE TABLE people (town TEXT, age INTEGER)")
        connection.executemany("INSERT INTO people VALUES (?, ?)", ROWS)
    connection.close()
    address = DatabaseAddress(file_url(tmp_path / "people.db"), "people")
    shown = {}
    for where in (MEMORY, SERVER):
        table, options = open_database(address, ReadOptions(source=where))
        project = Project("people", None, options, table, database=address.full)
        project = set_roles(project, ["town", "age"], Role.QUASI_IDENTIFYING)
        project = replace(project, requirement=Requirement((KAnonymity(2),), 0.5))
        problem = compile_problem(project)
        shown[where] = example_records(project, problem, (0, 0), project.requirement, ExampleChoice(FIRST))
    here, there = shown[MEMORY], shown[SERVER]
    assert [example.number for example in here.records] == ["1", "2", "3", "4", "5", "6"]
    assert sorted((e.number, e.before, e.is_suppressed) for e in there.records) == [
        ("1 ×", ("Holm", "40"), True),
        ("2 ×", ("Dell", "30"), False),
        ("3 ×", ("Brae", "20"), False),
    ]
    part = ExamplesPart()
    qtbot.addWidget(part)
    part.show_examples(there)
    assert "3 records: Brae, 20 becomes Brae, 20" in part.table.accessibleName()
    assert part.note.text().startswith("Numbers of records that are equal")
    part.show_examples(here)
    assert "record 1: Brae, 20 becomes Brae, 20" in part.table.accessibleName()
    assert part.note.text() == ""
