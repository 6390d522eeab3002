"""Differences between the settings of the applied release and the current settings, in words."""

from __future__ import annotations

from dataclasses import replace

from engine.numbers import as_percent
from engine.privacy import PrivacyModel, Requirement
from engine.project import Project, SearchSettings
from engine.recoding.base import RecodingMethod
from engine.words import _


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
    """Return the project with the current export settings; rules that models depend on stay."""
    return replace(made_with, transformation=replace(now.transformation, rules=made_with.rules))


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
