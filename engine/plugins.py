"""Installed plug-ins: packages with further members of families, loaded when one is first needed.

A package offers a member by an entry point: its group names the kind, its name is the key of the member.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from engine.shipped import is_clone, plugins_path
from engine.words import N_, _

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint  # its import takes a third of the time of --help

MODELS, METRICS, BUILDERS = "anonymizer.models", "anonymizer.metrics", "anonymizer.builders"
ALGORITHMS, RECODING, READERS = "anonymizer.algorithms", "anonymizer.recoding", "anonymizer.readers"
MEASURES, JUDGES, JUDGE_READERS = "anonymizer.measures", "anonymizer.judges", "anonymizer.judge_readers"
PROGRAMS = "anonymizer.programs"
KINDS: Mapping[str, str] = {
    MODELS: N_("model"),
    METRICS: N_("metric"),
    BUILDERS: N_("builder"),
    ALGORITHMS: N_("algorithm"),
    RECODING: N_("recoding method"),
    READERS: N_("reader"),
    MEASURES: N_("measure"),
    JUDGES: N_("verifier"),
    JUDGE_READERS: N_("verification reader"),
    PROGRAMS: N_("other program"),
}
_PREFIX = "anonymizer."
_KEY = re.compile(r"[a-z0-9][a-z0-9_]*")


@dataclass(frozen=True)
class Offer:
    """One entry point of an installed package.

    Attributes
    ----------
    group : str
        Kind of the member, one of `KINDS`.
    key : str
        Key of the member.
    package, version : str
        Name and version of the package.
    """

    group: str
    key: str
    package: str
    version: str
    entry: EntryPoint = field(compare=False, repr=False)

    @property
    def kind(self) -> str:
        """Kind of the member in words."""
        return _(KINDS.get(self.group, N_("member")))

    @property
    def source(self) -> str:
        """Package and version."""
        return titled(self.package, self.version)


def titled(package: str, version: str) -> str:
    """Return package and version as one text; a version may be empty."""
    return f"{package} {version}".strip()


_refused: dict[Offer, str] = {}
_loaded: dict[Offer, Any] = {}


@lru_cache(maxsize=1)
def _offers() -> Mapping[str, tuple[Offer, ...]]:
    """Return the offers of all installed packages by group, without importing any of them."""
    from importlib.metadata import entry_points

    found: dict[str, list[Offer]] = {}
    every = entry_points()
    for group in filter(lambda group: group.startswith(_PREFIX), every.groups):
        for entry in every.select(group=group):
            package = "" if entry.dist is None else entry.dist.name
            version = "" if entry.dist is None else entry.dist.version
            offer = Offer(entry.group, entry.name, package, version, entry)
            found.setdefault(entry.group, []).append(offer)
            if entry.group not in KINDS:
                refuse(offer, _("unknown group '{group}'").format(group=entry.group))
    return {
        group: tuple(sorted(offers, key=lambda offer: (offer.key, offer.package)))
        for group, offers in found.items()
    }


@lru_cache(maxsize=1)
def _of_clone() -> tuple[Offer, ...]:
    """Return the offers of the plug-ins that a clone has as folders; they are used without installation."""
    import tomllib
    from importlib.metadata import EntryPoint

    found = []
    for path in sorted(plugins_path().glob("*/pyproject.toml")) if is_clone() else ():
        project = tomllib.loads(path.read_text("utf-8"))["project"]
        sys.path.append(str(path.parent))
        for group, members in project["entry-points"].items():
            for key, place in members.items():
                entry = EntryPoint(key, place, group)
                found.append(Offer(group, key, project["name"], project["version"], entry))
    return tuple(found)


def offers(group: str) -> tuple[Offer, ...]:
    """Return what packages offer of one kind, ordered by key: installed ones, and those of a clone."""
    installed = _offers().get(group, ())
    packages = {offer.package for offer in installed}
    further = [offer for offer in _of_clone() if offer.group == group and offer.package not in packages]
    return (*installed, *further)


def all_offers() -> tuple[Offer, ...]:
    """Return what installed packages offer of every kind, unknown kinds included."""
    order = {group: place for place, group in enumerate(KINDS)}
    groups = sorted(_offers(), key=lambda group: (order.get(group, len(order)), group))
    return tuple(offer for group in groups for offer in _offers()[group])


def load(
    group: str, own: Callable[[str], bool], why_not: Callable[[Offer, Any], str]
) -> dict[str, tuple[Offer, Any]]:
    """Import what packages offer of one kind; what cannot be used is refused, and the reason recorded.

    Parameters
    ----------
    own : callable
        Returns whether the program itself has a member with a key.
    why_not : callable
        Returns why an imported object cannot be a member; empty if it can.
    """
    found: dict[str, tuple[Offer, Any]] = {}
    all_of_kind = offers(group)
    for offer in all_of_kind:
        others = [other for other in all_of_kind if other.key == offer.key and other is not offer]
        if not _KEY.fullmatch(offer.key):
            refuse(offer, _("its name may contain only lower-case letters, digits and '_'"))
        elif own(offer.key):
            reason = _("the program itself has the {kind} '{key}', which {package} may not replace")
            refuse(offer, reason.format(kind=offer.kind, key=offer.key, package=offer.package))
        elif others:
            reason = _("{package} offers the {kind} '{key}' too")
            refuse(offer, reason.format(package=others[0].source, kind=offer.kind, key=offer.key))
        else:
            try:
                member = offer.entry.load()
                reason = why_not(offer, member)
            except (Exception, SystemExit) as error:  # a plug-in may fail in any way; the program goes on
                reason = f"{type(error).__name__}: {error}"
            if reason:
                refuse(offer, reason)
            else:
                found[offer.key] = offer, member
                _loaded[offer] = member
    return found


def refuse(offer: Offer, reason: str) -> None:
    """Record why an offer cannot be used."""
    _refused[offer] = " ".join(reason.split()).rstrip(".")


def refused() -> Mapping[Offer, str]:
    """Return the reasons why offers could not be used, among those that were loaded."""
    return dict(_refused)


def why_refused(group: str, key: str) -> str:
    """Return which package offers a member that could not be loaded, and why; empty if none does."""
    for offer, reason in _refused.items():
        if (offer.group, offer.key) == (group, key):
            return _("The plug-in {package} offers it, but could not be loaded: {reason}.").format(
                package=offer.source, reason=reason
            )
    return ""


def offer_of(member: Any) -> Offer | None:
    """Return the offer of a loaded member; None if it is part of the program."""
    return next((offer for offer, own in _loaded.items() if own is member), None)


def package_in(error: BaseException) -> str:
    """Return the plug-in whose code an error passed last; empty if it passed none."""
    sources = {offer.entry.module.partition(".")[0]: offer.source for offer in _loaded}
    found, place = "", error.__traceback__
    while place is not None:
        module = str(place.tb_frame.f_globals.get("__name__", ""))
        found = sources.get(module.partition(".")[0], found)
        place = place.tb_next
    return found


def warnings() -> Iterator[str]:
    """Yield a line for each offer that could not be loaded so far."""
    for offer, reason in _refused.items():
        yield _("The {kind} '{key}' of the plug-in {package} could not be loaded: {reason}.").format(
            kind=offer.kind, key=offer.key, package=offer.source, reason=reason
        )


def is_older(version: str, wanted: str) -> bool:
    """Return whether a version comes before another one, by the numbers that both begin with."""
    return _numbers(version) < _numbers(wanted)


def _numbers(version: str) -> tuple[int, ...]:
    beginning = re.match(r"\d+(?:\.\d+)*", version)
    found = [int(part) for part in beginning.group().split(".")] if beginning else []
    while found and not found[-1]:
        found.pop()
    return tuple(found)


def packages_of(used: Collection[Offer]) -> dict[str, str]:
    """Return the packages of some offers with their versions, ordered by name."""
    return dict(sorted((offer.package, offer.version) for offer in used))
