"""DataFrames of other libraries come in by their protocols, and go out as the kind they were."""

from __future__ import annotations

import pandas as pd
import pyarrow as pa
import pytest

import engine
from engine import KAnonymity, anonymize
from engine.errors import TableError
from engine.records.opening.data_frames import as_table

PEOPLE = {
    "age": [31, 33, None, 36, 52, 55],
    "sex": ["f", "f", "m", "m", None, "m"],
    "note": [1.5, 2.0, None, 4.25, 5.0, 6.0],
}


class Stream:
    """Nothing but an Arrow stream, as of a library that is not known."""

    def __init__(self, table: pa.Table) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._table.__arrow_c_stream__(requested_schema)


class Interchange:
    """Nothing but the interchange protocol."""

    def __init__(self, frame: pd.DataFrame) -> None:
        self._frame = frame

    def __dataframe__(self, nan_as_null: bool = False, allow_copy: bool = True) -> object:
        return pa.Table.from_pandas(self._frame).__dataframe__()


@pytest.fixture
def table() -> pa.Table:
    columns = {**PEOPLE, "sex": pa.array(PEOPLE["sex"]).dictionary_encode()}
    return pa.table(columns)


def test_an_arrow_table_is_released_as_one(table: pa.Table) -> None:
    released = anonymize(table, ["age", "sex"], insensitive="note", models=KAnonymity(1), node=(0, 1))
    assert released.verdict.ok
    found = released.frame
    assert isinstance(found, pa.Table)
    assert found.column("age").equals(table.column("age"))
    assert found.column("note").equals(table.column("note"))
    assert found.schema.field("sex").type == pa.dictionary(pa.int32(), pa.string())
    assert found.column("sex").to_pylist() == ["*"] * 6


def test_whole_numbers_next_to_missing_ones_stay_whole(table: pa.Table) -> None:
    column = as_table(table).column("age")
    assert column.labels == ("31", "33", "36", "52", "55", "")
    assert column.has_missing


def test_anything_with_an_arrow_stream_comes_in(table: pa.Table) -> None:
    released = anonymize(Stream(table), "age", models=KAnonymity(6), suppressed="remove")
    assert isinstance(released.frame, pa.Table)
    assert released.frame.num_rows == 6
    assert engine.check(Stream(table), "sex").k == 1


def test_anything_with_the_interchange_protocol_comes_in() -> None:
    frame = pd.DataFrame({"age": [31, 33, 35, 36], "sex": ["f", "f", "m", "m"]})
    released = anonymize(Interchange(frame), ["age", "sex"], models=KAnonymity(2))
    assert isinstance(released.frame, pd.DataFrame)
    assert released.frame.equals(anonymize(frame, ["age", "sex"], models=KAnonymity(2)).frame)


def test_a_polars_frame_is_released_as_one() -> None:
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame(PEOPLE, schema={"age": pl.Int16, "sex": pl.Categorical, "note": pl.Float64})
    released = anonymize(
        frame, ["age", "sex"], insensitive="note", models=KAnonymity(1), node={"age": 0, "sex": 1}
    )
    assert isinstance(released.frame, pl.DataFrame)
    assert released.frame.schema == frame.schema
    assert released.frame["note"].to_list() == PEOPLE["note"]
    assert released.frame["age"].to_list() == PEOPLE["age"]
    removed = anonymize(
        frame, "age", models=KAnonymity(2), node=[1], suppression_limit=1, suppressed="remove"
    )
    assert removed.frame.height == 6 - removed.scores["suppressed"]


@pytest.mark.parametrize("dtype", [None, "string", object, "category", pd.ArrowDtype(pa.string())])
def test_texts_of_every_type_of_pandas_stay_missing_where_they_were(dtype: object) -> None:
    sex = pd.Series(["f", None, "f", "m"])
    frame = pd.DataFrame({"age": [1, 2, 3, 4], "sex": sex if dtype is None else sex.astype(dtype)})
    rows = [["f", "f", "*"], ["m", "m", "*"], ["", "", "*"]]
    released = anonymize(
        frame, "sex", insensitive="age", models=KAnonymity(2), hierarchies={"sex": rows}, node=[0],
        suppression_limit=1,
    ).frame  # fmt: skip
    assert released["sex"].tolist() == ["f", "*", "f", "*"]
    kept = anonymize(
        frame, "sex", insensitive="age", models=KAnonymity(1), hierarchies={"sex": rows}, node=[1]
    ).frame
    pd.testing.assert_series_equal(kept["sex"], frame["sex"])


def test_a_file_and_a_table_become_frames_of_pandas(examples) -> None:
    path = examples / "hospital" / "hospital.csv"
    known = ["age", "gender"]
    from_file = anonymize(path, known, models=KAnonymity(3))
    from_table = anonymize(as_table(path), known, models=KAnonymity(3))
    assert isinstance(from_file.frame, pd.DataFrame)
    assert from_file.frame.equals(from_table.frame)
    assert engine.check(from_file.frame, known, leave_out_suppressed=True).k >= 3


def test_other_values_are_refused() -> None:
    with pytest.raises(TableError, match="A list is not a table"):
        anonymize([1, 2], "age")
