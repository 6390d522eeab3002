"""Every choice of how a file is read: its effect, and that the verifier of a release reads the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.errors import TableError
from engine.pipeline import anonymize, export_release
from engine.project.recipe.files import read_recipe, write_recipe
from engine.records import DataType, Kind, ReadOptions, Table
from engine.records.columns_taken import TakenColumn
from engine.records.opening.files import read, read_csv, read_table
from engine.records.options import Replacement
from engine.records.values import retype

Write = Callable[..., Path]
RECIPE = """\
format = 1
[data]
path = "people.csv"
decimal = "."
{choices}
[roles]
identifying = ["name"]
quasi_identifying = ["age"]
others = "insensitive"
[[privacy]]
model = "k_anonymity"
k = 2
"""


def columns(table: Table) -> dict[str, list[str]]:
    return {c.name: [c.text(i) for i in range(table.n_records)] for c in table.columns}


def refused(path: Path, **choices: Any) -> str:
    with pytest.raises(TableError) as caught:
        read_csv(path, ReadOptions(**choices))
    assert caught.value.hint
    return caught.value.problem


CHOICES = [
    ("quote = \"'\"", "name,age,pay\n'Ann, A.',31,1\n'Bob',31,2\n'O''Neill',52,3\n'Dee',52,4\n"),
    ('quote = ""', 'name,age,pay\n"Ann,31,1\nBob",31,2\nCem,52,3\nD"ee,52,4\n'),
    ('comment = "#"', '# by hand\nname,age,pay\nAnn,31,1\n# half\nBob,31,2\nCem,52,3\nDee,52,4\n'),
    ('comment = "#"', 'name,age,pay\n"A\n# n",31,1\n#\nBob,31,2\nCem,52,3\nDee,52,4\n#'),
    ("skip_lines = 2", "Survey;2024\r\n\r\nname,age,pay\r\nAnn,31,1\r\nBob,31,2\r\nCem,52,3\r\nDee,52,4"),
    ('thousands = ","', 'name,age,pay\nAnn,31,"1,234"\nBob,31,"12,345"\nCem,52,"1,234,567"\nDee,52,7\n'),
    ('ragged = "fill"', "name,age,pay\nAnn,31\nBob,31,2\nCem,52\nDee,52,4\n"),
    (
        'columns = [{source = 3, name = "wage"}, {source = "age"}, {source = 1, name = "name"}]',
        "name,age,,\nAnn,31,1,\nBob,31,2,\nCem,52,3,\nDee,52,4,\n",
    ),
    ('column_missing = {pay = ["9"], age = ["0"]}', "name,age,pay\nAnn,31,9\nBob,31,2\nCem,0,9\nDee,0,4\n"),
    (
        'replace = [{column = "age", old = "fifty", new = "52"}, {column = "name", old = "Bob"}, '
        '{column = "pay", old = "1", new = "2"}, {column = "pay", old = "2", new = "3"}]',
        "name,age,pay\nAnn,31,1\nBob,31,2\nCem,fifty,3\nDee,52,4\n",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("choices", "text"), CHOICES)
def test_the_table_read_is_released_and_verified_against_the_file_itself(
    write: Write, tmp_path: Path, choices: str, text: str
) -> None:
    write(text)
    recipe = write(RECIPE.format(choices=choices), "people.toml")
    project = read_recipe(recipe)
    assert project.table.n_records == 4
    verdict = export_release(project, anonymize(project).release, tmp_path / "out.csv")
    assert verdict.ok, verdict
    write_recipe(project, tmp_path / "again.toml")
    again = read_recipe(tmp_path / "again.toml")
    assert columns(again.table) == columns(project.table)
    assert [c.data_type for c in again.table.columns] == [c.data_type for c in project.table.columns]


def test_fields_are_enclosed_by_the_chosen_quotation_mark(write: Write) -> None:
    path = write("a,b\n'x,y','it''s'\n'\"z',1\n")
    assert columns(read_csv(path, ReadOptions(quote="'"))) == {"a": ["x,y", '"z'], "b": ["it's", "1"]}


def test_apostrophes_around_all_fields_are_found_and_those_inside_are_not(write: Write) -> None:
    table, options = read_table(write("'a';'b'\n'x;y';'1'\n'z';'2'\n"))
    assert (options.quote, columns(table)) == ("'", {"a": ["x;y", "z"], "b": ["1", "2"]})
    table, options = read_table(write("a,b\nO'Neill,1\n't Hooft,2\n"))
    assert (options.quote, table.record(0)) == (None, ("O'Neill", "1"))


def test_without_quotation_marks_they_are_characters(write: Write) -> None:
    assert columns(read_csv(write('a,b\n"x,1\ny",2\n'), ReadOptions(quote=""))) == {
        "a": ['"x', 'y"'],
        "b": ["1", "2"],
    }


def test_comment_lines_are_not_records_and_quoted_lines_are_not_comments(write: Write) -> None:
    path = write('#top\na,b\n# one\n1,"x\n#y"\n#two\n3,4\n#end')
    assert columns(read_csv(path, ReadOptions(comment="#"))) == {"a": ["1", "3"], "b": ["x\n#y", "4"]}
    plain = write("#top\ra,b\r# one\r1,x#\r#\r3,4\r#end")
    assert columns(read_csv(plain, ReadOptions(comment="#"))) == {"a": ["1", "3"], "b": ["x#", "4"]}


def test_messages_count_the_lines_of_the_file_also_below_comments_and_skipped_lines(write: Write) -> None:
    path = write("title\n# note\na,b\n1,2\n# more\n1,2,3\n")
    assert "line 6: 3 fields" in refused(path, comment="#", skip_lines=1)
    assert "empty after the skipped lines" in refused(path, skip_lines=9)


def test_short_records_are_padded_on_request_and_reported(write: Write) -> None:
    path = write("a,b,c\n1,2,3\n4\n5,6\n")
    assert "line 3: 1 field, but the header has 3" in refused(path)
    report = read(path, ReadOptions(ragged="fill"))
    table = report.table
    assert columns(table) == {"a": ["1", "4", "5"], "b": ["2", "", "6"], "c": ["3", "", ""]}
    assert (report.filled, table.column("c").has_missing) == ((1, 2), True)
    assert "line 3: 3 fields, but the header has 2" in refused(write("a,b\n1,2\n1,2,3\n"), ragged="fill")


def test_columns_are_taken_named_and_ordered_by_name_and_place(write: Write) -> None:
    path = write("id,age,age,\n1,2,3,4\n")
    take = (TakenColumn(4, "last"), TakenColumn("id", "key"), TakenColumn("age", "age", occurrence=2))
    assert columns(read_csv(path, ReadOptions(take=take))) == {"last": ["4"], "key": ["1"], "age": ["3"]}
    assert "'age' is the name of several columns (2, 3)" in refused(path, take=(TakenColumn("age", "a"),))
    assert "column 9 does not exist; the last column is 4" in refused(path, take=(TakenColumn(9, "a"),))
    assert "no column 'ages' found" in refused(path, take=(TakenColumn("ages", "a"),))
    assert "selected twice" in refused(path, take=(TakenColumn("id", "a"), TakenColumn("id", "b")))
    assert "named 'a'" in refused(path, take=(TakenColumn(1, "a"), TakenColumn(2, "a")))


def test_single_columns_have_missing_tokens_of_their_own(write: Write) -> None:
    path = write("a,b\n99,99\n1,\n")
    table = read_csv(path, ReadOptions(column_missing={"a": ("99",)}))
    assert (table.column("a").labels, table.column("b").labels) == (("1", ""), ("99", ""))
    assert "has no column 'c'" in refused(path, column_missing={"c": ("99",)})
    only = read_csv(path, ReadOptions(missing=(), column_missing={"a": ("99",)}))
    assert (only.column("a").missing_label, only.column("b").missing_label) == ("99", None)


def test_values_are_replaced_in_order_and_types_are_detected_from_the_new_values(
    write: Write,
) -> None:
    path = write("n\none\n2\n?\n")
    changes = (Replacement("n", "one", "1"), Replacement("n", "1", "3"), Replacement("n", "?", None))
    column = read_csv(path, ReadOptions(replacements=changes)).column("n")
    assert (column.labels, column.data_type.kind, column.has_missing) == (("2", "3", ""), Kind.INTEGER, True)
    assert "no missing tokens are set" in refused(path, missing=(), replacements=changes)
    assert "has no column 'm'" in refused(path, replacements=(Replacement("m", "a", "b"),))


@pytest.mark.parametrize(
    "choice",
    [
        {"quote": "''"},
        {"quote": ";", "delimiter": ";"},
        {"delimiter": "'", "quote": "'"},
        {"thousands": "x"},
        {"thousands": ",", "decimal": ","},
        {"comment": '"'},
        {"comment": "#\n"},
        {"skip_lines": -1},
        {"ragged": "cut"},
        {"take": (TakenColumn(1, " "),)},
    ],
)
def test_choices_that_mean_nothing_are_refused(write: Write, choice: dict[str, Any]) -> None:
    assert "cannot" in refused(write("a\n1\n"), **choice) or choice.keys() & {"ragged", "take"}


# Numbers


@pytest.mark.parametrize(
    ("text", "data_type", "numbers"),
    [
        # Quoted in a file divided by commas: such files never have decimal commas.
        ('n,m\n"1,234",a\n"12,345",b\n', DataType(Kind.INTEGER, ".,"), [1234, 12345]),
        ('n,m\n"1,234.5",a\n7,b\n', DataType(Kind.DECIMAL, ".,"), [7, 1234.5]),
        ("n;m\n1.234,5;a\n0,5;b\n", DataType(Kind.DECIMAL, ",."), [0.5, 1234.5]),
        ("n;m\n1.234.567;a\n8;b\n", DataType(Kind.INTEGER, ",."), [8, 1234567]),
        ("n;m\n1 234;a\n12;b\n", DataType(Kind.INTEGER, ". "), [12, 1234]),
        ("n;m\n1'234.50;a\n12;b\n", DataType(Kind.DECIMAL, ".'"), [12, 1234.5]),
        ("n;m\n1\u202f234,50;a\n12;b\n", DataType(Kind.DECIMAL, ",\u202f"), [12, 1234.5]),
        ('n,m\n"0,125",a\n"1,234",b\n', DataType(Kind.DECIMAL, ","), [0.125, 1.234]),
        ("n;m\n1,234;a\n2,5;b\n", DataType(Kind.DECIMAL, ","), [1.234, 2.5]),
        ("n;m\n1.234;a\n2.345;b\n", DataType(Kind.DECIMAL), [1.234, 2.345]),
    ],
)
def test_marks_between_thousands_are_not_taken_for_decimal_marks(
    write: Write, text: str, data_type: DataType, numbers: list[float]
) -> None:
    column = read_csv(write(text)).columns[0]
    assert (column.data_type, column.numbers.tolist()) == (data_type, numbers)


def test_one_column_that_proves_the_decimal_mark_decides_what_the_others_mean(write: Write) -> None:
    table, options = read_table(write("n;x\n1,234;0.5\n5,678;1.25\n"))
    assert (options.decimal, options.thousands) == (".", ",")
    assert table.column("n").numbers.tolist() == [1234, 5678]


def test_nothing_is_detected_where_the_decimal_mark_was_given(write: Write) -> None:
    path = write('n,m\n"1,234",a\n"12,345",b\n')
    assert read_csv(path, ReadOptions(decimal=".")).column("n").data_type.kind is Kind.TEXT
    assert read_csv(path, ReadOptions(decimal=",")).column("n").data_type == DataType(Kind.DECIMAL, ",")
    given = read_csv(path, ReadOptions(decimal=".", thousands=","))
    assert given.column("n").data_type == DataType(Kind.INTEGER, ".,")
    assert given.column("n").labels == ("1,234", "12,345")
    typed = read_csv(path, ReadOptions(thousands=",", types={"n": DataType(Kind.DECIMAL)}))
    assert typed.column("n").numbers.tolist() == [1234, 12345]


def test_leading_zeros_and_groups_of_other_lengths_are_not_thousands(write: Write) -> None:
    for values in ("01,234\n1,234", "1,23\n1,234,5", "1,2345\n1,234,567"):
        rows = "\n".join(f'"{value}";x' for value in values.split("\n"))
        kind = read_csv(write(f"n;m\n{rows}\n")).column("n").data_type
        assert kind.format in ("", ","), values


def test_a_column_of_text_becomes_numbers_with_the_marks_that_fit(write: Write) -> None:
    column = read_csv(write('n\n"1,234"\n"12,345"\n'), ReadOptions(decimal=".")).column("n")
    assert retype(column, DataType(Kind.INTEGER)).numbers.tolist() == [1234, 12345]


def test_detected_choices_read_the_same_again(write: Write) -> None:
    path = write("'n';'d'\n'1.234,5';'31.12.2020 10:30'\n'7';'01.01.2021 00:00'\n")
    table, options = read_table(path)
    again, same = read_table(path, options)
    assert (columns(again), same) == (columns(table), options)
    assert [c.data_type for c in again.columns] == [c.data_type for c in table.columns]
    assert replace(read(path, guess=True).options, guessed=options.guessed) == options


@pytest.mark.parametrize(
    "further",
    ['[subset]\nfilter = "pay > 1000"\n', '[microaggregation.pay]\nfunction = "mean"\n'],
)
def test_the_verifier_reads_numbers_with_thousands_separators_as_numbers(
    write: Write, tmp_path: Path, further: str
) -> None:
    pays = ["1,234", "2,000", "12,345", "1,234,567", "7", "8"]
    ages = [31, 31, 52, 52, 31, 31]
    rows = "".join(f'n{i},{age},"{pay}"\n' for i, (age, pay) in enumerate(zip(ages, pays, strict=True)))
    write("name,age,pay\n" + rows)
    recipe = RECIPE.format(choices='thousands = ","').replace(
        '["age"]', '["age", "pay"]' if "micro" in further else '["age"]'
    )
    project = read_recipe(write(recipe + further, "people.toml"))
    assert export_release(project, anonymize(project).release, tmp_path / "out.csv").ok
