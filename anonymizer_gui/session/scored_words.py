"""How far scoring is, in words."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from anonymizer_gui.session.session import Session
from anonymizer_gui.widgets.numbers import as_exact_count, as_nodes, as_percent


def scored_words(session: Session) -> str:
    """How many of how many nodes are scored, of a session that has scores; of an explored one the share."""
    profile = session.results.profile
    assert profile is not None
    scored, total = profile.n_scored, profile.problem.lattice.n_nodes
    share = f" ({as_percent(scored / total)})" if session.results.is_explored else ""
    words = QCoreApplication.translate("ScoredWords", "{0} of {1} scored")
    return words.format(as_exact_count(scored), as_nodes(total)) + share
