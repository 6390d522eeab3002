"""Reading text tables: what is detected, what is unchanged, and what is refused with its place."""

from __future__ import annotations

import csv
import gzip
import io
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.errors import CancelledError, TableError
from engine.records import Column, DataType, Kind, ReadOptions, table_files
from engine.records.opening.files import read, read_csv, read_table
from engine.records.text.writing import write_csv
from tests.stopping import Stopping

Write = Callable[..., Path]
DETECT = ReadOptions()


def texts(column: Column) -> list[str]:
    return [column.text(i) for i in range(len(column.codes))]


def refused(path: Path, options: ReadOptions = DETECT) -> TableError:
    with pytest.raises(TableError) as caught:
        read_csv(path, options)
    assert caught.value.hint
    return caught.value


# Values as read


def test_labels_are_in_the_order_of_their_type(write: Write) -> None:
    table = read_csv(write("n,x,d,b\n10,2.5,02/01/2020,true\n9,-1,13/12/2019,false\n-3,10,01/02/2020,true\n"))
    assert table.column("n").labels == ("-3", "9", "10")
    assert table.column("x").labels == ("-1", "2.5", "10")
    assert table.column("d").labels == ("13/12/2019", "02/01/2020", "01/02/2020")
    assert table.column("b").labels == ("false", "true")
    assert [c.data_type.kind for c in table.columns] == [Kind.INTEGER, Kind.DECIMAL, Kind.DATE, Kind.BOOLEAN]


def test_numbers_hold_the_value_of_each_label(write: Write) -> None:
    table = read_csv(write("n,d,b\n10,1970-01-02,false\n9,1970-01-01,true\n"))
    assert table.column("n").numbers.tolist() == [9, 10]
    assert table.column("d").numbers.tolist() == [719163, 719164]
    assert table.column("b").numbers.tolist() == [0, 1]


def test_whole_numbers_beyond_float_precision_keep_their_order(write: Write) -> None:
    table = read_csv(write("id\n10000000000000000\n9999999999999999\n"))
    assert table.column("id").labels == ("9999999999999999", "10000000000000000")


def test_numbers_with_superfluous_leading_zeros_are_text(write: Write) -> None:
    table = read_csv(write("zip,x,n\n01234,007.5,0\n99999,1.5,10\n"))
    assert [c.data_type.kind for c in table.columns] == [Kind.TEXT, Kind.TEXT, Kind.INTEGER]


def test_one_value_at_the_end_decides_the_type(write: Write) -> None:
    path = write("n\n" + "1\n" * 5000 + "about 3\n")
    assert read_csv(path).column("n").data_type.kind is Kind.TEXT


def test_every_missing_token_becomes_the_first_and_comes_last(write: Write) -> None:
    table = read_csv(write("a,b\n1,x\nNA,?\n,y\n3,z\n"), ReadOptions(missing=("?", "", "NA")))
    column = table.column("a")
    assert (column.labels, column.has_missing, column.data_type.kind) == (("1", "3", "?"), True, Kind.INTEGER)
    assert texts(column) == ["1", "?", "?", "3"]
    assert column.missing_label == "?"


def test_without_missing_tokens_an_empty_text_is_a_value(write: Write) -> None:
    column = read_csv(write("a,b\nx,1\n,2\n"), ReadOptions(missing=())).column("a")
    assert (column.labels, column.has_missing) == (("", "x"), False)


def test_spaces_stay_unless_trimming_was_asked_for(write: Write) -> None:
    path = write("a, b\nx ,1\nx,2\n")
    assert read_csv(path).names == ("a", " b")
    assert read_csv(path).column("a").labels == ("x", "x ")
    trimmed = read_csv(path, ReadOptions(trim=True))
    assert (trimmed.names, trimmed.column("a").labels) == (("a", "b"), ("x",))


@pytest.mark.parametrize("delimiter", [";", ",", "\t", "|"])
def test_the_delimiter_is_detected(write: Write, delimiter: str) -> None:
    path = write(delimiter.join(["a", "b", "c"]) + "\n" + delimiter.join(["1", "x y", "z"]) + "\n")
    table, options = read_table(path)
    assert (options.delimiter, table.names) == (delimiter, ("a", "b", "c"))


def test_decimal_commas_are_detected_between_semicolons(write: Write) -> None:
    table, options = read_table(write("a;b\n1,5;2\n0,25;3\n"))
    assert (options.delimiter, options.decimal) == (";", ",")
    assert table.column("a").labels == ("0,25", "1,5")
    assert table.column("a").numbers.tolist() == [0.25, 1.5]


def test_a_first_record_of_numbers_is_not_a_header(write: Write) -> None:
    table, options = read_table(write("39,x\n40,y\n"))
    assert (options.header, options.guessed, table.n_records) == (False, ("header",), 2)
    assert table.names == ("column 1", "column 2")
    assert read_csv(write("39,x\n40,y\n"), ReadOptions(header=True)).names == ("39", "x")


