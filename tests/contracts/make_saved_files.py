"""Makes the recipes and project files of `tests/data/saved/` with the current program.

They show what earlier programs wrote, so files are made only for new members and settings:

    .venv/bin/python -m tests.contracts.make_saved_files [folder]

Then `git diff` must show new files only. Project files of older formats are copied, never made, since the
program does not write them any more.
"""

from __future__ import annotations

import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from engine.errors import InputError
from engine.hierarchies.builders.base import BuilderContext, builders
from engine.params import Flag, describe
from engine.privacy import Requirement, privacy_models
from engine.privacy.k_anonymity import KAnonymity
from engine.project import AttributeHierarchy, Project, Transformation, edits
from engine.project.answers import Answers
from engine.project.attack_settings import AttackSettings
from engine.project.pins_and_runs import Choice, Pin, ProjectState, Run
from engine.project.population import Population
from engine.project.project import SearchSettings, frozen
from engine.project.recipe.files import read_recipe, recipe_text, write_recipe
from engine.project.statement import StatementAnswers
from engine.project.storage.file import open_project, save_project
from engine.project.subset import Subset
from engine.recoding import recoding_methods
from engine.recoding.aggregation import aggregate_functions
from engine.recoding.rules import column_rules
from engine.records import Decider, Role
from engine.records.columns_taken import TakenColumn
from engine.records.options import Replacement
from engine.search import search_algorithms
from engine.utility import utility_metrics
from tests.contracts.uncommon import uncommon
from tests.formats import write_excel, write_parquet

SAVED = Path(__file__).resolve().parents[1] / "data" / "saved"
JUST_READ = "just-read"
ODD = 'note "a.b" ü'  # a column with a name that needs all kinds of quoting

PEOPLE = '''\
id,name,zip,age,sex,visit,job,state,part,disease,salary,"note ""a.b"" ü"
p1,Ann,01067,31,f,2024-03-07,nurse,Saxony,East,flu,2100,x
p1,Ann,01067,32,f,2024-05-01,nurse,Saxony,East,cold,2150,y
p2,Bob,01069,35,m,1999-12-31,"clerk; ""senior""",Saxony,East,flu,3050,x
p3,Cleo,01069,38,f,2003-02-28,nurse,Saxony,East,cancer,2750,
p4,Dan,80331,52,m,2021-01-01,nurse,Bavaria,South,cold,4100,x
p5,Eve,80331,57,f,2021-06-15,farmer,Bavaria,South,flu,3900,y
p6,Finn,80333,,m,2021-01-02,farmer,Bavaria,South,cancer,1800,x
p7,Gül,80333,61,f,2022-11-30,"clerk; ""senior""",Bavaria,South,cold,5200,z
'''

# A recipe as written by hand, with most settings omitted or in another order and form than the program
# writes.
BY_HAND = {
    "least": '[data]\npath = "people.csv"\n',
    "plain": """\
# Next month's table goes through this too.
[search]
metric = "precision"
[search.weights]
age = 2
[data]
path = './people.csv'
[data.types]
zip = "text"
[roles]
quasi_identifying = ["zip", "age", "sex"]
identifying = ["name", "id"]
sensitive = ["disease"]
person = "id"
others = "withhold"
[hierarchies.age]
builder = "intervals"
width = 10
merge = [2]
[hierarchies]
sex = {builder = "suppress"}
zip = {path = "tables/zip.csv", max_level = 2}
[[privacy]]
k = 2
model = "k_anonymity"
[[privacy]]
model = "distinct_l_diversity"
column = "disease"
[transformation]
suppression_limit = 1
""",
}

