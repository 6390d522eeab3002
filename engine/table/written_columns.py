"""What writers of typed formats need to know of a column besides its texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.kernels.arrays import BoolArray, Codes
from engine.table.types import DataType
from engine.table.value_coding import ValueCoding

CodedTexts = tuple[Sequence[str], Codes]


@dataclass(frozen=True)
class WrittenColumn:
    """A column as it is written.

    Attributes
    ----------
    name : str
    data_type : DataType
        Of the column of the table; a generalized column has other texts.
    missing : str
        The text that stands for no value.
    coding : ValueCoding, optional
        Labels of the column of the table.
    """

    name: str
    data_type: DataType
    missing: str
    coding: ValueCoding | None = None


def occurring(texts: Sequence[str], codes: Codes) -> BoolArray:
    """Return which of the distinct texts a record has."""
    occurs: BoolArray = np.zeros(len(texts), dtype=np.bool_)
    occurs[codes] = True
    return occurs
