"""Project files: everything comes back, the same project gives the same bytes, and no file can do harm."""
# ruff: noqa: E501  one kind of damage per line reads best

from __future__ import annotations

import hashlib
import io
import json
import os
import stat
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from engine.errors import ProjectFileError
from engine.privacy import Requirement
from engine.privacy.entropy_l_diversity import EntropyLDiversity
from engine.privacy.k_anonymity import KAnonymity
from engine.privacy.t_closeness import TCloseness
from engine.project import Project, Transformation
from engine.project.edits import set_roles
from engine.project.pins_and_runs import Choice, Pin, ProjectState, Run
from engine.project.project import frozen
from engine.project.storage.file import open_project, save_project
from engine.recoding.rules.keyed_hash import KeyedHash
from engine.records import Role
from engine.records.columns_taken import TakenColumn
from engine.records.options import Replacement
from tests.project_differences import project_differences

ROOT = Path(__file__).resolve().parents[4]


MODELS = (KAnonymity(5), TCloseness("diagnosis", 0.2, "equal"), EntropyLDiversity("diagnosis", 2.5))
CHOICE = Choice(("age", "sex"), (2, 0), Requirement(MODELS, 0.29), "precision")
RECODED = replace(CHOICE, node=None)
FIGURES = {"records": 30, "suppressed": 2, "k": None, "precision": 0.25}
STATE = ProjectState(
    (0, 1, 0, 2, 1),
    (0, 0, 0, 0, 0),
    (
        Run(CHOICE, "2026-11-22T09:30", FIGURES),
        Run(RECODED, "2026-11-22T09:31", {}, "mondrian", "Ünal", "for the press", True, "format = 1\n"),
    ),
    (Pin(CHOICE, "first idea\nsecond line"), Pin(RECODED)),
)


@pytest.fixture
def saved(clinic: Project, tmp_path: Path) -> Path:
    """Return a project file."""
    path = tmp_path / "clinic.anon"
    save_project(clinic, path, STATE)
    return path


@pytest.mark.skipif(os.name == "nt", reason="permissions of POSIX")
def test_only_its_owner_may_read_a_project_file_even_if_others_could_read_the_previous_one(
    clinic: Project, tmp_path: Path
) -> None:
    path = tmp_path / "clinic.anon"
    old_mask = os.umask(0)
    try:
        for _ in range(2):
            save_project(clinic, path)
            assert stat.S_IMODE(path.stat().st_mode) == 0o600
            path.chmod(0o666)  # as earlier versions wrote it
    finally:
        os.umask(old_mask)


