"""Reference cases with attackers who know some columns, and random attackers as models and by hand."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from engine.privacy.any_columns import AnyColumns
from engine.privacy.attackers import AttackerModel
from engine.privacy.known_columns import KnownColumns
from tests import attackers_by_hand as by_hand
from tests.slow_reference import paths
from tests.strategies import Attributes, Case

FILE = Path(__file__).parent / "data" / "second" / "sets.json"
REFERENCE: list[dict[str, Any]] = json.loads(FILE.read_text(encoding="utf-8"))


def case_of(entry: dict[str, Any]) -> Case:
    """Return the table of a reference case."""
    rows = entry["rows"]
    qi = tuple(
        Attributes(name, tuple(row[name] for row in rows), rows=tuple(map(tuple, entry["hierarchies"][name])))
        for name in entry["qi"]
    )
    return Case(qi, (Attributes("s", tuple(row["s"] for row in rows)),))


def model_of(demand: dict[str, Any]) -> AttackerModel:
    """Return the model of a reference requirement."""
    values: dict[str, Any] = {"k": demand["k"], "column": demand.get("column", "")}
    if "confidence" in demand:
        values |= {"confidence": float(demand["confidence"]), "values": tuple(demand["values"])}
    if "any" in demand:
        return AnyColumns(m=demand["any"], **values)
    return KnownColumns(attacker=demand["name"], known=tuple(demand["columns"]), **values)


def rows_of(case: Case, node: tuple[int, ...]) -> list[by_hand.Person]:
    """Return the records at a node."""
    known = [paths(attribute) for attribute in case.qi]
    persons = case.persons or tuple(map(str, range(case.n_records)))
    values = case.sensitive[0].texts if case.sensitive else ("",) * case.n_records
    return [
        by_hand.Person(
            tuple(
                own[attribute.texts[i]][level]
                for own, attribute, level in zip(known, case.qi, node, strict=True)
            ),
            persons[i],
            values[i],
        )
        for i in range(case.n_records)
    ]


@st.composite
def attackers(draw: st.DrawFn, case: Case) -> tuple[AttackerModel, by_hand.Demand]:
    """Draw an attacker, as a model and as its demand by hand."""
    names = [attribute.name for attribute in case.qi]
    further: dict[str, Any] = {}
    if case.sensitive and draw(st.booleans()):
        values = draw(st.lists(st.sampled_from(sorted(set(case.sensitive[0].texts))), unique=True))
        further = {
            "l": draw(st.integers(1, 3)),
            "confidence": draw(st.sampled_from([0.34, 0.5, 0.6, 1.0])),
            "values": tuple(values),
        }
    column = {"column": case.sensitive[0].name} if further else {}
    k = draw(st.integers(1, 4))
    exact = {**further, "confidence": Fraction(str(further["confidence"]))} if further else {}
    if draw(st.booleans()):
        m = draw(st.integers(1, len(names) + 1))
        return AnyColumns(m=m, k=k, **column, **further), by_hand.Demand(k, any_m=m, **exact)
    chosen = draw(st.lists(st.sampled_from(range(len(names))), unique=True, min_size=1))
    known = tuple(names[q] for q in chosen)
    return (
        KnownColumns(attacker="a", known=known, k=k, **column, **further),
        by_hand.Demand(k, tuple(chosen), **exact),
    )
