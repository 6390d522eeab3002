"""The models' measured values on many tables, against an independent implementation of the definitions."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from engine.frequency import SensitiveAttribute
from engine.frequency.measured import MeasuredClasses, pairs_of
from engine.privacy import PrivacyModel, Relation
from engine.privacy.alpha_k_anonymity import AlphaKAnonymity
from engine.privacy.basic_beta_likeness import BasicBetaLikeness
from engine.privacy.delta_disclosure import DeltaDisclosure
from engine.privacy.distinct_l_diversity import DistinctLDiversity
from engine.privacy.enhanced_beta_likeness import EnhancedBetaLikeness
from engine.privacy.entropy_l_diversity import EntropyLDiversity
from engine.privacy.recursive_c_l_diversity import RecursiveCLDiversity
from engine.privacy.t_closeness import TCloseness
from engine.table import DataType, Kind
from engine.table.values import make_column

PUBLISHED = Path(__file__).parents[2] / "data" / "published"
MICRO = json.loads((PUBLISHED / "micro.json").read_text(encoding="utf-8"))
TABLES = json.loads((PUBLISHED / "models.json").read_text(encoding="utf-8"))
FIELDS: dict[str, Callable[[str], PrivacyModel]] = {
    "alpha": AlphaKAnonymity,
    "l": DistinctLDiversity,
    "exp_entropy_min": EntropyLDiversity,
    "beta": BasicBetaLikeness,
    "enh_lit": EnhancedBetaLikeness,
    "delta_lit": DeltaDisclosure,
    "t_equal": lambda column: TCloseness(column, distance="equal"),
    "t_ordered": lambda column: TCloseness(column, distance="ordered"),
}


def classes_of(table: pd.DataFrame, qi: list[str], column: str) -> MeasuredClasses:
    """Classes of some columns of a table, for a sensitive one; cells without a value count as one value."""
    values, domain = pd.factorize(table[column], sort=True, use_na_sentinel=False)
    labels = table.groupby(qi, dropna=False, sort=False).ngroup().to_numpy()
    codes = values.astype(np.int32)
    # Values are numbered in their order, so their numbers stand for them.
    attribute = SensitiveAttribute(
        make_column(column, [str(i) for i in range(len(domain))], codes, DataType(Kind.INTEGER))
    )
    sizes = np.bincount(labels).astype(np.int64)
    pairs = pairs_of(labels.astype(np.int64), codes, None, len(domain))
    return MeasuredClasses(sizes, [attribute], lambda _: pairs)


def worst(entry: dict[str, Any], table: pd.DataFrame, model: Callable[[str], PrivacyModel]) -> float:
    """The worst class's measured value over all sensitive columns."""
    found = []
    for column in entry["sa"]:
        others = [] if entry["gen"] else [name for name in entry["sa"] if name != column]
        judged = model(column)
        measured = judged.measure(classes_of(table, entry["qi"] + others, column))
        found.append(float(measured.min() if judged.relation is Relation.AT_LEAST else measured.max()))
    return min(found) if model("").relation is Relation.AT_LEAST else max(found)


def check(entry: dict[str, Any], table: pd.DataFrame) -> None:
    known = entry["independent"]
    for field, model in FIELDS.items():
        assert worst(entry, table, model) == pytest.approx(float(known[field]), rel=1e-9, abs=1e-12), field
    ratio = known["recursive_c_ratio_lit"]
    if ratio is not None:
        rank = int(known["l"])
        found = worst(entry, table, lambda column: RecursiveCLDiversity(column, l=rank))
        assert found == pytest.approx(float(ratio), rel=1e-9)


@pytest.mark.parametrize("entry", [pytest.param(entry, id=entry["id"]) for entry in MICRO])
def test_tables_to_count_by_hand_have_the_values_of_the_definitions(entry: dict[str, Any]) -> None:
    check(entry, pd.DataFrame(entry["data"]))


@pytest.mark.parametrize("entry", [pytest.param(entry, id=entry["id"]) for entry in TABLES])
def test_released_and_raw_tables_have_the_values_of_the_definitions(
    entry: dict[str, Any], table_path: Callable[[str], Path]
) -> None:
    table = pd.read_csv(table_path(entry["dataset"]), sep=entry["sep"])
    check(entry, table.dropna(subset=entry["qi"]) if entry["dropna_qi"] else table)
