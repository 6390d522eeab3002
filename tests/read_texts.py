"""Places where logic reads a text that people read: it would decide otherwise in another language.

A text is translated if it comes from a call of a mark (`_`, `tr`, `ngettext`, `pgettext`), from an attribute
that is declared by `lazy`, from what a widget shows, or from a name of its function that was assigned such
a text. Reported are comparisons, keys of look-ups, and methods that take a text apart.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

_MARKS = {"_", "tr", "ngettext", "pgettext", "npgettext"}
# Attributes that hold translated texts; others of the same name would be data, such as `label` and `unit`.
_TRANSLATED = {"title", "summary", "meaning", "symbol", "effect", "weakness", "caution", "explanation"}
_SHOWN = {"currentText", "itemText", "toolTip", "windowTitle", "accessibleName", "accessibleDescription"}
_OWN = {f"self.{name}" for name in _SHOWN}
_KEEPING = {"format", "lower", "upper", "casefold", "capitalize", "strip", "replace", "removesuffix", "join"}
_APART = {"startswith", "endswith", "find", "index", "partition", "rpartition", "split", "rsplit", "count"}
_LOOKING_UP = {"get", "index", "setdefault", "pop", "match", "fullmatch", "search", "startswith", "endswith"}
# English on purpose, or contracts of programmers about the declared texts.
_OUTSIDE = ("engine/cli", "engine/testing", "engine/compat", "engine/words.py")
# What looks at a shown text only to show it otherwise, or not again.
ALLOWED = {
    "anonymizer_gui/command_palette.py": "takes the name of an entry off its own tooltip",
    "anonymizer_gui/perspectives/configure/hierarchy/builder/notes.py": "does not say its title twice",
    "anonymizer_gui/perspectives/explore/lattice/view.py": "calls actions of a screen reader by words",
    "anonymizer_gui/perspectives/explore/listing/panel.py": "sets the texts of a box that differ",
    "anonymizer_gui/perspectives/configure/table/filter_bar.py": "fills a box with other names",
    "anonymizer_gui/help/library.py": "searches pages for typed words",
    "anonymizer_gui/help/panel.py": "does not say the heading of a page twice",
    "anonymizer_gui/language.py": "tells whether a catalogue has a text",
    "anonymizer_gui/session/applied.py": "shortens a sentence that begins with these words",
    "engine/findings/format_value.py": "does not write a unit twice",
    "engine/report/pdf_blocks.py": "measures the longest word",
}


def reading_places(root: Path, package: str) -> Iterator[str]:
    """Return places as `file:line: code`."""
    for path in sorted((root / package).rglob("*.py")):
        name = path.relative_to(root).as_posix()
        if not name.startswith(_OUTSIDE) and name not in ALLOWED:
            for line, code in _places(ast.parse(path.read_text(encoding="utf-8"))):
                yield f"{name}:{line}: {code[:100]}"


def _places(tree: ast.AST) -> Iterator[tuple[int, str]]:
    functions = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
    seen = set()
    for scope in (*functions, tree):
        texts = _Texts(scope) if scope is not tree else _Texts(None)
        for node in ast.walk(scope):
            if isinstance(node, ast.expr | ast.Match) and node not in seen and texts.are_read(node):
                seen.add(node)
                yield getattr(node, "lineno", 0), ast.unparse(node)


class _Texts:
    """Translated texts of a function."""

    def __init__(self, scope: ast.AST | None) -> None:
        self._names: set[str] = set()
        for node in () if scope is None else ast.walk(scope):
            if isinstance(node, ast.Assign) and self.is_text(node.value):
                self._names |= {target.id for target in node.targets if isinstance(target, ast.Name)}

    def is_text(self, node: ast.AST | None) -> bool:
        """Return whether an expression is a translated text, or a collection of some."""
        match node:
            case ast.Name(id=name):
                return name in self._names
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if name in _MARKS | _SHOWN:
                return True
            case ast.Call(func=ast.Attribute(value=own, attr=name), args=args) if name in _KEEPING:
                return self.is_text(own) or (name == "join" and any(map(self.is_text, args)))
            case ast.Attribute(attr=name):
                return name in _TRANSLATED
            case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Set(elts=parts):
                return any(map(self.is_text, parts))
            case ast.GeneratorExp(elt=part) | ast.ListComp(elt=part) | ast.SetComp(elt=part):
                return self.is_text(part)
            case ast.IfExp(body=one, orelse=other):
                return self.is_text(one) or self.is_text(other)
            case ast.JoinedStr(values=parts):
                return any(self.is_text(p.value) for p in parts if isinstance(p, ast.FormattedValue))
        return False

    def are_read(self, node: ast.AST) -> bool:
        """Return whether a node decides by a translated text; whether there is any is no such decision."""
        match node:
            case ast.Compare(left=left, comparators=others):
                operands = [left, *others]
                if any(isinstance(o, ast.Call) and ast.unparse(o.func) in _OWN for o in operands):
                    return False  # whether another text is shown than before
                is_empty = any(isinstance(o, ast.Constant) and o.value in ("", None) for o in operands)
                return not is_empty and any(map(self.is_text, operands))
            case ast.Subscript(slice=key):
                return self.is_text(key)
            case ast.Dict(keys=keys):
                return any(map(self.is_text, keys))
            case ast.DictComp(key=key):
                return self.is_text(key)
            case ast.Match(subject=subject):
                return self.is_text(subject)
            case ast.Call(func=ast.Attribute(attr="replace" | "removeprefix"), args=[first, *_others]):
                return self.is_text(first)
            case ast.Call(func=ast.Attribute(value=own, attr=name), args=args):
                is_key = name in _LOOKING_UP and bool(args) and self.is_text(args[0])
                return is_key or (name in _APART and self.is_text(own))
        return False