def test_quoted_fields_may_hold_delimiters_quotes_and_line_ends(write: Write) -> None:
    table = read_csv(write('a,b\n"x,1","say ""hi"""\n"two\nlines",z\n'))
    assert texts(table.column("a")) == ["x,1", "two\nlines"]
    assert texts(table.column("b")) == ['say "hi"', "z"]


def test_exchangeable_day_and_month_are_reported_as_a_guess(write: Write) -> None:
    path = write("clear,open\n13/01/2020,01/02/2020\n14/01/2020,03/04/2020\n")
    assert read(path, guess=True).options.guessed == ("types.open",)
    assert read(path, guess=True).options.types["open"] == DataType(Kind.DATE, "%d/%m/%Y")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_what_proves_its_encoding_is_read_without_asking(write: Write, encoding: str) -> None:
    table = read_csv(write("name,città\nZoë,Forlì\n", encoding=encoding))
    assert (table.names, table.record(0)) == (("name", "città"), ("Zoë", "Forlì"))


def test_a_packed_table_reads_like_the_plain_one(write: Write) -> None:
    table = read_csv(write(gzip.compress(b"a,b\n1,2\n"), "people.csv.gz"))
    assert table.record(0) == ("1", "2")


def test_detected_options_read_the_same_table(tables: Path) -> None:
    path = tables / "adult_arx.csv"
    table, (again, options) = read_csv(path), read_table(path, read(path, guess=True).options)
    assert table.n_records == 30162
    assert options.delimiter == ";"
    for one, two in zip(table.columns, again.columns, strict=True):
        assert one.labels == two.labels
        assert (one.codes == two.codes).all()


def test_reading_stops_when_asked(write: Write) -> None:
    with pytest.raises(CancelledError):
        read_csv(write("a,b\n1,2\n"), monitor=Stopping())


# What is refused


def test_a_missing_file_is_named_with_the_nearest_one(write: Write) -> None:
    path = write("a\n1\n", "adult.csv")
    error = refused(path.with_name("adlut.csv"))
    assert "adlut.csv" in error.problem
    assert error.hint == "Did you mean 'adult.csv'?"


def test_a_folder_is_refused(tmp_path: Path) -> None:
    assert "folder" in refused(tmp_path).problem


@pytest.mark.parametrize("content", [b"", b"\n\n", b"\xef\xbb\xbf", b"  \r\n"])
def test_an_empty_file_is_refused(write: Write, content: bytes) -> None:
    assert "is empty" in refused(write(content)).problem


def test_a_header_without_records_is_refused(write: Write) -> None:
    assert "no records" in refused(write("a,b\n")).problem


def test_a_ragged_row_is_named_by_its_line_in_the_file(write: Write) -> None:
    error = refused(write('a,b,c\n1,"two\nlines",3\n\n4,5\n6,7,8\n'))
    assert error.problem == "'people.csv', line 5: 2 fields, but the header has 3."
    assert (error.context["line"], error.context["found"], error.context["expected"]) == (5, 2, 3)


def test_a_row_too_long_is_named_too(write: Write) -> None:
    assert refused(write("a,b\n1,2\n1,2,3\n")).context["line"] == 3


def test_text_that_is_not_utf_8_is_named_by_line_and_position(write: Write) -> None:
    error = refused(write("name,n\nJosé,1\n", encoding="cp1252"))
    assert "byte 0xE9 in line 2, position 4" in error.problem
    assert "cp1252" in error.hint
    assert "utf-8" not in error.context["encodings"]  # type: ignore[operator]


def test_a_bad_byte_far_into_the_file_is_placed_rightly(write: Write) -> None:
    error = refused(write(b"a,b\n" + b"x,y\n" * 1_100_000 + b"z\xc3,1\n"))
    assert (error.context["line"], error.context["position"]) == (1_100_002, 2)


@pytest.mark.parametrize("letter", ["é", "€", "😀"])
@pytest.mark.parametrize("before", range(1, 4))
def test_a_letter_may_lie_across_two_blocks_of_ascii(
    letter: str, before: int, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table_files, "_BLOCK", 8)
    start = "name\n" + "a" * (11 - before)  # the letter begins so many bytes before a block ends
    assert read_csv(write(f"{start}{letter}\nJohn\n")).record(0) == (start[5:] + letter,)
    assert "not valid UTF-8" in refused(write(f"{start}\xe9\nJohn\n", encoding="latin-1")).problem
    cut = letter.encode()[:-1].decode("latin-1")  # its last byte is missing
    error = refused(write(f"{start}{cut}John\n", encoding="latin-1"))
    assert (error.context["line"], error.context["position"]) == (2, len(start) - 4)


