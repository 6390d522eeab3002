"""What a released file holds besides its table is found with its place; payload is refused."""

from __future__ import annotations

import datetime as dt
import shutil
from collections.abc import Callable, Mapping
from contextlib import suppress
from decimal import Decimal
from pathlib import Path
from typing import Any

import openpyxl
import pandas as pd
import polars as pl
import pyarrow as pa
import pyreadstat
import pytest
from openpyxl.packaging.custom import StringProperty
from pyarrow import parquet

from engine.pipeline import anonymize, export_release, judge_file, verify_promises
from engine.project.recipe.files import read_recipe
from engine.records.formats import FORMATS, endings_of
from engine.records.options import CSV, EXCEL, JSON_LINES, ExportOptions, kind_of
from engine.verification import ReleaseClaim, verify
from engine.verification.containers import INSPECTORS, KINDS, MOST_EXTRAS, Explained, Extra, inspect, refusal
from engine.verification.containers.workbook import text_of_format
from engine.verification.findings import UnverifiableError
from engine.verification.judges import extras
from tests.engine.records.test_formats import LITTLE, WRITERS
from tests.engine.verification.payloads import BOB, PAYLOADS, Payload, as_excel
from tests.engine.verification.plain_release import released_as

HOSPITAL = Path(__file__).resolve().parents[3] / "resources" / "examples" / "hospital"
RESAVED_FILES = Path(__file__).resolve().parents[2] / "data" / "resaved"
Save = Callable[[Path, Path], Any]


