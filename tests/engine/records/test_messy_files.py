"""Files as people write them: what is read of them, and that a recipe reads them again in the same way."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.advice.preflight import preflight
from engine.errors import InputError, TableError
from engine.pipeline import anonymize, export_release
from engine.privacy import Requirement
from engine.privacy.k_anonymity import KAnonymity
from engine.project import Project
from engine.project.edits import set_roles
from engine.project.recipe.files import read_recipe, write_recipe
from engine.qi_detection.suggest import suggest_role
from engine.qi_detection.value_forms import offered_forms
from engine.records import Kind, ReadOptions, Role
from engine.records.opening import open_table
from engine.records.opening.files import read, read_csv
from engine.records.opening.raw_rows import raw_rows
from tests.messy_workbook import HEADINGS, N_RECORDS, write_messy

CHOSEN = ReadOptions(
    skip_lines=2,
    forms={"PLZ": ("00000",), "Geburtsdatum": ("%d.%m.%Y", "%Y-%m-%d")},
    leave_out="\"Lfd. Nr.\" = 'Summe'",
)


@pytest.fixture
def messy(tmp_path: Path) -> Path:
    return write_messy(tmp_path / "patients.xlsx")


def test_a_messy_workbook_becomes_a_table_of_proper_types_without_misfits(messy: Path) -> None:
    reading = read(messy, CHOSEN)
    table = reading.table
    assert table.names == HEADINGS
    assert table.n_records == N_RECORDS
    kinds = {column.name: column.data_type.kind for column in table.columns}
    assert kinds["Lfd. Nr."] is Kind.INTEGER  # once the total is left out
    assert kinds["PLZ"] is Kind.TEXT
    assert table.column("Geburtsdatum").data_type.format == "%d.%m.%Y"
    assert table.column("Geburtsdatum").text(3) == "12.05.1954"
    assert table.column("Geburtsdatum").text(0) == "12.02.1951"  # a date in the file
    assert {"01067", "04109", "10115"} < set(table.column("PLZ").labels)
    assert kinds["Gewicht"] is Kind.DECIMAL
    assert [table.column("Gewicht").text(i) for i in (0, 3)] == ["61,4", "64,5"]
    assert not reading.misfits


@pytest.mark.parametrize("decimal", [",", "."])
def test_number_cells_fit_whatever_the_decimal_mark_is(messy: Path, decimal: str) -> None:
    reading = read(messy, replace(CHOSEN, decimal=decimal))
    weights = reading.table.column("Gewicht")
    wrong = [label for label in weights.labels if ("," in label) is (decimal == ".")]
    assert len(wrong) == (10 if decimal == "." else 0)  # the cells of text, never the numbers


def test_titles_and_a_total_are_found_in_the_raw_rows(messy: Path, tmp_path: Path) -> None:
    found = raw_rows(messy, ReadOptions())
    assert found.n_titles == 2
    assert found.merged == ((1, 1, 1, 6), (2, 2, 1, 6))
    assert found.n_rows == 3 + N_RECORDS + 2
    assert found.total is not None
    assert (found.total.row, found.total.text) == (45, "Summe")
    assert found.heading(2, found.total.place) == "Lfd. Nr."
    assert found.first[2] == (3, HEADINGS)
    assert found.first[7] == (8, ())
    assert found.last[-1][0] == 45
    plain = tmp_path / "plain.csv"
    plain.write_text("Report of May\n\nage;sex;town\n31;m;Rome\n32;f;Oslo\ntotal;;63\n")
    of_text = raw_rows(plain, ReadOptions())
    assert (of_text.n_titles, of_text.heading(2, 0)) == (2, "age")
    assert of_text.total is not None
    plain.write_text("age;sex;town\n31;m;\n;;Oslo\n")
    assert raw_rows(plain, ReadOptions()).n_titles == 0
    assert raw_rows(plain, ReadOptions()).total is None


def test_forms_are_offered_for_lost_zeros_and_two_formats_of_dates_only(messy: Path) -> None:
    table = read(messy, ReadOptions(skip_lines=2, leave_out=CHOSEN.leave_out)).table
    offered = {c.name: found for c in table.columns if (found := offered_forms(c)) is not None}
    assert {name: found.forms for name, found in offered.items()} == {
        "PLZ": ("00000",),
        "Geburtsdatum": ("%d.%m.%Y", "%Y-%m-%d"),
    }
    assert offered["PLZ"].n_cells == (10, 30)
    assert sum(offered["Geburtsdatum"].n_cells) == N_RECORDS


def test_a_recipe_reads_the_workbook_again_and_the_release_is_verified(messy: Path, tmp_path: Path) -> None:
    reading = read(messy, CHOSEN)
    project = Project("patients", messy, reading.options, reading.table)
    project = set_roles(project, ["Lfd. Nr."], Role.IDENTIFYING)
    project = set_roles(project, ["Geschlecht"], Role.QUASI_IDENTIFYING)
    rest = [name for name in HEADINGS if name not in ("Lfd. Nr.", "Geschlecht")]
    project = set_roles(project, rest, Role.INSENSITIVE)
    recipe = tmp_path / "patients.toml"
    write_recipe(project, recipe)
    again = read_recipe(recipe)
    for column in project.table.columns:
        other = again.table.column(column.name)
        assert other.labels == column.labels
        assert other.codes.tolist() == column.codes.tolist()
    anonymized = anonymize(again)
    written = export_release(again, anonymized.release, tmp_path / "out.csv")
    assert written.ok, written
    assert "01067" in (tmp_path / "out.csv").read_text(encoding="utf-8")


def test_next_month_without_a_total_is_read_by_the_same_options(tmp_path: Path) -> None:
    plain = read(write_messy(tmp_path / "next.xlsx", has_total=False), CHOSEN)
    assert plain.table.n_records == N_RECORDS


def test_a_filter_leaves_records_out_by_several_texts_and_missing_cells(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("name,status\nAnn,ok\nBob,test\nCem,\nDee,ok\nSum,ok\n")
    table = read_csv(path, ReadOptions(leave_out="status = 'test' or status is missing or name in ('Sum')"))
    assert [table.column("name").text(i) for i in range(table.n_records)] == ["Ann", "Dee"]
    with pytest.raises(InputError, match="stat"):
        read_csv(path, ReadOptions(leave_out="stat = 'test'"))
    with pytest.raises(TableError, match="Records can be excluded only"):
        open_table(path, ReadOptions(leave_out="status = 'test'", source="disk"))


def test_a_text_with_forms_and_records_left_out_is_verified_too(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("zip,born,sex\n1067,1.2.1950,m\n10115,1951-03-04,m\n4109,1951-03-05,m\ntotal,,\n")
    forms = {"zip": ("00000",), "born": ("%d.%m.%Y", "%Y-%m-%d")}
    reading = read(path, ReadOptions(forms=forms, leave_out="zip = 'total'"))
    project = Project("people", path, reading.options, reading.table)
    project = set_roles(project, ["sex"], Role.QUASI_IDENTIFYING)
    project = set_roles(project, ["zip", "born"], Role.INSENSITIVE)
    project = replace(project, requirement=Requirement((KAnonymity(2),), 1.0))
    written = export_release(project, anonymize(project).release, tmp_path / "out.csv")
    assert written.ok, written
    assert (tmp_path / "out.csv").read_text().splitlines()[1:] == [
        "01067,1.2.1950,m",
        "10115,04.03.1951,m",
        "04109,05.03.1951,m",
    ]


@pytest.mark.parametrize("forms", [(), ("0x0",), ("%d.%m.%Y",), ("00000", "0000")])
def test_forms_that_are_none_are_refused(tmp_path: Path, forms: tuple[str, ...]) -> None:
    path = tmp_path / "people.csv"
    path.write_text("zip\n1067\n")
    with pytest.raises(TableError, match="cannot have the forms"):
        read_csv(path, ReadOptions(forms={"zip": forms}))


@pytest.mark.parametrize(
    "name", ["Hauptdiagnose", "Nebendiagnosen", "primary diagnosis", "Vorerkrankung", "ICD10"]
)
def test_words_for_diagnoses_are_sensitive_in_german_and_english(messy: Path, name: str) -> None:
    column = replace(read(messy, CHOSEN).table.column("Hauptdiagnose"), name=name)
    assert suggest_role(column, N_RECORDS).role is Role.SENSITIVE


@pytest.mark.parametrize("role", [Role.QUASI_IDENTIFYING, Role.SENSITIVE, Role.INSENSITIVE])
def test_a_repeating_number_of_any_role_offers_to_count_people_by_it(tmp_path: Path, role: Role) -> None:
    path = tmp_path / "panel.csv"
    rows = [f"{nr},{year},{'mf'[nr % 2]}" for nr in range(13, 93) for year in range(1980, 1988)]
    path.write_text("\n".join(["nr,year,sex", *rows]))
    reading = read(path)
    project = Project("panel", path, reading.options, reading.table)
    project = set_roles(set_roles(project, ["year", "sex"], Role.QUASI_IDENTIFYING), ["nr"], role)
    found: dict[str, Any] = {finding.key: finding for finding in preflight(project)}
    assert found["persons:nr"].title == "'nr' repeats: 80 people in 640 records"
    assert "persons:year" not in found
    fixed = found["persons:nr"].edit(project)
    assert (fixed.person, fixed.roles["nr"]) == ("nr", Role.IDENTIFYING)


@pytest.mark.parametrize("options", [ReadOptions(delimiter=";;"), ReadOptions(delimiter='"', quote='"')])
def test_raw_rows_with_impossible_options_are_refused_in_words(tmp_path: Path, options: ReadOptions) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a;b\n1;2\n")
    with pytest.raises(TableError, match="elimiter"):
        raw_rows(path, options)
