"""Figures of a case: what commands, reports and the window say of it, as pairs of key and value.

A key says where a figure stands, without its number in a list: values of one key are a sequence.
"""

from __future__ import annotations

import io
import json
import lzma
import os
import re
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from unittest.mock import patch

from engine.cli import main
from engine.findings.base import all_analyses
from engine.shipped import program_version
from tests.frozen.cases import KEY, Case, Given, Released

Figure = tuple[str, str]  # key, value

KEPT = Path(__file__).resolve().parent / "kept"
LANGUAGES = ("en", "de")
PARTS = ("said", "window")  # by commands and reports; in the window
_VARYING = (
    (re.compile(r"\b[0-9a-f]{64}\b"), "HASH"),
    (re.compile(r"\b\d+([.,]\d+)?\s?(ms|s|MB|GB|Sekunden?|seconds?)\b"), "MEASURED"),
    (re.compile(r"\b(\d{4}-\d\d-\d\d|\d\d\.\d\d\.\d{4}) \d\d:\d\d\b(?! UTC)"), "TIME"),
)


def kept_path(case: Case, part: str, language: str) -> Path:
    """Return the file with the figures of a case, of one of `PARTS`."""
    return KEPT / f"{case.name}.{part}.{language}.txt.xz"


def keep(figures: Iterable[Figure], path: Path) -> int:
    """Write figures, one per line; return their number."""
    lines = [f"{key}\t{value}\n" for key, value in figures]
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(lzma.compress("".join(lines).encode()))
    return len(lines)


def kept(path: Path) -> list[Figure]:
    """Return the figures in a file."""
    lines = lzma.decompress(path.read_bytes()).decode().split("\n")[:-1]
    return [(key, value) for key, _tab, value in (line.partition("\t") for line in lines)]


class Plain:
    """Replaces what varies from run to run."""

    def __init__(self, folder: Path) -> None:
        named = {str(folder.resolve()): "FOLDER", str(folder): "FOLDER", program_version(): "VERSION"}
        self._words = (*((re.compile(re.escape(text)), word) for text, word in named.items()), *_VARYING)

    def figures(self, found: Iterable[tuple[str, Any]]) -> list[Figure]:
        """Return figures without line ends, tabs, paths, hashes, versions and durations."""
        return [(key, self._text(value)) for key, value in found]

    def _text(self, value: Any) -> str:
        if not isinstance(value, str):
            return json.dumps(value)
        text = value
        for pattern, word in self._words:
            text = pattern.sub(word, text)
        return text.replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t").replace("\r", "\\r")


@contextmanager
def same_every_time() -> Iterator[None]:
    """Fix the clock of written files and the secret of draws."""
    real = secrets.token_hex

    def fixed(n: int | None = None) -> str:
        return KEY if n == len(KEY) // 2 else real(n)

    with patch.dict(os.environ, SOURCE_DATE_EPOCH="1767268800"), patch("secrets.token_hex", fixed):
        yield


# Values of JSON ----------------------------------------------------------------------------------


