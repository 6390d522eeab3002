"""Files as they come: read as a person would, or refused with the place; nothing is changed silently."""

from __future__ import annotations

import codecs
import gzip
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.errors import TableError
from engine.records import DataType, Kind, ReadOptions, Table, table_files
from engine.records.columns_taken import TakenColumn
from engine.records.opening.files import read, read_csv, read_table

Write = Callable[..., Path]
DETECT = ReadOptions()


def columns(table: Table) -> dict[str, list[str]]:
    return {c.name: [c.text(i) for i in range(table.n_records)] for c in table.columns}


def refused(path: Path, options: ReadOptions = DETECT) -> TableError:
    with pytest.raises(TableError) as caught:
        read_csv(path, options)
    assert caught.value.hint
    return caught.value


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("has_mark", [True, False])
def test_wide_characters_are_read_with_and_without_a_byte_order_mark(
    write: Write, encoding: str, has_mark: bool
) -> None:
    text = "name;città\r\nZoë;Forlì\r\n" + "Łukasz;Łódź\r\n" * 3
    table, options = read_table(write(("\ufeff" if has_mark else "") + text, encoding=encoding))
    assert columns(table) == {"name": ["Zoë", *["Łukasz"] * 3], "città": ["Forlì", *["Łódź"] * 3]}
    assert options.guessed == ()
    assert (options.encoding or "").startswith(encoding[:6])


def test_bytes_with_zeros_that_are_not_text_are_refused(write: Write) -> None:
    assert "NUL character in line 2" in refused(write(b"a,b\n1,\x00\n3,4\n")).problem
    assert refused(write(bytes(range(256)) * 4))


def test_latin_1_is_offered_as_a_guess_and_never_taken_silently(write: Write) -> None:
    path = write("name\nJosé\n", encoding="latin-1")
    assert "encoding" in read(path, guess=True).options.guessed
    assert "line 2, position 4" in refused(path).problem
    assert columns(read_csv(path, ReadOptions(encoding="latin-1"))) == {"name": ["José"]}


def test_a_byte_order_mark_does_not_belong_to_the_first_name(write: Write) -> None:
    assert read_csv(write(codecs.BOM_UTF8 + b'"a","b"\n1,2\n')).names == ("a", "b")


@pytest.mark.parametrize("end", ["\r", "\n", "\r\n", "\n\n", "\r\r"])
def test_lines_may_end_in_any_way(write: Write, end: str) -> None:
    table = read_csv(write(end.join(["a,b", "1,x", '2,"y"', "3,z"])))
    assert columns(table) == {"a": ["1", "2", "3"], "b": ["x", "y", "z"]}


def test_line_ends_may_be_mixed(write: Write) -> None:
    assert columns(read_csv(write("a,b\r\n1,2\n3,4\r5,6"))) == {"a": ["1", "3", "5"], "b": ["2", "4", "6"]}


def test_rows_of_unequal_width_are_refused_with_their_line(write: Write) -> None:
    assert "line 3: 3 fields, but the header has 2" in refused(write("a,b\n1,2\n3,4,5\n")).problem
    assert "line 2: 1 field, but the header has 2" in refused(write("a,b\n1\n3,4\n")).problem


def test_quotes_and_line_ends_inside_of_quotes_are_characters(write: Write) -> None:
    table = read_csv(write('a,b\n"say ""yes"", or ""no""",1\n"two\nlines",2\nin"side,3\n'))
    assert columns(table)["a"] == ['say "yes", or "no"', "two\nlines", 'in"side']
    assert "line 3: a quoted field is never closed" in refused(write('a,b\n1,2\n3,"4\n5,6\n')).problem


def test_a_thousand_columns_are_read(write: Write) -> None:
    names = [f"a rather long name for question number {i}" for i in range(1000)]
    rows = [[str(i * r) for i in range(1000)] for r in range(3)]
    table = read_csv(write("\n".join(",".join(row) for row in [names, *rows])))
    assert table.names == tuple(names)
    assert table.record(2) == tuple(rows[2])


def test_a_header_longer_than_the_first_sample_is_read_completely(write: Write) -> None:
    names = [f"{'n' * 90} {i}" for i in range(1000)]
    assert read_csv(write(",".join(names) + "\n" + ",".join("1" * 1000) + "\n")).names == tuple(names)


def test_cells_of_two_thousand_characters_are_read_completely(write: Write) -> None:
    cells = ["x" * 2000, "y\n" * 1000, '"' * 2000]
    quoted = ['"' + cell.replace('"', '""') + '"' for cell in cells]
    assert columns(read_csv(write("a\n" + "\n".join(quoted) + "\n"))) == {"a": cells}


def test_leading_zeros_are_kept(write: Write) -> None:
    column = read_csv(write("zip,n\n01234,1\n00501,2\n99999,3\n")).column("zip")
    assert (column.data_type.kind, column.labels) == (Kind.TEXT, ("00501", "01234", "99999"))


