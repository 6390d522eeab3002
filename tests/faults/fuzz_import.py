"""Damaged files of every format, read in another process: none may crash, hang, or fill the memory.

``python -m tests.faults.fuzz_import 10000 --seed 1 [--formats .csv .xlsx]`` reads that many files per format
and keeps those that were neither read nor rejected with an error that names the place.
"""

from __future__ import annotations

import argparse
import faulthandler
import gzip
import io
import json
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import traceback
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

FORMATS = (
    ".csv", ".csv.gz", ".xlsx", ".xls", ".ods", ".sav", ".por", ".dta", ".sas7bdat", ".xpt", ".feather",
    ".jsonl", ".jsonl.gz", ".zsav", ".parquet", ".db", ".deid", ".toml", ".anon",
)  # fmt: skip
MAY_CRASH = (
    ".sav",
    ".zsav",
    ".por",
    ".dta",
    ".sas7bdat",
    ".xpt",
    ".feather",
    ".ods",
    ".xls",
)  # read in another process by the program, which alone may crash
MOST_SECONDS = 20  # of processor, for one small file
MOST_MEMORY = 2 << 30  # above the memory of the process with all libraries loaded
_ROOT = Path(__file__).resolve().parents[2]
_OLD = (_ROOT / "tests/data/formats/little.xls", _ROOT / "tests/data/formats/awkward.xls")
_SAVED = _ROOT / "tests/data/saved/projects"
_HOSPITAL = _ROOT / "resources/examples/hospital"
_SAS = _ROOT / "tests/data/formats/iris.sas7bdat.gz"
_TOKENS = (
    b'"', b"'", b"\n", b"\r", b"\0", b";", b",", b"\t", b"#", b"\xff\xfe", b"\xef\xbb\xbf", b"\xc3",
    b"\xed\xa0\x80",     b"1e99", b"9" * 400, b"-", b"nan", b"2020-02-30", b"&lt;", b"<", b"/>",
    b"\xff\xff\xff\xff", b"\x7f\xff\xff\xff",
)  # fmt: skip
_COLUMNS: dict[str, list[Any]] = {
    "name": ["Zoe", "O'Hara", "two lines", "Ann", "Zoe", "Bob"],
    "age": [34.0, 7.5, 34.0, 1.0, 2.0, 99.0],
    "zip": ["01234", "99999", "01234", "00007", "", "x"],
    "day": ["2020-02-29", "1999-12-31", "2020-02-29", "2020-01-01", "soon", ""],
}


def originals(folder: Path) -> dict[str, list[bytes]]:
    """Return intact files of every format."""
    import pandas as pd
    import pyreadstat

    from tests import arx_projects
    from tests.formats import write_open_document

    recipe = Path(shutil.copytree(_HOSPITAL, folder, dirs_exist_ok=True)) / "recipe.toml"
    frame = pd.DataFrame(_COLUMNS)
    text = frame.to_csv(index=False)
    quoted = frame.to_csv(index=False, sep=";", quoting=1, lineterminator="\r\n")
    frame.to_excel(folder / "a.xlsx", index=False)
    frame.to_parquet(folder / "a.parquet")
    labels = {"age": {34.0: "thirty-four", 1.0: "one"}}
    pyreadstat.write_sav(frame, folder / "a.sav", variable_value_labels=labels)
    pyreadstat.write_sav(frame, folder / "b.sav", compress=True)
    pyreadstat.write_sav(frame, folder / "b.zsav", compress=True)
    pyreadstat.write_por(frame, folder / "a.por")
    pyreadstat.write_xport(frame, folder / "a.xpt")
    pyreadstat.write_xport(frame, folder / "b.xpt", file_format_version=5)
    pyreadstat.write_dta(frame, folder / "a.dta", variable_value_labels=labels)
    frame.to_stata(folder / "b.dta", write_index=False, version=114)
    frame.to_feather(folder / "a.feather")
    frame.to_json(folder / "a.jsonl", orient="records", lines=True)
    write_open_document(folder / "a.ods", _COLUMNS)
    texts = [
        text.encode(),
        quoted.encode(),
        text.replace(",", "\t").encode("utf-16"),
        quoted.encode("utf-16-le"),
    ]
    return {
        ".csv": texts,
        ".csv.gz": [gzip.compress(one, mtime=0) for one in texts],
        ".xlsx": [(folder / "a.xlsx").read_bytes()],
        ".xls": [path.read_bytes() for path in _OLD],
        ".sav": [(folder / "a.sav").read_bytes(), (folder / "b.sav").read_bytes()],
        ".ods": [(folder / "a.ods").read_bytes()],
        ".por": [(folder / "a.por").read_bytes()],
        ".dta": [(folder / "a.dta").read_bytes(), (folder / "b.dta").read_bytes()],
        ".sas7bdat": [gzip.decompress(_SAS.read_bytes())],
        ".xpt": [(folder / "a.xpt").read_bytes(), (folder / "b.xpt").read_bytes()],
        ".feather": [(folder / "a.feather").read_bytes()],
        ".jsonl": [(folder / "a.jsonl").read_bytes()],
        ".parquet": [(folder / "a.parquet").read_bytes()],
        ".jsonl.gz": [gzip.compress((folder / "a.jsonl").read_bytes(), mtime=0)],
        ".zsav": [(folder / "b.zsav").read_bytes()],
        ".db": [_database(folder / "a.db")],
        ".deid": [arx_projects.write(folder / "a.deid", arx_projects.entries()).read_bytes()],
        ".toml": [recipe.read_bytes()],
        ".anon": [(_SAVED / f"{name}.anon").read_bytes() for name in ("everything", "reading", "others")],
    }


