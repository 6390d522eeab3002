"""The lock of the open project file covers every path to it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from anonymizer_gui.session.locked_project_file import LockedProjectFile
from engine.project.storage.lock import LockOwner, lock_project


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_a_path_through_a_linked_folder_is_the_same_file(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    by_name, by_link = tmp_path / "real" / "x.anon", tmp_path / "link" / "x.anon"
    by_name.write_text("unchanged")
    file = LockedProjectFile()
    assert file.take(by_link) is None
    file.note(by_link)
    assert file.take(by_name) is None
    assert not file.has_changed(by_name)
    file.release_others(by_name)
    assert isinstance(lock_project(by_name), LockOwner)
    file.release_others(None)
    assert not isinstance(lock_project(by_name), LockOwner)
