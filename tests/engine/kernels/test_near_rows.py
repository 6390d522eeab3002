"""Near rows: those that are skipped are no nearer than those that are found."""

from __future__ import annotations

from types import ModuleType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.kernels.compiled import rebuilding as compiled
from engine.kernels.label_trees import NOT_LISTED
from engine.monitor import SILENT
from engine.privacy import Requirement
from engine.recoding import RecodingTask, rooted
from engine.recoding.allowed_labels import joined, labels_of
from engine.recoding.cover import share_costs
from engine.recoding.distinct import DistinctRecords
from engine.recoding.rebuilding import near_records
from tests.strategies import Case, cases, few


@few
@given(cases(max_sensitive=0), st.booleans(), st.sampled_from([None, compiled]), st.integers(1, 5))
def test_each_record_is_near_those_that_share_the_cheapest_labels_with_it(
    case: Case, is_listed: bool, kernels: ModuleType | None, n_near: int
) -> None:
    problem = rooted(case.problem)
    records = DistinctRecords(problem)
    tree, lowest = labels_of(problem, share_costs(RecodingTask(problem, Requirement())))
    if not is_listed:
        tree.offsets[:] = NOT_LISTED
    columns = zip(lowest, records.leaves.T, strict=True)
    labels = np.column_stack([low[leaves] for low, leaves in columns]).astype(np.int32)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("engine.recoding.rebuilding.N_ALIKE", n_near)
        alike = near_records(labels, tree, np.random.default_rng(0), kernels, SILENT)
    for record, own in enumerate(labels):
        shared = joined(np.tile(own, len(labels)), labels.ravel(), tree).reshape(labels.shape)
        prices = tree.costs[shared].sum(axis=1)
        row = alike.row_of[record]
        firsts = np.unique(alike.row_of, return_index=True)[1]
        others = sorted((int(prices[first]), n) for n, first in enumerate(firsts) if n != row)[:n_near]
        assert alike.prices[row].tolist() == [int(prices[record]), *(price for price, _ in others)]
        near = alike.row_of[alike.records[alike.starts[row]]]
        assert near.tolist() == [int(row), *(n for _, n in others)]
        assert (np.bincount(alike.row_of)[near] == alike.counts[row]).all()
