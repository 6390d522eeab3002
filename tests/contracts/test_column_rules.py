"""Every rule for columns: recipes keep it, it does what it says, and verification enforces it."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InputError, VerificationError
from engine.pipeline import anonymize, export_release
from engine.project import Project
from engine.project.edits import set_rules
from engine.project.recipe.files import read_recipe, write_recipe
from engine.recoding import Release
from engine.recoding.ruled import rule_of
from engine.recoding.rules import ColumnRule, RuleContext, column_rules
from engine.records import DataType, Table
from engine.records.values import make_column
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
KEYS = sorted(column_rules)
HIDING = [key for key in KEYS if column_rules[key].hides_values]


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


def ways(key: str, key_file: str) -> list[ColumnRule]:
    """Return the rule with its defaults, and with each parameter changed in turn."""
    kind = column_rules[key]
    given = {name: key_file for name in kind().paths or uncommon(kind) if name == "key_file"}
    return [kind(**given), *(kind(**given | {n: v}) for n, v in uncommon(kind).items() if n not in given)]


def ruled(project: Project, rule: ColumnRule) -> Project:
    own = {"name": rule, "mail": rule}
    return replace(project, transformation=replace(project.transformation, identifiers=own))


def same(rule: ColumnRule) -> ColumnRule:
    """Return the rule with absolute paths of its files."""
    paths = {name: str(Path(path).resolve()) for name, path in rule.paths.items()}
    return replace(rule, **paths)  # type: ignore[arg-type]


@pytest.mark.parametrize("key", HIDING)
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


@pytest.mark.parametrize("key", HIDING)
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
    monkeypatch.setattr("engine.pipeline.export.remade", lambda *_: wrong)
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
    for key in HIDING:
        written = ways(key, key_file)[0].apply(column, RuleContext(Table((column,)), seed))
        if written is None:
            continue
        labels, new = written
        assert len(new) == len(texts)
        assert not [text for text, code in zip(texts, new, strict=True) if labels[code] == text]


# Columns that each rule can read, in every role: numbers and dates, some of them missing.
VISITS = """\
person,born,income,visit,place,age
a,1980-02-28,1234.5,03.01.2020,north,1
a,1980-02-28,,17.01.2020,south,1
b,1999-12-31,-15,,east,1
,2000-01-01,99.95,29.02.2020,north,2
c,1970-07-01,100,01.03.2020,west,2
b,1999-12-31,2.5,31.12.2019,south,2
"""
OF_VISITS = """\
[data]
path = "visits.csv"
[data.types]
visit = { type = "date", format = "%d.%m.%Y" }
[roles]
identifying = ["person", "born"]
quasi_identifying = ["age"]
sensitive = ["income"]
insensitive = ["visit", "place"]
person = "person"
[[privacy]]
model = "k_anonymity"
k = 2
[hierarchies.place]
builder = "masking"
[hierarchies.income]
builder = "masking"
[hierarchies.visit]
builder = "masking"
[hierarchies.born]
builder = "masking"
"""


@pytest.fixture
def visits(tmp_path: Path) -> Project:
    (tmp_path / "visits.csv").write_text(VISITS)
    (tmp_path / "visits.toml").write_text(OF_VISITS)
    return read_recipe(tmp_path / "visits.toml")


def fitting(project: Project, rule: ColumnRule) -> dict[str, ColumnRule | None]:
    """The columns of several roles that the rule fits."""
    fits: dict[str, ColumnRule | None] = {}
    for name in ("born", "income", "visit", "place"):
        if not rule.why_not(project.table.column(name), project.hierarchies[name].hierarchy):
            fits[name] = rule
    return fits


@pytest.mark.parametrize("key", KEYS)
def test_a_rule_is_verified_in_every_role_and_each_other_cell_is_found(
    visits: Project, key: str, key_file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Path(str(visits.source)).parent
    for number, rule in enumerate(ways(key, key_file)):
        given = fitting(visits, rule)
        assert given, f"no column is read by {key}"
        asked = set_rules(visits, given)
        write_recipe(asked, folder / "again.toml")
        again = read_recipe(folder / "again.toml")
        assert {n: same(r) for n in given if (r := rule_of(again, n))} == dict.fromkeys(given, same(rule))
        release = anonymize(asked).release
        assert export_release(asked, release, folder / f"{number}.csv").ok
        if number or rule.is_constant:
            continue
        for name in given:
            column = next(c for c in release.columns if c.name == name)
            codes = column.codes.copy()
            codes[0] = codes[4]
            if column.labels[codes[0]] == column.text(0):
                continue
            others = [replace(column, codes=codes) if c is column else c for c in release.columns]
            wrong = replace(release, columns=tuple(others))
            with monkeypatch.context() as patched:
                patched.setattr("engine.pipeline.export.remade", lambda *_, made=wrong: made)
                with pytest.raises(VerificationError):
                    export_release(asked, wrong, folder / "wrong.csv")


@pytest.mark.parametrize("key", KEYS)
def test_a_rule_describes_its_effect_and_whether_a_table_reverses_it(key: str) -> None:
    kind = column_rules[key]
    assert kind.title
    assert kind.summary.endswith(".")
    assert kind.unprotected.endswith(".")
    for person in (None, "id"):
        assert kind().statement(person).endswith(".")
    if not kind.hides_values:
        return
    column = make_column("name", ["a1", "b2", "c3"], np.arange(3, dtype=np.int32), DataType())
    written = kind().apply(column, RuleContext(Table((column,))))
    tells_apart = written is not None and len(set(written[1].tolist())) == 3
    assert kind.is_reversible or not tells_apart or key == "mask"


@pytest.mark.parametrize("key", [key for key in KEYS if key not in HIDING])
def test_a_value_that_a_rule_cannot_read_is_refused_with_its_record(key: str, key_file: str) -> None:
    texts = ["1", "2020-01-01", "n/a"]
    column = make_column("when", texts, np.arange(3, dtype=np.int32), DataType())
    rule = ways(key, key_file)[0]
    with pytest.raises(InputError, match="no hierarchy" if key == "band" else r"record \d: '.*' is not a"):
        rule.apply(column, RuleContext(Table((column,))))
