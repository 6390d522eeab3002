"""Full disk and lost permission at every single write: the target is unchanged or complete."""

from __future__ import annotations

import errno
import io
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine import files
from engine.errors import ExportError
from engine.pipeline import anonymize, export_release
from engine.project import Project
from engine.project.pins_and_runs import ProjectState
from engine.project.recipe.files import read_recipe, write_recipe
from engine.project.storage import recovery
from engine.project.storage.file import open_project, save_project
from engine.project.storage.recovery import Recovery
from engine.records.opening.files import read_table
from engine.records.text.writing import write_csv

ERRORS = {"full": errno.ENOSPC, "forbidden": errno.EACCES, "broken": errno.EIO}


class Faults:
    """Counts the calls that write to the disk, and lets one of them fail."""

    def __init__(self, failing: int, number: int) -> None:
        self.failing = failing
        self.number = number
        self.n_calls = 0

    def meet(self) -> None:
        self.n_calls += 1
        if self.n_calls == self.failing:
            raise OSError(self.number, os.strerror(self.number))

    def before(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def reached(*args: Any, **kwargs: Any) -> Any:
            self.meet()
            return call(*args, **kwargs)

        return reached


@contextmanager
def faults(failing: int, number: int) -> Iterator[Faults]:
    """Let the n-th call that writes, or prepares writing, fail; 0 lets all pass."""
    met = Faults(failing, number)

    class Disk(io.FileIO):
        def write(self, data: Any) -> int | None:
            met.meet()
            return super().write(data)

    def opened(file: Any, mode: str = "r", *args: Any, **kwargs: Any) -> Any:
        if mode == "wb":
            return io.BufferedWriter(Disk(file, "wb"), 512)  # many writes, as of a large file
        return open(file, mode, *args, **kwargs)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "open", opened, raising=False)
        for name in ("fsync", "chmod", "replace", "open", "mkdir"):
            patch.setattr(os, name, met.before(getattr(os, name)))
        yield met


def at_every_write(
    act: Callable[[], object], folder: Path, config_dir: Path, is_whole: Callable[[], bool]
) -> int:
    """Fail at each write in turn; check that every file is the previous or the complete new one."""
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    with faults(0, 0) as counted:
        act()
    after = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert is_whole()
    for failing in range(1, counted.n_calls + 1):
        number = list(ERRORS.values())[failing % len(ERRORS)]
        for path in set(after) - set(before):
            path.unlink(missing_ok=True)
        for path, data in before.items():
            path.write_bytes(data)
        with faults(failing, number), suppress(ExportError):
            act()
        for path in (path for path in folder.rglob("*") if path.is_file()):
            assert path.read_bytes() in (before.get(path), after.get(path)), f"{path.name} at {failing}"
        assert not list(folder.rglob("*.part"))
        assert not list((config_dir / "parts").glob("*")), "nothing is left to sweep"
    return counted.n_calls


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """Return a project small enough to be saved a hundred times."""
    source = tmp_path / "source" / "people.csv"
    source.parent.mkdir()
    rows = "".join(f"{number % 7},{'ab'[number % 2]},{number}\n" for number in range(300))
    source.write_text(f"age,sex,id\n{rows}", encoding="utf-8")
    table, options = read_table(source)
    return Project("people", None, options, table)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return the folder that is written to."""
    made = tmp_path / "out"
    made.mkdir()
    return made


def test_a_project_is_unchanged_or_saved_whichever_write_fails(
    project: Project, folder: Path, config_dir: Path
) -> None:
    path = folder / "people.anon"
    save_project(Project("before", None, project.options, project.table), path)
    n_writes = at_every_write(
        lambda: save_project(project, path), folder, config_dir, lambda: open_project(path).losses == ()
    )
    assert n_writes > 8


def test_a_table_is_unchanged_or_written_whichever_write_fails(
    project: Project, folder: Path, config_dir: Path
) -> None:
    path = folder / "people.csv"
    path.write_text("before\n", encoding="utf-8")
    table = project.table
    n_writes = at_every_write(
        lambda: write_csv(path, table.names, [(c.labels, c.codes) for c in table.columns]),
        folder,
        config_dir,
        lambda: path.read_bytes().startswith(b"age,sex,id"),
    )
    assert n_writes > 8


def test_a_recipe_and_its_hierarchies_are_each_unchanged_or_written(
    project: Project, folder: Path, config_dir: Path
) -> None:
    path = folder / "people.toml"
    path.write_text("before = 1\n", encoding="utf-8")
    at_every_write(
        lambda: write_recipe(project, path), folder, config_dir, lambda: b"[data]" in path.read_bytes()
    )


def test_a_folder_without_write_permission_is_named(project: Project, folder: Path, config_dir: Path) -> None:
    path = folder / "people.anon"
    words = r"people\.anon' could not be written: Permission denied"
    folder_of_notes = config_dir / "parts"
    folder_of_notes.mkdir()
    with faults(4, errno.EACCES), pytest.raises(ExportError, match=words) as caught:
        save_project(project, path)
    assert "is unchanged" in caught.value.hint
    assert not path.exists()


def test_recovery_data_is_the_previous_or_the_new_state(
    project: Project, config_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recovery, "is_running", lambda pid, start: False)
    after = replace(project, name="after", table=project.table.take(np.arange(200)))
    kept = Recovery()
    kept.write(project, ProjectState(), None)
    with faults(0, 0) as counted:
        kept.write(after, ProjectState(), None)
    assert counted.n_calls > 8
    for failing in range(1, counted.n_calls + 1):
        kept.write(project, ProjectState(), None)
        with faults(failing, errno.ENOSPC), suppress(ExportError):
            kept.write(after, ProjectState(), None)
        (offer,) = Recovery().offers()
        found = Recovery().read(offer).project
        assert (found.name, found.table.n_records) in (("people", 300), ("after", 200))
        assert not list((config_dir / "recovery").rglob("*.part"))


def test_a_release_is_unchanged_or_exported_whichever_write_fails(
    examples: Path, folder: Path, config_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANONYMIZER_SCRATCH_DIR", str(tmp_path / "scratch"))
    hospital = read_recipe(examples / "hospital" / "recipe.toml")
    release = anonymize(hospital).release
    path = folder / "released.csv"
    path.write_text("before\n", encoding="utf-8")
    at_every_write(
        lambda: export_release(hospital, release, path),
        folder,
        config_dir,
        lambda: path.read_text(encoding="utf-8").count("\n") == 14,
    )
    assert not list((tmp_path / "scratch").iterdir())
