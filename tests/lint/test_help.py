"""Help pages are correct about commands, functions and examples."""

from __future__ import annotations

import doctest
import importlib
import json
import re
import shlex
import tomllib
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from typer.main import get_command

from anonymizer_gui.help.library import GENERATED
from engine.cli import main
from engine.cli.app import app
from engine.filters.grammar import MAX_DEPTH, MAX_LENGTH
from engine.hierarchies.builders.base import builders
from engine.params import describe
from engine.privacy import privacy_models
from engine.recoding import recoding_methods
from engine.recoding.rules import column_rules
from engine.records.filtering import records_where
from engine.records.opening.data_frames import as_table
from engine.search import search_algorithms
from engine.shipped import EXTRAS, HEADLESS
from tests.catalogue import extracted, language_of, po_files, po_of, read

ROOT = Path(__file__).parents[2]
HELP = ROOT / "resources" / "help"
PAGES = sorted(path for path in HELP.glob("*.md") if path.name != "CHANGELOG.md")
TRANSLATED = sorted(path for po in po_files() for path in (HELP / language_of(po)).glob("*.md"))
LIBRARIES = (HELP / "libraries.md").read_text(encoding="utf-8")
LISTED = json.loads(
    (ROOT / "tests" / "data" / "published" / "library_functions.json").read_text(encoding="utf-8")
)

QUOTED = re.compile(r"`([^`\n]+)`")


