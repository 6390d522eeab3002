"""The figures of another library are asked for by its name."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from anonymizer_compat import anjana, pycanon, python_anonymity
from engine import compat, plugins
from engine.errors import InputError
from engine.findings.given_table import given_table
from engine.findings.model_check import check
from engine.hierarchies import Hierarchy
from engine.shipped import plugins_path

TABLE = pd.DataFrame({"age": list("xxyy*"), "s": list("pqppp"), "r": list("mnmnm")})
RAW = pd.DataFrame({"age": list("abccd"), "s": list("pqppp")})
RELEASED = pd.DataFrame({"age": ["ab", "ab", "c", "c"], "s": list("pqpp")})
TREE = {"age": Hierarchy.from_rows([["a", "ab", "*"], ["b", "ab", "*"], ["c", "c", "*"], ["d", "d", "*"]])}


def test_a_table_has_the_figures_of_the_library_that_is_named() -> None:
    given = given_table(TABLE, "age", ["s", "r"])
    assert compat.check(TABLE, "age", ["s", "r"], compat="pycanon") == pycanon.check(given)
    assert compat.check(TABLE, "age", ["s", "r"], compat="anjana") == pycanon.check(given)
    others = compat.check(TABLE, "age", ["s", "r"], others_as_qi=True)
    assert others == pycanon.check(replace(given, others_as_qi=True)) != pycanon.check(given)


def test_records_are_left_out_as_for_the_figures_by_the_definitions(tmp_path: Path) -> None:
    assert compat.check(TABLE, "age")["k_anonymity"] == {"k": 1}
    assert compat.check(TABLE, "age", leave_out_suppressed=True)["k_anonymity"] == {"k": 2}
    (tmp_path / "t.csv").write_text("a,b\n,1\nx,1\nx,1\n", encoding="utf-8")
    assert compat.check(tmp_path / "t.csv", ["a", "b"])["k_anonymity"] == {"k": 1}
    assert compat.check(tmp_path / "t.csv", ["a", "b"], drop_missing=True)["k_anonymity"] == {"k": 2}


def test_the_shape_of_a_report_is_that_of_the_figures_by_the_definitions() -> None:
    for sensitive in ([], ["s"], ["s", "r"]):
        ours, theirs = check(TABLE, "age", sensitive).as_dict(), compat.check(TABLE, "age", sensitive)
        ours = {key: ours[key] for key in ours if key not in {"blank_rows", "not_assessed"}}
        assert list(ours) == list(theirs)
        for key in ours:
            assert set(ours[key]) == set(theirs[key]) - {"error"}, key


def test_a_release_has_the_figures_of_the_library_that_is_named() -> None:
    raw, released = given_table(RAW, "age").table, given_table(RELEASED, "age", "s")
    assert compat.measure_utility(RAW, RELEASED, "age", "s") == pycanon.utility(raw, released)
    for name, module in (("python-anonymity", python_anonymity), ("anjana", anjana)):
        found = compat.measure_utility(RAW, RELEASED, "age", "s", compat=name, hierarchies=TREE)
        assert found == module.utility(raw, released, hierarchies=TREE)


def test_libraries_without_such_figures_are_refused_with_the_nearest_name() -> None:
    with pytest.raises(InputError, match="'pycannon' does not compute") as refusal:
        compat.check(TABLE, "age", compat="pycannon")
    assert "'pycanon'" in refusal.value.hint
    with pytest.raises(InputError, match="'python-anonymity' does not compute"):
        compat.check(TABLE, "age", compat="python-anonymity")
    with pytest.raises(InputError, match="'' does not compute"):
        compat.measure_utility(RAW, RELEASED, "age", compat="")
    with pytest.raises(InputError, match="does not use hierarchies"):
        compat.measure_utility(RAW, RELEASED, "age", hierarchies=TREE)


@pytest.mark.parametrize(
    ("has_one", "says"), [(True, 'Install it with: pip install "{}'), (False, "install the program by pip")]
)
def test_without_the_plug_in_the_way_to_install_it_is_said(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, has_one: bool, says: str
) -> None:
    monkeypatch.setattr(compat, "other_programs", dict)
    folder = plugins_path() if has_one else tmp_path
    monkeypatch.setattr(compat, "plugins_path", lambda: folder)
    with pytest.raises(InputError, match="pycanon need the plug-in anonymizer-compat") as refusal:
        compat.check(TABLE, "age")
    assert says.format(folder / "compat") in refusal.value.hint


def test_a_clone_has_the_plug_in_without_listing_it_as_installed() -> None:
    assert {offer.key for offer in plugins.offers(plugins.PROGRAMS)} == set(compat.other_programs())
    assert plugins.PROGRAMS not in {offer.group for offer in plugins.all_offers()}


def test_a_release_longer_than_its_original_is_refused() -> None:
    with pytest.raises(InputError, match="5 records, the original only 4"):
        compat.measure_utility(RELEASED, RAW, "age")
