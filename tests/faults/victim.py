"""Work of a window without one: constant edits, and imports, scores, exports and saves in turn.

It runs until killed. `journal.txt` lists its actions and what it reported as stored or saved, one line each
with the time. A hungry one has no spare memory for most of its first seconds.
"""

from __future__ import annotations

import random
import resource
import time
from collections.abc import Callable
from dataclasses import replace
from itertools import cycle
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QTimer

from anonymizer_gui.session import Session
from anonymizer_gui.session.autosave import Autosave, Recovering
from anonymizer_gui.session.saving import Saving
from anonymizer_gui.tasks import Task
from engine.pipeline import anonymize, export_release
from engine.project import Project  # imports what a task needs first
from engine.project.recipe.files import read_recipe
from engine.project.storage import recovery
from engine.records.opening.files import read_table
from engine.verification import judge

INTERVAL = 200  # milliseconds from a change to its storage
EDIT = 15  # milliseconds between edits
PROJECT, RELEASE = "people.anon", "released.csv"
HUNGER = 120  # milliseconds between two memory limits
SPARE = (0, 0, 1, 2, 4, 8, 16, 64)  # megabytes above the current memory

LOADED = judge, recovery  # modules that a task would import first, as those of a project above


class Victim:
    """Works in a folder.

    Parameters
    ----------
    folder : Path
        Folder of its files.
    recipe : Path
        Initial project.
    seed : int
        Seed of the order of its actions.
    hunger : float
        Seconds with little memory.
    """

    def __init__(self, folder: Path, recipe: Path, seed: int, hunger: float = 0.0) -> None:
        self._folder = folder
        self._journal = (folder / "journal.txt").open("w", encoding="utf-8")
        self._session = Session()
        self._runner = self._session.runner
        self._saving = Saving(self._session)
        self._autosave = Autosave(self._session, Recovering(), interval=INTERVAL)
        project = read_recipe(recipe)
        assert project.source is not None
        self._source = project.source
        self._n_edits = 0
        self._n_saves = 0
        self._rests = False
        jobs: list[Callable[[], Task | None]] = [self._read, self._score, self._export]
        if seed % 2:  # recovery data is all that the others have
            jobs.append(self._save)
        random.Random(seed).shuffle(jobs)
        self._jobs = cycle(jobs)
        self._saving.saved.connect(self._on_saved)
        self._saving.failed.connect(self._on_saving_failed)
        self._autosave.stored.connect(lambda: self._say("kept", self._n_edits))
        self._autosave.failed.connect(lambda _error: self._say("failed", self._n_edits))
        self._session.open_project(project)
        self._timer = QTimer()
        self._timer.timeout.connect(self._edit)
        self._timer.start(EDIT)
        self._say("ready")
        self._draw = random.Random(seed)
        self._until = time.monotonic() + hunger
        self._hunger = QTimer()
        self._hunger.timeout.connect(self._limit)
        if hunger:
            self._say("hungry")
            self._hunger.start(HUNGER)
        self._next()

    def _limit(self) -> None:
        """Limit the memory of the process to a little above the current, or remove the limit."""
        is_over = time.monotonic() > self._until
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        most = pages * resource.getpagesize() + (self._draw.choice(SPARE) << 20)
        resource.setrlimit(resource.RLIMIT_AS, (-1 if is_over else most, -1))
        if is_over:
            self._hunger.stop()
            self._say("fed")

    def _say(self, word: str, number: int = 0) -> None:
        self._journal.write(f"{word} {number} {time.monotonic()}\n")
        self._journal.flush()

    def _edit(self) -> None:
        if not self._rests:
            self._n_edits += 1
            project = self._session.project
            self._session.edit("Rename", replace(project, name=str(self._n_edits)))
            self._say("edit", self._n_edits)

    def _next(self) -> None:
        task = next(self._jobs)()
        if task is not None:
            task.ended.connect(self._next)
            self._runner.start(task)

    def _read(self) -> Task:
        return Task(read_table, self._source)

    def _score(self) -> Task:
        project = self._session.project
        return Task(anonymize, project)

    def _export(self) -> Task:
        project = self._session.project
        return Task(_export, project, self._folder / RELEASE)

    def _save(self) -> None:
        self._n_saves += 1
        self._rests = bool(self._n_saves % 2)  # every other time there are no edits in between
        self._saving.save(self._folder / PROJECT)

    def _on_saved(self, _path: Path) -> None:
        self._rests = False
        if not self._session.saved.is_modified:
            self._say("saved", self._n_edits)
        self._next()

    def _on_saving_failed(self, _error: object) -> None:
        self._rests = False
        self._next()


def _export(project: Project, path: Path) -> None:
    export_release(project, anonymize(project).release, path)


def work(folder: Path, recipe: Path, seed: int, hunger: float = 0.0) -> None:
    """Work until killed."""
    app = QCoreApplication([])
    victim = Victim(folder, recipe, seed, hunger)
    app.exec()
    del victim
