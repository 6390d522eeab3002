"""Colours and font sizes are defined in `theming` only."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
GUI = ROOT / "anonymizer_gui"
REPORT_PALETTE = ROOT / "engine" / "report" / "palette.py"
_COLOR_TEXT = re.compile(r"#[0-9A-Fa-f]{6}\b|#[0-9A-Fa-f]{8}\b|#[0-9A-Fa-f]{3}\b(?![\w-])|\brgba?\(")
_NAMED_COLORS = {
    "black", "white", "red", "green", "blue", "cyan", "magenta", "yellow", "gray", "darkGray", "lightGray",
    "darkRed", "darkGreen", "darkBlue", "darkCyan", "darkMagenta", "darkYellow",
}  # fmt: skip
_SIZE_CALLS = {"setPixelSize", "setPointSize", "setPointSizeF"}
_SIZE_TEXT = re.compile(r"font(-size)?\s*:\s*[^;]*\d\s*(px|pt)")


def literals_in(source: str) -> list[str]:
    """Return the colour literals and font sizes in code, without documentation."""
    tree = ast.parse(source)
    prose = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    found = []
    for node in ast.walk(tree):
        line = getattr(node, "lineno", 0)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in prose:
            if _COLOR_TEXT.search(node.value) or _SIZE_TEXT.search(node.value):
                found.append(f"{line}: {node.value!r}")
        elif isinstance(node, ast.Attribute) and node.attr in _NAMED_COLORS:
            owner = ast.unparse(node.value)
            if owner in ("Qt", "Qt.GlobalColor", "QtCore.Qt", "QtCore.Qt.GlobalColor"):
                found.append(f"{line}: {owner}.{node.attr}")
        elif isinstance(node, ast.Call):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            literal = [arg for arg in node.args if isinstance(arg, ast.Constant)]
            if called in ("QColor", "mkColor", "mkPen", "mkBrush", "QPen", "QBrush") and literal:
                first = literal[0] is node.args[0]
                named = isinstance(literal[0].value, str) or len(literal) >= 3
                if first and named:
                    found.append(f"{line}: {ast.unparse(node)}")
            elif called in _SIZE_CALLS or (called == "QFont" and len(node.args) > 1):
                found.append(f"{line}: {ast.unparse(node)}")
    return found


def test_no_module_outside_theming_defines_a_colour_or_a_font_size() -> None:
    found = {
        str(path.relative_to(GUI)): lines
        for path in GUI.rglob("*.py")
        if GUI / "theming" not in path.parents and (lines := literals_in(path.read_text(encoding="utf-8")))
    }
    assert found == {}


def test_the_engine_defines_no_colour_outside_the_palette_of_the_report() -> None:
    found = {
        str(path.relative_to(ROOT)): lines
        for path in (ROOT / "engine").rglob("*.py")
        if path != REPORT_PALETTE
        and (lines := [line for line in literals_in(path.read_text(encoding="utf-8")) if "#" in line])
    }
    assert found == {}


@pytest.mark.parametrize(
    "line",
    [
        'x = "#FF0000"',
        'x = "color: #fff;"',
        'x = "rgb(1, 2, 3)"',
        "x = QColor(255, 0, 0)",
        'x = QColor("red")',
        "x = Qt.GlobalColor.red",
        "font.setPixelSize(13)",
        'x = QFont("Inter", 13)',
        'x = "QLabel { font-size: 13px }"',
        'pen = mkPen("r")',
    ],
)
def test_the_scan_finds_every_notation(line: str) -> None:
    assert len(literals_in(line)) == 1


@pytest.mark.parametrize(
    "line", ["x = QColor(theme.accent)", 'x = "issue #12"', '"""About #FF0000."""', "QPen(c, 2)"]
)
def test_the_scan_ignores_tokens_and_prose(line: str) -> None:
    assert literals_in(line) == []


def test_only_the_star_is_gold() -> None:
    gold = re.compile(r"\b(?:theme|current_theme\(\))\.optimum\b")
    users = [path for path in GUI.rglob("*.py") if gold.search(path.read_text("utf-8"))]
    assert users == [GUI / "widgets" / "marks.py"]
    source = users[0].read_text("utf-8")
    (place,) = (found.start() for found in gold.finditer(source))
    assert source.rfind("\ndef ", 0, place) == source.index("\ndef draw_optimum(")