ROLES = """\
[roles]
identifying = ["id", "name"]
quasi_identifying = ["zip", "age", "sex"]
sensitive = ["disease", "salary"]
insensitive = ["visit", "job", "state", "part", "note \\"a.b\\" ü"]
"""
BASE = f"""\
[data]
path = "people.csv"
[data.types]
zip = "text"
{ROLES}
[hierarchies.zip]
builder = "masking"
[hierarchies.age]
builder = "intervals"
width = 10
[hierarchies.sex]
builder = "suppress"
"""
# The tables of [data] in all forms: text files, and the other formats.
ROLES_OF_READ = '[roles]\nquasi_identifying = ["zip", "age"]\nothers = "insensitive"\n'
READ = {
    "text": """\
[data]
path = "tables/odd.txt"
delimiter = ";"
encoding = "cp1252"
decimal = ","
header = true
missing = ["?", "-"]
trim = true
quote = "'"
comment = "#"
skip_lines = 2
thousands = "."
ragged = "fill"
[data.types]
age = "integer"
salary = {type = "decimal", format = ",."}
disease = {type = "ordered", values = ["cold", "flu", "cancer"]}
[data.column_missing]
age = ["99"]
[[data.columns]]
source = "Alter"
name = "age"
[[data.columns]]
source = 2
name = "zip"
previous = "Alter"
next = "salary"
[[data.columns]]
source = "salary"
[[data.columns]]
source = "disease"
[[data.replace]]
column = "disease"
old = "grippe"
new = "flu"
[[data.replace]]
column = "disease"
old = "Köln; n/a"
""",
    "without-header": '[data]\npath = "tables/bare.csv"\nheader = false\n',
    "types": """\
[data]
path = "people.csv"
[data.types]
age = "decimal"
visit = {type = "date", format = "%Y-%m-%d"}
zip = "text"
sex = {type = "ordered", values = ["m", "f"]}
salary = {type = "integer", format = ".,"}
""",
    "workbook": '[data]\npath = "tables/people.xlsx"\nsheet = "People"\n',
    "parquet": '[data]\npath = "tables/people.parquet"\n',
    "database": '[data]\npath = "sqlite:///tables/people.db?table=people"\n',
    "query": '[data]\npath = "sqlite:///tables/people.db?query=SELECT%20zip%2C%20age%20FROM%20people"\n',
}

JOBS = [{"all work": [{"health": ["nurse"]}, 'clerk; "senior"']}, {"land": ["farmer"]}]
KEPT_IN_A_TABLE = {"path": "tables/levels.csv", "direction": "value_last"}
BUILT: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("age", "intervals", {"width": 5, "merge": [2], "top": 50}),
    ("salary", "intervals", {"cuts": [1000, 2500.5, 6000]}),
    ("age", "rounding", {"bases": [10, 50]}),
    ("age", "top_bottom", {"share": 0.25}),
    ("zip", "masking", {"character": "#"}),
    ("job", "grouping", {"groups": [{"a;b": ["nurse", 'clerk; "senior"']}]}),
    ("job", "suppress", {}),
    ("visit", "dates", {"granularities": ["week_of_month", "week"], "bottom": 2000}),
    ("visit", "dates", {"format": "%d. %B %Y", "input_formats": ["%d/%m/%Y", "%Y-%m-%d"]}),
    ("zip", "taxonomy", {"from_column": "state", "further_columns": ["part"]}),
    ("zip", "taxonomy", {"path": "tables/places.csv", "from_column": "province", "key_column": "plz"}),
    ("job", "taxonomy", {"tree": JOBS}),
    ("job", "frequency", {"levels": 1, "label": 'the "rest"'}),
    ("zip", "table", KEPT_IN_A_TABLE),
    (
        "age",
        "intervals",
        {"bands": 3, "spread": "records", "nice": False, "closed": "right", "label": "bounds"},
    ),
    (
        "age",
        "intervals",
        {"snap_bottom": 20, "bottom": 10, "snap_top": 70, "top": 80, "minimum": 0, "maximum": 99},
    ),
    ("sex", "grouping", {"order": ["m", "f"], "sizes": [2], "label": "range"}),
    ("age", "grouping", {"sort": "records", "records": [2], "label": "interval"}),
    ("salary", "rounding", {"bases": [100], "direction": "down"}),
    ("salary", "top_bottom", {"bottom": 2000, "top": 5000.5}),
    ("zip", "masking", {"direction": "left_to_right", "characters_per_level": 2, "padding": "_"}),
    ("age", "frequency", {"direction": "highest_first", "by": "value", "levels": 2}),
)

MODELS = (KAnonymity(5), privacy_models.create("t_closeness", column="disease", t=0.2, distance="equal"))
CHOICE = Choice(("zip", "age"), (2, 0), Requirement(MODELS, 0.29, "persons", True), "precision")
RECODED = replace(CHOICE, node=None)
FIGURES = {"records": 8, "suppressed": 2, "k": None, "precision": 0.25, "l.disease": 2}
STATE = ProjectState(
    (0, 1, 1),
    (0, 0, 0),
    (
        Run(CHOICE, "2026-11-22T09:30", FIGURES),
        Run(RECODED, "2026-11-22T09:31", {}, "mondrian", "Ünal", "for the press", True, "format = 1\n"),
    ),
    (Pin(CHOICE, "first idea\nsecond line"), Pin(RECODED)),
)


# Inputs of the recipes -----------------------------------------------------------------------------


