"""Columns named on the command line."""

from __future__ import annotations

import numpy as np
import pytest

from engine.cli.columns import check_columns
from engine.errors import TableError
from engine.records import DataType, Kind, Table
from engine.records.values import make_column

TABLE = Table(
    tuple(
        make_column(name, ["x"], np.zeros(1, dtype=np.int32), DataType(Kind.TEXT))
        for name in ("age", "postal code", "name, first")
    )
)


def test_a_name_with_a_comma_is_one_column() -> None:
    assert check_columns(TABLE, "--qi", ["name, first", "age"]) == ("name, first", "age")


def test_columns_joined_by_commas_are_told_how_to_be_written() -> None:
    with pytest.raises(TableError) as refused:
        check_columns(TABLE, "--qi", ["age,postal code"])
    assert refused.value.hint == 'Write --qi age --qi "postal code".'


def test_a_misspelt_name_is_answered_with_the_nearest_one() -> None:
    with pytest.raises(TableError) as refused:
        check_columns(TABLE, "--sa", ["agee"])
    assert refused.value.hint == "Did you mean 'age'?"
