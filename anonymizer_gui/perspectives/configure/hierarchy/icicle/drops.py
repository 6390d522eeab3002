"""What lies under the pointer while groups are dragged: a group to put them into, or room for a new one."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF

from anonymizer_gui.perspectives.configure.hierarchy.drafts import Selection
from anonymizer_gui.perspectives.configure.hierarchy.icicle.geometry import IcicleGeometry
from anonymizer_gui.perspectives.configure.hierarchy.values.group_drag import DropTarget
from engine.hierarchies import Hierarchy
from engine.kernels.arrays import IntArray

_BETWEEN_REACH, _BETWEEN_FROM = 5.0, 30.0


class IcicleDrops:
    """Remembers what a drag holds, since the pointer asks at every move."""

    def __init__(self) -> None:
        self._asked: tuple[Hierarchy, Selection] | None = None
        self._leaves: IntArray = np.zeros(0, dtype=np.int64)

    def target_at(self, geometry: IcicleGeometry, position: QPointF, dragged: Selection) -> DropTarget | None:
        """Where groups would go.

        Into the group under the pointer; between two groups, beside the row and below the rows they would
        become a new one. What is there already, or below them, is no target.
        """
        if geometry.height < 1:
            return None
        frame = geometry.frame
        bottom = geometry.row_rect(1).bottom()
        if bottom < position.y() < frame.bars_top:
            return self._new_group(geometry, dragged.level + 1, dragged)
        level = geometry.level_at(position.y())
        if not level:
            return None
        if not frame.left <= position.x() <= frame.right:
            return self._new_group(geometry, level, dragged)
        level = max(level, int(geometry.outline.closed[geometry.place_at(position.x())]))
        first, last = geometry.groups_at(level, position.x())
        if last - first > 1:
            return None
        rect = geometry.group_rect(level, first)
        is_edge = min(position.x() - rect.left(), rect.right() - position.x()) <= _BETWEEN_REACH
        if is_edge and rect.width() >= _BETWEEN_FROM and level > dragged.level:
            return self._new_group(geometry, level, dragged)
        return self._group(geometry, level, first, dragged)

    def _new_group(self, geometry: IcicleGeometry, level: int, dragged: Selection) -> DropTarget | None:
        return DropTarget(level) if dragged.level < level <= geometry.height else None

    def _group(
        self, geometry: IcicleGeometry, level: int, group: int, dragged: Selection
    ) -> DropTarget | None:
        hierarchy = geometry.outline.hierarchy
        code = int(geometry.outline.levels[level].codes[group])
        if level < max(dragged.level, 1):
            return None
        leaves = self._leaves_of(hierarchy, dragged)
        if len(leaves) and bool((hierarchy.levels[level].codes[leaves] == code).all()):
            return None
        if level == dragged.level and bool((hierarchy.levels[level].codes[leaves] == code).any()):
            return None
        return DropTarget(level, hierarchy.levels[level].labels[code])

    def _leaves_of(self, hierarchy: Hierarchy, dragged: Selection) -> IntArray:
        """The leaves below what is dragged; none for values that the hierarchy lacks."""
        if self._asked is None or self._asked[0] is not hierarchy or self._asked[1] is not dragged:
            entry = hierarchy.levels[dragged.level]
            chosen = np.zeros(len(entry.labels), dtype=np.bool_)
            chosen[[entry.index[label] for label in dragged.labels if label in entry.index]] = True
            self._leaves = np.flatnonzero(chosen[entry.codes])
            self._asked = (hierarchy, dragged)
        return self._leaves