def write_inputs(folder: Path) -> None:
    """Write the tables and hierarchies that the recipes refer to."""
    tables = folder / "tables"
    tables.mkdir(parents=True)
    (folder / "people.csv").write_bytes(PEOPLE.encode())
    (tables / "zip.csv").write_bytes(b"01067;0106*;*\n01069;0106*;*\n80331;8033*;*\n80333;8033*;*\n")
    (tables / "places.csv").write_bytes(
        b"id,plz,province\n1,01067,Sachsen\n2,01069,Sachsen\n3,80331,Bayern\n4,80333,Bayern\n"
    )
    (tables / "levels.csv").write_bytes(b"S|01067\nS|01069\nB|80331\nB|80333\n")
    (tables / "odd.txt").write_bytes(
        "made by hand\nin two lines\n Alter ; ; salary; disease\n# a comment\n31;01067;'2.100,5';grippe\n"
        "99;01069;1.800,25;'Köln; n/a'\n?;80331; 3.000 ;cancer\n44;80333\n".encode("cp1252")
    )
    (tables / "bare.csv").write_bytes(b"01067,31\n80331,52\n")
    people = "zip,age,sex\n" + "".join(
        f"{zip_code},{age},f\n" for zip_code in (1067, 80331) for age in (31, 52)
    )
    (tables / "town.csv").write_bytes(people.replace("1067", "01067").replace(",", "\t").encode("utf-16"))
    (tables / "chosen.csv").write_bytes(b"sex;zip\nf;01067\nm;80331\n")
    columns = {"zip": ["01067", "80331"], "age": [31, 52], "disease": ["flu", None]}
    workbook = SAVED / "recipes" / "tables" / "people.xlsx"
    if workbook.exists():  # a new one would contain the time of writing
        shutil.copyfile(workbook, tables / workbook.name)
    else:
        write_excel(tables / workbook.name, columns)
    write_parquet(tables / "people.parquet", columns)
    connection = sqlite3.connect(tables / "people.db")
    with connection:
        connection.execute("PRAGMA page_size = 512")
        connection.execute("CREATE TABLE people (zip TEXT, age INTEGER)")
        connection.executemany("INSERT INTO people VALUES (?, ?)", [("01067", 31), ("80331", None)])
    connection.close()


# Recipes -------------------------------------------------------------------------------------------


def changed(kind: type) -> dict[str, Any]:
    """Return a value for each parameter of a member that differs from the default."""
    flags = {d.name: not getattr(kind(), d.name) for d in describe(kind) if isinstance(d, Flag)}
    return uncommon(kind) | flags


def with_search(project: Project, **changes: Any) -> Project:
    """Return the project with other settings of the search."""
    return replace(project, search=replace(project.search, **changes))


def with_release(project: Project, **changes: Any) -> Project:
    """Return the project with other settings of the release."""
    return replace(project, transformation=replace(project.transformation, **changes))


def members(base: Project, folder: Path) -> Iterator[tuple[str, Project]]:
    """Return a project for each registered member: with its defaults, and with all parameters changed."""
    for key, model in privacy_models.items():
        column = {name: value for name, value in uncommon(model).items() if name == "column"}
        both = (model(**column), model(**changed(model)))
        yield f"privacy-{key}", replace(base, requirement=Requirement(both, 0.29))
    for number, (column, key, values) in enumerate(BUILT, start=1):
        yield f"builder-{number:02d}-{key}", built(base, folder, column, key, values)
    for key, algorithm in search_algorithms.items():
        yield f"search-{key}", with_search(base, algorithm=key, options=frozen(changed(algorithm)))
    for key, metric in utility_metrics.items():
        yield f"metric-{key}", with_search(base, metric=key, metric_options=frozen(changed(metric)))
    for key, method in recoding_methods.items():
        yield f"recoding-{key}", replace(base, recoding=method(**changed(method)))
    for key, rule in column_rules.items():
        options = {name: value for name, value in changed(rule).items() if name != "key_file"}
        if any(name == "key_file" for name in changed(rule)):
            options["key_file"] = str(folder / "tables" / "secret.key")
        own = frozen({"name": rule(), "id": rule(**options)})
        yield (
            f"identifiers-{key}",
            with_release(base, identifying=key, identifying_options=frozen(options), identifiers=own),
        )
    for key, function in aggregate_functions.items():
        own_functions = frozen({"age": function(), "zip": function(**changed(function))})
        yield f"aggregate-{key}", replace(base, microaggregation=own_functions)