def flat(place: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Yield the values in JSON; a list adds no part to the key, a part with a key or type that one."""
    if isinstance(value, dict) and isinstance(value.get("rows"), list) and "columns" in value:
        yield from flat(place, {key: part for key, part in value.items() if key != "rows"})
        for row in value["rows"]:
            if isinstance(row, dict):
                yield from flat(f"{place}/rows", row)
            else:
                for column, cell in zip(value["columns"], row, strict=True):
                    yield f"{place}/rows/{column['key'] if isinstance(column, dict) else column}", cell
    elif isinstance(value, dict):
        for key, part in value.items():
            yield from flat(f"{place}/{key}", part)
    elif isinstance(value, list):
        for part in value:
            named = part.get("key", part.get("type", "")) if isinstance(part, dict) else ""
            yield from flat(f"{place}/{named}" if named else place, part)
    else:
        yield place, value


class _Shown(HTMLParser):
    """What a reader sees of an HTML report: texts by section and tag."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[Figure] = []
        self._section, self._tags = "head", [""]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "section":
            self._section = given.get("id") or ""
        if tag not in ("meta", "br"):
            self._tags.append(tag)
        self.found += [
            (f"html/{self._section}/{name}", given[name] or "")
            for name in ("title", "aria-label")
            if name in given
        ]

    def handle_endtag(self, tag: str) -> None:
        while self._tags.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if data.strip() and self._tags[-1] != "style":
            self.found.append((f"html/{self._section}/{self._tags[-1]}", data))


def _html(path: Path) -> list[Figure]:
    shown = _Shown()
    shown.feed(path.read_text(encoding="utf-8"))
    return shown.found


# Commands ----------------------------------------------------------------------------------------


def _run(words: Iterable[str | Path]) -> tuple[int, str, str]:
    out, errors = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(errors):
        code = main([str(word) for word in words])
    return code, out.getvalue(), errors.getvalue()


def _command(place: str, *words: str | Path) -> Iterator[tuple[str, Any]]:
    """Yield what a command says: values of its JSON or lines, its errors, and its exit code if not 0."""
    code, out, errors = _run(words)
    if out.startswith(("{", "[")):
        yield from flat(place, json.loads(out))
    else:
        yield from ((f"{place}/line", line) for line in out.splitlines())
    yield from ((f"{place}/error", line) for line in errors.splitlines())
    if code:
        yield f"{place}/code", code


def _written(place: str, path: Path) -> Iterator[tuple[str, Any]]:
    """Yield what a command wrote, if it did."""
    if not path.exists():
        return
    if path.suffix == ".html":
        yield from _html(path)
    elif path.suffix == ".json":
        yield from flat(place, json.loads(path.read_text(encoding="utf-8")))
    else:
        yield from ((f"{place}/line", line) for line in path.read_text(encoding="utf-8").splitlines())
    path.unlink()


_JSON = ("--format", "json", "--quiet")
_REPORT = ("--purpose", "Research", "--recipient", "A university", "--author", "Ada Ždánská", "--quiet")


_LACKS = {  # options of given tables that a command does not have
    "check": {"--household"},
    "risk": {"--update-qi"},
    "utility": {"--household", "--wildcard", "--wildcard-missing", "--count-all-star", "--update-qi"},
    "report": set(),
}


def said(case: Case, folder: Path, language: str) -> list[Figure]:
    """Return what commands and reports say of a case; commands speak English only."""
    of_case = _of_release if isinstance(case, Released) else _of_given
    with same_every_time():
        return Plain(folder).figures(of_case(case, folder, language))  # type: ignore[arg-type]


def _of_release(case: Released, folder: Path, language: str) -> Iterator[tuple[str, Any]]:
    recipe, out = case.write(folder), folder / "out.csv"
    page, values = folder / "report.html", folder / "report.json"
    secret = ("--sampling-key", folder / "keys" / "secret.key") if case.draws else ()
    node = ("--node", case.node) if case.node else ()
    if language != LANGUAGES[0]:
        _run(("report", recipe, "--out", page, "--language", language, *secret, *node, *_REPORT))
        yield from _written("", page)
        return
    yield from _command("anonymize", "anonymize", recipe, "--out", out, *secret, *node, *_JSON)
    if out.exists():
        yield from _command("verify", "verify", out, "--recipe", recipe, *secret, *_JSON)
    for key in sorted(kind.key for kind in all_analyses()):
        yield from _command(f"analyze/{key}", "analyze", recipe, key, *node, *_JSON)
    for audience in ("internal", "public"):
        words = (*secret, *node, *_REPORT, "--audience", audience)
        yield from _command("report", "report", recipe, "--out", values, *words)
        yield from _written(f"report/{audience}", values)
    _run(("report", recipe, "--out", page, *secret, *node, *_REPORT))
    yield from _written("", page)
    for command in case.commands:
        words = tuple(word.format(folder=folder, recipe=recipe) for word in command.split())
        yield from _command(words[0], *words, "--quiet")
    yield from _written("lattice", folder / "nodes.csv")
    out.unlink(missing_ok=True)


def _of_given(case: Given, folder: Path, language: str) -> Iterator[tuple[str, Any]]:
    table, page = folder / case.table, folder / "report.html"
    columns = [word for name in case.qi.split() for word in ("--qi", name)]
    secrets = [word for name in case.sa.split() for word in ("--sa", name)]
    options: list[tuple[str, ...]] = [
        (f"--{name}", of)
        for name in ("person", "weight", "household", "wildcard")
        if (of := getattr(case, name))
    ]
    options += [(flag,) for flag in case.flags]
    original = ("--utility", str(folder / case.original)) if case.original else ()

    def words_of(command: str) -> list[str]:
        taken = [word for option in options if option[0] not in _LACKS[command] for word in option]
        own = case.of.get(command, "").format(folder=folder).split()
        return [*columns, *(() if command == "risk" else secrets), *taken, *own]

    report: tuple[str | Path, ...] = (
        "report",
        table,
        "--out",
        page,
        *words_of("report"),
        *original,
        *_REPORT,
    )
    if language == LANGUAGES[0]:
        for command in ("check", "risk"):
            yield from _command(command, command, table, *words_of(command), *_JSON)
        if case.original:
            words = words_of("utility")
            yield from _command("utility", "utility", folder / case.original, table, *words, *_JSON)
        for audience in ("internal", "public"):
            values = folder / "report.json"
            yield from _command("report", *report[:3], values, *report[4:], "--audience", audience)
            yield from _written(f"report/{audience}", values)
    _run((*report, "--language", language))
    yield from _written("", page)