def test_an_unproven_encoding_is_offered_as_a_guess_and_read_when_chosen(write: Write) -> None:
    path = write("name,n\nJosé,1\n", encoding="cp1252")
    options = read(path, guess=True).options
    assert (options.encoding, options.guessed) == ("cp1252", ("encoding",))
    assert read_csv(path, options).record(0) == ("José", "1")


def test_a_wrong_encoding_given_by_hand_is_refused(write: Write) -> None:
    path = write("name,n\nJosé,1\n", encoding="cp1252")
    assert "not valid UTF-8" in refused(path, ReadOptions(encoding="utf-8")).problem
    assert refused(path, ReadOptions(encoding="cp1251x")).hint == "Did you mean 'cp1251'?"
    assert "no byte order mark" in refused(path, ReadOptions(encoding="utf-16")).problem


def test_two_columns_of_one_name_are_refused(write: Write) -> None:
    error = refused(write("age,sex,age\n1,m,2\n"))
    assert "columns 1 and 3 have the same name, 'age'" in error.problem


def test_a_column_without_name_is_named_by_its_position(write: Write) -> None:
    assert read_csv(write("a,,c\n1,2,3\n")).names == ("a", "column 2", "c")
    assert read_csv(write("column 2, \n1,2\n")).names == ("column 2", "column 2 (2)")


@pytest.mark.parametrize("content", [b"no gzip", gzip.compress(b"a,b\n1,2\n" * 99, mtime=0)[:-9]])
def test_a_damaged_archive_is_refused(write: Write, content: bytes) -> None:
    assert "cannot be unpacked" in refused(write(content, "people.csv.gz")).problem


def test_nul_characters_are_refused(write: Write) -> None:
    assert refused(write(b"a,b\n1,2\n3,\0\n")).context["line"] == 3


def test_a_quotation_mark_left_open_swallows_nothing_in_silence(write: Write) -> None:
    error = refused(write('a,b\n1,2\n3,"x\n4,y\n5,z\n'))
    assert (error.context["line"], "never closed" in error.problem) == (3, True)


@pytest.mark.parametrize("name", ["people.xlsb", "people.json", "people.RDS"])
def test_other_formats_are_refused_with_a_way_out(write: Write, name: str) -> None:
    error = refused(write(b"PK", name))
    assert "CSV" in error.hint


def test_a_type_that_does_not_fit_names_value_and_record(write: Write) -> None:
    error = refused(write("n\n1\nx\ny\n"), ReadOptions(header=True, types={"n": DataType(Kind.INTEGER)}))
    assert "Column 'n', record 2: 'x' is not a whole number (2 different values do not fit)." in error.problem


def test_a_type_for_an_unknown_column_names_the_nearest(write: Write) -> None:
    error = refused(write("age,b\n1,2\n"), ReadOptions(types={"aeg": DataType()}))
    assert error.hint == "Did you mean 'age'?"


@pytest.mark.parametrize("options", [ReadOptions(delimiter=";;"), ReadOptions(decimal="'")])
def test_impossible_options_are_refused(write: Write, options: ReadOptions) -> None:
    refused(write("a,b\n1,2\n"), options)


# Laws

cells = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=8)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(
    st.integers(1, 4).flatmap(lambda n: st.lists(st.lists(cells, min_size=n, max_size=n), min_size=1)),
    st.sampled_from(";,\t|"),
)
def test_written_texts_are_read_back_unchanged(tmp_path: Path, rows: list[list[str]], delimiter: str) -> None:
    header = [f"c{i}" for i in range(len(rows[0]))]
    path = tmp_path / "round.csv"
    write_csv(path, header, list(zip(*rows, strict=True)), delimiter)
    table = read_csv(path, ReadOptions(delimiter=delimiter, encoding="utf-8", header=True))
    assert table.names == tuple(header)
    assert [list(table.record(i)) for i in range(table.n_records)] == rows


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(st.lists(st.lists(cells, min_size=2, max_size=3), min_size=1, max_size=6), st.sampled_from(";,"))
def test_the_fast_reader_agrees_with_the_csv_module(
    tmp_path: Path, rows: list[list[str]], delimiter: str
) -> None:
    buffer = io.StringIO(newline="")
    csv.writer(buffer, delimiter=delimiter).writerows([["a", "b"], *rows])
    path = tmp_path / "rows.csv"
    path.write_bytes(buffer.getvalue().encode())
    options = ReadOptions(delimiter=delimiter, encoding="utf-8", header=True)
    if all(len(row) == 2 for row in rows):
        table = read_csv(path, options)
        assert [list(table.record(i)) for i in range(table.n_records)] == rows
    else:
        with pytest.raises(TableError, match="line"):
            read_csv(path, options)
