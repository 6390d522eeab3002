"""Releases and given tables whose figures are kept: small made tables, and a recipe or roles for each.

Together they have every registered member of `COVERED`, but for those in `LEFT_OUT`.
"""

from __future__ import annotations

import json
import random
import shutil
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from tests.conftest import EXAMPLES

Row = tuple[Any, ...]

DECLARED = Path(__file__).with_name("cases.toml")
N_PEOPLE, N_PERSONS, N_TOWN = 200, 90, 600
KEY = "0123456789abcdef" * 4  # of hashes, shifted dates and draws
JOBS = ("nurse", "farmer", "clerk", "teacher", "driver", "painter")
ILLNESSES = ("cold", "flu", "asthma", "gout", "ulcer")
SEVERITIES = ("mild", "moderate", "severe")


# Tables ------------------------------------------------------------------------------------------


def _person(draw: random.Random) -> Row:
    """Return age, sex, postal code, state and job."""
    district = draw.choice(("0106", "0107", "8033"))
    state = "Bavaria" if district == "8033" else "Saxony"
    age = "" if draw.random() < 0.02 else min(95, 18 + int(draw.gammavariate(4, 8)))
    return age, draw.choice("fm"), f"{district}{draw.randrange(6)}", state, draw.choice(JOBS)


def _secrets(draw: random.Random) -> Row:
    """Return illness, severity and cost."""
    illness = draw.choices(ILLNESSES, (6, 4, 3, 2, 1))[0]
    return illness, draw.choice(SEVERITIES), draw.randrange(10, 500) * 10


def _day(draw: random.Random) -> str:
    return f"2024-{draw.randrange(1, 13):02d}-{draw.randrange(1, 29):02d}"


def _people(draw: random.Random) -> Iterator[Row]:
    yield ("id", "name", *_QUASI, "visit", *_SECRET, "weight", "home")
    for i in range(N_PEOPLE):
        weight = draw.randrange(20, 90)
        yield i + 1000, f"Person {i}", *_person(draw), _day(draw), *_secrets(draw), weight, f"h{i * 2 // 5}"


def _visits(draw: random.Random) -> Iterator[Row]:
    yield ("id", "name", *_QUASI, "visit", *_SECRET)
    for i in range(N_PERSONS):
        who = _person(draw)
        for _visit in range(draw.choice((1, 1, 2, 3, 4))):
            yield 1000 + i, f"Person {i}", *who, _day(draw), *_secrets(draw)


def _town(draw: random.Random) -> Iterator[Row]:
    yield _QUASI
    same = random.Random("people.csv")  # the people of the other table live here
    yield from (row[2:7] for row in list(_people(same))[1:])
    yield from (_person(draw) for _ in range(N_TOWN - N_PEOPLE))


def _codes(draw: random.Random) -> Iterator[Row]:
    """Yield answers in codes, 9 for no answer; the third column has no name."""
    yield "q1", "q2", "", "region", "answer"
    for _answer in range(160):
        yield *(draw.choice((1, 2, 2, 3, 4, 9)) for _ in range(3)), draw.randrange(1, 7), draw.randrange(1, 6)


def _released(draw: random.Random, people: Iterator[Row] | None = None) -> Iterator[Row]:
    """Yield the people as somebody else generalized them: some cells and some records are `*`."""
    header, *rows = people or _people(random.Random("people.csv"))
    names = [*_QUASI, *_SECRET, "weight", "home", "id"]
    yield tuple(names)
    for row in rows:
        cells = dict(zip(header, row, strict=True))
        cells["age"] = f"{int(cells['age']) // 20 * 20}+" if cells["age"] != "" else ""
        cells["zip"] = cells["zip"][:3] + "**"
        cells["job"] = "*" if draw.random() < 0.3 else cells["job"]
        if draw.random() < 0.06:
            cells |= dict.fromkeys(_QUASI, "*")
        yield tuple(cells.get(name, "") for name in names)


def _released_visits(draw: random.Random) -> Iterator[Row]:
    return _released(draw, _visits(random.Random("visits.csv")))


def _blank_rows(draw: random.Random) -> Iterator[Row]:
    """Yield a released table in which some rows are empty, and some are `*` in every cell."""
    header, *rows = _released(draw)
    yield header
    for i, row in enumerate(rows[:120]):
        yield row if i % 12 else ("*" if i % 24 else "",) * len(header)


