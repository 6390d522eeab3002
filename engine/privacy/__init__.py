"""Privacy models, one file each, and the requirement they make together."""

from engine.privacy.attacks import Attack
from engine.privacy.base import Conditions, Group, Monotonic, PrivacyModel, Relation, privacy_models
from engine.privacy.requirement import Requirement

__all__ = [
    "Attack",
    "Conditions",
    "Group",
    "Monotonic",
    "PrivacyModel",
    "Relation",
    "Requirement",
    "privacy_models",
]
