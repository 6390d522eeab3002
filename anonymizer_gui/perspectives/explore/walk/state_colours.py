"""What a search knows of every node as the lattice draws it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QCoreApplication

from anonymizer_gui.perspectives.explore.lattice.lattice_raster import DIMMED, FAILS, N_RAMP, NOT_SCORED
from anonymizer_gui.perspectives.explore.lattice.lattice_view import LatticeColours
from anonymizer_gui.perspectives.explore.walk.walk_words import state_name
from anonymizer_gui.widgets.numbers import as_exact_count
from engine.search.replay import FAILING, SATISFYING, State

if TYPE_CHECKING:
    from engine.search.replay import States

_tr = partial(QCoreApplication.translate, "StateColours")


def state_colours(
    states: States,
    utility: NDArray[np.uint8],
    rows: NDArray[np.int64],
    minimal: NDArray[np.bool_] | None = None,
) -> LatticeColours:
    """Colour nodes by what is known of them.

    Parameters
    ----------
    states : ndarray of uint8, shape (n_nodes,)
    utility : ndarray of uint8, shape (n_nodes,)
        The colour class each node has where it is known to satisfy.
    rows : ndarray of int64, shape (n_nodes,)
        The row of each node in the lattice.
    minimal : ndarray of bool, shape (n_nodes,), optional
        Nodes to mark as minimal.
    """
    satisfies = np.isin(states, SATISFYING)
    classes = np.where(satisfies, np.minimum(utility, N_RAMP - 1), DIMMED).astype(np.uint8)
    classes[np.isin(states, FAILING)] = FAILS
    classes[states == State.SET_ASIDE] = NOT_SCORED
    return LatticeColours(
        classes,
        states.astype(np.float64),
        _known_by_row(states, rows),
        "",
        lambda value: state_name(State(int(value))),
        minimal,
    )


def _known_by_row(states: States, rows: NDArray[np.int64]) -> list[str]:
    """How many nodes of each row are known; the highest row says what the numbers are."""
    counts = np.bincount(rows)
    known = np.bincount(rows[states != State.NOT_REACHED], minlength=len(counts))
    texts = [f"{as_exact_count(some)} / {as_exact_count(n)}" for some, n in zip(known, counts, strict=True)]
    texts[-1] = _tr("known: {0}").format(texts[-1])
    return texts
