"""Recovery of the engine, created on first use, because its imports would slow the start."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING

from engine.monitor import SILENT, Monitor
from engine.project import Project
from engine.project.pins_and_runs import ProjectState
from engine.project.storage.opened_project import OpenedProject
from engine.scratch import config_dir
from engine.table.database_address import Connection

if TYPE_CHECKING:
    from engine.project.storage.recovery import Look, Offer, Recovery


class Recovering:
    """Saves the work of this window and lists that of others; all methods may be called from any thread."""

    def __init__(self) -> None:
        self._root = config_dir() / "recovery"
        self._made: Recovery | None = None
        self._making = threading.Lock()

    @property
    def has_offers(self) -> bool:
        """Return whether there may be offers; fast."""
        try:
            return any(self._root.iterdir())
        except OSError:
            return False

    def offers(self) -> tuple[Offer, ...]:
        return self._recovery().offers()

    def read(
        self, offer: Offer, monitor: Monitor = SILENT, connection: Connection | None = None
    ) -> OpenedProject:
        return self._recovery().read(offer, monitor, connection)

    def discard(self, offer: Offer) -> None:
        self._recovery().discard(offer)

    def write(
        self,
        project: Project,
        state: ProjectState,
        path: Path | None,
        seen: Look | None = None,
        monitor: Monitor = SILENT,
    ) -> None:
        self._recovery().write(project, state, path, seen, monitor)

    def clear(self) -> None:
        """Delete the recovery data of this window, if there is any."""
        if self._made is not None:
            self._made.clear()

    def _recovery(self) -> Recovery:
        from engine.project.storage.recovery import Recovery

        with self._making:
            if self._made is None:
                self._made = Recovery(self._root)
            return self._made
