"""Thresholds that authorities have published, each with its source; a project takes them as a whole."""

from __future__ import annotations

from dataclasses import dataclass, replace

from engine.privacy import PrivacyModel, Requirement
from engine.privacy.base import Group
from engine.privacy.k_anonymity import KAnonymity
from engine.project.project import Project
from engine.words import N_, Translated


@dataclass(frozen=True)
class Preset:
    """Models with their thresholds, as somebody has recommended them.

    Attributes
    ----------
    key : str
    title : str
        Whose thresholds, and for what.
    models : tuple of PrivacyModel
    says : str
        What the source asks for, in its own measure.
    source : str
        Who published it where.
    year : int
    caution : str
        One sentence on what it does not promise.
    """

    key: str
    title: str = Translated(None)  # type: ignore[assignment]
    models: tuple[PrivacyModel, ...]  # type: ignore[misc]  # Translated(None) is no default
    says: str = Translated(None)  # type: ignore[assignment]
    source: str = Translated(None)  # type: ignore[assignment]
    year: int  # type: ignore[misc]  # Translated(None) is no default
    caution: str = Translated(None)  # type: ignore[assignment]


_ONTARIO = N_(
    "Information and Privacy Commissioner of Ontario, De-identification Guidelines for Structured Data"
)
_NOT_ENOUGH = N_(
    "The threshold is one of several steps the guidelines ask for, and speaks of identity alone: "
)
PRESETS = (
    Preset(
        "ontario_low",
        N_("Ontario IPC, low sensitivity"),
        (KAnonymity(11),),
        N_("a risk of about 0.09 for every record: classes of at least 11"),
        _ONTARIO,
        2025,
        _NOT_ENOUGH + N_("what all members of a class share is still learned."),
    ),
    Preset(
        "ontario_medium",
        N_("Ontario IPC, medium sensitivity"),
        (KAnonymity(15),),
        N_("a risk of about 0.075 for every record: classes of at least 15"),
        _ONTARIO,
        2025,
        _NOT_ENOUGH + N_("what all members of a class share is still learned."),
    ),
    Preset(
        "ontario_high",
        N_("Ontario IPC, high sensitivity"),
        (KAnonymity(20),),
        N_("a risk of 0.05 for every record: classes of at least 20"),
        _ONTARIO,
        2025,
        _NOT_ENOUGH + N_("for sensitive columns add l-diversity or t-closeness yourself."),
    ),
    Preset(
        "ema",
        N_("EMA, clinical reports"),
        (KAnonymity(11),),
        N_("a risk of at most 0.09 for every participant: classes of at least 11"),
        N_(
            "European Medicines Agency, External guidance on the implementation of "
            "Policy 0070, EMA/90915/2016"
        ),
        2016,
        N_(
            "The guidance is about published clinical reports and lets the risk be "
            "taken over a population of similar trials; here it is taken over this "
            "table alone."
        ),
    ),
    Preset(
        "health_canada",
        N_("Health Canada, clinical information"),
        (KAnonymity(11),),
        N_("a risk of at most 0.09 for every participant: classes of at least 11"),
        N_("Health Canada, Guidance document on Public Release of Clinical Information"),
        2019,
        N_(
            "The guidance is about clinical information that everybody may read and asks for a report on the "
            "method; a threshold alone does not follow it."
        ),
    ),
    Preset(
        "hipaa",
        N_("HIPAA, expert determination practice"),
        (KAnonymity(11),),
        N_("no cell of 1 to 10 people: classes of at least 11, as CMS asks for its own data"),
        N_("Centers for Medicare and Medicaid Services, Cell Size Suppression Policy"),
        2020,
        N_(
            "HIPAA names no number: an expert has to determine that the risk is very "
            "small, and to document why."
        ),
    ),
    Preset(
        "common",
        N_("Common practice in health research"),
        (KAnonymity(5),),
        N_("a risk of at most 0.2 for every record: classes of at least 5"),
        N_("El Emam and Dankar, Protecting Privacy Using k-Anonymity, JAMIA 15(5)"),
        2008,
        N_(
            "A usual value, not a recommendation: for data that everybody may read "
            "other sources ask for more."
        ),
    ),
)

_REPLACED = (Group.CLASS_SIZES, Group.RISK)


def with_preset(requirement: Requirement, preset: Preset) -> Requirement:
    """Put the models of a preset in the place of those that speak of class sizes and risks.

    Models of sensitive columns and of a population stay, as does the suppression limit.
    """
    return replace(requirement, models=(*preset.models, *kept_models(requirement)))


def kept_models(requirement: Requirement) -> tuple[PrivacyModel, ...]:
    """The models that a preset leaves in place."""
    return tuple(model for model in requirement.models if model.columns or model.group not in _REPLACED)


def set_preset(project: Project, preset: Preset) -> Project:
    """Take the thresholds of a preset."""
    return replace(project, requirement=with_preset(project.requirement, preset))
