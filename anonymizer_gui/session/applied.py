"""The applied release: what it was made with, how it differs from the settings, and whether it may leave."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, Protocol
from weakref import WeakSet, ref

from PySide6.QtCore import QObject, Signal

from anonymizer_gui.session.reading import Reading
from anonymizer_gui.session.staleness import stale_text
from anonymizer_gui.session.table_versions import KeptProject, TableVersions
from engine.advice.findings import listed
from engine.project import Project
from engine.words import ngettext

if TYPE_CHECKING:
    from engine.lattice import Node
    from engine.recoding import Release


class Asked(Protocol):
    """Who knows the project."""

    reading: Reading

    @property
    def project(self) -> Project | None: ...


class Applied(QObject):
    """One release or none; one that undo came to and nothing holds any more is lost until made again."""

    changed = Signal(object)  # Release or None
    stale_changed = Signal(str)

    def __init__(self, asked: Asked, tables: TableVersions, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._asked = asked
        self._release: Release | None = None
        self._made_with: Project | None = None
        self._stale_text = ""
        self._kept = KeptReleases(tables)
        self._lost: KeptRelease | None = None
        self._put_back: WeakSet[Release] = WeakSet()

    @property
    def release(self) -> Release | None:
        """The applied release."""
        return self._release

    @property
    def made_with(self) -> Project | None:
        """The project as it was when the release was made."""
        return self._made_with

    @property
    def lost(self) -> LostRelease | None:
        """The release that undo or redo came to and that nothing holds any more."""
        return None if self._lost is None else self._kept.lost(self._lost)

    @property
    def stale_text(self) -> str:
        """How the release differs from the settings; empty if it does not."""
        return self._stale_text

    @property
    def node(self) -> Node | None:
        """The node whose release is the current one."""
        return self._release.node if self._release is not None and not self._stale_text else None

    @property
    def why_undecided(self) -> str:
        """Why nothing can be applied or leave since a column has no role; empty where all have one."""
        names = () if self._asked.project is None else self._asked.project.undecided
        if not names:
            return ""
        return ngettext(
            "give every column a role first: {names} has none",
            "give every column a role first: {names} have none",
            len(names),
        ).format(names=listed(names))

    @property
    def can_release(self) -> str:
        """Why the applied release may not leave; empty where it may.

        How records leave is no reason: the export makes the release again for that.
        """
        project = self._asked.project
        if project is None:
            return self.tr("open a table first")
        if self._asked.reading.is_provisional:
            return self.tr("the table is still being read")
        if why := self.why_undecided:
            return why
        if self._release is None or self._made_with is None:
            return self.tr("apply a node first, such as the optimum")
        made_with = replace(self._made_with, transformation=project.transformation)
        return stale_text(made_with, project)

    def set(self, release: Release | None, made_with: Project | None = None) -> None:
        """Make a release the applied one; `made_with` is the project it came from (now's by default)."""
        self._release, self._lost = release, None
        self._made_with = (made_with or self._asked.project) if release is not None else None
        self.tell()
        self.compare()

    def put_back(self, release: Release, made_with: Project) -> None:
        """Take the release that was lost, made again; it is no new one."""
        self._put_back.add(release)
        self.set(release, made_with)

    def was_put_back(self, release: Release) -> bool:
        """Whether a release was applied before and is only made again."""
        return release in self._put_back

    def forget(self) -> None:
        """Know no release of another project; who opens it says when it is told."""
        self._release = self._made_with = self._lost = None
        self._kept.clear()

    def keep(self, release: Release, made_with: Project) -> KeptRelease:
        """What an undo step holds of a release."""
        return self._kept.keep(release, made_with)

    def swap(self, kept: KeptRelease | None) -> KeptRelease | None:
        """Take the release of a step, or none, and tell nobody; the answer is what was applied until now."""
        before = self._lost
        if self._release is not None and self._made_with is not None:
            before = self._kept.leave(self._release, self._made_with)
        found = None if kept is None else self._kept.found(kept)
        self._release, self._made_with = found or (None, None)
        self._lost = kept if found is None else None
        return before

    def tell(self) -> None:
        """Announce the release."""
        self.changed.emit(self._release)

    def compare(self) -> None:
        """Say how the release differs from the settings of now, if that is another answer than before."""
        text = ""
        if self._made_with is not None and self._asked.project is not None:
            text = stale_text(self._made_with, self._asked.project)
        if text != self._stale_text:
            self._stale_text = text
            self.stale_changed.emit(text)


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
