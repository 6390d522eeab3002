"""Tables that stay in files: limits, refusals, cancelling, and what is left behind."""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import time
from decimal import Decimal
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import pytest

from engine.advice.revealed import project_unchanged
from engine.errors import CancelledError, ExportError, InputError, TableError
from engine.findings.given_table import GivenTable
from engine.findings.identifiers.coded import CodedColumns
from engine.monitor import SILENT
from engine.pipeline import anonymize, export_release
from engine.project import Project
from engine.project.compile import compile_problem
from engine.project.project import frozen
from engine.project.replacing import replace_values
from engine.qi_detection.suggest import suggest_role
from engine.recoding import recoding_methods
from engine.recoding.rules import column_rules
from engine.records import DataType, Kind, Role, counting
from engine.records.disk import coded_copy, files
from engine.records.disk.dealing import passed_texts
from engine.records.opening import open_beginning, open_table, stays_in_files
from engine.records.options import DISK, EXCEL, ExportOptions, ReadOptions, Replacement
from engine.records.stored import Spill, StoredColumn
from engine.records.text import reader
from engine.records.values import retype
from engine.scoring.limits import profile_for
from engine.scratch import sweep
from tests.benchmarks.measuring import has_proc, resident
from tests.formats import write_parquet
from tests.stopping import Stopping

STORED = ReadOptions(source=DISK)


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "scratch"
    monkeypatch.setenv("ANONYMIZER_SCRATCH_DIR", str(folder))
    return folder