def _database(path: Path) -> bytes:
    """Return a database with a table, an index over it, and a view."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE people (name TEXT, age REAL, zip TEXT, day DATE)")
        rows = zip(*_COLUMNS.values(), strict=True)
        connection.executemany("INSERT INTO people VALUES (?, ?, ?, ?)", rows)
        connection.execute("CREATE INDEX by_age ON people (age, name)")
        connection.execute("CREATE VIEW old AS SELECT name, zip FROM people WHERE age > 30")
    return path.read_bytes()


def damaged(data: bytes, ending: str, chance: random.Random) -> bytes:
    """Return a file with some bytes changed; in packed files often the unpacked content."""
    if ending.endswith(".gz") and chance.random() < 0.7:
        return gzip.compress(_mutated(gzip.decompress(data), chance), mtime=0)
    if ending in (".xlsx", ".ods", ".deid", ".anon") and chance.random() < 0.8:
        return _repacked(data, chance)
    return _mutated(data, chance)


def _repacked(data: bytes, chance: random.Random) -> bytes:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    for name in chance.sample(sorted(members), chance.randint(1, 2)):
        members[name] = _mutated(members[name], chance)
    if chance.random() < 0.1:
        del members[chance.choice(sorted(members))]
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return packed.getvalue()


def _mutated(data: bytes, chance: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(chance.choice((1, 1, 1, 2, 3, 8))):
        place = chance.randrange(len(changed) + 1)
        length = min(chance.choice((1, 1, 2, 4, 16, 64)), len(changed) - place)
        piece = bytes(changed[place : place + length])
        match chance.randrange(7):
            case 0 if length:
                changed[place] ^= 1 << chance.randrange(8)
            case 1:
                changed[place : place + length] = chance.randbytes(length)
            case 2:
                del changed[place : place + length]
            case 3:
                changed[place:place] = piece * chance.choice((1, 2, 50))
            case 4:
                changed[place : place + chance.choice((0, length))] = chance.choice(_TOKENS)
            case 5 if chance.random() < 0.3:
                del changed[place:]
            case _:
                other = chance.randrange(len(changed) + 1)
                changed[other:other] = piece
    return bytes(changed)


def choices(ending: str, chance: random.Random) -> dict[str, Any]:
    """Return a few import options, most often none."""
    found: dict[str, Any] = {}
    if chance.random() < 0.5:
        return found
    asked: tuple[tuple[str, tuple[Any, ...]], ...] = (
        ("delimiter", (";", ",", "\t", "x")),
        ("quote", ("'", "", '"')),
        ("comment", ("#", "Z")),
        ("skip_lines", (1, 3, 99)),
        ("ragged", ("fill",)),
        ("header", (True, False)),
        ("trim", (True,)),
        ("encoding", ("latin-1", "utf-16-le", "cp1252", "utf-8")),
        ("missing", ((), ("NA", ""))),
        ("thousands", (" ", "'")),
    )
    for name, values in chance.sample(asked, 2):
        found[name] = chance.choice(values)
    return found


def problem_of(path: Path, asked: dict[str, Any]) -> str:
    """Read a file; return "" if the result is a table or an error with a place, else the problem."""
    from engine.arx.reading import read_arx
    from engine.errors import AnonymizerError, TableError
    from engine.project.recipe.files import read_recipe
    from engine.project.storage.file import open_project
    from engine.records import ReadOptions
    from engine.records.opening.files import read

    projects = {".deid": read_arx, ".toml": read_recipe, ".anon": open_project}
    try:
        if path.suffix in projects:
            projects[path.suffix](path)
            return ""
        if path.suffix == ".db":
            table = _read_database(path)
        else:
            reading = read(path, ReadOptions(**asked), guess=True)
            table, found = reading.table, reading.options
            read(path, found)
    except TableError as error:
        is_placed = path.suffix in projects or path.name in error.problem or "column" in error.problem.lower()
        return "" if is_placed and error.hint else f"no place or no way out: {error}"
    except AnonymizerError as error:
        return "" if path.suffix in projects and error.problem else f"another kind of error: {error}"
    except BaseException:
        return traceback.format_exc(limit=-3)
    return "" if table.n_records == len(table.columns[0].codes) > 0 else "no records"


def _read_database(path: Path) -> Any:
    """Read a table and a view of it; return the first that can be read."""
    from engine.records.databases.address import DatabaseAddress, file_url
    from engine.records.databases.tables import database_tables, read_database

    url = file_url(path)
    names = database_tables(DatabaseAddress(url))
    for name in ("old", "people") if {"old", "people"} <= set(names) else names[:1] or ("people",):
        table = read_database(DatabaseAddress(url, name))[0]
    return table


def _read_here() -> None:
    """Read in this process even what the program reads in another one."""
    from engine.records import reader_process

    reader_process.needs_subprocess = lambda path: False


def work(
    formats: Sequence[str], start: int, count: int, seed: int, kept: Path, say: Callable[[str], None]
) -> None:
    """Read damaged files one after the other; report each file and each problem."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sound = originals(folder)
        _read_here()
        for ending in formats:
            for data in sound[ending]:
                path = folder / f"sound{ending}"
                path.write_bytes(data)
                if problem := problem_of(path, {}):  # also loads everything that is loaded once
                    say(json.dumps({"at": [ending, start], "problem": problem}))
        _limit_memory()
        for ending in formats:
            path = folder / f"people{ending}"
            for number in range(start, start + count):
                chance = random.Random(f"{seed} {ending} {number}")
                data = damaged(chance.choice(sound[ending]), ending, chance)
                asked = choices(ending, chance)
                path.write_bytes(data)
                say(json.dumps({"at": [ending, number], "asked": asked}))
                began = time.process_time()
                with _limited_time():
                    problem = problem_of(path, asked)
                if problem:
                    (kept / f"{number}-{seed}{ending}").write_bytes(data)
                    say(json.dumps({"problem": problem, "seconds": time.process_time() - began}))


