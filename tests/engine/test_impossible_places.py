"""Every writer of files, at places that cannot be written: `ExportError`, and nothing is left there."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from engine.arx.writing import write_for_arx
from engine.errors import ExportError
from engine.hierarchies.files import write_hierarchy
from engine.pipeline import anonymize, export_release
from engine.project import AttributeHierarchy, Project, edits
from engine.project.export_bundle import PARTS, existing_files, write_bundle
from engine.project.recipe.files import read_recipe, write_recipe
from engine.project.storage.file import save_project
from engine.recoding.rules.keyed_hash import make_key
from engine.records.text.writing import write_csv

Writer = Callable[[Path], object]


@pytest.fixture(scope="module")
def project(examples: Path) -> Project:
    """Return the hospital example with a hierarchy of its own, which a recipe needs a folder for."""
    made = read_recipe(examples / "hospital" / "recipe.toml")
    own = AttributeHierarchy(made.hierarchies["gender"].hierarchy)
    return edits.set_hierarchy(made, "gender", own)


@pytest.fixture(scope="module")
def writers(project: Project) -> dict[str, Writer]:
    release = anonymize(project).release
    return {
        "release": partial(export_release, project, release, overwrite=False),
        "parts": partial(export_release, project, release, in_parts=True),
        "project": partial(save_project, project),
        "recipe": partial(write_recipe, project),
        "for ARX": partial(write_for_arx, project),
        "about": lambda path: write_bundle(project, release, path, PARTS),
        "asked about": lambda path: (
            existing_files(project, release, path, PARTS),
            write_bundle(project, release, path, PARTS, overwrite=True),
        ),
        "hierarchy": lambda path: write_hierarchy(project.hierarchies["age"].hierarchy, path),
        "table": lambda path: write_csv(path, ["a"], [["b"]]),
        "key": make_key,
    }


KINDS = (
    *("release", "parts", "project", "recipe", "for ARX", "about", "asked about"),
    *("hierarchy", "table", "key"),
)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["missing/place", "file/place", "n" * 300, "missing/" + "n" * 300])
def test_a_place_that_cannot_exist_is_refused_by_a_sentence(
    writers: dict[str, Writer], tmp_path: Path, kind: str, name: str
) -> None:
    (tmp_path / "file").touch()
    if kind in ("for ARX", "about", "asked about") and name == "missing/place":
        writers[kind](tmp_path / name)  # makes the folders
        return
    with pytest.raises(ExportError) as refused:
        writers[kind](tmp_path / name)
    assert refused.value.problem.endswith(".")
    assert refused.value.hint
    left = sorted(path.name for path in tmp_path.rglob("*"))
    assert left in (["file"], ["file", "missing"])


@pytest.mark.parametrize("kind", KINDS)
def test_a_place_that_may_only_be_read_is_refused_by_a_sentence(
    writers: dict[str, Writer], tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_file = os.open

    def refuse(path: object, *arguments: int, **named: object) -> int:
        if str(tmp_path) in str(path) and arguments[0] & os.O_CREAT:
            raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(path))
        return open_file(path, *arguments, **named)  # type: ignore[arg-type]

    def refuse_folder(path: object, *_arguments: int, **_named: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(path))

    monkeypatch.setattr(os, "open", refuse)
    if kind in ("parts", "recipe", "for ARX", "about", "asked about"):
        monkeypatch.setattr(os, "mkdir", refuse_folder)
    with pytest.raises(ExportError, match="Read-only file system") as refused:
        writers[kind](tmp_path / "place")
    assert refused.value.hint
    monkeypatch.undo()
    assert list(tmp_path.iterdir()) == []
