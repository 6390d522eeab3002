"""The database of the verification reads as the csv module does, or not at all, and reaches nothing else."""

from __future__ import annotations

import dataclasses
import datetime as dt
import random
import threading
from decimal import Decimal
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

from engine.verification import Expected, Limits, ReleaseClaim, verify
from engine.verification.claims import ColumnKind, Reading, RuleClaim
from engine.verification.judges import patiently
from engine.verification.readers import regular
from engine.verification.readers.reading import Progress
from engine.verification.readers.regular import n_regular_lines
from engine.verification.tables.database import UnsuitedError, opened
from tests.engine.verification.plain_release import (
    Recipe,
    read_rows,
    released_as,
    with_rows,
    write_csv,
    write_release,
)
from tests.engine.verification.test_large import judged, same
from tests.engine.verification.test_release_check import recipe

ODD = [
    "007",
    "7",
    " x ",
    "x",
    "e\u0301",
    "é",
    "",
    "NULL",
    "*",
    'a "b"',
    "one\ntwo",
    "one\r\ntwo",
    ";",
    "-0",
    "0",
]
ODD_NAMES = ('q";--', "s'%s", "note, or {c0}")


def odd_release(folder: Path, texts: list[str] = ODD) -> ReleaseClaim:
    rows = [[text, texts[place // 2], text[::-1] or "?"] for place, text in enumerate([*texts, *texts])]
    case = Recipe(
        ODD_NAMES,
        rows,
        ODD_NAMES[:1],
        {ODD_NAMES[0]: [[text, text, "*"] for text in texts]},
        {ODD_NAMES[0]: 1},
        sensitive=ODD_NAMES[1:2],
        options={"missing": ("", "NULL")},
    )
    hierarchy = [["" if text == "NULL" else text for text in row] for row in case.hierarchies[ODD_NAMES[0]]]
    distinct = [list(row) for row in dict.fromkeys(map(tuple, hierarchy))]
    return write_release(dataclasses.replace(case, hierarchies={ODD_NAMES[0]: distinct}), folder)


def test_odd_texts_are_told_apart_as_in_memory(tmp_path: Path) -> None:
    claim = odd_release(tmp_path)
    assert same(claim).ok
    rows = read_rows(claim)
    for place, text in ((1, "7"), (3, "x "), (5, "é"), (14, "+0")):
        altered = [list(row) for row in rows]
        altered[place][2] = text
        assert not same(with_rows(claim, altered)).ok


@pytest.mark.parametrize(
    "cell",
    [b' "x"', b'x "y" z', b'"x" ', b'"x"y', b"x\0y", b'x""y', b"x\ry", b'"x\0y"'],
    ids=["blank", "inside", "after", "joined", "nul", "doubled", "return", "quoted nul"],
)
def test_what_readers_may_read_differently_is_read_by_the_csv_module(tmp_path: Path, cell: bytes) -> None:
    claim = write_release(recipe(), tmp_path)
    for path in (claim.original.path, claim.released.path):
        path.write_bytes(path.read_bytes().replace(b",a\n", b"," + cell + b"\n"))
    same(claim)


@pytest.mark.parametrize(
    ("text", "n_lines"),
    [
        (b"a,b\n1,2\n", 2),
        (b"a,b\n1,2", 2),
        (b"a,b\r\n1,2\r\n", 2),
        (b'a,b\n"1 ""x"" \n\n,",2\n', 2),
        (b'"a",b\r\n"1\n2",2\r\n', 2),
        (b"\xef\xbb\xbfa,b\n1,2\n", 2),
        (b"a,b\n\n1,2\n", 0),
        (b"a,b\r\n1,2\n", 0),
        (b'a,b\n1,"2\n', 0),
        (b'a,b\n"1",2,3\n', 0),
        (b'a,b\n"1"\n', 0),
        (b"a,b\n\xff,2\n", 0),
        (b"", 0),
    ],
)
def test_regular_files_leave_nothing_to_the_habits_of_readers(
    tmp_path: Path, text: bytes, n_lines: int
) -> None:
    path = tmp_path / "file.csv"
    path.write_bytes(text)
    assert n_regular_lines(path, ",", '"', 2, may_have_mark=True, step=lambda: None) == n_lines
    if text.startswith(b"\xef"):
        assert not n_regular_lines(path, ",", '"', 2, may_have_mark=False, step=lambda: None)


def test_lines_that_are_all_alike_are_told_from_others_as_by_the_pattern_of_records() -> None:
    draw, n_alike = random.Random(1), 0
    for _unused in range(30_000):
        end = draw.choice([b"\n", b"\r\n"])
        cells = [b"a", b",", b'"', end, b'"a"', b',"', b'",', b"\r"]
        text = b"".join(draw.choices(cells, k=draw.randint(1, 9))) * draw.randint(1, 2)
        if regular.is_uniform(text, b",", b'"', 2, end):
            found = regular._records(b",", b'"', 2, end).match(text)
            assert found.end() == len(text)
            n_alike += 1
    assert n_alike > 50


def parquet_release(folder: Path, frame: pd.DataFrame) -> ReleaseClaim:
    """A release of a Parquet file at the level of its values, written as Parquet too."""
    claim = write_release(recipe(), folder)
    frame.to_parquet(folder / "original.parquet", index=False)
    frame.to_parquet(folder / "released.parquet", index=False)
    return dataclasses.replace(
        claim,
        original=Reading(folder / "original.parquet", missing=("",)),
        released=Reading(folder / "released.parquet", format="parquet"),
        quasi_identifying=("n",),
        hierarchies={"n": [["1", "*"], ["2", "*"]]},
        node={"n": 0},
        sensitive=("part",),
        identifying=(),
        expected=Expected(records=len(frame), kept=len(frame), suppressed=0, classes=2, k=2),
    )


def test_parquet_is_judged_as_in_memory(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {
            "n": [1, 1, 2, 2],
            "part": [0.1, 1e20, float("nan"), 0.1],
            "is": [True, False, True, True],
            "day": [dt.date(2020, 1, 2), None, dt.date(1890, 1, 1), dt.date(2020, 1, 2)],
            "text": ["a", None, "", "b'"],
        }
    )
    claim = parquet_release(tmp_path, frame)
    found = same(claim)
    assert found.problems == ()
    frame.assign(text=["a", None, "", "b"]).to_parquet(tmp_path / "released.parquet", index=False)
    assert any("column 'text'" in words for words in same(claim).problems)


def test_types_with_several_texts_are_left_to_pandas(tmp_path: Path) -> None:
    moments = pd.to_datetime(["2020-01-01 00:00", "2020-01-01 10:00", None, "2020-01-01 00:00"])
    claim = parquet_release(tmp_path, pd.DataFrame({"n": [1, 1, 2, 2], "part": moments}))
    same(claim)


def test_a_table_of_several_row_groups_keeps_its_order(tmp_path: Path) -> None:
    claim = write_release(recipe(models=()), tmp_path)
    n = 21_000
    expected = dataclasses.replace(claim.expected, records=6 * n, kept=6 * n, k=n, unchanged=None)
    claim = dataclasses.replace(claim, expected=expected)
    for path in (claim.original.path, claim.released.path):
        names, *rows = read_rows(released_as(claim, path=path))
        write_csv(path, names, [[*row[:-1], str(number)] for number, row in enumerate(rows * n)])
    assert judged(claim).problems == ()
    released = read_rows(claim)  # more than the 122,880 records of a group of the database
    released[125_000][4], released[125_999][4] = released[125_999][4], released[125_000][4]
    found = judged(with_rows(claim, released))
    assert found.problems == (
        "Record 125\u202f000, column 'note': the file has '125998', but the original has '124999'.",
        "Record 125\u202f999, column 'note': the file has '124999', but the original has '125998'.",
    )


def test_the_database_reaches_nothing_but_the_files_of_the_claim(tmp_path: Path) -> None:
    claim = write_release(recipe(), tmp_path)
    other = write_csv(tmp_path / "other'.csv", ("a", "b"), [["1", "2"]])
    with opened(claim, Limits()) as database:
        assert database.do("SELECT count(*) FROM read_csv(?)", [str(claim.original.path)]) == [(6,)]
        for statement in (
            f"SELECT * FROM read_csv('{str(other).replace(chr(39), chr(39) * 2)}')",
            f"SELECT * FROM read_csv('{tmp_path}/*.csv')",
            "SELECT * FROM read_text('/etc/hostname')",
            f"ATTACH '{tmp_path}/more.duckdb'",
            f"COPY (SELECT 1) TO '{tmp_path}/copy.csv'",
            f"COPY (SELECT 1) TO '{claim.released.path.with_name('copy.csv')}'",
            "INSTALL httpfs",
            "LOAD httpfs",
            "SELECT * FROM read_csv('https://example.org/a.csv')",
            "SET memory_limit = '100 GB'",
            "SET enable_external_access = true",
            "SET allowed_directories = ['/']",
        ):
            with pytest.raises(UnsuitedError):
                database.do(statement)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["original.csv", "other'.csv", "released.csv"]


def test_a_long_statement_is_interrupted_and_nothing_stays(tmp_path: Path) -> None:
    claim = write_release(recipe(), tmp_path)
    private = tmp_path / "private"
    private.mkdir()
    is_long = threading.Event()

    class StopError(Exception):
        pass

    def stop(done: int, total: int, text: str) -> None:
        if is_long.is_set():
            raise StopError

    with opened(claim, Limits(folder=private)) as database:

        def work(tell: Progress) -> None:
            database.progress = tell
            database.read(claim, {})
            assert [path.stat().st_mode & 0o77 for path in private.iterdir()] == [0]
            is_long.set()
            database.rows("SELECT count(*) FROM range(1000000) a, range(1000000) b WHERE a.range < b.range")

        with pytest.raises(StopError):
            patiently(work, stop, [database])
        assert not any(thread.name == "verification" for thread in threading.enumerate())
    assert list(private.iterdir()) == []


def test_small_releases_are_verified_in_memory(tmp_path: Path) -> None:
    found = verify(write_release(recipe(), tmp_path))
    assert (found.judge, found.compared) == ("memory", "records")


def test_claims_of_coded_values_are_counted_in_every_column(tmp_path: Path) -> None:
    claim = write_release(recipe(), tmp_path)
    for path in (claim.original.path, claim.released.path):
        rows = read_rows(released_as(claim, path=path))
        rows = [rows[0], *([*row[:-1], str(place * 10)] for place, row in enumerate(rows[1:]))]
        if path == claim.released.path:
            rows = [[*row[:-1], ">= 30" if row[-1] in ("30", "40", "50") else row[-1]] for row in rows]
        write_csv(path, rows[0], rows[1:])
    rule = RuleClaim("top_code", {"limit": 30, "written": "label"}, coded=3)
    rule = dataclasses.replace(rule, kind=ColumnKind("integer", "."))
    unclaimed = dataclasses.replace(claim.expected, unchanged=None)
    claim = dataclasses.replace(claim, rules={"note": rule}, expected=unclaimed)
    assert same(claim).ok
    claim = dataclasses.replace(claim, rules={"note": dataclasses.replace(rule, coded=2)})
    assert same(claim).problems == ("Column 'note': 2 cells are beyond the limit by the claim, but 3 are.",)


def test_cells_of_any_type_of_parquet_are_read_as_in_memory(tmp_path: Path) -> None:
    moment = dt.datetime(2020, 1, 2, 3)
    kinds = {
        "small": (pa.uint8(), [0, 255, None, 0]),
        "single": (pa.float32(), [0.5, 0.1, None, 0.1]),
        "exact": (pa.decimal128(9, 2), [Decimal("1.50"), Decimal("-2"), None, Decimal("0")]),
        "moment": (pa.timestamp("us"), [moment, moment.replace(microsecond=5), None, moment]),
        "clock": (pa.time64("us"), [dt.time(1, 2, 3), None, dt.time(4), None]),
        "nothing": (pa.null(), [None] * 4),
    }
    claim = parquet_release(tmp_path, pd.DataFrame({"n": [1, 1, 2, 2], "part": ["a", "b", "a", "b"]}))
    for kind, cells in kinds.values():
        table = pa.table({"n": [1, 1, 2, 2], "part": ["a", "b", "a", "b"], "any": pa.array(cells, kind)})
        for path in (claim.original.path, claim.released.path):
            parquet.write_table(table, path, row_group_size=3)
        assert same(claim).problems == ()
        table = table.set_column(2, "any", pa.array([*cells[1:], cells[0]], kind))
        parquet.write_table(table, claim.released.path, row_group_size=3)
        assert same(claim).ok is (len(set(cells)) == 1)
