"""Archives from untrusted sources: no name leads out of them, and no member exceeds its declared size."""

from __future__ import annotations

import gzip
import struct
import tracemalloc
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from engine.errors import AnonymizerError, TableError
from engine.project import Project
from engine.project.storage import members as members_module
from engine.project.storage.file import open_project, save_project
from engine.project.storage.salvage import salvage
from engine.records import table_files
from engine.records.opening.files import read_table

openpyxl = pytest.importorskip("openpyxl")

OUTSIDE = ("../outside.txt", "../../outside.txt", "/outside.txt", "..\\outside.txt", "a/../../outside.txt")
LARGE = 100_000_000
MEGABYTE = 1 << 20


@contextmanager
def memory_stays_below(n_bytes: int) -> Iterator[None]:
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < n_bytes
    finally:
        tracemalloc.stop()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder two levels down, which is also the current folder."""
    made = tmp_path / "one" / "two"
    made.mkdir(parents=True)
    monkeypatch.chdir(made)
    return made


@pytest.fixture
def workbook(folder: Path) -> Path:
    path = folder / "table.xlsx"
    book = openpyxl.Workbook()
    for row in (("age", "town"), (31, "a"), (32, "b")):
        book.active.append(row)
    book.save(path)
    return path


@pytest.fixture
def project_file(folder: Path) -> Path:
    (folder / "table.csv").write_text("age,town\n31,a\n32,b\n", encoding="utf-8")
    table, options = read_table(folder / "table.csv")
    path = folder / "kept.anon"
    save_project(Project("table", folder / "table.csv", options, table), path)
    return path


def tree(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


def add_members(path: Path) -> None:
    with zipfile.ZipFile(path, "a") as archive:
        for name in OUTSIDE:
            info = zipfile.ZipInfo(name)
            info.filename = name  # unchanged, even if invalid on this system
            archive.writestr(info, "outside")


def test_a_member_of_a_workbook_is_never_written_anywhere(workbook: Path, tmp_path: Path) -> None:
    add_members(workbook)
    before = tree(tmp_path)
    table, _ = read_table(workbook)
    assert table.names == ("age", "town")
    assert tree(tmp_path) == before
    assert not Path("/outside.txt").exists()


def test_a_member_of_a_project_is_never_written_anywhere(project_file: Path, tmp_path: Path) -> None:
    add_members(project_file)
    before = tree(tmp_path)
    assert open_project(project_file).project.table.names == ("age", "town")
    assert salvage(project_file).project.table.names == ("age", "town")
    assert tree(tmp_path) == before
    assert not Path("/outside.txt").exists()


def test_a_compressed_text_that_expands_too_far_is_rejected_before_memory_is_full(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table_files, "_SMALL", 4 * MEGABYTE)
    monkeypatch.setattr(table_files, "_MOST_RATIO", 10)
    path = folder / "table.csv.gz"
    with gzip.open(path, "wb", compresslevel=1) as packed:
        packed.write(b"age,town\n")
        for _ in range(LARGE // MEGABYTE):
            packed.write(bytes(MEGABYTE))
    assert path.stat().st_size < MEGABYTE
    with memory_stays_below(64 * MEGABYTE), pytest.raises(TableError, match="would unpack to more than"):
        read_table(path)


def lie_about_size(path: Path, name: str, size: int = 100) -> None:
    """Change the size of a member in both headers to a smaller one."""
    data = path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        packed, true_size = archive.getinfo(name).compress_size, archive.getinfo(name).file_size
    said = struct.pack("<LL", packed, true_size)
    assert data.count(said) == 2
    path.write_bytes(data.replace(said, struct.pack("<LL", packed, size)))


def repack(path: Path, changed: str, data: bytes) -> None:
    """Write an archive again with other content of one member."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, before in members.items():
            archive.writestr(name, data if name == changed else before)


@pytest.mark.parametrize("name", ["xl/styles.xml", "xl/workbook.xml", "xl/worksheets/sheet1.xml"])
def test_a_workbook_part_with_a_false_size_fills_no_memory(workbook: Path, name: str) -> None:
    with zipfile.ZipFile(workbook) as archive:
        data = archive.read(name)
    repack(workbook, name, data + b" " * (40 * MEGABYTE))
    lie_about_size(workbook, name, len(data) + MEGABYTE // 4)
    with memory_stays_below(16 * MEGABYTE), pytest.raises(TableError, match="damaged"):
        read_table(workbook)


def test_a_project_member_with_a_false_size_fills_no_memory(
    project_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(members_module, "MOST_UNPACKED", MEGABYTE)
    repack(project_file, "recipe.toml", b"# " + bytes(40 * MEGABYTE))
    lie_about_size(project_file, "recipe.toml")
    with memory_stays_below(20 * MEGABYTE):
        with pytest.raises(AnonymizerError):
            open_project(project_file)
        with suppress(AnonymizerError):  # the rest may open, or nothing may be readable
            salvage(project_file)
