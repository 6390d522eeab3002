"""Leaves that the labels of a class cover, for models that weigh its information."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping

import pandas as pd

from engine.verification.cells import Paths
from engine.verification.classes import Classes
from engine.verification.findings import UnverifiableError
from engine.words import _


class LabelLeaves:
    """Leaves below every label of a node.

    Parameters
    ----------
    paths : mapping of str to Paths
        Labels of every value, level by level, per quasi-identifier.
    node : mapping of str to int, or None
        Level per quasi-identifier; None if levels vary by record.
    """

    def __init__(self, paths: Mapping[str, Paths], node: Mapping[str, int] | None) -> None:
        self._whole = math.prod(len(column) for column in paths.values())
        self._below: dict[str, Counter[int]] | None = None
        if node is not None:
            self._below = {
                name: Counter(path[node[name]] for path in column.values()) for name, column in paths.items()
            }

    def losses(self, classes: Classes, labels: pd.DataFrame) -> pd.Series[float]:
        """Return the information loss of a record per class: log(leaves covered) / log(all leaves).

        Parameters
        ----------
        classes : Classes
        labels : DataFrame
            Codes of the labels of the records in the classes.

        Raises
        ------
        UnverifiableError
            If levels vary by record.
        """
        if self._below is None:
            raise UnverifiableError(_("The information loss is not defined if levels vary by record."))
        found = {
            number: self._loss([below[code] for below, code in zip(self._below.values(), row, strict=True)])
            for number, row in classes.labels_of(labels[list(self._below)]).items()
        }
        return pd.Series(found, dtype="float64").reindex(classes.sizes.index)

    def _loss(self, covered: list[int]) -> float:
        product = math.prod(covered)
        if product == self._whole:
            return 0.0 if self._whole == 1 else 1.0
        return math.log(product) / math.log(self._whole) if product > 1 else 0.0
