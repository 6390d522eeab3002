"""A release beside the earlier ones of its ledger: refused if both reveal too much, recorded once written."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path
from typing import Any

from engine.errors import ExportError
from engine.project import Project
from engine.project.ledger.joint import Joint, earlier_of
from engine.project.ledger.ledger_file import open_ledger
from engine.project.ledger.snapshot import entry_of, snapshot_of_release
from engine.project.recipe.files import recipe_text
from engine.recoding import Release
from engine.words import _


class Recording:
    """The ledger of a release that is about to be written.

    Attributes
    ----------
    project : Project
    beside : Beside
        The earlier releases.
    joint : Joint
        What the release reveals beside them.

    Raises
    ------
    InputError
        The ledger cannot be read, or the records cannot be joined with its releases.
    """

    def __init__(self, project: Project, release: Release) -> None:
        beside = earlier_of(project)
        assert beside is not None, "asked for only with a ledger"
        self.project, self.beside, self._book = project, beside, beside.ledger
        self._snapshot = snapshot_of_release(project, release)
        self.joint: Joint = beside.joint(self._snapshot, project.requirement)

    def prepare(self) -> None:
        """Refuse a release that reveals too much beside the earlier ones, and begin a new ledger.

        Raises
        ------
        RequirementNotMetError
            The release does not withstand its attacker.
        ExportError
            The ledger or its key cannot be made.
        """
        self.joint.refuse_unmet(_("The release"))
        if not self._book.content:
            made = open_ledger(self._book.path, creates=True)
            # One to which another program added meanwhile is refused.
            self._book = replace(made, content=b"", entries=()) if made.entries else made

    def record(self, written: Path) -> dict[str, Any]:
        """Record the written file, and return what it reveals beside the earlier releases as JSON values.

        Raises
        ------
        ExportError
            The ledger cannot be written; the file stays.
        """
        book = self._book
        text = recipe_text(self.project, written.parent)
        recipe = hashlib.sha256(text.encode("utf-8")).hexdigest()
        entry = entry_of(self.project, self._snapshot, book, written, recipe, self.beside.join)
        try:
            book.append(entry)
        except ExportError as error:
            hint = _("'{name}' was written but is not in the ledger: add it by anonymizer ledger add.")
            raise ExportError(
                error.problem, hint=hint.format(name=written.name), file=str(book.path)
            ) from None
        return {**self.joint.as_dict(), "number": entry.number}
