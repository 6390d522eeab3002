"""Applied release: the settings it was made with, how they differ now, and whether export is possible."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakSet, ref

from PySide6.QtCore import QObject, Signal

from anonymizer_gui.session.parts import ProjectSource
from anonymizer_gui.session.table_versions import ProjectVersion, TableVersions
from engine.advice.findings import listed
from engine.numbers import as_percent
from engine.privacy import PrivacyModel, Requirement
from engine.project import Project, SearchSettings
from engine.recoding.base import RecodingMethod
from engine.words import _, ngettext

if TYPE_CHECKING:
    from engine.lattice import Node
    from engine.recoding import Release


class Applied(QObject):
    """The applied release, or none; a release that undo returns to may have to be recomputed."""

    changed = Signal(object)  # Release or None
    stale_changed = Signal(str)

    def __init__(self, source: ProjectSource, tables: TableVersions, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._source = source
        self.release: Release | None = None
        self.made_with: Project | None = None
        self.stale_text = ""
        self._cache = ReleaseCache(tables)
        self._evicted: ReleaseRecord | None = None
        self._put_back: WeakSet[Release] = WeakSet()

    @property
    def evicted(self) -> EvictedRelease | None:
        """Release that undo or redo returned to and that must be recomputed, or None."""
        return None if self._evicted is None else self._cache.evicted(self._evicted)

    @property
    def node(self) -> Node | None:
        """Node of the applied release."""
        return self.release.node if self.release is not None and not self.stale_text else None

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
        if self.release is None or self.made_with is None:
            return self.tr("apply a node first, such as the optimum")
        return stale_text(with_export_settings(self.made_with, project), project)

    def set(self, release: Release | None, made_with: Project | None = None) -> None:
        """Make a release the applied one; `made_with` is its project (by default the current one)."""
        self.release, self._evicted = release, None
        self.made_with = (made_with or self._source.project) if release is not None else None
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
        self.release = self.made_with = self._evicted = None
        self._cache.clear()

    def record(self, release: Release, made_with: Project) -> ReleaseRecord:
        """Return the record of a release for an undo step."""
        return self._cache.record(release, made_with)

    def swap(self, record: ReleaseRecord | None) -> ReleaseRecord | None:
        """Set the release of a step, or none, without a signal; return the record of the previous release."""
        before = self._evicted
        if self.release is not None and self.made_with is not None:
            before = self._cache.store(self.release, self.made_with)
        found = None if record is None else self._cache.find(record)
        self.release, self.made_with = found or (None, None)
        self._evicted = record if found is None else None
        return before

    def announce(self) -> None:
        """Emit the signals for the current release."""
        self.changed.emit(self.release)

    def compare(self) -> None:
        """Emit a signal if the difference between release and current settings has changed."""
        text = ""
        if self.made_with is not None and self._source.project is not None:
            text = stale_text(self.made_with, self._source.project)
        if text != self.stale_text:
            self.stale_text = text
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


def stale_text(made_with: Project, now: Project) -> str:
    """Return the differences as one short sentence, or an empty text if there are none."""
    if made_with.table is not now.table:
        return _("Release was made from another import of the table")
    if made_with.roles != now.roles or made_with.qi_order != now.qi_order:
        return _("Release was made with other roles")
    if made_with.person != now.person:
        return _person_text(made_with.person)
    if (made_with.weight, made_with.household) != (now.weight, now.household):
        return _("Release was made with other survey weights or households")
    if dict(made_with.hierarchies) != dict(now.hierarchies):
        return _("Release was made with other hierarchies")
    if dict(made_with.microaggregation) != dict(now.microaggregation):
        return _("Release was made with other aggregates of classes")
    if (made_with.population, made_with.subset) != (now.population, now.subset):
        return _("Release was made with another population or subset")
    if dict(made_with.rules) != dict(now.rules):
        return _("Release was made with other rules of columns")
    if made_with.requirement != now.requirement:
        return _requirement_text(made_with.requirement, now.requirement)
    if made_with.recoding != now.recoding:
        return _recoding_text(made_with.recoding, now.recoding)
    if made_with.recoding is not None and (text := _search_text(made_with.search, now.search)):
        return text
    if made_with.others_as_qi != now.others_as_qi:
        return _("Release was made with another assumption about the other sensitive columns")
    if made_with.transformation != now.transformation:
        return _("Release was made with other export settings")
    if made_with.answers != now.answers:
        return _("Release was made with other answers to the questionnaire")
    return ""


def with_export_settings(made_with: Project, now: Project) -> Project:
    """Return the project with the current export settings and ledger; rules that models depend on stay."""
    return replace(
        made_with,
        requirement=replace(made_with.requirement, earlier=now.requirement.earlier),
        transformation=replace(now.transformation, rules=made_with.rules),
    )


def made_with_text(made_with: Project, now: Project) -> str:
    """Return the differences that matter for the evaluation of nodes; empty if there are none.

    Algorithms and their limits are ignored, as are settings that apply after a node is chosen.
    """
    alike = with_export_settings(replace(made_with, recoding=now.recoding, answers=now.answers), now)
    text = stale_text(alike, now) or _search_text(made_with.search, now.search)
    if not text and made_with.transformation.seed != now.transformation.seed:
        text = _("Release was made with another seed")
    return text.replace(_("Release was made"), _("Made"), 1)


def _person_text(counted: str | None) -> str:
    what = (
        _("every record as one person")
        if counted is None
        else _("people by {counted}").format(counted=counted)
    )
    return _("Release was made counting {what}").format(what=what)


def _requirement_text(old: Requirement, new: Requirement) -> str:
    if old.models != new.models:
        pairs = list(zip(old.models, new.models, strict=False))
        same_kinds = len(old.models) == len(new.models) and all(_same_kind(a, b) for a, b in pairs)
        changed = [(a, b) for a, b in pairs if a != b]
        if same_kinds and len(changed) == 1:
            was, now = changed[0]
            return _("Release was made with {symbol} = {limit:g}, current setting {limit_2:g}").format(
                symbol=was.symbol, limit=was.limit, limit_2=now.limit
            )
        return _("Release was made with other privacy models")
    was_limit, now_limit = (as_percent(r.suppression_limit) for r in (old, new))
    return _("Release was made with a suppression limit of {was_limit}, current setting {now_limit}").format(
        was_limit=was_limit, now_limit=now_limit
    )


def _recoding_text(old: RecodingMethod | None, new: RecodingMethod | None) -> str:
    if old is not None and new is not None and old.key == new.key:
        return _("Release was made with other settings of {title}").format(title=old.title)
    was, now = (method.title if method is not None else "none" for method in (old, new))
    if old is None:
        return _("Release was made without local recoding, current setting {now}").format(now=now)
    return _("Release was made with {was}, current setting {now}").format(was=was, now=now)


def _search_text(old: SearchSettings, new: SearchSettings) -> str:
    """Return differences in recoding settings; a node does not depend on the search that found it."""
    if (old.metric, old.metric_options) != (new.metric, new.metric_options):
        return _("Release was made for another metric")
    return _("Release was made with other weights") if old.weights != new.weights else ""


def _same_kind(a: PrivacyModel, b: PrivacyModel) -> bool:
    """Return whether two models differ in their threshold only."""
    return a.key == b.key and a.with_limit(b.limit) == b
