"""Unsaved work: stored unchanged, only changed parts again, and offered after its window has ended."""

from __future__ import annotations

import json
import os
import platform
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from engine import scratch
from engine.errors import ExportError, ProjectFileError
from engine.privacy import Requirement
from engine.privacy.k_anonymity import KAnonymity
from engine.project import Project
from engine.project.edits import set_column
from engine.project.pins_and_runs import Choice, Pin, ProjectState
from engine.project.storage import recovery
from engine.project.storage.recovery import Recovery
from engine.project.subset import Subset
from engine.records import DataType
from engine.records.values import make_column
from tests.project_differences import project_differences

PIN = Pin(Choice(("age",), (2,), Requirement((KAnonymity(5),), 0.1)))
STATE = ProjectState((0, 1, 0, 2, 1), (0,) * 5, (), (PIN,))


@pytest.fixture
def kept(config_dir: Path) -> Recovery:
    return Recovery()


@pytest.fixture
def after_crash(monkeypatch: pytest.MonkeyPatch) -> Recovery:
    """Return what the next start looks with: nothing that ran before still runs."""
    monkeypatch.setattr(recovery, "is_running", lambda pid, start: False)
    return Recovery()


def folder_of(config_dir: Path) -> Path:
    (folder,) = (config_dir / "recovery").iterdir()
    return folder


def test_stored_work_comes_back_complete_with_the_file_it_belongs_to(
    clinic: Project, kept: Recovery, after_crash: Recovery, tmp_path: Path
) -> None:
    project = replace(clinic, subset=Subset(rows=clinic.table))
    kept.write(project, STATE, tmp_path / "clinic.anon")
    (offer,) = after_crash.offers()
    assert (offer.name, offer.path) == ("clinic", tmp_path / "clinic.anon")
    assert len(offer.saved_at) == 19
    found = after_crash.read(offer)
    assert project_differences(project, found.project) == ()
    assert found.state == STATE
    assert found.losses == ()


def test_nothing_is_offered_while_the_window_still_runs(clinic: Project, kept: Recovery) -> None:
    kept.write(clinic, STATE, None)
    assert Recovery().offers() == ()
    assert kept.offers() == ()


def test_nothing_of_another_machine_is_offered(
    clinic: Project, kept: Recovery, after_crash: Recovery, config_dir: Path
) -> None:
    kept.write(clinic, STATE, None)
    owner = folder_of(config_dir) / "owner.json"
    owner.write_text(json.dumps(json.loads(owner.read_text()) | {"host": "another"}))
    assert after_crash.offers() == ()
    assert owner.exists()


def test_stored_work_is_offered_after_the_machine_was_given_another_name(
    clinic: Project, kept: Recovery, after_crash: Recovery, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "machine-id").write_text("0123456789abcdef\n")
    monkeypatch.setattr(scratch, "_MACHINE", tmp_path / "machine-id")
    kept.write(clinic, STATE, None)
    monkeypatch.setattr(platform, "node", lambda: "renamed")
    assert [offer.name for offer in after_crash.offers()] == ["clinic"]


