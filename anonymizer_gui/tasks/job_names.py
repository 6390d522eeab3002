"""Names of tasks that are shown only because they are slow."""

from __future__ import annotations

from anonymizer_gui.tasks.task import Task
from engine.words import _

WRITERS = frozenset(
    {"export", "export.about", "hierarchy.file", "files for arx", "report", "save", "save recipe"}
)  # keys of tasks that write files
UNASKED = frozenset({"autosave", "imports", "recovery", "undo"})  # keys of tasks that the user did not start


def name_of(task: Task) -> str:
    """Return the label of a task, or the default name for its key."""
    if task.label:
        return task.label
    key = task.key[0] if isinstance(task.key, tuple) else task.key
    return _names().get(key if isinstance(key, str) else "", _("Working"))


def _names() -> dict[str, str]:
    scoring, looking = _("Scoring nodes"), _("Examining the node")
    hierarchy, columns = _("Updating the hierarchy"), _("Updating the columns")
    return {
        "export": _("Exporting and verifying"),
        "report": _("Writing the report"),
        "hierarchy.file": _("Reading or writing a hierarchy"),
        "run": _("Measuring the release"),
        "compile": _("Preparing the settings"),
        "evaluate": _("Evaluating the nodes"),
        "curves": _("Computing the curves"),
        "optima": _("Finding the optima"),
        "lattice-layout": _("Arranging the lattice"),
        "map-front": _("Drawing the map"),
        "walk": _("Replaying the algorithm"),
        "score node": scoring,
        "node-scores": scoring,
        **dict.fromkeys(("node-details", "node-metrics", "examples", "classes", "stars", "inspect"), looking),
        **dict.fromkeys(("hierarchy.build", "hierarchy.unplaced", "hierarchy.mislabel"), hierarchy),
        **dict.fromkeys(("configure.suggest", "configure.edit", "configure.type"), columns),
        "consequence.suggested": _("Scoring the nodes of the suggested roles"),
        **dict.fromkeys(("consequence.next", "consequence.form"), _("Counting satisfying nodes")),
        "configure.find": _("Finding"),
        "utility.find": _("Finding"),
        "analysis.prepare": _("Preparing the analyses"),
        "autosave": _("Saving a copy"),
        "undo": _("Storing the undo step"),
        "open": _("Reading"),
        "judge.open": _("Reading"),
        "judge.original": _("Reading"),
    }
