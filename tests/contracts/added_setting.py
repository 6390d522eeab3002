"""Declares one more setting by a line of source in one process, and tests it everywhere settings are used."""

from __future__ import annotations

import importlib.machinery
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

LINE = '    toy: int = param(1, Integer(label="Toy", help="Of no effect.", maximum=9{more}))\n'
IMPORTS, IMPORT = "\nfrom dataclasses", "\nfrom engine.params import Integer, Kept"
GIVEN = 7


@dataclass(frozen=True)
class Group:
    """The place where settings of one kind are declared, and their table in a recipe.

    Attributes
    ----------
    module : str
    before : str
        The declaration before which the new one is inserted.
    table : str
        Table of the recipe; empty if recipes do not have these settings.
    of : str
        The part of a project with these settings.
    more : str
        Other parts of the setting's declaration.
    """

    module: str
    before: str
    table: str = ""
    of: str = ""
    more: str = ""


GROUPS = {
    "reading": Group("engine.records.options", "    types: Mapping", "data", "options", ", is_option=True"),
    "reading_of_a_source": Group(
        "engine.records.options",
        "    types: Mapping",
        "data",
        "options",
        ", is_option=True, kept=Kept.SOURCE",
    ),
    "writing": Group(
        "engine.records.options", "    safe_cells: bool", "release", "export", ", is_option=True"
    ),
    "limits": Group("engine.privacy.requirement", "    whole_persons: bool", "transformation", "requirement"),
    "release": Group("engine.recoding.transformation", "    seed: int", "transformation", "transformation"),
    "search": Group("engine.project.project", "    enforce: str", "search", "search"),
}


def declare(group: Group) -> None:
    """Load the module of a group with one more line."""
    compiled = importlib.machinery.SourceFileLoader.get_code

    def get_code(loader: Any, name: str) -> Any:
        if name != group.module:
            return compiled(loader, name)
        path = loader.get_filename(name)
        text = loader.get_data(path).decode("utf-8")
        for place, line in ((IMPORTS, IMPORT), (group.before, LINE.format(more=group.more))):
            assert text.count(place) == 1
            text = text.replace(place, line + place)
        return compile(text, path, "exec")

    importlib.machinery.SourceFileLoader.get_code = get_code  # type: ignore[method-assign]


def recipe_with(group: Group, folder: Path, value: object) -> Path:
    """Write a recipe with the setting."""
    (folder / "people.csv").write_text("age,illness\n31,flu\n31,cold\n52,flu\n52,cold\n", encoding="utf-8")
    tables = {"data": ['path = "people.csv"'], "roles": ['quasi_identifying = ["age"]']}
    tables["roles"].append('insensitive = ["illness"]')
    tables |= {"hierarchies.age": ['builder = "suppress"']}
    if value is not None:
        tables.setdefault(group.table, []).append(f"toy = {value}")
    text = "\n".join("\n".join([f"[{title}]", *lines]) for title, lines in tables.items())
    path = folder / "recipe.toml"
    path.write_text(f'{text}\n[[privacy]]\nmodel = "k_anonymity"\nk = 2\n', encoding="utf-8")
    return path


def goes_through_files(group: Group, folder: Path) -> None:
    """Assert that recipe and project file keep the setting, and omit it if it has its default."""
    from engine.errors import RecipeError
    from engine.project.recipe.files import read_recipe, recipe_text
    from engine.project.storage.file import open_project, save_project

    project = read_recipe(recipe_with(group, folder, GIVEN))
    assert getattr(project, group.of).toy == GIVEN
    assert f"toy = {GIVEN}\n" in recipe_text(project, folder)
    save_project(project, folder / "people.anon")
    assert getattr(open_project(folder / "people.anon").project, group.of).toy == GIVEN
    usual = read_recipe(recipe_with(group, folder, None))
    assert getattr(usual, group.of).toy == 1
    assert "toy" not in recipe_text(usual, folder)
    for wrong in ("10", '"many"'):
        with pytest.raises(RecipeError) as raised:
            read_recipe(recipe_with(group, folder, wrong))
        assert f"[{group.table}]: 'toy' cannot be {wrong}." in raised.value.problem


def runs_by_recipe(group: Group, folder: Path) -> None:
    """Assert that a command follows a recipe with the setting."""
    from engine.cli import main

    recipe = recipe_with(group, folder, GIVEN if group.table else None)
    assert main(["anonymize", str(recipe), "--out", str(folder / "out.csv"), "--quiet"]) == 0