def test_the_table_is_stored_once_and_another_takes_its_place(
    clinic: Project, kept: Recovery, config_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[object] = []
    write = recovery.write_parquet
    monkeypatch.setattr(recovery, "write_parquet", lambda table: (made.append(table), write(table))[1])
    kept.write(clinic, STATE, None)
    (first,) = folder_of(config_dir).glob("*.member")
    changed = replace(clinic, requirement=Requirement((KAnonymity(3),), 0.0))
    kept.write(changed, STATE, None)
    assert len(made) == 1
    age = clinic.table.column("age")
    other = make_column("age", ["0", *age.labels[1:]], age.codes, DataType(), None)
    kept.write(replace(set_column(clinic, other), hierarchies={}), STATE, None)
    assert len(made) == 2
    assert len(list(folder_of(config_dir).glob("*.member"))) == 1
    assert first.parent == folder_of(config_dir)


def test_hierarchies_are_made_into_text_once(
    clinic: Project, kept: Recovery, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept.write(clinic, STATE, None)
    monkeypatch.setattr(
        recovery,
        "hierarchy_text",
        lambda hierarchy: pytest.fail("packed again"),
    )
    kept.write(replace(clinic, name="other"), STATE, None)


def test_a_large_hierarchy_is_stored_once_next_to_the_rest(
    clinic: Project, kept: Recovery, after_crash: Recovery, config_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recovery, "_LARGE", 500)
    kept.write(clinic, STATE, None)
    stored = {path: path.stat().st_ino for path in folder_of(config_dir).glob("*.member")}
    assert len(stored) > 1
    kept.write(replace(clinic, name="other"), STATE, None)
    assert {path: path.stat().st_ino for path in folder_of(config_dir).glob("*.member")} == stored
    (offer,) = after_crash.offers()
    assert project_differences(replace(clinic, name="other"), after_crash.read(offer).project) == ()


@pytest.mark.skipif(os.name == "nt", reason="permissions of POSIX")
def test_only_the_owner_may_read_stored_work(clinic: Project, kept: Recovery, config_dir: Path) -> None:
    kept.write(clinic, STATE, None)
    folder = folder_of(config_dir)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o600}


def test_cleared_or_discarded_work_is_removed(
    clinic: Project, kept: Recovery, after_crash: Recovery, config_dir: Path
) -> None:
    kept.write(clinic, STATE, None)
    kept.clear()
    assert after_crash.offers() == ()
    kept.write(clinic, STATE, None)
    (offer,) = after_crash.offers()
    after_crash.discard(offer)
    assert after_crash.offers() == ()
    assert list((config_dir / "recovery").iterdir()) == []


def test_a_folder_in_which_nothing_was_kept_yet_is_removed_after_a_crash(
    clinic: Project, kept: Recovery, after_crash: Recovery, config_dir: Path
) -> None:
    kept.write(clinic, STATE, None)
    (folder_of(config_dir) / "project.anon").unlink()
    assert after_crash.offers() == ()
    assert list((config_dir / "recovery").iterdir()) == []


def test_work_stored_before_stays_when_the_disk_is_full(
    clinic: Project, kept: Recovery, after_crash: Recovery, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept.write(clinic, STATE, None)

    def full(number: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(ExportError, match="No space left"):
            kept.write(replace(clinic, name="later"), STATE, None)
    (offer,) = after_crash.offers()
    assert project_differences(clinic, after_crash.read(offer).project) == ()
    kept.write(replace(clinic, name="later"), STATE, None)
    assert [offer.name for offer in after_crash.offers()] == ["later"]


def test_a_place_where_nothing_can_be_stored_is_named(clinic: Project, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file")
    with pytest.raises(ExportError, match="Unsaved work cannot be stored in"):
        Recovery(tmp_path / "taken").write(clinic, STATE, None)
    assert Recovery(tmp_path / "taken").offers() == ()


@pytest.mark.parametrize("name", ["project.anon", "table"])
def test_what_was_damaged_meanwhile_is_refused_with_a_sentence(
    clinic: Project, kept: Recovery, after_crash: Recovery, config_dir: Path, name: str
) -> None:
    kept.write(clinic, STATE, None)
    folder = folder_of(config_dir)
    path = folder / name if name != "table" else next(folder.glob("*.member"))
    path.write_bytes(path.read_bytes()[:100])
    (offer,) = after_crash.offers()
    with pytest.raises(ProjectFileError, match="damaged"):
        after_crash.read(offer)
    after_crash.discard(offer)
    with pytest.raises(ProjectFileError, match="does not exist"):
        after_crash.read(offer)


def test_a_project_that_was_never_saved_still_knows_the_path_of_its_table(
    clinic: Project, kept: Recovery, after_crash: Recovery
) -> None:
    kept.write(clinic, STATE, None)
    (offer,) = after_crash.offers()
    assert after_crash.read(offer).project.source == clinic.source.absolute()


def test_a_project_without_a_file_of_its_table_has_none_after_a_crash_either(
    clinic: Project, kept: Recovery, after_crash: Recovery
) -> None:
    kept.write(replace(clinic, source=None), STATE, None)
    (offer,) = after_crash.offers()
    assert after_crash.read(offer).project.source is None