def quoted(page: Path) -> list[str]:
    """Return the texts of a page in single backticks, code blocks excluded."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    return QUOTED.findall(text)


def commands_of(page: Path) -> list[str]:
    """Return the command lines of the program on a page; a file in quotes is opened by the window."""
    return [text for text in quoted(page) if re.match(r'anonymizer [^"]', text)]


def links(page: Path) -> list[str]:
    """Return the link targets of a page; anchors within pages and actions of the window are excluded."""
    return re.findall(r"\]\((?!show:)([^)#]+)\)", page.read_text(encoding="utf-8"))


def named(page: Path) -> list[str]:
    """Return the texts of the window that a page names, which are in italics; > joins the steps of a path."""
    text = re.sub(r"^```.*?^```|`[^`\n]*`", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    paths = re.findall(r"(?<![*\\\w])\*([^*\n]+)\*(?![*\w])", text.replace("**", ""))
    return [part for path in paths for part in path.split(" > ")]


def kept(page: Path) -> Counter[str]:
    """Return the marks, links and code without comments of a page, which a translation keeps."""
    text = page.read_text(encoding="utf-8")
    code = re.findall(r"^```.*?^```", text, re.MULTILINE | re.DOTALL)
    marks = re.findall(r"^(?:#+ |\||- |\d+\. |!|$)", text, re.MULTILINE)
    targets = [*re.findall(r"\]\(([^)#]+)", text), *("*" for _ in named(page))]
    return Counter([*marks, *targets, *quoted(page), *(re.sub(r" *# .*", "", block) for block in code)])


def exists(dotted: str) -> bool:
    """Return whether a dotted name is a module, a part of one, or a field of a class."""
    parts = dotted.split(".")
    for cut in range(len(parts), 0, -1):
        try:
            found: object = importlib.import_module(".".join(parts[:cut]))
        except ModuleNotFoundError:
            continue
        for part in parts[cut:]:
            if not hasattr(found, part) and part not in getattr(found, "__annotations__", {}):
                return False
            found = getattr(found, part, None)
        return True
    return False


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_engine_name_on_a_page_exists(page: Path) -> None:
    names = [name for name in quoted(page) if re.fullmatch(r"(engine|anonymizer_compat)(\.\w+)+", name)]
    assert names or page.name not in ("libraries.md", "python.md")
    assert [name for name in names if not exists(name)] == []


def test_a_name_that_does_not_exist_is_detected() -> None:
    assert not exists("engine.findings.no_such_function")
    assert not exists("engine.no_such_module.check")
    assert exists("engine.findings.CheckReport.models")
    assert not exists("engine.findings.CheckReport.no_such_field")


@pytest.mark.parametrize("page", [page for page in PAGES if commands_of(page)], ids=lambda page: page.name)
def test_every_command_and_option_on_a_page_exists(page: Path) -> None:
    group: Any = get_command(app)
    for text in commands_of(page):
        _, *words = text.split()
        command = group.get_command(None, words[0])
        assert command is not None, text
        options = {option for parameter in command.params for option in parameter.opts}
        assert {word for word in words[1:] if word.startswith("--")} <= options, text


@pytest.mark.parametrize("library", LISTED)
def test_every_public_function_of_a_library_has_its_line(library: str) -> None:
    assert library.casefold() in LIBRARIES.casefold()
    assert [name for name in LISTED[library] if f"`{name}`" not in LIBRARIES] == []


def test_every_mapped_function_exists_in_its_library() -> None:
    known = {name for names in LISTED.values() for name in names}
    found = {
        name
        for name in quoted(HELP / "libraries.md")
        if re.fullmatch(r"(pycanon|anonymity|anjana)(\.\w+)+", name) and name != "pycanon.cli"
    }
    assert found <= known


def test_models_and_recipe_keys_on_the_pages_are_registered() -> None:
    mentioned = set(re.findall(r"with a model `(\w+)`", LIBRARIES))
    assert len(mentioned) >= 8
    assert mentioned <= set(privacy_models)
    assert all(describe(privacy_models[key]) for key in mentioned)


@pytest.fixture(scope="module")
def window_texts() -> set[str]:
    return _shown([entry.id for entry in extracted() if entry.id])


@cache
def translated_texts(language: str) -> set[str]:
    return _shown([entry.string for entry in read(po_of(language)) if entry.id])


def _shown(texts: list[Any]) -> set[str]:
    """Return texts of the window, all plural forms, without mnemonics and dots, in lower case."""
    forms = (form for text in texts for form in ([text] if isinstance(text, str) else text))
    symbols = (model.symbol for model in privacy_models.values())  # of knobs; the same in every language
    return {_bare(form) for form in (*forms, *symbols)}


def _bare(text: str) -> str:
    return text.replace("&", "").rstrip("…").strip().casefold()


@pytest.mark.parametrize("page", [ROOT / "README.md", *HELP.glob("*.md")], ids=lambda page: page.name)
def test_a_page_names_texts_of_the_window_as_they_are(page: Path, window_texts: set[str]) -> None:
    assert [text for text in named(page) if _bare(text) not in window_texts] == []


@pytest.mark.parametrize("page", TRANSLATED, ids=lambda page: f"{page.parent.name}/{page.name}")
def test_a_translated_page_says_what_the_english_one_says(page: Path) -> None:
    ours, theirs = kept(page), kept(HELP / page.name)
    assert (ours - theirs, theirs - ours) == (Counter(), Counter())
    assert [text for text in named(page) if _bare(text) not in translated_texts(page.parent.name)] == []


def test_a_text_that_the_window_lacks_would_be_noticed(window_texts: set[str], tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("**Bold** *File > Save recipe…* `*.md` and *File > Write poems…*", encoding="utf-8")
    assert [text for text in named(page) if _bare(text) not in window_texts] == ["Write poems…"]


@pytest.mark.parametrize("page", [page for page in PAGES if links(page)], ids=lambda page: page.name)
def test_the_links_of_a_page_lead_to_pages(page: Path) -> None:
    for target in links(page):
        assert (page.parent / target).exists() or target.removesuffix(".md") in GENERATED, target


def test_the_examples_of_the_python_page_give_the_output_shown(examples: Path, tmp_path: Path) -> None:
    text = (HELP / "python.md").read_text(encoding="utf-8").replace("```python", "").replace("```", "")
    names = {"examples": examples, "folder": tmp_path}
    test = doctest.DocTestParser().get_doctest(text, names, "python.md", str(HELP / "python.md"), 0)
    assert len(test.examples) > 25
    failures: list[str] = []
    doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test, out=failures.append)
    assert not failures, "".join(failures)


def blocks(page: Path, language: str) -> list[str]:
    """Return the code blocks of a page in one language."""
    return re.findall(rf"```{language}\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)


def test_the_five_minutes_lead_to_the_same_verified_release_in_both_ways(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = HELP / "five-minutes.md"
    for name, language in (("people.csv", "csv"), ("people.toml", "toml")):
        (tmp_path / name).write_text(*blocks(page, language), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    lines = [line for block in blocks(page, "sh") for line in block.splitlines()]
    assert [line.split()[1] for line in lines] == ["check", "anonymize", "verify"]
    for line in lines:
        assert main(shlex.split(line)[1:]) == 0, capsys.readouterr().err
    (example,) = blocks(page, "python")
    names: dict[str, Any] = {}
    test = doctest.DocTestParser().get_doctest(example, names, page.name, str(page), 0)
    failures: list[str] = []
    doctest.DocTestRunner().run(test, out=failures.append, clear_globs=False)
    assert not failures, "".join(failures)
    released = pd.read_csv("released.csv", dtype=str)
    assert len(released) == 6
    assert released.groupby(["age", "sex"]).size().min() == test.globs["released"].scores["k"] == 3


def test_the_extras_of_the_installing_page_exist() -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    page = HELP / "install.md"
    rows = set(re.findall(r"^\| `(\w+)` \|", page.read_text(encoding="utf-8"), re.MULTILINE))
    assert rows == set(EXTRAS[HEADLESS])
    assert f"`{HEADLESS}`" in page.read_text(encoding="utf-8")
    assert f"`{declared['name']}`" in page.read_text(encoding="utf-8")


def test_members_on_the_page_about_r_are_registered() -> None:
    page = HELP / "from-r.md"
    members = {*builders, *column_rules, *recoding_methods}
    assert {"top_bottom", "top_code", "bottom_code", "cells"} <= set(quoted(page)) & members


def test_the_compat_switch_of_the_pages_is_that_of_the_commands() -> None:
    said = re.findall(r"`anonymizer (\w+) --compat ([\w-]+)`", LIBRARIES)
    for command in {command for command, _ in said}:
        programs = {program for name, program in said if name == command}
        assert programs == set(importlib.import_module(f"engine.cli.{command}").Compat)


def test_the_filters_on_the_page_select_records() -> None:
    text = (HELP / "filters.md").read_text(encoding="utf-8")
    shown = [
        line for block in re.findall(r"```filter\n(.*?)```", text, re.DOTALL) for line in block.splitlines()
    ]
    frame = pd.DataFrame(
        {
            "age": [30, 39, 40, None, 12],
            "sex": ["female", "male", "other", "female", "male"],
            "job": ["nurse", "clerk", "porter", "doctor", "pupil"],
            "date of birth": pd.to_datetime(
                ["1949-12-31", "1950-01-01", "1940-01-01", "2001-01-01", "1930-05-05"]
            ),
            "zip": ["02139", "02140", "02140", "02139", "02139"],
        }
    )
    chosen = [records_where(as_table(frame), filter_text).astype(int).tolist() for filter_text in shown]
    assert chosen == [
        [1, 1, 1, 0, 0],
        [1, 1, 0, 0, 0],
        [1, 0, 1, 1, 0],
        [1, 1, 1, 0, 0],
        [1, 0, 1, 1, 0],
        [0, 0, 1, 0, 0],
    ]


def test_the_limits_of_filters_are_as_documented() -> None:
    said = re.sub(r"\s", "", (HELP / "filters.md").read_text(encoding="utf-8"))
    assert f"{MAX_LENGTH}characters" in said
    assert f"brackets{MAX_DEPTH}deep" in said


def test_every_algorithm_has_its_line_on_the_page_of_algorithms() -> None:
    named = [name for name in quoted(HELP / "algorithms.md") if re.fullmatch(r"[a-z_]+", name)]
    assert set(named) - {"algorithm", "steps", "seconds"} == set(search_algorithms)
