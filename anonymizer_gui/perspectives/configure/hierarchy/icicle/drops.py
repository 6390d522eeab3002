"""Drop target under the pointer: an existing group, or free room for a new one."""

from __future__ import annotations

from PySide6.QtCore import QPointF

from anonymizer_gui.perspectives.configure.hierarchy.drafts import Selection
from anonymizer_gui.perspectives.configure.hierarchy.icicle.geometry import IcicleGeometry
from anonymizer_gui.perspectives.configure.hierarchy.values.group_drag import DropTarget
from anonymizer_gui.perspectives.configure.hierarchy.values.rows import holds

_BETWEEN_REACH, _BETWEEN_FROM = 5.0, 30.0


def drop_target(geometry: IcicleGeometry, position: QPointF, dragged: Selection) -> DropTarget | None:
    """Return the target of a drop, or None if groups cannot be dropped there.

    The target is the group under the pointer. Between two groups, next to the row and below the rows the
    drop creates a new group. The group that has the values already and those below it are excluded.
    """
    if geometry.height < 1:
        return None
    frame = geometry.frame
    bottom = geometry.row_rect(1).bottom()
    if bottom < position.y() < frame.bars_top:
        return _new_group(geometry, dragged.level + 1, dragged)
    level = geometry.level_at(position.y())
    if not level:
        return None
    if not frame.left <= position.x() <= frame.right:
        return _new_group(geometry, level, dragged)
    level = max(level, int(geometry.outline.closed[geometry.place_at(position.x())]))
    first, last = geometry.groups_at(level, position.x())
    if last - first > 1:
        return None
    rect = geometry.group_rect(level, first)
    is_edge = min(position.x() - rect.left(), rect.right() - position.x()) <= _BETWEEN_REACH
    if is_edge and rect.width() >= _BETWEEN_FROM and level > dragged.level:
        return _new_group(geometry, level, dragged)
    outline = geometry.outline
    label = outline.hierarchy.levels[level].labels[int(outline.levels[level].codes[first])]
    if level < max(dragged.level, 1) or holds(outline, level, label, dragged):
        return None
    return DropTarget(level, label)


def _new_group(geometry: IcicleGeometry, level: int, dragged: Selection) -> DropTarget | None:
    return DropTarget(level) if dragged.level < level <= geometry.height else None
