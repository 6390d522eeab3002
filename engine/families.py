"""The families that take members of plug-ins, and what every installed plug-in offers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine import plugins
from engine.frequency.measures.base import MEASURES
from engine.hierarchies.builders.base import builders
from engine.privacy import privacy_models
from engine.recoding import recoding_methods
from engine.records.opening.readers import table_readers
from engine.registry import Registry
from engine.search import search_algorithms
from engine.utility import utility_metrics
from engine.verification.models.base import plugged_verifiers
from engine.verification.plugged import plugged_readers
from engine.words import _

FAMILIES: Mapping[str, Registry[Any]] = {
    registry.group: registry
    for registry in (
        privacy_models,
        utility_metrics,
        builders,
        search_algorithms,
        recoding_methods,
        table_readers,
    )
}


@dataclass(frozen=True)
class Offered:
    """Member that a plug-in offers under one entry point.

    Attributes
    ----------
    title : str
        Name in menus; empty if it has none, or could not be loaded.
    problem : str
        Why it could not be loaded; empty if it was.
    remark : str
        What the user should know about it.
    """

    offer: plugins.Offer
    title: str = ""
    problem: str = ""
    remark: str = ""

    @property
    def line(self) -> str:
        """The offer in one line."""
        name = f"{self.title} ({self.offer.key})" if self.title else self.offer.key
        text = _("{kind}: {name}").format(kind=self.offer.kind, name=name)
        if self.problem:
            return _("{offer}; could not be loaded: {reason}").format(offer=text, reason=self.problem)
        return f"{text}; {self.remark}" if self.remark else text


@dataclass(frozen=True)
class Plugin:
    """An installed package with members of families."""

    package: str
    version: str
    offered: tuple[Offered, ...]

    @property
    def title(self) -> str:
        """Package and version."""
        return plugins.titled(self.package, self.version)

    @property
    def modules(self) -> tuple[str, ...]:
        """Names of its top-level modules."""
        named = (offered.offer.entry.module.partition(".")[0] for offered in self.offered)
        return tuple(dict.fromkeys(named))


def installed_plugins() -> tuple[Plugin, ...]:
    """Load all plug-ins and return them by name; a plug-in that cannot be loaded says why."""
    offers = plugins.all_offers()
    if not offers:
        return ()
    for registry in FAMILIES.values():
        len(registry)
    len(MEASURES)
    judges = plugged_verifiers()
    plugged_readers()
    plugins.load(plugins.PROGRAMS, lambda key: False, lambda offer, program: "")
    refused = plugins.refused()
    found: dict[tuple[str, str], list[Offered]] = {}
    for offer in offers:
        title = remark = ""
        if offer not in refused and offer.group in FAMILIES:
            title = FAMILIES[offer.group][offer.key].title
        if offer.group == plugins.MODELS and offer not in refused and offer.key not in judges:
            remark = _("without a verifier, so that its releases cannot be verified")
        entry = Offered(offer, title, refused.get(offer, ""), remark)
        found.setdefault((offer.package, offer.version), []).append(entry)
    return tuple(Plugin(*name, tuple(offered)) for name, offered in sorted(found.items()))


def lines_of(plugin: Plugin) -> list[str]:
    """Return a plug-in as lines of text: its name, then what it offers."""
    title = _("Plug-in {name}").format(name=plugin.title)
    return [title, *(f"  {offered.line}" for offered in plugin.offered)]
