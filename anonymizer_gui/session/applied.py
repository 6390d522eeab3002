"""Applied release: the settings it was made with, how they differ now, and whether export is possible."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, Protocol
from weakref import WeakSet, ref

from PySide6.QtCore import QObject, Signal

from anonymizer_gui.session.reading import Reading
from anonymizer_gui.session.staleness import stale_text, with_export_settings
from anonymizer_gui.session.table_versions import ProjectVersion, TableVersions
from engine.advice.findings import listed
from engine.project import Project
from engine.words import ngettext

if TYPE_CHECKING:
    from engine.lattice import Node
    from engine.recoding import Release


class ProjectSource(Protocol):
    """Source of the current project."""

    reading: Reading

    @property
    def project(self) -> Project | None: ...


class Applied(QObject):
    """The applied release, or none; a release that undo returns to may have to be recomputed."""

    changed = Signal(object)  # Release or None
    stale_changed = Signal(str)

    def __init__(self, source: ProjectSource, tables: TableVersions, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._source = source
        self._release: Release | None = None
        self._made_with: Project | None = None
        self._stale_text = ""
        self._cache = ReleaseCache(tables)
        self._evicted: ReleaseRecord | None = None
        self._put_back: WeakSet[Release] = WeakSet()

    @property
    def release(self) -> Release | None:
        """The applied release."""
        return self._release

    @property
    def made_with(self) -> Project | None:
        """Project that the release was made from."""
        return self._made_with

    @property
    def evicted(self) -> EvictedRelease | None:
        """Release that undo or redo returned to and that must be recomputed, or None."""
        return None if self._evicted is None else self._cache.evicted(self._evicted)

    @property
    def stale_text(self) -> str:
        """Differences between release and settings in words; empty if there are none."""
        return self._stale_text

    @property
    def node(self) -> Node | None:
        """Node of the applied release."""
        return self._release.node if self._release is not None and not self._stale_text else None

    @property
    def why_undecided(self) -> str:
        """Reason why nothing can be applied or exported while a column has no role; empty if all have one."""
        names = () if self._source.project is None else self._source.project.undecided
        if not names:
            return ""
        return ngettext(
            "give every column a role first: {names} has none",
            "give every column a role first: {names} have none",
            len(names),
        ).format(names=listed(names))

    @property
    def can_release(self) -> str:
        """Reason why the applied release cannot be exported; empty if it can.

        Changed export settings are not a reason: export recomputes the release for them.
        """
        project = self._source.project
        if project is None:
            return self.tr("open a table first")
        if self._source.reading.is_provisional:
            return self.tr("the table is still being read")
        if why := self.why_undecided:
            return why
        if self._release is None or self._made_with is None:
            return self.tr("apply a node first, such as the optimum")
        return stale_text(with_export_settings(self._made_with, project), project)

    def set(self, release: Release | None, made_with: Project | None = None) -> None:
        """Make a release the applied one; `made_with` is its project (by default the current one)."""
        self._release, self._evicted = release, None
        self._made_with = (made_with or self._source.project) if release is not None else None
        self.announce()
        self.compare()

    def restore(self, release: Release, made_with: Project) -> None:
        """Restore the recomputed release; it does not count as a new one."""
        self._put_back.add(release)
        self.set(release, made_with)

    def was_restored(self, release: Release) -> bool:
        """Return whether a release was applied before and has only been recomputed."""
        return release in self._put_back

    def forget(self) -> None:
        """Discard the release of the previous project; the caller announces this with `announce`."""
        self._release = self._made_with = self._evicted = None
        self._cache.clear()

    def record(self, release: Release, made_with: Project) -> ReleaseRecord:
        """Return the record of a release for an undo step."""
        return self._cache.record(release, made_with)

    def swap(self, record: ReleaseRecord | None) -> ReleaseRecord | None:
        """Set the release of a step, or none, without a signal; return the record of the previous release."""
        before = self._evicted
        if self._release is not None and self._made_with is not None:
            before = self._cache.store(self._release, self._made_with)
        found = None if record is None else self._cache.find(record)
        self._release, self._made_with = found or (None, None)
        self._evicted = record if found is None else None
        return before

    def announce(self) -> None:
        """Emit the signals for the current release."""
        self.changed.emit(self._release)

    def compare(self) -> None:
        """Emit a signal if the difference between release and current settings has changed."""
        text = ""
        if self._made_with is not None and self._source.project is not None:
            text = stale_text(self._made_with, self._source.project)
        if text != self._stale_text:
            self._stale_text = text
            self.stale_changed.emit(text)


N_CACHED = 2  # undo directly after applying restores from memory


class CachedRelease(NamedTuple):
    """Applied release with its project."""

    release: Release | None
    made_with: Project | None


class ReleaseRecord(NamedTuple):
    """Node and project of a release, with a weak reference to the release."""

    node: Node | None
    release: Callable[[], Release | None]
    made_with: ProjectVersion | Project  # the project if its table is not a version of `TableVersions`


class EvictedRelease(NamedTuple):
    """Node and project of a release that must be recomputed at this step."""

    node: Node | None
    made_with: Project


class ReleaseCache:
    """Records of releases for the undo steps that remove or restore them."""

    def __init__(self, tables: TableVersions) -> None:
        self._tables = tables
        self._latest: deque[CachedRelease] = deque(maxlen=N_CACHED)

    def clear(self) -> None:
        """Remove all records."""
        self._latest.clear()

    def store(self, release: Release, made_with: Project) -> ReleaseRecord:
        """Return the record of a replaced release; the latest ones stay in memory."""
        self._latest.append(CachedRelease(release, made_with))
        return self.record(release, made_with)

    def record(self, release: Release, made_with: Project) -> ReleaseRecord:
        """Return the record of how a release was made."""
        return ReleaseRecord(release.node, ref(release), self._tables.version_of(made_with) or made_with)

    def evicted(self, record: ReleaseRecord) -> EvictedRelease:
        """Return how to recompute a release."""
        return EvictedRelease(record.node, self._project(record))

    def find(self, record: ReleaseRecord) -> CachedRelease | None:
        """Return the release if it is still in memory, else None."""
        release = record.release()
        return None if release is None else CachedRelease(release, self._project(record))

    def _project(self, record: ReleaseRecord) -> Project:
        if isinstance(record.made_with, Project):
            return record.made_with
        return self._tables.look(record.made_with)