def built(base: Project, folder: Path, column: str, key: str, values: Mapping[str, Any]) -> Project:
    """Return the project with a hierarchy of a builder, which may read files of the folder."""
    builder = builders.create(key, **values)
    hierarchy = builder.build(base.table.column(column), BuilderContext(base.table, folder))
    placed = builder.with_paths(lambda path: str(folder / path))
    return edits.set_hierarchy(base, column, AttributeHierarchy(hierarchy, builder=placed))


def choices(base: Project) -> Iterator[tuple[str, Project]]:
    """Return a project for each choice that does not belong to a member."""
    entry = replace(base.hierarchies["zip"], min_level=1, max_level=3)
    yield "bounds", replace(base, hierarchies=frozen({**base.hierarchies, "zip": entry}))
    yield "without-models", replace(base, requirement=Requirement((), 0.0))
    yield "people-counted", replace(base, person="id", requirement=Requirement(MODELS, 1.0, "persons", True))
    yield "survey", survey(base)
    yield "target-and-others", replace(base, target="job", others_as_qi=True)
    answers = Answers("partner", "agreement", "records", "high", "ema", ("zip", "age"))
    yield "questionnaire", replace(base, answers=answers)
    rules = {"salary": column_rules.create("round", base=500), "job": column_rules.create("star")}
    yield "rules", with_release(base, rules=frozen(rules))
    yield "odd-names", odd_names(base)
    yield "undecided", edits.set_roles(base, ["visit", "disease"], None)
    yield "weights", with_search(base, weights=frozen({"sex": 0.0, "zip": 2.5, "age": 3.0}))
    yield (
        "search-limits",
        with_search(base, steps=1000, seconds=2.5, enforce="afterwards", selection_gain=0.25),
    )
    yield (
        "release",
        with_release(base, suppressed_records="remove", blank_suppressed=True, shuffle=True, seed=2**40),
    )
    yield "population-size", replace(base, population=Population(size=10**9))
    yield "population-fraction", replace(base, population=Population(sampling_fraction=0.015625))
    yield "subset-filter", replace(base, subset=Subset(" age >= 35 and sex = 'f' "))
    yield "subset-fraction", replace(base, subset=Subset(fraction=0.5, seed=7))
    yield "subset-size", replace(base, subset=Subset(size=5))
    yield "attack-test", replace(base, attack_test=AttackSettings(**changed(AttackSettings)))
    yield "attack-test-as-usual", replace(base, attack_test=AttackSettings())
    statement = StatementAnswers(expert="Ada Ždánská", replicability=("zip",), attempt_breach=0.25)
    yield "statement", replace(base, statement=statement)


def survey(base: Project) -> Project:
    """Return the project with weights and households."""
    salary = base.table.column("salary")
    assert salary.data_type.is_numeric
    project = edits.set_roles(base, ["salary", "part"], Role.INSENSITIVE)
    return edits.set_household(edits.set_weight(project, "salary"), "part")


def odd_names(base: Project) -> Project:
    """Return the project with the oddly named column in every table that names columns."""
    project = edits.set_roles(base, [ODD], Role.QUASI_IDENTIFYING)
    project = built(project, Path(), ODD, "grouping", {"groups": [{"x.y = 'z'": ["x", "y"]}]})
    project = with_search(project, weights=frozen({ODD: 2.0}))
    options = replace(project.options, column_missing={ODD: ("n/a", '"')})
    return replace(
        project, microaggregation=frozen({ODD: aggregate_functions.create("set")}), options=options
    )


OF_FILES = {
    "hierarchy-of-a-file": '[hierarchies.zip]\npath = "tables/zip.csv"\nmin_level = 1\nmax_level = 2\n',
    "population-table": '[population]\npath = "tables/town.csv"\n',
    "subset-rows": '[subset]\npath = "tables/chosen.csv"\n',
}
WITHHELD = '[roles]\nquasi_identifying = ["zip"]\nothers = "withhold"\n'


def recipes(folder: Path) -> Iterator[tuple[str, Project]]:
    """Return all projects that are written as recipes."""
    base = read_text(folder, BASE)
    yield "base", base
    yield from choices(base)
    yield from members(base, folder)
    plain = '[data]\npath = "people.csv"\n[data.types]\nzip = "text"\n'
    for name, text in OF_FILES.items():
        yield name, read_text(folder, plain + text + ROLES)
    yield "others-withheld", read_text(folder, plain + WITHHELD)
    for name, text in READ.items():
        roles = "" if name == "without-header" else ROLES_OF_READ
        yield f"read-{name}", read_text(folder, text + roles)