def _limit_memory() -> None:
    with suppress(ImportError, OSError, ValueError):  # some systems have no such limit
        import resource

        size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (size + MOST_MEMORY, resource.RLIM_INFINITY))


@contextmanager
def _limited_time() -> Iterator[None]:
    """Print where the process is and end it once it has computed for `MOST_SECONDS`."""
    if not hasattr(signal, "setitimer"):
        faulthandler.dump_traceback_later(MOST_SECONDS, exit=True)
        yield
        faulthandler.cancel_dump_traceback_later()
        return
    faulthandler.register(signal.SIGPROF, chain=True)  # the signal then ends the process
    signal.setitimer(signal.ITIMER_PROF, MOST_SECONDS)
    yield
    signal.setitimer(signal.ITIMER_PROF, 0)


def fuzz(formats: Sequence[str], count: int, seed: int, kept: Path) -> list[str]:
    """Read damaged files in other processes; return the problems, including crashes."""
    problems: list[str] = []
    start = 0
    left = list(formats)
    while left:
        command = [
            sys.executable, "-m", "tests.faults.fuzz_import", str(count), "--seed", str(seed),
            "--start", str(start), "--keep", str(kept), "--work", "--formats", *left,
        ]  # fmt: skip
        done = subprocess.run(command, cwd=_ROOT, capture_output=True, text=True, check=False)
        at: list[Any] = []
        asked: Any = {}
        for line in done.stdout.splitlines():
            said = json.loads(line)
            at, asked = said.get("at", at), said.get("asked", asked)
            if "problem" in said:
                problems.append(f"{at} {asked}: {said['problem']}")
        if done.returncode == 0 or not at:
            problems += [f"nothing was read: {done.stderr[-2000:]}"] if not at else []
            break
        is_crash = done.returncode < 0 and done.returncode != -getattr(signal, "SIGPROF", 0)
        if at[0] not in MAY_CRASH or not is_crash:
            problems.append(f"{at} {asked}: the process ended with {done.returncode}\n{done.stderr[-2000:]}")
        left, start = left[left.index(at[0]) :], at[1] + 1
        if start >= count:
            left, start = left[1:], 0
    return problems


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--formats", nargs="+", default=FORMATS)
    parser.add_argument("--keep", type=Path, default=Path(tempfile.gettempdir()))
    parser.add_argument("--work", action="store_true", help="in this process")
    given = parser.parse_args()
    if given.work:
        first, *others = given.formats  # a process that replaces another skips the files already read
        for formats, start in (([first], given.start), (others, 0)):
            if formats:
                work(
                    formats,
                    start,
                    given.count - start,
                    given.seed,
                    given.keep,
                    _say,
                )
        return 0
    problems = fuzz(given.formats, given.count, given.seed, given.keep)
    for problem in (*problems, f"{len(problems)} problems; files that went wrong lie in {given.keep}"):
        _say(problem)
    return int(bool(problems))


if __name__ == "__main__":
    sys.exit(main())
