"""Applies manual edits of groups to the draft, and enables the commands that are possible."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from PySide6.QtCore import QObject, Signal

from anonymizer_gui.perspectives.configure.hierarchy.commands import COMMANDS
from anonymizer_gui.perspectives.configure.hierarchy.drafts import (
    NOTHING,
    Draft,
    HierarchyDrafts,
    Selection,
)
from anonymizer_gui.perspectives.configure.hierarchy.editor import HierarchyEditor
from anonymizer_gui.perspectives.configure.hierarchy.values.group_drag import DropTarget
from engine.errors import AnonymizerError
from engine.hierarchies import Hierarchy, editing
from engine.hierarchies.builders.intervals import IntervalsBuilder
from engine.hierarchies.follow import broken_up, followed, is_own_word, merged
from engine.hierarchies.hierarchy import SUPPRESSED
from engine.hierarchies.outline import Outline, with_cut
from engine.records import Column
from engine.words import within_sentence


class EditingPresenter(QObject):
    """Each edit requested by a view becomes one undo step, or shows a reason why it is impossible."""

    described = Signal(str)  # selection, and the shortcuts that apply to it
    builder_requested = Signal(object, str)  # HierarchyBuilder with the cut moved; name of the step

    def __init__(self, drafts: HierarchyDrafts, editor: HierarchyEditor) -> None:
        super().__init__(editor)
        self._drafts, self._editor = drafts, editor
        self._picked_up = NOTHING
        self._has_absent = False  # whether the hierarchy has values without records
        drafts.outline_changed.connect(self._on_outline_changed)
        drafts.selection_changed.connect(self._on_selection_changed)
        for face in (editor.groups, editor.values):
            face.arrangement_requested.connect(drafts.arrange)
            face.view.selection_requested.connect(self._on_selection_requested)
            face.view.toggle_requested.connect(drafts.toggle)
            face.view.rename_requested.connect(self._on_rename_requested)
        editor.groups.view.name_requested.connect(self._on_name_requested)
        editor.groups.view.cut_requested.connect(self._on_cut_requested)
        editor.values.view.assign_requested.connect(self._on_assign_requested)
        editor.drag.dropped.connect(self._on_dropped)
        editor.gaps.top_requested.connect(self._on_top_requested)
        editor.gaps.pick_up_requested.connect(self._pick_up)
        commands = {
            "rename": self._begin_rename,
            "merge": self._merge,
            "split": self._split,
            "group": self._group,
            "cut": lambda: self._pick_up(self._drafts.selection),
            "paste": self._paste,
            "toggle": self._toggle,
            "open_all": lambda: drafts.arrange(replace(drafts.arrangement, closed=frozenset())),
            "add_level": self._add_level,
            "remove_level": self._remove_level,
            "name_level": self._begin_naming,
            "swap_levels": self._swap_levels,
            "remove_absent": self._remove_absent,
        }
        for key, call in commands.items():
            editor.commands[key].triggered.connect(lambda _checked=False, call=call: call())

    def _on_selection_requested(self, selection: Selection) -> None:
        if not selection.labels:  # Escape also cancels a cut
            self._picked_up = NOTHING
        self._drafts.select(selection)

    # Display ------------------------------------------------------------------------------------

    def _on_outline_changed(self, outline: Outline | None) -> None:
        column, editor = self._drafts.column, self._editor
        if outline is None:
            self._picked_up = NOTHING
        for face in (editor.groups, editor.values):
            face.show_arrangement(self._drafts.arrangement)
            face.show_outline(column, outline)
        values: list[str] = []
        records: list[int] = []
        rule = ""
        if column is not None and outline is not None:
            values = outline.hierarchy.gaps(column)
            if values:
                counts = dict(zip(column.labels, column.counts.tolist(), strict=True))
                records = [counts[value] for value in values]
            self._has_absent = outline.hierarchy.n_leaves > len(column.labels) - len(values)
            builder = self._drafts.draft.rule
            rule = within_sentence(builder.title) if builder is not None else ""
        editor.gaps.show_gaps(values, records, rule)

    def _on_selection_changed(self, selection: Selection) -> None:
        editor = self._editor
        editor.groups.view.show_selection(selection)
        editor.values.view.show_selection(selection)
        editor.statistics.show_level(selection.level if selection.labels else None)
        self._update_commands()
        self.described.emit(self._describe(selection))

    def _describe(self, selection: Selection) -> str:
        if self._picked_up.labels:
            return self.tr("{picked_up} cut: select a group and press Ctrl+V, or Escape").format(
                picked_up=self._picked_up.words
            )
        if not selection.labels:
            return ""
        if selection.level == 0:
            return self.tr("{words} selected · drag to a group, or Ctrl+Shift+N for a new one").format(
                words=selection.words
            )
        return self.tr("{words} selected · F2 renames, Ctrl+M merges, Ctrl+D splits").format(
            words=selection.words
        )

    def _update_commands(self) -> None:
        commands, outline = self._editor.commands, self._drafts.outline
        if outline is None:
            for spec in COMMANDS:
                commands.set_enabled(spec.key, False)
            return
        selection, height = self._drafts.selection, outline.hierarchy.height
        level, n = selection.level, len(selection.labels)
        on_values = self.tr("Select groups of level 1 or higher")
        commands.set_enabled("rename", n == 1 and level > 0, self.tr("Select one group to rename"))
        commands.set_enabled("merge", n > 1 and level > 0, self.tr("Select two or more groups of one level"))
        commands.set_enabled("split", n > 0 and level > 0, on_values)
        commands.set_enabled(
            "group",
            n > 0 and level + 1 <= height,
            self.tr("Select values, or groups below the top level"),
        )
        commands.set_enabled("cut", n > 0, self.tr("Select what to cut"))
        commands.set_enabled("paste", bool(self._picked_up.labels) and n == 1, self.tr("Cut something first"))
        commands.set_enabled("toggle", n > 0 and level > 0, on_values)
        commands.set_enabled(
            "open_all", bool(self._drafts.arrangement.closed), self.tr("No group is collapsed")
        )
        commands.set_enabled("add_level", True)
        commands.set_enabled("remove_level", n > 0 and level > 0, on_values)
        is_nameable = n > 0 and level > 0 and outline.hierarchy.levels[level].labels != (SUPPRESSED,)
        commands.set_enabled("name_level", is_nameable, self.tr("Select a group of a level that has several"))
        commands.set_enabled("swap_levels", n > 0 and 0 < level < height, on_values)
        commands.set_enabled("remove_absent", self._has_absent, self.tr("Every value has records"))

    # Commands -----------------------------------------------------------------------------------

    def _begin_rename(self) -> None:
        selection = self._drafts.selection
        face = self._editor.values if self._editor.values.has_focus() else self._editor.groups
        face.view.begin_rename(selection.level, selection.labels[0])

    def _on_rename_requested(self, level: int, label: str, new: str) -> None:
        self._change(
            self.tr("Rename {label}").format(label=label),
            lambda h: editing.rename(h, level, label, new),
            Selection(level, (new,)),
        )

    def _merge(self) -> None:
        selection = self._drafts.selection
        self._change(
            self.tr("Merge {selection}").format(selection=selection.words),
            lambda h: merged(h, selection.level, selection.labels, self._column),
            into=selection.level,
            of=selection,
        )

    def _split(self) -> None:
        selection = self._drafts.selection

        def parts(hierarchy: Hierarchy) -> Hierarchy:
            for label in selection.labels:
                hierarchy = broken_up(hierarchy, selection.level, label, self._column)
            return hierarchy

        self._change(
            self.tr("Split {selection}").format(selection=selection.words),
            parts,
            into=selection.level,
            of=selection,
        )

    def _group(self) -> None:
        selection = self._drafts.selection
        self._make_group(selection, selection.level + 1)

    def _make_group(self, selection: Selection, level: int) -> None:
        def grouped(hierarchy: Hierarchy) -> Hierarchy:
            if selection.level == 0:  # values without a group get one first
                hierarchy = hierarchy.extended(selection.labels)
            if level == hierarchy.height and len(hierarchy.levels[level].labels) == 1:
                hierarchy = editing.add_level(hierarchy, level - 1)  # the group of all values stays on top
            made = editing.new_group(hierarchy, selection.level, selection.labels, level)
            return followed(hierarchy, made, self._column)

        self._change(
            self.tr("New group of {selection}").format(selection=selection.words),
            grouped,
            into=level,
            of=selection,
        )

    def _pick_up(self, selection: Selection) -> None:
        self._picked_up = selection
        self._update_commands()
        self.described.emit(self._describe(self._drafts.selection))

    def _paste(self) -> None:
        picked, selection = self._picked_up, self._drafts.selection
        self._picked_up = NOTHING
        self._put(picked, selection.level, selection.labels[0])

    def _toggle(self) -> None:
        selection = self._drafts.selection
        groups = frozenset((selection.level, label) for label in selection.labels)
        closed = self._drafts.arrangement.closed
        closed = closed - groups if groups <= closed else closed | groups
        self._drafts.arrange(replace(self._drafts.arrangement, closed=closed))

    def _add_level(self) -> None:
        selection, outline = self._drafts.selection, self._drafts.outline
        assert outline is not None
        level = selection.level if selection.labels else max(outline.hierarchy.height - 1, 0)
        self._change(
            self.tr("Add a level above level {level}").format(level=level),
            lambda h: editing.add_level(h, level),
            selection,
        )

    def _remove_level(self) -> None:
        level = self._drafts.selection.level
        self._change(
            self.tr("Remove level {level}").format(level=level),
            lambda h: editing.remove_level(h, level),
            NOTHING,
        )

    def _begin_naming(self) -> None:
        level = self._drafts.selection.level
        self._editor.groups.view.begin_naming(level)

    def _on_name_requested(self, level: int, name: str) -> None:
        draft = self._drafts.draft
        if draft.hierarchy is None:
            return
        try:
            named = editing.name_level(draft.hierarchy, level, name)
        except AnonymizerError as error:
            self._editor.banner.show_error(error.problem, error.hint)
            return
        self._editor.banner.hide()
        # a name changes no group: the builder and the file remain true
        self._drafts.edit(self.tr("Name level {level}").format(level=level), replace(draft, hierarchy=named))

    def _swap_levels(self) -> None:
        level = self._drafts.selection.level
        self._change(
            self.tr("Swap levels {level} and {level_2}").format(level=level, level_2=level + 1),
            lambda h: editing.swap_levels(h, level),
            NOTHING,
        )

    def _remove_absent(self) -> None:
        outline = self._drafts.outline
        assert outline is not None
        absent = set(outline.hierarchy.values).difference(self._column.labels)
        words = Selection(0, tuple(absent)).words
        self._change(
            self.tr("Remove {words} without records").format(words=words),
            lambda h: editing.without(h, absent),
        )

    # Drops, cells and cuts ----------------------------------------------------------------------

    def _on_dropped(self, dragged: Selection, target: DropTarget) -> None:
        if target.beside is not None:
            self._make_group(Selection(0, (target.beside, *dragged.labels)), target.level)
        elif target.label is None:
            self._make_group(dragged, target.level)
        else:
            self._put(dragged, target.level, target.label)

    def _put(self, moved: Selection, level: int, target: str) -> None:
        outline = self._drafts.outline
        if outline is None or not moved.labels:
            return
        known = outline.hierarchy.levels[moved.level].index
        text = self.tr("Move {moved} into {target}").format(moved=moved.words, target=target)
        if moved.level == 0 and moved.labels[0] not in known:
            self._change(text, self._followed(lambda h: editing.place(h, moved.labels, level, target)), moved)
        elif level == moved.level:  # dropped on a group of the same level: merge the two
            labels = (target, *(label for label in moved.labels if label != target))
            self._change(
                text, self._followed(lambda h: editing.merge(h, level, labels, target)), into=level, of=moved
            )
        else:
            self._change(
                text,
                self._followed(lambda h: editing.move(h, moved.level, moved.labels, level, target)),
                moved,
            )
        self._warn_of_kept(outline.hierarchy, level, target)

    def _on_assign_requested(self, moved: Selection, level: int, label: str) -> None:
        outline = self._drafts.outline
        if outline is None:
            return
        entry = outline.hierarchy.levels[level]
        groups = editing.groups_of(outline.hierarchy, moved.level, moved.labels, level)
        whole = len(groups) == 1 and set(editing.children(outline.hierarchy, level, groups)) == set(
            moved.labels
        )
        if whole and label not in entry.index:  # all members of the group get the label: renames the group
            self._on_rename_requested(level, groups[0], label)
        elif label in entry.index:
            self._put(moved, level, label)
        else:
            self._change(
                self.tr("Move {moved} into {label}").format(moved=moved.words, label=label),
                self._followed(
                    lambda h: editing.new_group(h, moved.level, moved.labels, level, label), typed=label
                ),
                Selection(level, (label,)),
            )

    def _on_cut_requested(self, level: int, boundary: int, place: int) -> None:
        outline, column, builder = self._drafts.outline, self._drafts.column, self._drafts.draft.builder
        if outline is None or column is None:
            return
        text = self.tr("Move cut of level {level}").format(level=level)
        if level == 1 and isinstance(builder, IntervalsBuilder):
            before = outline.numbers[outline.levels[level].starts[boundary]]
            moved = builder.with_cut(column, float(before), float(outline.numbers[place]))
            if moved is not None:
                self.builder_requested.emit(moved, text)
                return
        self._change(
            text,
            self._followed(lambda _hierarchy: with_cut(outline, level, boundary, place)),
            self._drafts.selection,
        )

    def _on_top_requested(self, values: Sequence[str]) -> None:
        text = self.tr("Keep {value} unchanged below the top").format(value=Selection(0, tuple(values)).words)
        self._change(text, lambda h: h.extended(values))

    # --------------------------------------------------------------------------------------------

    def _change(
        self,
        text: str,
        verb: Callable[[Hierarchy], Hierarchy],
        selection: Selection | None = None,
        *,
        into: int | None = None,
        of: Selection = NOTHING,
    ) -> None:
        """Apply an edit as one step, then select `selection`, or the groups of a level that hold `of`."""
        outline, draft = self._drafts.outline, self._drafts.draft
        if outline is None:
            return
        try:
            after = verb(outline.hierarchy)
        except AnonymizerError as error:
            self._editor.banner.show_error(error.problem, error.hint)
            return
        self._editor.banner.hide()
        if _are_equal(after, outline.hierarchy):
            return
        if into is not None:
            values = of.labels
            if of.level:
                values = tuple(editing.values_under(outline.hierarchy, of.level, of.labels))
            selection = Selection(into, tuple(editing.groups_of(after, 0, values, into)))
        self._drafts.edit(text, Draft(after, former=draft.rule))
        if selection is not None:
            self._drafts.select(selection)

    @property
    def _column(self) -> Column:
        assert self._drafts.column is not None, "a hierarchy is open"
        return self._drafts.column

    def _followed(
        self, verb: Callable[[Hierarchy], Hierarchy], typed: str | None = None
    ) -> Callable[[Hierarchy], Hierarchy]:
        """Return an edit that also updates the labels written by the program."""
        return lambda hierarchy: followed(hierarchy, verb(hierarchy), self._column, typed)

    def _warn_of_kept(self, before: Hierarchy, level: int, label: str) -> None:
        """Warn that a group kept the label typed by the user, although it has more values."""
        outline = self._drafts.outline
        if (
            outline is None
            or outline.hierarchy is before
            or label not in outline.hierarchy.levels[level].index
        ):
            return
        if label and label != SUPPRESSED and is_own_word(before, level, label, self._column):
            self.described.emit(
                self.tr("{label} keeps its name and contains more now; F2 renames it").format(label=label)
            )


def _are_equal(one: Hierarchy, other: Hierarchy) -> bool:
    """Return whether two hierarchies of the same leaves have equal groups and labels."""
    return one is other or (
        one.height == other.height
        and all(
            a is b or (a.labels == b.labels and np.array_equal(a.codes, b.codes))
            for a, b in zip(one.levels, other.levels, strict=True)
        )
    )
