"""Value of a picture of all nodes for screen readers: the selected node, and the number of nodes."""

from __future__ import annotations

from engine.numbers import as_nodes
from engine.words import _


def spoken_value(description: str, n_nodes: int) -> str:
    """Return the first paragraph of a description of the selected node, and the number of nodes.

    The description is empty if no node is selected.
    """
    if not n_nodes:
        return ""
    about = "; ".join(description.partition("\n\n")[0].splitlines())
    return f"{about or _('no node selected')}; {as_nodes(n_nodes)}"