@pytest.fixture
def people(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    lines = [f"p{i:04},{20 + i % 5},{'fm'[i % 2]},note {i % 3}" for i in range(2_000)]
    path.write_text("name,age,sex,note\n" + "\n".join(lines) + "\n", encoding="utf-8")
    return path


def project_of(path: Path, **options: object) -> Project:
    reading = open_table(path, replace(STORED, **options))  # type: ignore[arg-type]
    return Project(
        name="people",
        source=path,
        options=reading.options,
        table=reading.table,
        roles=frozen(
            {
                "name": Role.IDENTIFYING,
                "age": Role.QUASI_IDENTIFYING,
                "sex": Role.QUASI_IDENTIFYING,
                "note": Role.INSENSITIVE,
            }
        ),
        qi_order=("age", "sex"),
    )


def copies(scratch: Path) -> list[Path]:
    return list(scratch.glob("records-*")) if scratch.exists() else []


def test_the_copy_is_private_and_goes_with_the_table(people: Path, scratch: Path) -> None:
    table = open_table(people, STORED).table
    (folder,) = copies(scratch)
    assert folder.stat().st_mode & 0o077 == 0
    assert table.column("age").codes.dtype == np.uint8
    assert table.column("name").codes.dtype == np.uint16
    del table
    assert not copies(scratch)


class _Shares:
    def __init__(self) -> None:
        self.seen: list[float] = []

    def step(self, done: int, total: int, text: str = "") -> None:
        self.seen.append(done / max(total, 1))


def test_a_cancelled_reading_leaves_nothing_at_twenty_moments(
    people: Path, scratch: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "_STREAM_BLOCK", 1 << 12)
    monkeypatch.setattr(coded_copy, "_BLOCK", 1 << 8)
    counted = _Shares()
    open_table(people, STORED, counted)
    assert counted.seen == sorted(counted.seen)
    moments = np.random.default_rng(7).choice(len(counted.seen), 20, replace=False)
    for after in (0, *moments.tolist()):
        with pytest.raises(CancelledError):
            open_table(people, STORED, Stopping(after + 1))
        assert not copies(scratch)


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_the_first_records_of_a_folder_are_those_of_its_first_file(tmp_path: Path, ending: str) -> None:
    folder = tmp_path / "parts"
    folder.mkdir()
    for part in range(2):
        columns = {"n": [str(10_000 * part + i) for i in range(3_000)], "x": ["a", "b", "?"] * 1_000}
        if ending == ".csv":
            lines = "\n".join(map(",".join, zip(*columns.values(), strict=True)))
            (folder / f"{part}.csv").write_text(f"n,x\n{lines}\n", encoding="utf-8")
        else:
            write_parquet(folder / f"{part}.parquet", columns)
    head = open_beginning(folder, ReadOptions(missing=("?",)), 1 << 12)
    assert not head.is_complete
    assert 100 < head.table.n_records < 3_000
    whole = open_table(folder, ReadOptions(missing=("?",))).table
    assert whole.n_records == 6_000
    for column in head.table.columns:
        full = whole.column(column.name)
        assert [column.text(i) for i in range(100)] == [full.text(i) for i in range(100)]
        assert column.data_type == full.data_type


def test_the_window_may_guess_an_encoding_and_keep_cells_that_do_not_fit_a_type(tmp_path: Path) -> None:
    path = tmp_path / "names.csv"
    path.write_bytes("name,age\nJosé,3\nZoé,x\n".encode("cp1252"))
    with pytest.raises(TableError, match="is not valid UTF-8"):
        open_table(path, STORED)
    options = replace(STORED, types={"age": DataType(Kind.INTEGER)})
    reading = open_table(path, options, guess=True, holds_types=False)
    assert reading.encoding_is_guessed
    assert reading.table.home is not None
    assert reading.table.column("name").labels == ("José", "Zoé")
    assert reading.misfits["age"].values == (("x", 1),)


def test_a_damaged_file_leaves_nothing(tmp_path: Path, scratch: Path) -> None:
    path = tmp_path / "damaged.csv"
    path.write_bytes(b"a,b\n1,2\n3,\xff\n" * 30_000)
    with pytest.raises(TableError, match="is not valid UTF-8: byte 0xFF in line 3"):
        open_table(path, STORED)
    assert not copies(scratch)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a device that is always full")
@pytest.mark.parametrize("n_written", [1, 3, 5])  # the first one is read again, which would not end
def test_a_full_disk_is_told_and_leaves_nothing(
    people: Path, scratch: Path, n_written: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = Spill.path

    def path(self: Spill) -> Path:
        found = usual(self)
        return found if int(found.name) <= n_written else Path("/dev/full")

    monkeypatch.setattr(Spill, "path", path)
    with pytest.raises(TableError, match="the disk is full") as told:
        open_table(people, STORED)
    assert "name another folder with --scratch" in told.value.hint
    assert not copies(scratch)


def test_a_copy_that_will_not_fit_is_not_begun(
    tmp_path: Path, scratch: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "some.csv"
    path.write_text("a,b\n" + "12345678,x\n" * 60_000, encoding="utf-8")
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: shutil._ntuple_diskusage(10**9, 10**9, 10_000))  # type: ignore[attr-defined]
    with pytest.raises(TableError, match="need about 1 MB, and 0 MB are free"):
        open_table(path, STORED)
    assert not copies(scratch)


@pytest.mark.skipif(not has_proc(), reason="only Linux says how much of a file is in memory")
def test_what_was_read_of_the_copy_leaves_memory_and_can_be_read_again(scratch: Path) -> None:
    spill = Spill()
    path, n = spill.path(), 1 << 25
    path.write_bytes(bytes(n - 1) + b"\x07")
    mapped = spill.mapped(path, np.uint8, n)
    assert mapped.sum() == 7
    before = of_files()
    spill.let_go()
    assert of_files() < before - 0.9 * n / 2**20
    assert mapped[-1] == 7


def of_files() -> float:
    """Return the megabytes of files in memory, also of those on a disk that is itself in memory."""
    return resident("RssFile") + resident("RssShmem")


_DYING = """
import os, signal, sys
from engine.records.opening import open_table
from engine.records.options import ReadOptions
table = open_table(sys.argv[1], ReadOptions(source="disk", scratch=sys.argv[2])).table
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signal")
def test_what_a_killed_process_left_in_a_chosen_folder_is_removed(
    people: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = tmp_path / "chosen"
    monkeypatch.setenv("ANONYMIZER_CONFIG_DIR", str(tmp_path / "config"))
    sweep()  # what others left on this machine
    subprocess.run([sys.executable, "-c", _DYING, str(people), str(chosen)], check=False, timeout=120)
    (left,) = copies(chosen)
    assert left.stat().st_mode & 0o077 == 0
    assert sweep() == 1
    assert not left.exists()


def test_a_shared_folder_for_temporary_files_gets_a_private_one(people: Path, tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir(mode=0o755)
    table = open_table(people, replace(STORED, scratch=str(shared))).table
    (own,) = shared.iterdir()
    assert own.stat().st_mode & 0o077 == 0
    assert list(own.glob("records-*/*")), "the copy is in it"
    assert table.home is not None
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(TableError, match="Temporary files cannot be written"):
        open_table(people, replace(STORED, scratch=str(tmp_path / "file")))


def test_a_column_with_too_many_values_has_few_uses(people: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coded_copy, "MOST_VALUES", 1_500)
    project = project_of(people)
    name = project.table.column("name")
    assert name.labels == ("more than 1\u202f500 different values",)
    assert suggest_role(name, 2_000).role is Role.IDENTIFYING
    with pytest.raises(InputError, match="too many for a table that is not in memory"):
        GivenTable(project.table, ("age", "name"))
    with pytest.raises(InputError, match="too many for a table that is not in memory"):
        CodedColumns.of([name, project.table.column("sex")], 2_000)
    outcome = anonymize(project)
    target = people.with_name("released.csv")
    assert export_release(project, outcome.release, target).ok
    assert "more than" not in target.read_text(encoding="utf-8")
    with pytest.raises(InputError, match="Pseudonyms number all values; 'name' has too many") as numbered:
        anonymize(with_rule(project, "pseudonym"))
    assert numbered.value.hint == "A keyed hash needs no list."
    with pytest.raises(InputError, match="needs a list of all values; 'name' has too many"):
        anonymize(with_rule(project, "top_code", limit=3))
    with pytest.raises(ExportError, match="have the same code of 8 characters"):
        column_rules.create("keyed_hash", length=8).refuse_many_values("name", 6_000_000)
    quasi = replace(
        project,
        roles=frozen({**project.roles, "name": Role.QUASI_IDENTIFYING}),
        qi_order=("age", "sex", "name"),
    )
    with pytest.raises(InputError, match="too many for a quasi-identifier") as refused:
        anonymize(quasi)
    assert refused.value.hint == "Give it another role, or mask it in a query."


def with_rule(project: Project, key: str, **parameters: object) -> Project:
    rule = column_rules.create(key, **parameters)
    identifiers = frozen({"name": rule})
    return replace(project, transformation=replace(project.transformation, identifiers=identifiers))


def of_all_kinds(path: Path, n: int) -> dict[str, Any]:
    """Write a Parquet file with columns of all kinds of values, each with `n` different ones; return them."""
    import pyarrow as pa
    from pyarrow import parquet

    hours = np.datetime64("2019-12-30T00:00") + np.arange(n) * np.timedelta64(6, "h")
    late = hours.astype("datetime64[us]")
    late[-1] += np.timedelta64(250, "us")  # all others are written as precise as this one
    columns = {
        "whole": pa.array([None if i == 7 else 10**9 + i for i in range(n)]),
        "text": pa.array([f" {i} x" for i in range(n)]),
        "share": pa.array([None if i == 9 else float("nan") if i == 11 else (i - 5) / 7 for i in range(n)]),
        "single": pa.array(np.arange(n, dtype=np.float32) / np.float32(3)),
        "exact": pa.array([Decimal(i) / 4 for i in range(n)]),
        "day": pa.array(np.datetime64("1890-01-01") + np.arange(n)),
        "midnight": pa.array((np.datetime64("1890-01-01") + np.arange(n)).astype("datetime64[ms]")),
        "hour": pa.array(hours.astype("datetime64[s]")),
        "moment": pa.array(late, mask=np.arange(n) == 5),
        "there": pa.array(late.astype("datetime64[ns]")).cast(pa.timestamp("ns", "Europe/Berlin")),
        "time": pa.array([time(i // 3_600, i // 60 % 60, i % 60, i % 2) for i in range(n)]),
        "span": pa.array(np.arange(n).astype("timedelta64[ms]")),
        "kind": pa.array([f"k{i}" for i in range(n)]).dictionary_encode(),
        "years": pa.array(late).dictionary_encode(),
        "yes": pa.array([i % 3 == 0 for i in range(n)]),
    }
    parquet.write_table(pa.table(columns), path, row_group_size=n // 3)
    return columns


def test_passed_columns_of_parquet_files_have_the_texts_of_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "all.parquet"
    names = list(of_all_kinds(path, 1_500))
    options = ReadOptions(missing=("NA", "", "True"), replacements=(Replacement("day", "1890-01-03", "x"),))
    memory = open_table(path, options).table
    monkeypatch.setattr("engine.records.opening.files.most_values", lambda memory: 1)
    monkeypatch.setattr("engine.records.disk.files._BATCH", 400)
    stored = open_table(path, replace(options, source=DISK)).table
    assert stored.column("share").has_missing
    for name in names:
        column, known = stored.column(name), memory.column(name)
        assert column.n_values is None
        found = [text for block in passed_texts(column, SILENT) for text in block]
        assert found == [known.labels[code] for code in known.codes.tolist()], name


@pytest.mark.parametrize("judged", [100, 10_000], ids=["as large ones", "in memory"])
def test_passed_columns_of_parquet_files_are_released_as_from_memory(
    judged: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.pipeline.judging._MOST_JUDGED_OF_FILES", judged)
    path = tmp_path / "all.parquet"
    names = list(of_all_kinds(path, 300))
    roles = dict.fromkeys(names, Role.INSENSITIVE) | {"yes": Role.QUASI_IDENTIFYING}
    files = []
    for where in ("memory", DISK):
        project = replace(project_of(path, source=where), roles=frozen(roles), qi_order=("yes",))
        files.append(tmp_path / f"{where}.csv")
        verdict = export_release(project, anonymize(project).release, files[-1])
        assert verdict.ok, verdict.problems
        monkeypatch.setattr("engine.records.opening.files.most_values", lambda memory: 50)
    assert files[1].read_bytes() == files[0].read_bytes()


def test_an_hour_that_a_time_zone_repeats_is_refused_when_it_is_passed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    first = np.datetime64("2024-10-27T00:30:00", "ns") + np.arange(4) * np.timedelta64(1, "D")
    for hours, is_refused in ((1, True), (3, False)):  # 02:30 twice, in two batches
        again = np.append(first, first[0] + np.timedelta64(hours, "h"))
        path = tmp_path / f"{hours}.parquet"
        parquet.write_table(pa.table({"at": pa.array(again).cast(pa.timestamp("ns", "Europe/Berlin"))}), path)
        with monkeypatch.context() as patch:
            patch.setattr("engine.records.opening.files.most_values", lambda memory: 1)
            patch.setattr("engine.records.disk.files._BATCH", 2)
            column = open_table(path, STORED).table.column("at")
            assert isinstance(column, StoredColumn)
            if is_refused:
                with pytest.raises(TableError, match="that its time zone repeats"):
                    list(passed_texts(column, SILENT))
            else:
                assert sum(map(len, passed_texts(column, SILENT))) == 5


def test_a_file_that_changed_is_not_read_again(people: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coded_copy, "MOST_VALUES", 1_500)
    project = project_of(people)
    project = replace(project, roles=frozen({**project.roles, "name": Role.INSENSITIVE}))
    release = anonymize(project).release
    people.write_text(people.read_text(encoding="utf-8") + "p9999,20,f,note 1\n", encoding="utf-8")
    with pytest.raises(TableError, match="changed while it was read"):
        release.count_unchanged()


def test_what_needs_the_records_is_refused_with_a_way_out(people: Path) -> None:
    project = project_of(people)
    with pytest.raises(InputError, match="needs the records in memory; 2\u202f000 do not fit") as local:
        anonymize(replace(project, recoding=recoding_methods.create("mondrian")))
    assert "Release a node without it" in local.value.hint
    shifted = replace(
        project,
        roles=frozen({**project.roles, "note": Role.SENSITIVE}),
        transformation=replace(
            project.transformation, rules=frozen({"note": column_rules.create("date_shift")})
        ),
    )
    with pytest.raises(InputError, match="The date shift of 'note' needs the records in memory"):
        anonymize(shifted)
    with pytest.raises(InputError, match="'note', record 1: 'note 0' is not a date"):
        anonymize(replace(shifted, roles=project.roles))
    release = anonymize(project).release
    with pytest.raises(ExportError, match="cannot be released in this format: Excel workbook"):
        export_release(project, release, people.with_name("r.xlsx"), options=ExportOptions(kind=EXCEL))


def test_a_file_that_changed_is_not_released(people: Path) -> None:
    project = project_of(people)
    release = anonymize(project).release
    people.write_text(people.read_text(encoding="utf-8") + "p9999,20,f,note 1\n", encoding="utf-8")
    target = people.with_name("released.csv")
    with pytest.raises(TableError, match="changed while it was read"):
        export_release(project, release, target)
    assert not target.exists()


def test_a_rule_and_another_type_follow_into_the_release(people: Path) -> None:
    project = replace_values(project_of(people), "sex", {"f": "female", "m": "male"})
    assert project.table.column("sex").home is not None
    age = retype(project.table.column("age"), DataType(Kind.TEXT))
    assert age.home is not None
    project = replace(
        project,
        table=project.table.replace_column(age),
        transformation=replace(
            project.transformation, rules=frozen({"note": column_rules.create("mask", keep_last=1)})
        ),
    )
    target = people.with_name("released.csv")
    outcome = anonymize(project)
    assert export_release(project, outcome.release, target).ok
    line = target.read_text(encoding="utf-8").splitlines()[3]
    assert line == "*,22,female,*****2"


@pytest.mark.parametrize(("memory", "expected"), [("1 MB", True), ("900 MB", False)])
def test_memory_decides_where_records_are(memory: str, expected: bool, tmp_path: Path) -> None:
    path = tmp_path / "some.csv"
    path.write_text("a,b\n" + "12345678,x\n" * 60_000, encoding="utf-8")
    assert stays_in_files(path, ReadOptions(memory=memory)) is expected
    found = open_table(path, ReadOptions(memory=memory), SILENT).table.home
    assert (found is not None) is expected


def json_lines(path: Path, records: list[dict[str, Any]]) -> Path:
    text = "".join(json.dumps(record) + "\n" for record in records).encode()
    path.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)
    return path


def test_a_folder_of_json_lines_is_the_table_of_all_lines_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Types follow from the values of all files; a key that occurs first in a later record is a column."""
    monkeypatch.setattr(files, "_JSON_BATCH", 7)
    records = [
        {"n": place % 7 / 2, "day": f"2024-01-{place % 28 + 1:02}", "is": place % 2 == 0}
        | ({"zip": f"0{place % 3}"} if place % 5 else {})
        | ({"mixed": place} if place < 20 else {"mixed": str(place)})
        for place in range(60)
    ]
    folder = tmp_path / "parts"
    folder.mkdir()
    json_lines(folder / "1.jsonl", records[:33])
    json_lines(folder / "2.ndjson.gz", records[33:])
    whole = json_lines(tmp_path / "whole.jsonl.gz", records)
    expected = open_table(whole, ReadOptions()).table
    for stored in (open_table(folder, ReadOptions()).table, open_table(whole, STORED).table):
        assert stored.home is not None
        assert stored.names == expected.names == ("n", "day", "is", "mixed", "zip")
        for own, other in zip(stored.columns, expected.columns, strict=True):
            assert (own.data_type, own.labels) == (other.data_type, other.labels)
            assert np.array_equal(own.codes[:], other.codes)
    reading = open_table(folder, ReadOptions())
    roles = frozen(
        dict.fromkeys(("n", "day", "is", "mixed"), Role.INSENSITIVE) | {"zip": Role.QUASI_IDENTIFYING}
    )
    project = Project("", folder, reading.options, reading.table, roles=roles, qi_order=("zip",))
    assert export_release(project, anonymize(project).release, tmp_path / "out.csv").ok


def test_a_file_of_json_lines_with_other_keys_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "parts"
    folder.mkdir()
    json_lines(folder / "1.jsonl", [{"a": 1, "b": 2}])
    for other in ({"a": 1}, {"a": 1, "b": 2, "c": 3}, {"a": 1, "c": 3}):
        json_lines(folder / "2.jsonl", [other])
        with pytest.raises(TableError, match=r"'1\.jsonl' and '2\.jsonl' have different columns"):
            open_table(folder, ReadOptions())


@pytest.mark.parametrize("memory", ["2", "much", "3 XB", "-1 GB", "0 GB"])
def test_an_impossible_size_of_memory_is_refused(memory: str, people: Path) -> None:
    with pytest.raises(TableError, match="Memory cannot be"):
        open_table(people, ReadOptions(memory=memory))


def test_files_with_other_columns_are_refused_by_name(people: Path, tmp_path: Path) -> None:
    folder = tmp_path / "parts"
    folder.mkdir()
    (folder / "a.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    (folder / "b.csv").write_text("a,c\n1,2\n", encoding="utf-8")
    with pytest.raises(TableError, match=r"'a\.csv' and 'b\.csv' have different columns"):
        open_table(folder, ReadOptions())


def test_before_roles_are_set_no_column_singles_anyone_out(people: Path) -> None:
    project = replace(project_of(people), roles=frozen({}), qi_order=())
    found = project_unchanged(project)
    assert (found.n_records, found.columns, found.determines) == (2_000, (), ())


def by_name(project: Project) -> Project:
    """Return a project whose lattice is compiled from names, ages and notes."""
    roles = frozen(dict.fromkeys(("name", "age", "note"), Role.QUASI_IDENTIFYING))
    return replace(project, roles=roles, qi_order=tuple(roles))


def test_compiling_is_cancelled_at_each_step_and_repeated(
    people: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counting, "_BLOCK", 500)
    project = by_name(project_of(people))
    for at in range(7):  # blocks of records, then columns of tuples
        with pytest.raises(CancelledError):
            compile_problem(project, Stopping(at + 1))
    problem = compile_problem(project, Stopping(8))
    compile_problem(project, Stopping())  # counted before
    at = 0
    while True:
        try:
            found = profile_for(problem, monitor=Stopping(at + 1))
            break
        except CancelledError:
            at += 1
    assert at > 8
    assert found.base.counts.sum() == 2_000
    assert problem.n_records == 2_000


def test_threads_that_ask_for_the_same_rows_count_once_and_do_not_wait_when_cancelled(
    people: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project, counted, is_begun, may_end = by_name(project_of(people)), [], Event(), Event()
    count = counting.counted_table

    def slowly(*given: Any) -> Any:
        counted.append(given)
        is_begun.set()
        may_end.wait(30)
        return count(*given)

    monkeypatch.setattr(counting, "counted_table", slowly)
    with ThreadPoolExecutor(3) as pool:
        both = [pool.submit(project.count_rows)]
        is_begun.wait(30)
        both.append(pool.submit(project.count_rows))
        with pytest.raises(CancelledError):
            project.count_rows(Stopping(2))
        may_end.set()
        assert both[0].result() is both[1].result()
    assert len(counted) == 1


def test_a_cell_of_several_lines_where_the_sample_ends_is_read(tmp_path: Path) -> None:
    path = tmp_path / "lines.csv"
    cell = "line of a cell\n" * 200
    path.write_text("a,b\n" + f"1,{'word ' * 20}\n" * 610 + f'2,"{cell}"\n' + "3,x\n" * 500)
    found = open_table(path, ReadOptions(source=DISK)).table
    assert found.n_records == 1_111
    assert cell in found.column("b").labels