def test_dates_of_mixed_formats_stay_text_and_what_does_not_fit_is_listed(write: Write) -> None:
    days = [f"{day:02}.03.2020" for day in range(1, 21)]
    path = write("id,day\n" + "".join(f"{i},{day}\n" for i, day in enumerate([*days, "2020-03-21", "soon"])))
    report = read(path)
    table = report.table
    assert table.column("day").data_type.kind is Kind.TEXT
    found = report.misfits["day"]
    assert (found.data_type, found.n_cells) == (DataType(Kind.DATE, "%d.%m.%Y"), 2)
    assert found.cells(0, 9) == [(20, "2020-03-21"), (21, "soon")]
    assert list(report.misfits) == ["day"]


def test_ids_written_as_floats_are_unchanged(write: Write) -> None:
    column = read_csv(write("id,n\n1.0,a\n12345678901234567.0,b\n12345678901234568.0,c\n")).column("id")
    assert column.data_type.kind is Kind.DECIMAL
    assert column.labels == ("1.0", "12345678901234567.0", "12345678901234568.0")


def test_empty_columns_are_columns_of_missing_values(write: Write) -> None:
    column = read_csv(write("a,b,c\n1,,x\n2,,y\n")).column("b")
    assert (column.labels, column.has_missing, column.data_type.kind) == (("",), True, Kind.TEXT)


def test_repeated_or_absent_names_are_refused_and_can_be_given(write: Write) -> None:
    path = write("id,age,age,\n1,2,3,4\n")
    error = refused(path)
    assert "columns 2 and 3 have the same name, 'age'" in error.problem
    assert "occurrence = 2" in error.hint
    take = (
        TakenColumn("id", "id"),
        TakenColumn("age", "age", "id", "age"),
        TakenColumn("age", "age 2", occurrence=2),
        TakenColumn(4, "note"),
    )
    assert read_csv(path, ReadOptions(take=take)).record(0) == ("1", "2", "3", "4")


@pytest.mark.parametrize("name", ["PEOPLE.CSV", "people.csv.gz", "People.Csv.GZ", "people.TXT"])
def test_endings_are_read_in_any_case_and_packed(write: Write, name: str) -> None:
    text = b"a,b\n1,2\n"
    path = write(gzip.compress(text) if name.lower().endswith("gz") else text, name)
    assert read_csv(path).record(0) == ("1", "2")


def test_unusual_delimiters_are_found_or_used_as_typed(write: Write) -> None:
    assert read_table(write("a^b\n1^2\n3^4\n"))[1].delimiter == "^"
    for delimiter in (":", " ", "§", "\x1f"):
        path = write(f"a{delimiter}b\n1{delimiter}2\n")
        assert read_csv(path, ReadOptions(delimiter=delimiter)).record(0) == ("1", "2")
    assert read_csv(write("time\n12:30\n13:45\n")).names == ("time",)


def test_what_would_unpack_to_far_too_much_is_refused_before_it_does(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table_files, "_SMALL", 1 << 20)
    monkeypatch.setattr(table_files, "_BLOCK", 1 << 18)
    error = refused(write(gzip.compress(b"a,b\n" + b"1,2\n" * (1 << 21)), "people.csv.gz"))
    assert "would unpack to more than" in error.problem


@pytest.mark.parametrize(
    "declaration",
    [
        b'<!DOCTYPE x [<!ENTITY a "aaaa">]>',
        b"<!--" + b"x" * (1 << 16) + b'<a--><!DOCTYPE x [<!ENTITY a "aaaa">]>',
    ],
)
def test_a_workbook_whose_xml_declares_entities_is_refused(write: Write, declaration: bytes) -> None:
    import openpyxl

    book = openpyxl.Workbook()
    book.active.append(["a"])
    book.active.append([1])
    path = write(b"", "people.xlsx")
    book.save(path)
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    name = "xl/workbook.xml"
    members[name] = members[name].replace(b"<workbook", declaration + b"<workbook", 1)
    with zipfile.ZipFile(path, "w") as archive:
        for member, content in members.items():
            archive.writestr(member, content)
    assert f"declares a document type in '{name}'" in refused(path).problem


def test_rows_before_the_header_of_a_sheet_are_skipped_even_if_merged(write: Write) -> None:
    import openpyxl

    book = openpyxl.Workbook()
    for row in (["Survey of 2024", None], [None, None], ["a", None, "a"], [1, 2, 3], [4, 5, 6]):
        book.active.append(row)
    book.active.merge_cells("A1:C1")
    path = write(b"", "people.xlsx")
    book.save(path)
    assert "merged" in refused(path).problem
    take = (TakenColumn(2, "b"), TakenColumn("a", "c", occurrence=2))
    assert columns(read_csv(path, ReadOptions(skip_lines=2, take=take))) == {"b": ["2", "5"], "c": ["3", "6"]}
