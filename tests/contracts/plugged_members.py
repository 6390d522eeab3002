"""Uses the members of the example plug-in everywhere members are used, in a process that has it."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import os
import sys
import tomllib
from collections import Counter, defaultdict
from dataclasses import replace
from pathlib import Path

from tests.plugin_site import EXAMPLE

MODEL, METRIC, BUILDER = "bounded_confidence", "lost_classes", "initials"
ALGORITHM, METHOD = "top_down", "staircase"
PACKAGE = {"anonymizer-example": "1.0"}


def called(*words: str) -> str:
    """Run a command; return what it prints."""
    from engine.cli import main

    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        assert main(list(words)) == 0
    return printed.getvalue()


def known_members_are_found_without_any_plugin() -> None:
    """Assert that plug-ins are imported for unknown keys only."""
    from engine.project.recipe.files import read_recipe

    read_recipe(EXAMPLE.parent / "hospital" / "recipe.toml")
    assert "anonymizer_example.models" not in sys.modules


def recipe_and_project_keep_them_and_name_the_package(folder: Path) -> None:
    """Assert that recipe and project file store the members, and the package that offers them."""
    from engine.project.recipe.files import read_recipe, write_recipe
    from engine.project.storage.file import open_project, save_project

    project = read_recipe(EXAMPLE / "recipe.toml")
    assert [model.key for model in project.requirement.models] == ["k_anonymity", MODEL]
    write_recipe(project, folder / "again.toml")
    written = tomllib.loads((folder / "again.toml").read_text("utf-8"))
    assert written["plugins"] == PACKAGE
    assert written["search"] == {"algorithm": ALGORITHM, "metric": METRIC}
    assert written["hierarchies"]["city"] == {"builder": BUILDER, "letters": 2}
    assert read_recipe(folder / "again.toml").requirement == project.requirement
    save_project(project, folder / "again.anon")
    opened = open_project(folder / "again.anon").project
    assert (opened.requirement, opened.search.metric) == (project.requirement, METRIC)
    usual = read_recipe(EXAMPLE.parent / "hospital" / "recipe.toml")
    write_recipe(usual, folder / "usual.toml")
    assert "[plugins]" not in (folder / "usual.toml").read_text("utf-8")


def a_release_is_as_counted_by_hand_and_verified(folder: Path) -> None:
    """Assert that the classes of the released file meet the model, and that other claims are refuted."""
    from engine.project.claims import release_claim
    from engine.project.compile import compile_problem
    from engine.project.recipe.files import read_recipe
    from engine.recoding import make_release
    from engine.verification import verify

    out = folder / "out.csv"
    printed = json.loads(
        called("anonymize", str(EXAMPLE / "recipe.toml"), "--out", str(out), "--format", "json", "--quiet")
    )
    assert printed["verified"] is True
    assert (printed["guarantee"], printed["plugins"]) == ("optimal", PACKAGE)
    classes: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    with out.open(encoding="utf-8", newline="") as lines:
        for line in csv.DictReader(lines):
            classes[line["city"], line["age"]][line["illness"]] += 1
    assert {city for city, _age in classes} == {"Be…", "Ha…", "Ma…"}
    assert all(max(counts.values()) <= 0.5 * counts.total() for counts in classes.values())
    project = read_recipe(EXAMPLE / "recipe.toml")
    node = tuple(printed["node"].values())
    release = make_release(project, compile_problem(project), node)
    claim = release_claim(project, release, EXAMPLE / "people.fixed", out)
    assert verify(claim).ok
    k, model = claim.models
    strict = replace(model, parameters={**model.parameters, "confidence": 0.4})
    assert not verify(replace(claim, models=(k, strict))).ok


def levels_by_record_are_as_found_by_hand(folder: Path) -> None:
    """Assert that each class has the labels of its step, or lower ones that its records share."""
    text = (EXAMPLE / "recipe.toml").read_text("utf-8").replace("letters = 2", "letters = 3")
    text = text.replace("people.fixed", (EXAMPLE / "people.fixed").as_posix())
    (folder / "by_record.toml").write_text(f'{text}\n[recoding]\nmethod = "{METHOD}"\n', "utf-8")
    out = folder / "by_record.csv"
    words = ("anonymize", str(folder / "by_record.toml"), "--out", str(out), "--format", "json", "--quiet")
    printed = json.loads(called(*words))
    assert (printed["recoding"], printed["verified"], printed["plugins"]) == (METHOD, True, PACKAGE)
    with out.open(encoding="utf-8", newline="") as lines:
        counts = Counter(line["city"] for line in csv.DictReader(lines))
    assert counts == {"Ber…": 4, "Hamburg": 2, "Han…": 2, "Mainz": 2, "Ma…": 2}


def the_metric_is_as_counted_by_hand(folder: Path) -> None:
    """Assert that every node has the loss that its number of classes gives."""
    nodes = folder / "nodes.csv"
    best = json.loads(
        called("lattice", str(EXAMPLE / "recipe.toml"), "--out", str(nodes), "--format", "json", "--quiet")
    )
    assert best["metric"] == METRIC
    assert abs(best["value"] - (1 - 3 / 12)) < 1e-12  # Be…, Ha… and Ma… with their decades


def facts_of_report(recipe: Path, out: Path, *words: str) -> dict[str, object]:
    """Return the facts on program and plug-ins of a report by key."""
    called("report", str(recipe), "--out", str(out), "--quiet", *words)
    sections = {section["key"]: section for section in json.loads(out.read_text("utf-8"))["sections"]}
    blocks = sections["reproduction"]["blocks"]
    facts = next(block["facts"] for block in blocks if block.get("key") == "program")
    return {fact["key"]: fact["value"] for fact in facts}


def a_report_names_them(folder: Path) -> None:
    """Assert that reports have the words of the plug-in, and its package if it takes part."""
    out = folder / "report.json"
    for audience in ("internal", "public"):
        facts = facts_of_report(EXAMPLE / "recipe.toml", out, "--audience", audience)
        assert facts["plugins"] == "anonymizer-example 1.0"
        report = out.read_text("utf-8")
        assert "Bounded confidence" in report
        assert audience == "public" or "lost classes" in report.casefold()
    of_file = facts_of_report(EXAMPLE / "people.fixed", out, "--qi", "city")
    assert of_file["plugins"] == "anonymizer-example 1.0"
    assert "plugins" not in facts_of_report(EXAMPLE.parent / "hospital" / "recipe.toml", out)


def an_older_package_is_refused(folder: Path) -> None:
    """Assert that a recipe made with a newer version says so."""
    from engine.cli import main

    text = (EXAMPLE / "recipe.toml").read_text("utf-8").replace('"1.0"', '"1.10"')
    (folder / "newer.toml").write_text(text, "utf-8")
    said = io.StringIO()
    with contextlib.redirect_stderr(said):
        assert main(["anonymize", str(folder / "newer.toml"), "--out", str(folder / "newer.csv")]) == 2
    assert "needs the plug-in anonymizer-example 1.10, but version 1.0 is installed" in said.getvalue()


def help_pages_are_the_stored_ones() -> None:
    """Assert that no option of a command depends on plug-ins, so that stored pages remain true."""
    from engine.cli.usage import USAGE
    from tests.command_usage import usage_of_commands

    pages = {name: page for name, (page, _options) in usage_of_commands().items()}
    assert pages == json.loads(USAGE.read_text("utf-8"))


def pages_and_file_dialogs_show_them() -> None:
    """Assert that the pages of members have those of the plug-in, and that its files can be chosen."""
    from anonymizer_gui.help.library import member_page
    from engine.records.opening.readers import table_endings

    assert "## Bounded confidence" in member_page("members-models")
    assert "## Initials" in member_page("members-builders")
    assert "## Top down" in member_page("members-algorithms")
    assert "## Staircase" in member_page("members-recoding")
    assert ".fixed" in table_endings()


if __name__ == "__main__":
    os.environ["SOURCE_DATE_EPOCH"] = "0"
    here = Path(sys.argv[1])
    known_members_are_found_without_any_plugin()
    recipe_and_project_keep_them_and_name_the_package(here)
    a_release_is_as_counted_by_hand_and_verified(here)
    levels_by_record_are_as_found_by_hand(here)
    the_metric_is_as_counted_by_hand(here)
    a_report_names_them(here)
    an_older_package_is_refused(here)
    help_pages_are_the_stored_ones()
    pages_and_file_dialogs_show_them()