def rewrite(path: Path, change: Callable[[str, bytes], bytes | None], *, is_signed: bool = True) -> None:
    """Replace members of an archive; None omits one. Signed, the checksums are those of the new members."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    changed = {name: change(name, data) for name, data in members.items()}
    kept = {name: data for name, data in changed.items() if data is not None}
    if is_signed and kept.get("project.json") == members["project.json"]:
        about = json.loads(members["project.json"])
        about["checksums"] = {name: hashlib.sha256(data).hexdigest() for name, data in kept.items()}
        kept["project.json"] = json.dumps(about).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in kept.items():
            archive.writestr(name, data)


def change_json(path: Path, **values: object) -> None:
    def change(name: str, data: bytes) -> bytes:
        return json.dumps(json.loads(data) | values).encode() if name == "project.json" else data

    rewrite(path, change)


def test_a_saved_project_comes_back_whole(clinic: Project, saved: Path) -> None:
    project, state, losses = open_project(saved)
    assert project_differences(clinic, project) == ()
    assert state == STATE
    assert losses == ()
    assert project.name == "clinic"
    assert project.source is None
    assert project.options == clinic.options
    assert {name: entry.builder for name, entry in project.hierarchies.items()} == {
        name: entry.builder for name, entry in clinic.hierarchies.items()
    }


def test_how_its_file_was_read_is_kept_for_reading_it_again(clinic: Project, tmp_path: Path) -> None:
    options = replace(
        clinic.options,
        sheet="Data",
        quote="'",
        comment="#",
        skip_lines=2,
        thousands=".",
        ragged="fill",
        take=(TakenColumn("Age", "age"), TakenColumn(3, "sex", None, "zip")),
        column_missing={"age": ("?", "-1")},
        replacements=(Replacement("sex", "w", "F"), Replacement("sex", "x", None)),
    )
    save_project(replace(clinic, options=options), tmp_path / "a.anon")
    assert open_project(tmp_path / "a.anon").project.options == options


@pytest.mark.parametrize(
    "reading",
    [3, {"skip_lines": -1}, {"columns": [["a"]]}, {"replace": [[1, 2, 3]]}, {"ragged": "x", "quote": 1}],
)
def test_what_says_nothing_of_reading_is_passed_over(clinic: Project, saved: Path, reading: object) -> None:
    change_json(saved, reading=reading)
    assert open_project(saved).project.options == clinic.options


def test_the_path_of_a_hash_key_is_neither_stored_nor_trusted(clinic: Project, tmp_path: Path) -> None:
    path = tmp_path / "a.anon"
    rule = KeyedHash(key_file="/home/somebody/secret.key")
    made = Transformation(
        identifying="keyed_hash",
        identifying_options={"key_file": "/home/somebody/secret.key"},
        identifiers={"age": rule},
    )
    save_project(replace(clinic, transformation=made), path)
    with zipfile.ZipFile(path) as archive:
        recipe = archive.read("recipe.toml")
    assert b"secret.key" not in recipe
    assert open_project(path).project.transformation.identifiers["age"] == KeyedHash()
    told = recipe.replace(b'rule = "keyed_hash"', b'rule = "keyed_hash"\nkey_file = "/etc/hostname"')
    assert told != recipe
    rewrite(path, lambda name, data: told if name == "recipe.toml" else data)
    assert open_project(path).project.transformation.identifiers["age"] == KeyedHash()


def test_columns_without_a_role_stay_undecided(clinic: Project, tmp_path: Path) -> None:
    project = set_roles(replace(clinic, roles=frozen({}), qi_order=()), ["age"], Role.INSENSITIVE)
    save_project(project, tmp_path / "a.anon")
    again, _, _ = open_project(tmp_path / "a.anon")
    assert dict(again.roles) == {"age": Role.INSENSITIVE}


def test_the_same_project_gives_the_same_bytes(clinic: Project, saved: Path, tmp_path: Path) -> None:
    save_project(open_project(saved)[0], tmp_path / "again.anon", STATE)
    assert (tmp_path / "again.anon").read_bytes() == saved.read_bytes()


def test_members_carry_the_date_they_are_given(
    clinic: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    save_project(clinic, tmp_path / "dated.anon")
    with zipfile.ZipFile(tmp_path / "dated.anon") as archive:
        assert {entry.date_time for entry in archive.infolist()} == {(2023, 11, 14, 22, 13, 20)}


def test_a_project_file_holds_what_a_person_can_read_and_no_absolute_path(saved: Path) -> None:
    with zipfile.ZipFile(saved) as archive:
        names = archive.namelist()
        texts = [archive.read(name) for name in names if not name.endswith(".parquet")]
    assert {"project.json", "recipe.toml", "table.parquet", "history.json", "notes.json"} < set(names)
    assert sum(name.startswith("hierarchies/") for name in names) == 5
    assert not any(str(ROOT).encode() in text or b"pickle" in text for text in texts)
    assert all(not name.startswith("/") and ".." not in name for name in names)


def test_a_file_of_the_first_format_still_opens(clinic: Project, saved: Path) -> None:
    def without_checksums(name: str, data: bytes) -> bytes:
        about = json.loads(data) if name == "project.json" else {}
        first = {key: value for key, value in about.items() if key != "checksums"} | {"format": 1}
        return json.dumps(first).encode() if about else data

    rewrite(saved, without_checksums)
    project, state, _ = open_project(saved)
    assert project_differences(clinic, project) == ()
    assert state == STATE


def test_a_member_of_another_project_is_noticed(clinic: Project, saved: Path, tmp_path: Path) -> None:
    other = replace(clinic, requirement=Requirement((KAnonymity(2),), 1.0))
    save_project(other, tmp_path / "other.anon")
    with zipfile.ZipFile(tmp_path / "other.anon") as archive:
        recipe = archive.read("recipe.toml")
    rewrite(saved, lambda name, data: recipe if name == "recipe.toml" else data, is_signed=False)
    with pytest.raises(ProjectFileError, match=r"'recipe\.toml' has changed since it was saved"):
        open_project(saved)


def test_a_file_that_does_not_say_what_belongs_to_it_is_refused(saved: Path) -> None:
    change_json(saved, checksums=None)
    with pytest.raises(ProjectFileError, match="the list of its parts is missing"):
        open_project(saved)


def test_a_newer_format_is_refused_with_a_sentence(saved: Path) -> None:
    change_json(saved, format=4)
    with pytest.raises(
        ProjectFileError, match=r"format 4, but this version supports formats up to 3\. Open it with"
    ):
        open_project(saved)


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("project.json", None, "'project.json' is missing"),
        ("project.json", b"{", "'project.json' is not valid JSON"),
        ("project.json", b"[]", "'project.json' has unexpected content"),
        ("project.json", b"{}", "its format is missing"),
        ("project.json", b'{"format": 1, "applied": ["a"]}', "names an invalid node"),
        ("recipe.toml", b"\xff", "'recipe.toml' is not text"),
        ("recipe.toml", b'[data]\npath = "../../etc/passwd"', "its recipe names another table"),
        ("recipe.toml", b'[data]\npath = "table.parquet"\n[hierarchies."age"]\npath = "/etc/passwd"', "another hierarchy"),
        ("recipe.toml", b"format = ", "is not a valid TOML file"),
        ("recipe.toml", b'[data]\npath = "table.parquet"\n[data.types]\n"sex" = "integer"', "is not a whole number"),
        ("table.parquet", b"PAR1 nonsense PAR1", "its table cannot be read"),
        ("table.parquet", None, "'table.parquet' is missing"),
        ("hierarchies/001.csv", b"", "has no entry|is empty"),
        ("hierarchies/004.csv", b"F;*\nF;x\n", "line 2"),
        ("history.json", b"{}", "'history.json' has unexpected content"),
        ("notes.json", b"[" * 100_000, "'notes.json' is not valid JSON"),
    ],
)  # fmt: skip
def test_a_damaged_member_is_named(saved: Path, name: str, data: bytes | None, reason: str) -> None:
    with zipfile.ZipFile(saved) as archive:
        if name not in archive.namelist():
            name = next(n for n in archive.namelist() if n.startswith("hierarchies/"))
    rewrite(saved, lambda member, old: data if member == name else old)
    with pytest.raises(ProjectFileError, match=reason) as raised:
        open_project(saved)
    assert "clinic.anon" in raised.value.problem


def test_a_file_cut_short_anywhere_is_refused(saved: Path) -> None:
    whole = saved.read_bytes()
    for share in (0, 1, 10, 50, 90, 99):
        saved.write_bytes(whole[: len(whole) * share // 100])
        with pytest.raises(ProjectFileError, match="damaged or not a project file"):
            open_project(saved)


def test_a_changed_byte_is_noticed(saved: Path) -> None:
    whole = bytearray(saved.read_bytes())
    start = whole.index(b"table.parquet") + 1000
    whole[start] ^= 0xFF
    saved.write_bytes(bytes(whole))
    with pytest.raises(ProjectFileError):
        open_project(saved)


def test_a_member_that_occurs_twice_is_refused(saved: Path) -> None:
    with zipfile.ZipFile(saved, "a") as archive, pytest.warns(UserWarning, match="Duplicate"):
        archive.writestr("recipe.toml", b"")
    with pytest.raises(ProjectFileError, match=r"'recipe\.toml' occurs several times"):
        open_project(saved)


def test_a_member_packed_beyond_measure_is_not_unpacked(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.project.storage.members.MOST_UNPACKED", 1 << 16)
    buffer = io.BytesIO()
    with zipfile.ZipFile(saved) as old, zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, b"[" + b" " * (1 << 17) + b"]" if name == "history.json" else old.read(name))
    saved.write_bytes(buffer.getvalue())
    with pytest.raises(ProjectFileError, match="would unpack to more than a project can hold"):
        open_project(saved)


def test_members_of_other_names_are_never_read(saved: Path, clinic: Project) -> None:
    with zipfile.ZipFile(saved, "a") as archive:
        archive.writestr("../../outside.txt", b"no")
    project, _, _ = open_project(saved)
    assert project_differences(clinic, project) == ()
    assert not (saved.parent.parent / "outside.txt").exists()


def test_a_missing_project_and_a_folder_are_named(tmp_path: Path) -> None:
    with pytest.raises(ProjectFileError, match="does not exist"):
        open_project(tmp_path / "none.anon")
    with pytest.raises(ProjectFileError, match="cannot be read"):
        open_project(tmp_path)


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("notes.json", b"[3]", "cannot be opened"),
        ("notes.json", b'[{"columns": ["a"], "node": [1, 2], "privacy": [], "note": ""}]', "level for every column"),
        ("notes.json", b'[{"columns": ["a"], "node": [-1]}]', "level for every column"),
        ("history.json", b'[{"columns": [], "node": null, "privacy": [{"model": "x"}]}]', "cannot be opened"),
        ("history.json", b'[{"columns": [], "figures": {"k": "5"}}]', "a mapping from names to numbers"),
        ("history.json", b'[{"columns": [], "metric": "beauty"}]', "unknown utility metric 'beauty'"),
    ],
)  # fmt: skip
def test_a_pin_or_release_that_cannot_be_read_is_named(
    saved: Path, name: str, data: bytes, reason: str
) -> None:
    rewrite(saved, lambda member, old: data if member == name else old)
    with pytest.raises(ProjectFileError) as caught:
        open_project(saved)
    assert reason in f"{caught.value.problem} {caught.value.hint}"
