"""Notes of commands about a release: what its counts rest on, and what they do not cover."""

from __future__ import annotations

from engine.advice.persons import person_notes
from engine.advice.rules import rule_notes
from engine.advice.spellings import spelling_notes
from engine.numbers import as_exact_count, as_people
from engine.project.project import Project
from engine.recoding import Release
from engine.recoding.links import Links
from engine.words import _


def release_notes(project: Project, release: Release) -> tuple[str, ...]:
    """Return the notes on a release of a project."""
    return (
        *person_notes(project, release.levels),
        *revealed_notes(release),
        *spelling_notes(project),
        *rule_notes(project),
    )


def revealed_notes(release: Release) -> tuple[str, ...]:
    """Return notes on what order and codes of a release reveal, with the settings that prevent it."""
    notes = [
        f"{words[:1].upper()}{words[1:]}. {_hint(key, release.links)}"
        for key, words in release.revealed.items()
    ]
    persons = release.persons
    if persons is not None and release.links.tell_persons_apart and persons.why_not_chained:
        notes.append(persons.why_not_chained)
    return tuple(notes)


def _hint(key: str, links: Links) -> str:
    if key == "readable":
        return _("Set whole_persons = true under [transformation] to suppress all records of these people.")
    if key == "group":
        return _(
            'Set suppressed_group = "if_held", or suppressed_records = "remove", under [transformation] to '
            "prevent this."
        )
    if key == "neighbours":
        return _(
            'Set shuffle = true, or suppressed_records = "remove", under [transformation] to prevent this.'
        )
    hints = []
    if links.are_together:
        hints.append(
            _(
                "Of {several} with several records, {n} have all of them side by side: set shuffle = true "
                "under [transformation] to prevent this."
            ).format(several=as_people(links.several), n=as_exact_count(links.together))
        )
    if links.columns:
        own = ", ".join(f"{as_exact_count(n)} ({name})" for name, n in links.columns.items())
        hints.append(
            _(
                "People with a value that no one else has: {own}. Withhold such a column by the rule drop, "
                "or accept this risk."
            ).format(own=own)
        )
    return " ".join(hints)
