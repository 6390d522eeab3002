"""Trees of groups as indented lines, written and read so that nothing is lost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QPlainTextEdit

from anonymizer_gui.forms.lists import quoted, unquoted
from engine.errors import ParameterError
from engine.params import TreeNode

_STEP = "    "
_TAB = 4


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
    found: list[_Line] = []
    above: list[_Line] = []  # the last line, the line it is in, and so on
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        words = line.lstrip(" \t")
        indent = len(line[: len(line) - len(words)].expandtabs(_TAB))
        entry = _Line(indent, unquoted(words.rstrip()))
        while above and above[-1].indent >= indent:
            above.pop()
        siblings = above[-1].inner if above else found
        if siblings and siblings[0].indent != indent:
            raise ParameterError(
                f"{label}, line {number}: '{words.strip()}' is indented like no line above.",
                hint="Lines of one group begin at the same place.",
            )
        siblings.append(entry)
        above.append(entry)
    return [line.node() for line in found]


@dataclass
class _Line:
    """A line with the lines that are indented below it."""

    indent: int
    text: str
    inner: list[_Line] = field(default_factory=list)

    def node(self) -> TreeNode:
        return (self.text, tuple(line.node() for line in self.inner)) if self.inner else self.text


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
