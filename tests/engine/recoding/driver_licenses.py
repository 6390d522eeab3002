"""The table and the figures of the singleton paper, as they are published and as they are right."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engine.hierarchies import Hierarchy
from engine.hierarchies.builders.base import HierarchyBuilder
from engine.hierarchies.builders.grouping import GroupingBuilder
from engine.recoding.singleton_variants import SingletonStudy, Variant

SEX, MUNICIPALITY, YEAR = COLUMNS = ("sesso", "comune_residenza", "anno_nascita")
ORDER = {(SEX, "*"): "S", (MUNICIPALITY, "province"): "M", (YEAR, "range"): "Y_ran", (YEAR, "mean"): "Y_avg"}
LOCAL = ("S_loc", "M_loc", "SM_loc")


def published(data: Path) -> dict[str, Any]:
    """The entry of singleton_table1.json."""
    (entry,) = json.loads((data / "published" / "singleton_table1.json").read_text(encoding="utf-8"))
    return dict(entry)


def ways(folder: Path, entry: dict[str, Any]) -> Mapping[str, Mapping[str, Hierarchy | HierarchyBuilder]]:
    """Municipalities to provinces; years in groups of four. Sex has none, and is hidden."""
    with (folder / entry["provinces"]).open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))[1:]
    years = {label: GroupingBuilder(sizes=(4,), label=label) for label in ("range", "mean")}
    return {MUNICIPALITY: {"province": Hierarchy.from_rows(rows)}, YEAR: years}


def by_name(study: SingletonStudy) -> dict[str, Variant]:
    """The variants under the names of the published figures."""
    return {name(variant): variant for variant in study.variants}


def name(variant: Variant) -> str:
    """S, SM_Y_ran, M_loc, original, ..."""
    if variant.scope == "none":
        return "original"
    places = sorted(variant.coarsened, key=list(ORDER).index)
    joined = "_".join(ORDER[place] for place in places).replace("S_M", "SM")
    return joined + ("_loc" if variant.scope == "local" else "")


def figures(variant: Variant) -> tuple[int, int, int]:
    """Singletons, distinct combinations, modified rows."""
    counted = variant.counted
    return counted.singletons, counted.distinct, counted.modified


def expected(entry: dict[str, Any], variant: str) -> tuple[int, int, int]:
    """The same as published."""
    found = entry["variants"][variant]
    return found["singletons"], found["distinct"], found["modified_rows"]
