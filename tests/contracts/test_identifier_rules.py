"""Every rule for identifying columns: recipes keep it, no value survives it, and verification enforces it."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import VerificationError
from engine.pipeline import anonymize, export_release
from engine.project import Project
from engine.project.recipe.files import read_recipe, write_recipe
from engine.recoding import Release
from engine.recoding.identifiers import IdentifierRule, RuleContext, identifier_rules
from engine.table import DataType, Table
from engine.table.values import make_column
from tests.contracts.uncommon import uncommon

RECIPE = """\
[data]
path = "people.csv"
[roles]
identifying = ["name", "mail"]
quasi_identifying = ["age"]
[[privacy]]
model = "k_anonymity"
k = 2
"""
PEOPLE = [("Annabel", "a@x.de"), ("Bobbie", ""), ("Annabel", "c@y.de"), ("Cemile", "d@z.de")]
KEY = b"0123456789abcdef0123456789abcdef"
KEYS = sorted(identifier_rules)


@pytest.fixture(scope="module")
def key_file(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("keys") / "people.key"
    path.write_bytes(KEY)
    return str(path)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    lines = [f"{name},{mail},1" for name, mail in PEOPLE]
    (tmp_path / "people.csv").write_text("\n".join(["name,mail,age", *lines, ""]))
    (tmp_path / "people.toml").write_text(RECIPE)
    return read_recipe(tmp_path / "people.toml")


def ways(key: str, key_file: str) -> list[IdentifierRule]:
    """Return the rule with its defaults, and with each parameter changed in turn."""
    kind = identifier_rules[key]
    given = {name: key_file for name in kind().paths or uncommon(kind) if name == "key_file"}
    return [kind(**given), *(kind(**given | {n: v}) for n, v in uncommon(kind).items() if n not in given)]


def ruled(project: Project, rule: IdentifierRule) -> Project:
    own = {"name": rule, "mail": rule}
    return replace(project, transformation=replace(project.transformation, identifiers=own))


@pytest.mark.parametrize("key", KEYS)
def test_a_recipe_keeps_a_rule_with_its_parameters_for_all_columns_and_for_one(
    project: Project, key: str, key_file: str
) -> None:
    folder = Path(str(project.source)).parent
    for rule in ways(key, key_file):
        declared: dict[str, Any] = {name: getattr(rule, name) for name in uncommon(type(rule))}
        own = replace(
            project.transformation, identifying=key, identifying_options=declared, identifiers={"mail": rule}
        )
        write_recipe(replace(project, transformation=own), folder / "again.toml")
        again = read_recipe(folder / "again.toml").transformation
        assert [same(again.rule_of(name)) for name in ("name", "mail")] == [same(rule)] * 2


def same(rule: IdentifierRule) -> IdentifierRule:
    """Return the rule with absolute paths of its files."""
    paths = {name: str(Path(path).resolve()) for name, path in rule.paths.items()}
    return replace(rule, **paths)  # type: ignore[arg-type]


@pytest.mark.parametrize("key", KEYS)
def test_a_release_of_every_rule_is_verified_and_holds_no_value_of_the_original(
    project: Project, key: str, key_file: str
) -> None:
    path = Path(str(project.source)).parent / "out.csv"
    for rule in ways(key, key_file):
        asked = ruled(project, rule)
        assert export_release(asked, anonymize(asked).release, path).ok
        with path.open(newline="") as file:
            rows = list(csv.DictReader(file))
        for column in (0, 1):
            values = {person[column] for person in PEOPLE} - {""}
            assert not values & {row.get(("name", "mail")[column], "*") for row in rows}


@pytest.mark.parametrize("key", KEYS)
def test_verification_finds_a_single_value_that_stayed(
    project: Project, key: str, key_file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = ruled(project, ways(key, key_file)[0])
    release = anonymize(asked).release
    column = next((c for c in release.columns if c.name == "name"), None)
    if column is None:  # the column is dropped: then verification looks at its absence
        column = replace(release.columns[0], name="name", labels=("*",), codes=np.zeros(4, dtype=np.int32))
    leaking = replace(
        column,
        labels=(*column.labels, PEOPLE[3][0]),
        codes=np.append(column.codes[:3], np.int32(len(column.labels))).astype(np.int32),
    )
    others = tuple(c for c in release.columns if c.name != "name")
    wrong: Release = replace(release, columns=(leaking, *others))
    monkeypatch.setattr("engine.pipeline.remade", lambda *_: wrong)
    path = Path(str(project.source)).parent / "out.csv"
    with pytest.raises(VerificationError):
        export_release(asked, wrong, path)
    assert not path.exists()


@given(
    st.lists(st.text("abcdefgh", min_size=1, max_size=9), min_size=1, max_size=12),
    st.integers(min_value=0, max_value=5),
)
def test_no_value_stays_unchanged_whatever_the_column_contains(
    key_file: str, texts: list[str], seed: int
) -> None:
    distinct = list(dict.fromkeys(texts))
    codes = np.array([distinct.index(text) for text in texts], dtype=np.int32)
    column = make_column("name", distinct, codes, DataType())
    for key in KEYS:
        written = ways(key, key_file)[0].apply(column, RuleContext(Table((column,)), seed))
        if written is None:
            continue
        labels, new = written
        assert len(new) == len(texts)
        assert not [text for text, code in zip(texts, new, strict=True) if labels[code] == text]


@pytest.mark.parametrize("key", KEYS)
def test_a_rule_describes_its_effect_and_whether_a_table_reverses_it(key: str) -> None:
    kind = identifier_rules[key]
    assert kind.title
    assert kind.summary.endswith(".")
    column = make_column("name", ["a1", "b2", "c3"], np.arange(3, dtype=np.int32), DataType())
    written = kind().apply(column, RuleContext(Table((column,))))
    tells_apart = written is not None and len(set(written[1].tolist())) == 3
    assert kind.is_reversible or not tells_apart or key == "mask"
