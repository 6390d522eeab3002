"""Notes of commands about a release: what its counts rest on, and what they do not cover."""

from __future__ import annotations

from collections.abc import Mapping

from engine.advice.persons import person_notes
from engine.advice.rules import rule_notes
from engine.advice.spellings import spelling_notes
from engine.project.project import Project


def release_notes(project: Project, levels: Mapping[str, int] | None = None) -> tuple[str, ...]:
    """Return the notes, given the levels of the released node."""
    return (*person_notes(project, levels), *spelling_notes(project), *rule_notes(project))
