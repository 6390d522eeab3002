"""The record of a table that stays in a database: a combination, with its number of records."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path

from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.explore.inspector.record import (
    RecordChoice,
    RecordPart,
    ShownRecord,
    record_lines,
    record_title,
    shown_record,
)
from engine.frequency import Problem
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


def test_a_record_stands_for_those_that_are_alike(qtbot: QtBot, tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "people.db") as connection:
        connection.execute("CREATE TABLE people (town TEXT, age INTEGER)")
        connection.executemany("INSERT INTO people VALUES (?, ?)", ROWS)
    connection.close()
    address = DatabaseAddress(file_url(tmp_path / "people.db"), "people")
    shown: dict[str, list[tuple[str, tuple[str, ...], bool]]] = {}
    found: dict[str, tuple[Problem, ShownRecord]] = {}
    for where in (MEMORY, SERVER):
        table, options = open_database(address, ReadOptions(source=where))
        project = Project("people", None, options, table, database=address.full)
        project = set_roles(project, ["town", "age"], Role.QUASI_IDENTIFYING)
        project = replace(project, requirement=Requirement((KAnonymity(2),), 0.5))
        problem, shown[where] = compile_problem(project), []
        for place in range(6):
            record = shown_record(project, problem, (0, 0), project.requirement, RecordChoice(place=place))
            assert record is not None
            shown[where].append((record_title(record, problem), record.before, record.is_suppressed))
            found.setdefault(where, (problem, record))
    assert [title for title, _before, _gone in shown[MEMORY]] == [
        *(f"record {number} of 6" for number in range(1, 6)),
        "record 6 of 6, suppressed",
    ]
    assert sorted(shown[SERVER][:3]) == [
        ("1 equal record", ("Holm", "40"), True),
        ("2 equal records", ("Dell", "30"), False),
        ("3 equal records", ("Brae", "20"), False),
    ]
    assert shown[SERVER][3:] == shown[SERVER][:3]
    part = RecordPart("record")
    qtbot.addWidget(part)
    problem, record = found[MEMORY]
    part.show_record("", record_lines(record, problem, (0, 0), None))
    assert part.texts() == [("town", "Brae", "Brae"), ("age", "20", "20")]
    assert part.note.isHidden()
    part.show_record("", ())
    assert not part.note.isHidden()
