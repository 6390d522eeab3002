"""A release beside the earlier ones of its ledger: refused if both reveal too much, recorded once written."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from engine.errors import ExportError
from engine.project import Project
from engine.project.ledger.joint import Beside, Joint
from engine.project.ledger.ledger_file import open_ledger
from engine.project.ledger.snapshot import entry_of, snapshot_of_release
from engine.project.recipe.files import recipe_text
from engine.recoding import Release
from engine.words import _


class Recording:
    """The ledger of a release that is about to be written.

    Attributes
    ----------
    joint : Joint
        What the release reveals beside the earlier ones.

    Raises
    ------
    InputError
        The ledger cannot be read, or the records cannot be joined with its releases.
    ExportError
        Its key cannot be made.
    """

    def __init__(self, project: Project, release: Release) -> None:
        earlier = project.requirement.earlier
        assert earlier is not None, "asked for only with a ledger"
        self._project = project
        self._beside = Beside(project, open_ledger(Path(earlier.path), creates=True))
        self._snapshot = snapshot_of_release(project, release)
        self.joint: Joint = self._beside.joint(self._snapshot, project.requirement)

    def record(self, written: Path) -> dict[str, Any]:
        """Record the written file, and return what it reveals beside the earlier releases as JSON values.

        Raises
        ------
        ExportError
            The ledger cannot be written; the file stays.
        """
        book = self._beside.ledger
        text = recipe_text(self._project, written.parent)
        recipe = hashlib.sha256(text.encode("utf-8")).hexdigest()
        entry = entry_of(self._project, self._snapshot, book, written, recipe, self._beside.join)
        try:
            book.append(entry)
        except ExportError as error:
            hint = _("'{name}' was written but is not in the ledger: add it by anonymizer ledger add.")
            raise ExportError(
                error.problem, hint=hint.format(name=written.name), file=str(book.path)
            ) from None
        return {**self.joint.as_dict(), "number": entry.number}
