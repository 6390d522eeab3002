"""Parts in which two versions of a project differ, and the signals for them."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QObject, Signal

from engine.project import Project

# Parts of a project that its compiled problem depends on.
_COMPILED = (
    "table",
    "roles",
    "qi_order",
    "person",
    "weight",
    "hierarchies",
    "microaggregation",
    "others_as_qi",
    "population",
    "subset",
    "rules",
)
_NAMES = {
    "table": ("table", "options", "source", "database", "name", "population", "subset"),
    "roles": (
        "roles",
        "decided_by",
        "others",
        "qi_order",
        "target",
        "person",
        "weight",
        "household",
        "others_as_qi",
    ),
    "hierarchies": ("hierarchies", "microaggregation"),
    "requirement": ("requirement", "answers"),
    "search": ("search",),
    "transformation": ("transformation",),
    "export": ("export",),
    "rules": ("rules",),
    "recoding": ("recoding",),
    "attack_test": ("attack_test",),
}


class ProjectParts(QObject):
    """Emits a signal for each part of the project that an edit has changed."""

    table_changed = Signal()
    roles_changed = Signal()
    hierarchies_changed = Signal()
    requirement_changed = Signal()
    search_changed = Signal()
    transformation_changed = Signal()
    export_changed = Signal()
    rules_changed = Signal()  # of sensitive and insensitive columns, a part of the transformation
    recoding_changed = Signal()
    attack_test_changed = Signal()

    def announce(self, before: Project, after: Project) -> None:
        """Emit the signals of the parts that differ between two versions."""
        for part in changed_parts(before, after):
            getattr(self, f"{part}_changed").emit()


def is_compiled_alike(one: Project, other: Project) -> bool:
    """Return whether two projects compile to the same problem."""
    return all(getattr(one, part) is getattr(other, part) for part in _COMPILED)


def changed_parts(before: Project, after: Project) -> list[str]:
    """Return the changed parts; identity is compared first, since equal parts may be new objects."""
    return [part for part, names in _NAMES.items() if any(_differ(before, after, name) for name in names)]


def _differ(before: Project, after: Project, name: str) -> bool:
    old: Any = getattr(before, name)
    new: Any = getattr(after, name)
    return old is not new and bool(old != new)
