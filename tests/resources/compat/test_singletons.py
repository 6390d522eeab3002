"""The singleton program of isislab-unisa: its groups of years and its local recoding in turns."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from anonymizer_compat.singletons import representative, singleton_variants, year_groups
from engine.errors import InputError
from engine.hierarchies import Hierarchy
from engine.hierarchies.builders.grouping import GroupingBuilder
from engine.records import Kind
from tests.engine.hierarchies.columns import column_of
from tests.engine.recoding.driver_licenses import (
    COLUMNS,
    LOCAL,
    MUNICIPALITY,
    SEX,
    YEAR,
    by_name,
    expected,
    figures,
    published,
    ways,
)


def test_the_mean_of_a_group_is_one_of_its_elements() -> None:
    assert {n: representative(n) for n in (1, 2, 3, 4)} == {1: 0, 2: 0, 3: 1, 4: 2}


def test_years_are_grouped_by_distinct_values_and_written_as_the_program_prints_them() -> None:
    years = column_of("1999", "2001", "2001", "2004", "2005", "2006", "", kind=Kind.INTEGER)
    assert year_groups(years).levels[1].labels == ("(1999, '/', 2005)", "(2006, '/', 2006)", "")
    assert year_groups(years, label="mean").levels[1].labels == ("2004", "2006", "")


def test_the_published_table_is_reproduced_in_full(data: Path, reference_data: Path) -> None:
    entry = published(data)
    table, own = reference_data / entry["dataset"], ways(reference_data, entry)
    variants = by_name(singleton_variants(table, COLUMNS, own))
    for name in entry["variants"]:
        # Run after sex, the program's step for municipalities finds nobody.
        of = "S_loc" if name == "SM_loc" else name
        assert figures(variants[name]) == expected(entry, of), name
    assert [figures(variants[name])[0] for name in LOCAL] == [1264, 4, 1264]


def test_the_order_of_columns_decides_whom_the_program_finds(data: Path, reference_data: Path) -> None:
    entry = published(data)
    table, own = reference_data / entry["dataset"], ways(reference_data, entry)
    study = singleton_variants(table, (MUNICIPALITY, SEX, YEAR), own, scope="local", max_columns=2)
    counted = by_name(study)["SM_loc"].counted
    # Of those alone, sex changes only where the province is written like the municipality, or where
    # somebody now reads like another singleton.
    rows = pd.read_csv(table).dropna()
    rows[YEAR] = rows[YEAR].astype(int)
    province = dict(own[MUNICIPALITY]["province"].rows())  # type: ignore[union-attr]
    alone = rows.groupby(list(COLUMNS))[YEAR].transform("size") == 1
    wanted = set(rows.loc[alone, list(COLUMNS)].itertuples(index=False, name=None))
    rows.loc[alone, MUNICIPALITY] = rows.loc[alone, MUNICIPALITY].map(province)
    again = [row in wanted for row in rows[list(COLUMNS)].itertuples(index=False, name=None)]
    rows.loc[again, SEX] = "*"
    sizes = rows.groupby(list(COLUMNS)).size()
    assert (counted.singletons, counted.distinct) == (int((sizes == 1).sum()), len(sizes))


def test_missing_cells_are_left_out_and_groups_it_lacks_refused() -> None:
    people = pd.DataFrame({"year": [1990.0, 1991.0, None], "sex": ["m", "f", "f"]})
    assert singleton_variants(people).n_left_out == 1
    for builder in (GroupingBuilder(records=(2,)), GroupingBuilder(sizes=(2, 2))):
        with pytest.raises(InputError, match="only by a number of values") as caught:
            singleton_variants(people, ways={"year": {"groups": builder}})
        assert caught.value.hint
    sexes = Hierarchy.from_rows([("m", "*"), ("f", "*")])
    assert len(singleton_variants(people, "sex", {"sex": {"all": sexes}}).variants) == 3