def read_text(folder: Path, text: str) -> Project:
    """Read a recipe from a text, in a folder."""
    path = folder / "read.toml"
    path.write_bytes(text.encode())
    try:
        return replace(read_recipe(path), name="people")
    finally:
        path.unlink()


# Project files -------------------------------------------------------------------------------------


def projects(folder: Path) -> Iterator[tuple[str, Project, ProjectState]]:
    """Return all projects that are written as project files."""
    base = read_text(folder, BASE)
    everything = base
    for column, key, values in BUILT[1:9:2]:
        everything = built(everything, folder, column, key, values)
    everything = replace(
        everything,
        person="id",
        target="job",
        others_as_qi=True,
        requirement=Requirement(MODELS, 0.29, "persons", True),
        hierarchies=frozen({**everything.hierarchies, "zip": replace(base.hierarchies["zip"], builder=None)}),
        search=SearchSettings("genetic", "loss", 100, 5.0, frozen({"zip": 2.0}), frozen({"elite": 0.125})),
        transformation=Transformation("remove", "mask", True, True, 3, frozen({"keep_first": 1})),
        recoding=recoding_methods.create("cells"),
        microaggregation=frozen({"age": aggregate_functions.create("mean")}),
        decided_by=frozen({"zip": Decider.SUGGESTION}),
    )
    yield "everything", everything, STATE
    yield "least", read_text(folder, BY_HAND["least"]), ProjectState()
    options = replace(
        base.options,
        sheet="Data",
        quote="'",
        comment="#",
        skip_lines=2,
        thousands=".",
        ragged="fill",
        take=(TakenColumn("Age", "age"), TakenColumn(3, "sex")),
        column_missing={"age": ("?", "-1")},
        replacements=(Replacement("sex", "w", "f"), Replacement("sex", "x", None)),
        forms={"zip": ("00000",)},
        leave_out="sex = 'total'",
    )
    yield JUST_READ, replace(base, options=options), ProjectState(selected=(1, 1, 1))
    server = "postgresql+psycopg://steward@db.invalid:5432/town?table=people"
    town = read_text(folder, BASE + OF_FILES["population-table"])
    yield "population-of-a-server", replace(town, source=None, database=server), ProjectState()
    yield "subset-rows", read_text(folder, BASE + OF_FILES["subset-rows"]), ProjectState()
    yield "others", read_text(folder, BASE.split("[roles]")[0] + WITHHELD), STATE
    yield "undecided", edits.set_roles(base, ["visit", "disease"], None), ProjectState()
    with_key = built(base, folder, "zip", "table", KEPT_IN_A_TABLE)
    rule = column_rules.create("keyed_hash", key_file=str(folder / "tables" / "secret.key"))
    yield "paths-left-out", with_release(with_key, identifiers=frozen({"name": rule})), ProjectState()


# Everything ----------------------------------------------------------------------------------------


def make(folder: Path) -> None:
    """Write all files into an empty folder, and copy the older project files."""
    own = folder / "recipes"
    write_inputs(own)
    for name, project in recipes(own):
        (own / f"{name}.toml").write_bytes(recipe_text(project, own, f"{name}-files").encode())
    for name, text in BY_HAND.items():
        (own / f"by-hand-{name}.toml").write_bytes(text.encode())
        (own / f"by-hand-{name}.written.toml").write_bytes(recipe_text(read_text(own, text), own).encode())
    kept, rewritten = folder / "projects", folder / "rewritten"
    kept.mkdir()
    shutil.copytree(SAVED / "rewritten", rewritten)
    for name, project, state in projects(own):
        save_project(project, (rewritten if name == JUST_READ else kept) / f"{name}.anon", state)
    for path in rewritten.glob("*.anon"):
        if not path.name.endswith(".now.anon"):
            save_again(path, path.with_suffix(".now.anon"))
    save_again(rewritten / f"{JUST_READ}.anon", kept / "reading.anon")
    for path in kept.glob("*.anon"):
        write_recipe(open_project(path).project, path.with_suffix(".toml"))


def save_again(path: Path, to: Path) -> None:
    """Open a project file and save what was opened."""
    opened = open_project(path)
    save_project(opened.project, to, opened.state)


def main() -> None:
    """Write all files next to the tests, or into the given folder."""
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else SAVED
    with tempfile.TemporaryDirectory() as scratch:
        made = Path(scratch) / "saved"
        try:
            make(made)
        except InputError as error:
            raise SystemExit(f"{error.problem} {error.hint}") from error
        shutil.copytree(made, target, dirs_exist_ok=True)


if __name__ == "__main__":
    main()
