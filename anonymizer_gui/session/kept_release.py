"""What undo steps keep of releases: those left last whole, of all others how they were made."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple
from weakref import ref

from anonymizer_gui.session.table_versions import KeptProject, TableVersions
from engine.project import Project

if TYPE_CHECKING:
    from engine.lattice import Node
    from engine.recoding import Release

N_WHOLE = 2  # so that what was just taken back comes again at once


class Released(NamedTuple):
    """The applied release, and the project it was made with."""

    release: Release | None
    made_with: Project | None


class KeptRelease(NamedTuple):
    """A release as its node and its project, and as itself while something else holds it."""

    node: Node | None
    release: Callable[[], Release | None]
    made_with: KeptProject | Project  # as it is where its table is none that a step goes back to


class LostRelease(NamedTuple):
    """A release that stands at this step and is to be made again."""

    node: Node | None
    made_with: Project


class KeptReleases:
    """Remembers releases for the steps that take them away or bring them back."""

    def __init__(self, tables: TableVersions) -> None:
        self._tables = tables
        self._whole: deque[Released] = deque(maxlen=N_WHOLE)

    def clear(self) -> None:
        """Forget every release."""
        self._whole.clear()

    def leave(self, release: Release, made_with: Project) -> KeptRelease:
        """Remember a release that another one takes the place of, whole until some more are left."""
        self._whole.append(Released(release, made_with))
        return self.keep(release, made_with)

    def keep(self, release: Release, made_with: Project) -> KeptRelease:
        """Remember how a release was made."""
        return KeptRelease(release.node, ref(release), self._tables.kept(made_with) or made_with)

    def lost(self, kept: KeptRelease) -> LostRelease:
        """How a release is made again."""
        return LostRelease(kept.node, self._project(kept))

    def found(self, kept: KeptRelease) -> Released | None:
        """A release that somebody still holds."""
        release = kept.release()
        return None if release is None else Released(release, self._project(kept))

    def _project(self, kept: KeptRelease) -> Project:
        if isinstance(kept.made_with, Project):
            return kept.made_with
        return self._tables.look(kept.made_with)