_QUASI = ("age", "sex", "zip", "state", "job")
_SECRET = ("illness", "severity", "cost")
TABLES = {
    "people.csv": _people,
    "visits.csv": _visits,
    "town.csv": _town,
    "codes.csv": _codes,
    "released.csv": _released,
    "released-visits.csv": _released_visits,
    "blank-rows.csv": _blank_rows,
}
FILES = {
    "keys/secret.key": KEY + "\n",
    "jobs.csv": "".join(f"{job};{'care' if i < 2 else 'work'};*\n" for i, job in enumerate(JOBS)),
    "regions.csv": "".join(f"{region},{'north' if region < 4 else 'south'},*\n" for region in range(1, 7)),
    "illnesses.csv": "".join(f"{it};{'airways' if i < 3 else 'other'};*\n" for i, it in enumerate(ILLNESSES)),
}


def write_tables(folder: Path) -> None:
    """Write all tables and the files that recipes name."""
    shutil.copytree(EXAMPLES / "hospital", folder / "hospital")
    for name, rows in TABLES.items():
        lines = [",".join(map(str, row)) for row in rows(random.Random(name))]
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    for name, text in FILES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


# Cases -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Released:
    """A release of a recipe.

    Attributes
    ----------
    name : str
    recipe : mapping, optional
        Its content; without it, the recipe is that of the example of this name.
    node : str
        Levels that are released although they fail; empty for the optimum.
    commands : sequence of str
        Further commands, in which `{folder}` and `{recipe}` are replaced.
    draws : bool
        Whether its records are drawn by a secret.
    """

    name: str
    recipe: Mapping[str, Any] = field(default_factory=dict)
    node: str = ""
    commands: Sequence[str] = ()
    draws: bool = False

    def write(self, folder: Path) -> Path:
        """Return the path of the recipe, after writing it."""
        if not self.recipe:
            return folder / self.name / "recipe.toml"
        path = folder / f"{self.name}.toml"
        path.write_text("".join(f"{key} = {_toml(value)}\n" for key, value in self.recipe.items()), "utf-8")
        return path


@dataclass(frozen=True)
class Given:
    """A table from elsewhere.

    Attributes
    ----------
    name, table : str
    qi, sa : str
        Names of columns.
    person, weight, household, wildcard : str
        Column or text of these options; empty for none.
    flags : sequence of str
        Options without a value.
    of : mapping of str to str
        Further options of single commands; `{folder}` is replaced.
    original : str
        Table that it is compared with; empty for none.
    """

    name: str
    table: str = "released.csv"
    qi: str = "age sex zip job"
    sa: str = "illness"
    person: str = ""
    weight: str = ""
    household: str = ""
    wildcard: str = ""
    flags: Sequence[str] = ()
    of: Mapping[str, str] = field(default_factory=dict)
    original: str = ""


def _toml(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{json.dumps(key)} = {_toml(part)}" for key, part in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_toml, value))}]"
    return json.dumps(value, ensure_ascii=False)


def _declared() -> tuple[tuple[Released, ...], tuple[Given, ...]]:
    """Return the cases of `cases.toml`."""
    declared = tomllib.loads(DECLARED.read_text(encoding="utf-8"))
    usual, hierarchies = declared["usual"], declared["hierarchies"]
    names = {part.name for part in fields(Released)}
    releases = []
    for name, entry in declared["release"].items():
        own = {key: value for key, value in entry.items() if key in names}
        recipe = {key: value for key, value in entry.items() if key not in names}
        if not (EXAMPLES / name).exists():
            recipe = _merged(usual, recipe)
            known = recipe["roles"]["quasi_identifying"]
            offered = {key: value for key, value in hierarchies.items() if key in known}
            recipe["hierarchies"] = offered | recipe.get("hierarchies", {})
        releases.append(Released(name, recipe, **own))
    return tuple(releases), tuple(Given(name, **entry) for name, entry in declared["given"].items())


def _merged(usual: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings over the usual ones; what is a table in both is merged."""
    both = {key: {**usual[key], **own[key]} for key in usual if isinstance(own.get(key), dict)}
    return {**usual, **own, **both}


Case = Released | Given
RELEASES, GIVEN = _declared()
CASES: tuple[Case, ...] = (*RELEASES, *GIVEN)

# Members without a case, with the reason.
LEFT_OUT: Mapping[str, str] = {}


def used_words() -> set[str]:
    """Return all texts of the recipes, among them the key of every member they have."""
    return {word for case in RELEASES for word in _words(case.recipe)}


def _words(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    parts = value.values() if isinstance(value, Mapping) else value if isinstance(value, list | tuple) else ()
    for part in parts:
        yield from _words(part)