def comes_from_options(name: str, folder: Path) -> None:
    """Assert that the option takes effect, and that a wrong value is refused as bad input."""
    import engine.cli.anonymize
    import engine.cli.check
    from engine.cli import main, usage
    from tests import command_usage

    usage.USAGE = folder / "usage.json"
    command_usage.main(usage.USAGE)
    seen: list[int] = []

    def seeing(module: Any, function: str) -> None:
        obeyed = getattr(module, function)

        def see(*words: Any, **named: Any) -> Any:
            seen.extend(word.toy for word in (*words, *named.values()) if hasattr(word, "toy"))
            return obeyed(*words, **named)

        setattr(module, function, see)

    if name == "writing":
        seeing(engine.cli.anonymize, "set_export")
        recipe = recipe_with(GROUPS[name], folder, None)
        words = ["anonymize", str(recipe), "--out", str(folder / "typed.csv")]
    else:
        seeing(engine.cli.check, "table_of")
        words = ["check", str(folder / "people.csv"), "--qi", "age"]
    assert main([*words, "--toy", str(GIVEN), "--quiet"]) == 0
    assert seen == [GIVEN]
    assert main([*words, "--toy", "10", "--quiet"]) == 2


def is_typed_into(widget: Any) -> None:
    """Type the value as a user does."""
    from PySide6.QtCore import Qt
    from PySide6.QtTest import QTest
    from PySide6.QtWidgets import QSpinBox

    field = widget.findChild(QSpinBox, "param.toy")
    assert field.accessibleName() == "Toy"
    widget.show()
    assert QTest.qWaitForWindowExposed(widget)
    field.selectAll()
    QTest.keyClicks(field, str(GIVEN))
    QTest.keyClick(field, Qt.Key.Key_Tab)


def is_preferred() -> None:
    """Assert that the preferences have the setting, store it, and give it to new projects."""
    from PySide6.QtWidgets import QPushButton

    from anonymizer_gui.preferences_dialog import PreferencesDialog
    from anonymizer_gui.session.preferences import Preferences, load_preferences, save_preferences

    dialog = PreferencesDialog(Preferences())
    got: list[Any] = []
    dialog.chosen.connect(got.append)
    is_typed_into(dialog)
    dialog.findChild(QPushButton, "applyPreferencesButton").click()
    save_preferences(Preferences(release=got[0]["release"]))
    assert load_preferences().release.toy == GIVEN  # type: ignore[attr-defined]  # declared here only


def comes_from_the_window(name: str) -> None:
    """Assert that the form of the group shows the setting and returns it."""
    from PySide6.QtCore import Qt
    from PySide6.QtTest import QTest
    from PySide6.QtWidgets import QApplication, QPushButton

    from anonymizer_gui.perspectives.configure.requirement.member_dialog import MetricDialog
    from anonymizer_gui.perspectives.export.details_dialogs import FormatDialog
    from anonymizer_gui.perspectives.start.read_form import ReadForm
    from engine.project.project import SearchSettings
    from engine.records.options import ExportOptions
    from engine.utility import utility_metrics

    app = QApplication.instance() or QApplication([])
    got: list[Any] = []
    if name.startswith("reading"):
        choices = ReadForm((), {})
        is_typed_into(choices)
        assert choices.options.toy == GIVEN  # type: ignore[attr-defined]  # declared here only
        choices.give(replace(choices.options, toy=3))  # type: ignore[call-arg]
        assert choices.options.toy == 3  # type: ignore[attr-defined]
        return
    dialog: Any
    if name == "writing":
        is_preferred()
        dialog = FormatDialog(ExportOptions())
        dialog.options_chosen.connect(got.append)
    else:
        dialog = MetricDialog(utility_metrics.create("loss"), SearchSettings())
        dialog.settings_chosen.connect(lambda _metric, search: got.append(search))
    is_typed_into(dialog)
    QTest.mouseClick(dialog.findChild(QPushButton, "acceptButton"), Qt.MouseButton.LeftButton)
    assert [settings.toy for settings in got] == [GIVEN]
    app.processEvents()


def main(name: str, folder: Path) -> None:
    """Test the setting of one group everywhere."""
    group = GROUPS[name]
    declare(group)
    steps: list[Callable[[], None]] = [lambda: runs_by_recipe(group, folder)]
    if group.table:
        steps.append(lambda: goes_through_files(group, folder))
    if group.more:
        steps.append(lambda: comes_from_options(name, folder))
    if name not in ("limits", "release"):  # their controls are all over the window
        steps.append(lambda: comes_from_the_window(name))
    for step in steps:
        step()


if __name__ == "__main__":
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    main(sys.argv[1], Path(sys.argv[2]))
