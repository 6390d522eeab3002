"""When the models of sensitive columns are enforced: while a search looks for a node, or afterwards."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from engine.params import Choice, Configurable, param

DURING, AFTERWARDS = "during", "afterwards"


@dataclass(frozen=True, slots=True)
class Enforcement(Configurable):
    """What a search holds nodes to.

    Afterwards, a search looks at the models by class size alone, and classes of its answer that miss the
    others are suppressed, within the same limit. That costs more records than a search that knows all
    models, and where the limit is passed no other node is tried.
    """

    title: ClassVar[str] = "Enforcement"
    enforce: str = param(
        DURING,
        Choice(
            label="Models of sensitive columns",
            help="During: a search finds nodes that meet all models. Afterwards: it looks at class sizes "
            "alone, and classes of its answer that miss the others are suppressed, within the limit.",
            options=((DURING, "Enforced during the search"), (AFTERWARDS, "Enforced afterwards")),
        ),
    )