class Releases:
    """A release of the hospital example in every format, with its claim."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        shutil.copytree(HOSPITAL, folder / "hospital")
        self.project = read_recipe(folder / "hospital" / "recipe.toml")
        self._release = anonymize(self.project).release
        self._claims: dict[str, ReleaseClaim] = {}

    def claim(self, kind: str) -> ReleaseClaim:
        """The claim about an untouched release; "folder" is one of a single part."""
        if kind not in self._claims:
            options = ExportOptions(kind=CSV if kind == "folder" else kind)
            path = self.folder / f"released.{options.kind}"
            path = self.folder / "parts" if kind == "folder" else path
            export_release(self.project, self._release, path, options=options, in_parts=kind == "folder")
            claims: list[ReleaseClaim] = []
            judge_file(
                self.project,
                self._release,
                path,
                options=options,
                amended=lambda claim: claims.append(claim) or claim,  # type: ignore[func-returns-value]
            )
            self._claims[kind] = claims[0]
        return self._claims[kind]

    def copy(self, kind: str, folder: Path) -> ReleaseClaim:
        """The claim about a copy that may be changed."""
        claim = self.claim(kind)
        path = folder / claim.released.path.name
        if kind == "folder":
            shutil.copytree(claim.released.path, path)
        else:
            shutil.copy(claim.released.path, path)
        return released_as(claim, path=path)


@pytest.fixture(scope="module")
def releases(tmp_path_factory: pytest.TempPathFactory) -> Releases:
    return Releases(tmp_path_factory.mktemp("releases"))


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind in PAYLOADS for name in PAYLOADS[kind]])
def test_a_file_is_refused_for_what_it_holds_besides_its_table(
    releases: Releases, tmp_path: Path, kind: str, name: str
) -> None:
    claim, payload = with_payload(releases, tmp_path, kind, name)
    besides = extras(claim)
    found = [own for own in besides if own.kind == payload.kind and payload.at.lower() in own.at.lower()]
    assert found, besides
    assert all(own.is_refused for own in found)
    assert not payload.is_shown or any(BOB in own.shown for own in found), found
    assert "holds something besides its table" in refusal(claim.released.path.name, besides)


def with_payload(releases: Releases, folder: Path, kind: str, name: str) -> tuple[ReleaseClaim, Payload]:
    """The claim about a copy of a release that something was put into."""
    claim, payload = releases.copy(kind, folder), PAYLOADS[kind][name]
    if kind == EXCEL:
        # its texts are in a part of their own
        shutil.copy(RESAVED_FILES / "xlsxwriter.xlsx", claim.released.path)
    payload.put(claim.released.path)
    return claim, payload


@pytest.mark.parametrize("kind", PAYLOADS)
def test_a_release_with_a_payload_is_not_verified(releases: Releases, tmp_path: Path, kind: str) -> None:
    claim, _payload = with_payload(releases, tmp_path, kind, next(iter(PAYLOADS[kind])))
    verdict = verify(claim)
    assert not verdict.ok
    assert verdict.besides == tuple(extras(claim))
    assert refusal(claim.released.path.name, verdict.besides) in verdict.problems


def resaved_by_pyreadstat(old: Path, new: Path) -> None:
    frame, about = pyreadstat.read_sav(old)
    pyreadstat.write_sav(frame, new, compress=new.stem.endswith("packed"), column_labels=about.column_labels)


def resaved_by_excel(old: Path, new: Path) -> None:
    shutil.copy(RESAVED_FILES / "xlsxwriter.xlsx", new)
    as_excel(new)


RESAVED: Mapping[str, tuple[str, Save]] = {
    "openpyxl": ("xlsx", lambda old, new: openpyxl.load_workbook(old).save(new)),
    "Excel": ("xlsx", resaved_by_excel),
    "pandas, workbook": (
        "xlsx",
        lambda old, new: pd.read_excel(old, dtype=str, engine="openpyxl").to_excel(new, index=False),
    ),
    "pandas, Parquet": ("parquet", lambda old, new: pd.read_parquet(old).to_parquet(new)),
    "pandas, without index": ("parquet", lambda old, new: pd.read_parquet(old).to_parquet(new, index=False)),
    "pandas, categories": (
        "parquet",
        lambda old, new: pd.read_parquet(old).astype("category").to_parquet(new),
    ),
    "polars": ("parquet", lambda old, new: pl.read_parquet(old).write_parquet(new)),
    "polars, categories": (
        "parquet",
        lambda old, new: pl.read_parquet(old).cast(pl.Categorical).write_parquet(new),
    ),
    "polars, by Arrow": (
        "parquet",
        lambda old, new: pl.read_parquet(old).write_parquet(new, use_pyarrow=True),
    ),
    "polars, enumerated": (
        "parquet",
        lambda old, new: (
            pl.read_parquet(old)
            .with_columns(pl.col("gender").cast(pl.Enum(["Female", "Male"])))
            .write_parquet(new)
        ),
    ),
    "Arrow": (
        "parquet",
        lambda old, new: parquet.write_table(parquet.read_table(old), new, write_page_index=True),
    ),
    "Arrow, packed": (
        "parquet",
        lambda old, new: parquet.write_table(parquet.read_table(old), new, compression="gzip"),
    ),
    "pyreadstat": ("sav", resaved_by_pyreadstat),
    "pyreadstat, packed": ("sav", resaved_by_pyreadstat),
    "pyreadstat, rows packed": (
        "sav",
        lambda old, new: pyreadstat.write_sav(pyreadstat.read_sav(old)[0], new, row_compress=True),
    ),
    **{
        f"pyreadstat, Stata {version}": (
            "dta",
            lambda old, new, version=version: pyreadstat.write_dta(
                pyreadstat.read_dta(old)[0], new, version=version
            ),
        )
        for version in (8, 10, 12, 13, 15)
    },
    **{
        f"pandas, Stata {version}": (
            "dta",
            lambda old, new, version=version: pd.read_stata(old).to_stata(
                new, version=version, write_index=False
            ),
        )
        for version in (114, 117, 118, 119)
    },
    "pandas, text": ("csv", lambda old, new: pd.read_csv(old, dtype=str).to_csv(new, index=False)),
    "polars, text": ("csv", lambda old, new: pl.read_csv(old, infer_schema=False).write_csv(new)),
    "pandas, packed text": (
        "csv",
        lambda old, new: pd.read_csv(old, dtype=str).to_csv(new, index=False, compression="gzip"),
    ),
    "polars, lines": ("jsonl", lambda old, new: pl.read_ndjson(old).write_ndjson(new)),
    "pandas, lines": (
        "jsonl",
        lambda old, new: pd.read_json(old, lines=True).to_json(new, lines=True, orient="records"),
    ),
}


@pytest.mark.parametrize("program", RESAVED)
def test_a_release_that_a_program_saved_again_stays_verified(
    releases: Releases, tmp_path: Path, program: str
) -> None:
    kind, save = RESAVED[program]
    claim = releases.claim(kind)
    path = tmp_path / f"{program}.{kind}"
    save(claim.released.path, path)
    verdict = verify(released_as(claim, path=path))
    assert verdict.ok, verdict.problems
    assert all(not own.is_refused for own in verdict.besides)


@pytest.mark.parametrize("path", sorted(RESAVED_FILES.glob("*.*")), ids=lambda path: path.name)
def test_a_release_saved_by_other_programs_stays_verified(releases: Releases, path: Path) -> None:
    verdict = verify(released_as(releases.claim(path.suffix[1:]), path=path))
    assert verdict.ok, verdict.problems
    assert verdict.notes


def test_every_format_of_a_release_is_inspected(releases: Releases) -> None:
    assert set(INSPECTORS) == set(ExportOptions.kinds())
    for kind in INSPECTORS:
        verdict = verify(releases.claim(kind))
        assert verdict.ok, verdict.problems
        assert verdict.besides == (), "an own export holds nothing else, not even a note"
    # the tables of payloads cover each format but that of lines, all of which is cells
    assert set(PAYLOADS) == (set(INSPECTORS) | {"folder"}) - {JSON_LINES}


@pytest.mark.parametrize("ending", [own for own in endings_of(*FORMATS) if own[1:] not in INSPECTORS])
def test_formats_that_no_release_is_written_in_are_not_verified(
    releases: Releases, tmp_path: Path, ending: str
) -> None:
    path = WRITERS[ending](tmp_path / f"people{ending}", LITTLE) if ending in WRITERS else None
    if path is None:
        path = shutil.copy(RESAVED_FILES / "libreoffice.xlsx", tmp_path / f"people{ending}")
    kind = kind_of(path)
    assert kind in INSPECTORS
    assert not verify(released_as(releases.claim(kind), path=path)).ok


def test_an_old_workbook_under_a_new_name_is_refused(releases: Releases, data: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(data / "formats" / "little.xls", tmp_path / "released.xlsx"))
    assert [own.kind for own in inspect(path, "xlsx")] == ["uninspected"]
    assert not verify(released_as(releases.claim(EXCEL), path=path)).ok


def test_a_format_without_inspector_is_refused(tmp_path: Path) -> None:
    (tmp_path / "r.new").write_text("a\n1\n", encoding="utf-8")
    (only,) = inspect(tmp_path / "r.new", "new")
    assert only.kind == "uninspected"
    assert only.is_refused


def test_every_kind_of_content_occurs_in_a_table() -> None:
    known = {payload.kind for own in PAYLOADS.values() for payload in own.values()}
    told_of = {"sheet_name", "program", "date"}  # never refused for a name as short as these usually are
    assert known | told_of == set(KINDS)


def test_program_dates_and_user_are_notes(releases: Releases, tmp_path: Path) -> None:
    claim = releases.copy(EXCEL, tmp_path)
    book = openpyxl.load_workbook(claim.released.path)
    book.properties.lastModifiedBy = "Ann Example"
    book.active.title = "Patients of the ward"
    book.save(claim.released.path)
    verdict = verify(claim)
    assert verdict.ok
    assert {own.kind for own in verdict.besides} == {"user", "date", "program", "sheet_name"}
    assert any('lastModifiedBy: "Ann Example"' in words for words in verdict.notes)


LABEL = "MSIP_Label_0a1b2c3d-0000-4000-8000-0000000000{n:02}_{part}"
LABEL_PARTS = ["Enabled", "SetDate", "Method", "Name", "SiteId", "ActionId", "ContentBits", "Tag"]


@pytest.mark.parametrize(
    ("name", "value", "is_note"),
    [
        *((LABEL.format(n=1, part=part), "General access", True) for part in LABEL_PARTS),
        (LABEL.format(n=1, part="Name"), "x" * 100, True),
        (LABEL.format(n=1, part="Name"), f"{BOB}. " * 10, False),
        (LABEL.format(n=1, part="Patient"), BOB, False),
        ("MSIP_Label_bob_Name", BOB, False),
        (f"{LABEL.format(n=1, part='Name')} {BOB}", "", False),
    ],
)
def test_labels_of_sensitivity_are_notes(
    releases: Releases, tmp_path: Path, name: str, value: str, is_note: bool
) -> None:
    claim = releases.copy(EXCEL, tmp_path)
    book = openpyxl.load_workbook(claim.released.path)
    book.custom_doc_props.append(StringProperty(name=name, value=value))
    book.save(claim.released.path)
    (own,) = [own for own in inspect(claim.released.path, "xlsx") if own.kind == "property"]
    assert own.is_refused is not is_note
    assert verify(claim).ok is is_note


def test_many_notes_do_not_hide_what_is_refused(releases: Releases, tmp_path: Path) -> None:
    claim = releases.copy(EXCEL, tmp_path)
    book = openpyxl.load_workbook(claim.released.path)
    for n in range(20):
        for part in LABEL_PARTS:
            book.custom_doc_props.append(StringProperty(name=LABEL.format(n=n, part=part), value=str(n)))
    book.custom_doc_props.append(StringProperty(name="patient", value=BOB))
    book.save(claim.released.path)
    found = inspect(claim.released.path, "xlsx")
    assert len(found) == MOST_EXTRAS
    assert [own.is_refused for own in found] == [True] + [False] * (MOST_EXTRAS - 1)


def test_labels_that_the_original_explains_are_no_payload(tmp_path: Path) -> None:
    path = tmp_path / "r.sav"
    frame = pd.DataFrame({"q": [1.0, 2.0, 1.0]})
    labels: Any = {"q": {1.0: "low", 2.0: "high"}}
    pyreadstat.write_sav(frame, path, column_labels={"q": "Quality"}, variable_value_labels=labels)
    coded = Explained({"q": ("Quality",)}, {"q": {1.0: "low", 2.0: "high"}})
    assert [own.kind for own in inspect(path, "sav", coded)] == ["date"]
    assert [own.kind for own in inspect(path, "sav", Explained(coded.labels))] == ["date"]
    other = Explained({"q": ("Other",)}, {"q": {1.0: "low", 2.0: BOB}})
    found = {own.kind: own for own in inspect(path, "sav", other) if own.is_refused}
    assert set(found) == {"label", "value_label"}
    assert found["value_label"].shown == "2.0=high"


def test_every_type_of_pandas_is_plain(tmp_path: Path) -> None:
    days = pd.to_datetime(["2020-01-01", "2020-01-02"])
    frame = pd.DataFrame(
        {
            "integer": [1, 2],
            "missing": pd.array([1, None], dtype="Int64"),
            "boolean": pd.array([True, None], dtype="boolean"),
            "text": pd.array(["a", None], dtype="string"),
            "arrow": pd.array(["a", "b"], dtype="string[pyarrow]"),
            "category": pd.Categorical(["x", "y"], ordered=True),
            "day": days,
            "moment": days.tz_localize("America/Argentina/Buenos_Aires"),
            "date": [dt.date(2020, 1, 1), None],
            "time": [dt.time(1, 2), None],
            "span": pd.to_timedelta([1, 2], unit="s"),
            "decimal": [Decimal("1.25"), None],
            "bytes": [b"a", b"b"],
            "nothing": [None, None],
        }
    )
    path = tmp_path / "r.parquet"
    for own in (frame, frame.set_index("text"), frame.set_index(pd.Index([5, 7]))):
        own.to_parquet(path)
        assert inspect(path, "parquet") == []


@pytest.mark.parametrize(("padding", "kinds"), [("0" * 500, []), ("0" * 500 + BOB, ["metadata"])])
def test_zeros_that_pad_a_small_file_are_no_payload(tmp_path: Path, padding: str, kinds: list[str]) -> None:
    path = tmp_path / "r.parquet"
    frame = pd.DataFrame({"a": ["x"]})
    with parquet.ParquetWriter(path, pa.Schema.from_pandas(frame)) as writer:
        writer.write_table(pa.Table.from_pandas(frame))
        writer.add_key_value_metadata({"padding": padding})
    assert [own.kind for own in inspect(path, "parquet")] == kinds


def test_many_findings_are_cut_and_few_are_named() -> None:
    extras = [Extra("comment", f"B{n}", BOB) for n in range(MOST_EXTRAS)]
    words = refusal("r.xlsx", extras)
    assert "B4" in words
    assert "B5" not in words
    assert words.endswith("….")
    assert refusal("r.xlsx", [Extra("date", "x", is_refused=False)]) == ""


@pytest.mark.parametrize(
    ("shape", "text"),
    [
        ("General", ""),
        ("yyyy\\-mm\\-dd;@", ""),
        ('_-* #,##0.00\\ "€"_-;\\-* #,##0.00\\ "€"_-', ""),
        ("[$-409]d\\-mmm\\-yy", ""),
        ("[Red]0.0E+00", ""),
        ("[h]:mm:ss", ""),
        ('0"Bob"', "Bob"),
        ("Bob", "Bob"),
        ("h:mm AM/PM", ""),
        ("\\B\\o\\b", "Bob"),
        ("[$Bob-409]0", "Bob"),
        ('"4711"', "4711"),
    ],
)
def test_text_of_number_formats(shape: str, text: str) -> None:
    assert text_of_format(shape) == text


def test_only_the_container_is_told_if_the_table_is_right(releases: Releases, tmp_path: Path) -> None:
    claim = releases.copy(EXCEL, tmp_path)
    book = openpyxl.load_workbook(claim.released.path)
    book.create_sheet("raw").append([BOB])
    book.save(claim.released.path)
    options = ExportOptions(kind=EXCEL)
    verdict = verify_promises(releases.project, claim.released.path, options=options)
    assert len(verdict.problems) == 1
    assert verdict.measured["k"] == verify(releases.claim(EXCEL)).measured["k"]


@pytest.mark.parametrize("kind", sorted(set(INSPECTORS) - {JSON_LINES}))
def test_damaged_files_end_in_a_sentence(releases: Releases, tmp_path: Path, kind: str) -> None:
    data = releases.claim(kind).released.path.read_bytes()
    damaged = tmp_path / f"damaged.{kind}"
    for at in range(4, len(data), len(data) // 40):
        damaged.write_bytes(data[:at] + bytes([data[at] ^ 0xFF]) + data[at + 1 : len(data) - at % 3])
        with suppress(UnverifiableError):
            inspect(damaged, kind)
