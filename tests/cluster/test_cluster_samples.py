"""Analyses of single records of a table on a real cluster, and projects that refer to it."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from engine.findings.subject import Subject
from engine.project.edits import set_roles
from engine.project.recipe.files import read_recipe
from engine.project.storage.file import open_project, save_project
from engine.project.storage.reference import TableAwayError
from engine.records import Role
from engine.records.databases.address import NOBODY, Connection, parse_address
from engine.records.opening import open_database
from tests.engine.findings.test_samples_there import (  # noqa: F401  # with the subjects of this file
    of,
    test_a_sample_is_drawn_again_and_keeps_what_is_suppressed,
    test_a_second_table_is_linked_with_all_records_or_a_sample,
    test_persons_are_drawn_with_all_their_records,
    test_records_singled_out_by_several_columns_are_counted_there,
)
from tests.project_differences import project_differences
from tests.spark import SparkServer

pytestmark = pytest.mark.cluster


@pytest.fixture(scope="module")
def subjects(spark: SparkServer, examples: Path) -> tuple[Subject, Subject]:
    clinic = examples / "clinic"
    memory = set_roles(read_recipe(clinic / "recipe.toml"), ["length of stay"], Role.INSENSITIVE)
    address = parse_address(spark.address(path=str(clinic / "clinic.csv")))[0]
    table, _options = open_database(address, memory.options)
    return of(memory), of(replace(memory, table=table, source=None))


def test_a_project_is_opened_again_and_told_that_a_file_is_another(
    spark: SparkServer, examples: Path, tmp_path: Path
) -> None:
    people, saved = tmp_path / "people.csv", tmp_path / "people.anon"
    people.write_bytes((examples / "clinic" / "clinic.csv").read_bytes())
    address = parse_address(spark.address(path=str(people)))[0]
    memory = read_recipe(examples / "clinic" / "recipe.toml")
    table, options = open_database(address, memory.options)
    project = replace(memory, table=table, options=options, source=None, database=address.full)
    save_project(project, saved)
    given = Connection(address, NOBODY)
    assert project_differences(project, open_project(saved, connection=given).project) == ()
    os.utime(people, (1_700_000_000, 1_700_000_000))
    with pytest.raises(TableAwayError, match="its files have other names, sizes or times"):
        open_project(saved, connection=given)
