"""Published thresholds, each with its source; a project uses them as a set."""

from __future__ import annotations

from dataclasses import dataclass, replace

from engine.privacy import PrivacyModel, Requirement
from engine.privacy.base import Group
from engine.privacy.k_anonymity import KAnonymity
from engine.project.project import Project
from engine.words import N_, Translated


@dataclass(frozen=True)
class Preset:
    """Models with thresholds that an authority or a publication has recommended.

    Attributes
    ----------
    title : str
        Publisher and purpose of the thresholds.
    says : str
        What the source requires, in its own measure.
    source : str
        Publisher and publication.
    caution : str
        One sentence on what it does not guarantee.
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
    "The threshold is one of several steps that the guidelines require, and concerns identity alone: "
    "what all members of a class have in common is still learned."
)
PRESETS = (
    Preset(
        "ontario_low",
        N_("Ontario IPC, low sensitivity"),
        (KAnonymity(11),),
        N_("a risk of about 0.09 for every record: classes of at least 11"),
        _ONTARIO,
        2025,
        _NOT_ENOUGH,
    ),
    Preset(
        "ontario_medium",
        N_("Ontario IPC, medium sensitivity"),
        (KAnonymity(15),),
        N_("a risk of about 0.075 for every record: classes of at least 15"),
        _ONTARIO,
        2025,
        _NOT_ENOUGH,
    ),
    Preset(
        "ontario_high",
        N_("Ontario IPC, high sensitivity"),
        (KAnonymity(20),),
        N_("a risk of 0.05 for every record: classes of at least 20"),
        _ONTARIO,
        2025,
        N_(
            "The threshold is one of several steps that the guidelines require, and concerns identity alone: "
            "for sensitive columns, add l-diversity or t-closeness."
        ),
    ),
    Preset(
        "ema",
        N_("EMA, clinical reports"),
        (KAnonymity(11),),
        N_("a risk of at most 1 in 11 (0.09) for every participant: classes of at least 11"),
        N_(
            "European Medicines Agency, External guidance on the implementation of "
            "Policy 0070, EMA/90915/2016"
        ),
        2016,
        N_(
            "The guidance concerns published clinical reports and allows a risk within a "
            "population of similar trials; here the risk is within this table alone."
        ),
    ),
    Preset(
        "health_canada",
        N_("Health Canada, clinical information"),
        (KAnonymity(11),),
        N_("a risk of at most 1 in 11 (0.09) for every participant: classes of at least 11"),
        N_("Health Canada, Guidance document on Public Release of Clinical Information"),
        2019,
        N_(
            "The guidance concerns publicly available clinical information and requires a "
            "report on the method; a threshold alone does not comply with it."
        ),
    ),
    Preset(
        "hipaa",
        N_("CMS cell size suppression policy"),
        (KAnonymity(11),),
        N_("no cell of 1 to 10 people: classes of at least 11, as CMS requires for its own data"),
        N_("Centers for Medicare and Medicaid Services, Cell Size Suppression Policy"),
        2020,
        N_(
            "HIPAA specifies no number: an expert must determine that the risk is very small, "
            "and document why."
        ),
    ),
    Preset(
        "common",
        N_("Common practice in health research"),
        (KAnonymity(5),),
        N_("a risk of at most 0.2 for every record: classes of at least 5"),
        N_("El Emam and Dankar, Protecting Privacy Using k-Anonymity, JAMIA 15(5)"),
        2008,
        N_("A common value, not a recommendation: other sources require more for publicly available data."),
    ),
)


def preset_of(key: str) -> Preset:
    """Return the preset with a key."""
    return next(found for found in PRESETS if found.key == key)


_REPLACED = (Group.CLASS_SIZES, Group.RISK)


def with_preset(requirement: Requirement, preset: Preset) -> Requirement:
    """Replace the models of class sizes and risks with the models of a preset.

    Models of sensitive columns and of a population stay, as does the suppression limit.
    """
    return replace(requirement, models=(*preset.models, *unchanged_models(requirement)))


def unchanged_models(requirement: Requirement) -> tuple[PrivacyModel, ...]:
    """Return the models that a preset does not replace."""
    return tuple(model for model in requirement.models if model.columns or model.group not in _REPLACED)


def set_preset(project: Project, preset: Preset) -> Project:
    """Apply the thresholds of a preset."""
    return replace(project, requirement=with_preset(project.requirement, preset))
