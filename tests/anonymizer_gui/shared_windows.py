"""One window for the tests of a file, emptied between them by closing the project."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication

# Files whose tests change what a window keeps for the next project, such as a view, a threshold or a filter.
NOT_SHARED = {
    *("test_explore", "test_find_node", "test_map_presenter", "test_walk_panel"),
    *("test_risk_overview", "test_utility_panes"),
}


def shares_window(request: pytest.FixtureRequest) -> bool:
    """Return whether the tests of a file use one window."""
    return request.module.__name__.rpartition(".")[2] not in NOT_SHARED


def window_of(
    request: pytest.FixtureRequest, make: Callable[[QApplication], AbstractContextManager[Any]]
) -> AbstractContextManager[Any]:
    """Return the shared window of the file, or one of the test alone."""
    if shares_window(request):
        return nullcontext(request.getfixturevalue("shared"))
    return make(request.getfixturevalue("themed_once"))
