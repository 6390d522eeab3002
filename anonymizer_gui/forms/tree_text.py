"""Trees of groups as indented lines, written and read so that nothing is lost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QPlainTextEdit

from anonymizer_gui.forms.lists import quoted, unquoted
from engine.errors import ParameterError
from engine.params import TreeNode

_STEP = "  "


def tree_to_text(nodes: Sequence[TreeNode]) -> str:
    """One line per group or value, what is in a group indented below it."""
    return "\n".join(_lines(nodes, ""))


def text_to_tree(text: str, label: str) -> list[TreeNode]:
    """Read what `tree_to_text` writes; any indentation serves, a line without lines below is a value.

    Raises
    ------
    ParameterError
        A line is indented less than the one above but like none before it.
    """
    root: list[TreeNode] = []
    open_lists: list[tuple[int, list[TreeNode]]] = []  # indentation of the lines that each list holds
    for number, line in enumerate(text.expandtabs(4).split("\n"), start=1):
        if not line.strip():
            continue
        depth = len(line) - len(line.lstrip(" "))
        if not open_lists:
            open_lists.append((depth, root))
        elif depth > open_lists[-1][0]:
            open_lists.append((depth, _opened(open_lists[-1][1])))
        while open_lists and depth < open_lists[-1][0]:
            open_lists.pop()
        if not open_lists or depth != open_lists[-1][0]:
            raise ParameterError(
                f"{label}, line {number}: '{line.strip()}' is indented like no line above.",
                hint="Lines of one group begin at the same place.",
            )
        open_lists[-1][1].append(unquoted(line.strip(" ")))
    return _frozen(root)


class TreeText(QPlainTextEdit):
    """A field for indented lines: a new line begins where the one above does."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        is_new_line = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not event.modifiers()
        line = self.textCursor().block().text()[: self.textCursor().positionInBlock()]
        super().keyPressEvent(event)
        if is_new_line:
            self.insertPlainText(line[: len(line) - len(line.lstrip())])


def _lines(nodes: Sequence[TreeNode], indent: str) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, str):
            yield indent + quoted(node)
        else:
            yield indent + quoted(node[0])
            yield from _lines(node[1], indent + _STEP)
