"""Damaged and crafted ARX projects are refused with a reason, within bounds."""

from __future__ import annotations

import random
import struct
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from engine.arx import archive as archive_module
from engine.arx.java_stream import UnreadableStreamError, read_stream
from engine.arx.reading import read_arx
from engine.arx.settings import DEEPEST, UnsafeXmlError, parse_xml
from engine.errors import InputError, ProjectFileError
from tests.arx_projects import Object, configuration, entries, java_rows, stream, write

ENTITY = b'<!DOCTYPE a [<!ENTITY x "y"><!ENTITY z "&x;&x;&x;&x;">]><config>&z;</config>'
EXTERNAL = b'<!DOCTYPE config SYSTEM "file:///etc/passwd"><config/>'


def refused(path: Path) -> str:
    with pytest.raises(ProjectFileError) as caught:
        read_arx(path)
    assert caught.value.hint
    return caught.value.problem


@pytest.mark.parametrize("data", [b"", b"PK", b"name;age\nAnn;1\n", bytes(4096)])
def test_a_file_that_is_no_zip_is_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "a.deid"
    path.write_bytes(data)
    assert "not a complete zip archive" in refused(path)


def test_a_truncated_zip_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "a.deid", entries())
    path.write_bytes(path.read_bytes()[:-30])
    assert "not a complete zip archive" in refused(path)


def test_a_missing_file_and_a_folder_are_refused(tmp_path: Path) -> None:
    assert "cannot be read" in refused(tmp_path / "none.deid")
    (tmp_path / "folder.deid").mkdir()
    assert "cannot be read" in refused(tmp_path / "folder.deid")


@pytest.mark.parametrize(
    "name",
    ["metadata.xml", "project.xml", "data/input.csv", "input/definition.xml", "input/config.xml"],
)
def test_a_project_without_an_entry_that_it_needs_is_refused(tmp_path: Path, name: str) -> None:
    found = entries()
    del found[name]
    assert f"'{name}' is missing" in refused(write(tmp_path / "a.deid", found))


@pytest.mark.parametrize("text", [ENTITY, EXTERNAL, b"<config>", b"", b"<config>\xff</config>", b"<other/>"])
@pytest.mark.parametrize("name", ["input/config.xml", "input/definition.xml", "metadata.xml"])
def test_xml_with_a_document_type_or_damage_is_refused(tmp_path: Path, name: str, text: bytes) -> None:
    assert f"'{name}'" in refused(write(tmp_path / "a.deid", {**entries(), name: text}))


def test_entities_are_refused_before_they_grow() -> None:
    laughs = b"".join(
        b'<!ENTITY l%d "%s">' % (level, b"&l%d;" % (level - 1) * 10 if level else b"lol")
        for level in range(12)
    )
    with pytest.raises(UnsafeXmlError, match="document type"):
        parse_xml(b"<!DOCTYPE x [" + laughs + b"]><x>&l11;</x>")


def test_the_depth_of_xml_is_bounded() -> None:
    parse_xml(b"<a>" * DEEPEST + b"</a>" * DEEPEST)
    with pytest.raises(UnsafeXmlError, match="too many"):
        parse_xml(b"<a>" * (DEEPEST + 1) + b"</a>" * (DEEPEST + 1))


def test_an_unknown_version_is_refused(tmp_path: Path) -> None:
    found = entries()
    found["metadata.xml"] = found["metadata.xml"].replace(b"2.0", b"9.0")
    assert "version '9.0'" in refused(write(tmp_path / "a.deid", found))


def test_a_zip_bomb_is_refused_before_it_unpacks(tmp_path: Path) -> None:
    bomb = {**entries(), "data/input.csv": bytes(40_000_000)}
    assert "is too large when unpacked" in refused(write(tmp_path / "a.deid", bomb))


def test_a_size_that_is_not_the_stated_one_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "a.deid", entries())
    data = bytearray(path.read_bytes())
    place = data.rindex(b"data/input.csv")
    struct.pack_into("<I", data, place - 46 + 24, 5)  # the unpacked size in the list of entries
    path.write_bytes(bytes(data))
    with pytest.raises(InputError):
        read_arx(path)


def test_more_entries_than_a_project_has_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive_module, "MOST_ENTRIES", 20)
    found = {**entries(), **{f"output/{number}": b"" for number in range(20)}}
    assert "more than 20 entries" in refused(write(tmp_path / "a.deid", found))


@pytest.mark.parametrize("name", ["../../outside.csv", "/etc/passwd", "input\\..\\..\\x", "C:\\x.csv"])
def test_an_entry_that_leads_out_of_the_project_is_refused(tmp_path: Path, name: str) -> None:
    assert "outside" in refused(write(tmp_path / "a.deid", {**entries(), name: b"x"}))


