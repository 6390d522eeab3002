"""What a task is called that shows only because it takes longer than was expected."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QCoreApplication

from anonymizer_gui.tasks.task import Task

_tr = partial(QCoreApplication.translate, "JobNames")
WRITERS = frozenset(
    {"export", "export.about", "hierarchy.file", "report", "save", "save recipe"}
)  # keys of what writes files
UNASKED = frozenset({"autosave", "recovery", "undo"})  # keys of what the program does by itself


def name_of(task: Task) -> str:
    """Its label, or what tasks of its key do."""
    if task.label:
        return task.label
    key = task.key[0] if isinstance(task.key, tuple) else task.key
    return _names().get(key if isinstance(key, str) else "", _tr("Working"))


def _names() -> dict[str, str]:
    scoring, looking = _tr("Scoring nodes"), _tr("Looking at the node")
    hierarchy, columns = _tr("Working on the hierarchy"), _tr("Working on the columns")
    return {
        "export": _tr("Exporting and verifying"),
        "report": _tr("Writing the report"),
        "hierarchy.file": _tr("Hierarchy file"),
        "run": _tr("Measuring the release"),
        "compile": _tr("Preparing the settings"),
        "evaluate": _tr("Evaluating the nodes"),
        "curves": _tr("Computing the curves"),
        "optima": _tr("Looking for the optima"),
        "lattice-layout": _tr("Laying out the lattice"),
        "map-front": _tr("Drawing the map"),
        "walk": _tr("Walking through the algorithm"),
        "score node": scoring,
        "node-scores": scoring,
        **dict.fromkeys(("node-details", "node-metrics", "examples", "classes", "stars", "inspect"), looking),
        **dict.fromkeys(("hierarchy.build", "hierarchy.unplaced", "hierarchy.mislabel"), hierarchy),
        **dict.fromkeys(("configure.suggest", "configure.edit", "configure.type"), columns),
        "configure.find": _tr("Finding"),
        "utility.find": _tr("Finding"),
        "analysis.prepare": _tr("Preparing the analyses"),
        "autosave": _tr("Keeping a copy"),
        "undo": _tr("Keeping the way back"),
        "open": _tr("Reading"),
        "judge.open": _tr("Reading"),
        "judge.original": _tr("Reading"),
    }
