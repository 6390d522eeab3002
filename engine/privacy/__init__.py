"""Privacy models, one file each, and the requirement they make together."""

from engine.privacy.base import Monotonic, PrivacyModel, Relation, privacy_models
from engine.privacy.requirement import Requirement

__all__ = ["Monotonic", "PrivacyModel", "Relation", "Requirement", "privacy_models"]