def test_a_reference_that_leads_out_reads_nothing(tmp_path: Path) -> None:
    found = entries()
    found["input/definition.xml"] = found["input/definition.xml"].replace(
        b"hierarchies/sex.csv", b"../../../../etc/passwd"
    )
    opened = read_arx(write(tmp_path / "a.deid", found))
    assert "sex" not in opened.project.hierarchies


def test_an_entry_twice_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.deid"
    write(path, entries())
    with zipfile.ZipFile(path, "a") as archive, pytest.warns(UserWarning, match="Duplicate"):
        archive.writestr("input/config.xml", b"<config/>")
    assert "occurs several times" in refused(path)


def test_an_encrypted_entry_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "a.deid", entries())
    data = bytearray(path.read_bytes())
    place = data.rindex(b"metadata.xml") - 46
    data[place + 8] |= 1
    path.write_bytes(bytes(data))
    assert "encrypted" in refused(path)


def test_a_table_with_other_columns_than_its_settings_is_refused(tmp_path: Path) -> None:
    found = {**entries(), "data/input.csv": b"name;age\nAnn;31\n"}
    with pytest.raises(InputError):
        read_arx(write(tmp_path / "a.deid", found))


def test_a_table_in_another_encoding_is_read_and_listed(tmp_path: Path) -> None:
    found = entries()
    found["data/input.csv"] = found["data/input.csv"].replace(b"Ann", "Änn".encode("cp1252"))
    opened = read_arx(write(tmp_path / "a.deid", found))
    assert opened.project.table.record(0)[0] == "Änn"
    assert opened.losses[0].what == "Encoding of the table"


def test_changed_bytes_are_refused_or_read_but_never_crash(tmp_path: Path) -> None:
    whole = write(tmp_path / "whole.deid", entries()).read_bytes()
    choose = random.Random(24)
    path = tmp_path / "a.deid"
    for _unused in range(60):
        data = bytearray(whole)
        for _again in range(choose.randint(1, 6)):
            data[choose.randrange(len(data))] = choose.randrange(256)
        path.write_bytes(bytes(data))
        with suppress(InputError):
            read_arx(path)


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[4:],
        lambda data: data[:-9],
        lambda data: data[:6] + b"\xff" * 8,
        lambda data: b"\xac\xed\x00\x05\x71\x00\x7e\x00\x09",
        lambda data: b"\xac\xed\x00\x05\x7c" + b"\xff" * 8,
        lambda data: b"\xac\xed\x00\x05\x7a\xff\xff\xff\xff",
        lambda data: b"\xac\xed\x00\x05" + b"\x75" * 500,
        lambda data: b"\xac\xed\x00\x05\x74\x00\x01\xff",
    ],
)
def test_a_damaged_stream_of_java_objects_is_refused(damage: Callable[[bytes], bytes]) -> None:
    data = stream(Object("a.B", {"rows": java_rows([1, 70], 100), "name": "ä", "share": 0.5}))
    assert read_stream(data).fields["rows"].fields["size"] == 2
    with pytest.raises(UnreadableStreamError):
        read_stream(damage(data))


def test_an_array_that_claims_more_than_the_stream_has_is_refused() -> None:
    whole = stream(java_rows([1], 64))
    place = whole.index(struct.pack(">I", 1), whole.index(b"[J"))
    for length in (0x7FFFFFFF, 0xFFFFFFFF):
        data = bytearray(whole)
        struct.pack_into(">I", data, place, length)
        with pytest.raises(UnreadableStreamError):
            read_stream(bytes(data))


def test_changed_bytes_of_java_objects_are_refused_or_read_but_never_crash() -> None:
    whole = stream(Object("a.B", {"rows": java_rows(range(50), 100), "name": "ä", "share": 0.5}, ["x", b"1"]))
    choose = random.Random(7)
    for _unused in range(2_000):
        data = bytearray(whole)
        for _again in range(choose.randint(1, 4)):
            data[choose.randrange(4, len(data))] = choose.randrange(256)
        with suppress(UnreadableStreamError):
            read_stream(bytes(data))


def test_a_set_of_rows_of_another_form_or_table_is_listed(tmp_path: Path) -> None:
    forms = [Object("org.deidentifier.arx.RowSet", fields) for fields in ({}, {"length": 8, "array": "no"})]
    for found in (*forms, java_rows([1, 90], 100), java_rows([], 8), "rows"):
        config = configuration(researchSubset=found)
        opened = read_arx(write(tmp_path / "a.deid", {**entries(), "input/config.dat": config}))
        assert opened.project.subset is None
        assert "Research sample" in [loss.what for loss in opened.losses]
