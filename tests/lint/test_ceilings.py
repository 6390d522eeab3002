"""The program stays below its ceilings, and what counts its mechanisms finds them."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import cache

import pytest

from tests import mechanisms, sizes


@cache
def found() -> Mapping[str, float]:
    return sizes.sizes()


@pytest.mark.parametrize("what", sizes.ceilings())
def test_a_number_is_not_above_its_ceiling(what: str) -> None:
    assert found()[what] <= sizes.ceilings()[what], "see tests/ceilings.toml"


def test_docstrings_are_not_what_the_program_became_smaller_by() -> None:
    assert sizes.below_least(found()) == []


SOURCE = """
class Painted(QWidget):
    def paintEvent(self, event): pass
    def resizeEvent(self, event): pass
    def __init__(self):
        theme_manager().theme_changed.connect(self.update)

class Lines(QtCore.QAbstractTableModel): pass

@dataclass(frozen=True)
class Shown:
    title: str

@dataclass(frozen=True)
class Acting:
    title: str
    def act(self): return self.title.is_cut or is_remote("highest risk")

class ReleaseVerifier: pass
class PieceCounter: pass
class Counter(Protocol): pass
"""
COUNTED = {
    "paintEvent methods": 1,
    "resizeEvent methods": 1,
    "connections to theme_changed": 1,
    "table models": 1,
    "second report sections": 0,
    "files that word the highest risk": 1,
    "verifiers": 2,
    "names that ask where records are": 2,
    "window dataclasses without a method": 1,
    "files of the risk, utility and given table pages": 1,
}


@pytest.mark.parametrize("what", COUNTED)
def test_a_mechanism_is_counted_where_it_stands(what: str) -> None:
    places = ("engine.verification.made", "anonymizer_gui.perspectives.risk.made")
    trees = {place: tuple(ast.walk(ast.parse(SOURCE))) for place in places}
    once = {what for what in COUNTED if what.startswith(("verifiers", "window", "files of"))}
    assert mechanisms.COUNTS[what](trees) == COUNTED[what] * (1 if what in once else 2)
