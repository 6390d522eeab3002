"""Declares settings of every kind by lines of source in one process, and tests them wherever they are."""

from __future__ import annotations

import importlib.machinery
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

LINE = '    {name}: int = param(1, Integer(label="Toy", help="Of no effect.", maximum=9{more}))\n'
IMPORTS, IMPORT = "\nfrom dataclasses", "\nfrom engine.params import Integer, Kept"
GIVEN = 7


@dataclass(frozen=True)
class Group:
    """The place where settings of one kind are declared, and their table in a recipe.

    Attributes
    ----------
    name : str
        The name of the new setting.
    module : str
    before : str
        The declaration before which the new one is inserted.
    table : str
        Table of the recipe.
    of : str
        The part of a project with these settings.
    more : str
        Other parts of the setting's declaration.
    """

    name: str
    module: str
    before: str
    table: str
    of: str
    more: str = ""


READ = ("engine.records.options", "    types: Mapping", "data", "options")
GROUPS = (
    Group("reading", *READ, ", is_option=True"),
    Group("reading_of_a_source", *READ, ", is_option=True, kept=Kept.SOURCE"),
    Group(
        "writing", "engine.records.options", "    safe_cells: bool", "release", "export", ", is_option=True"
    ),
    Group("limits", "engine.privacy.requirement", "    whole_persons: bool", "transformation", "requirement"),
    Group(
        "changing",
        "engine.recoding.transformation",
        "    seed: int",
        "transformation",
        "transformation",
    ),
    Group("searching", "engine.project.project", "    enforce: str", "search", "search"),
)


def declare() -> None:
    """Load the modules of all groups with one more line for each."""
    compiled = importlib.machinery.SourceFileLoader.get_code

    def get_code(loader: Any, name: str) -> Any:
        declared = [group for group in GROUPS if group.module == name]
        if not declared:
            return compiled(loader, name)
        path = loader.get_filename(name)
        text = loader.get_data(path).decode("utf-8")
        lines = [(group.before, LINE.format(name=group.name, more=group.more)) for group in declared]
        for place, line in ((IMPORTS, IMPORT), *lines):
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
        tables.setdefault(group.table, []).append(f"{group.name} = {value}")
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
    assert given(project, group) == GIVEN
    assert f"{group.name} = {GIVEN}\n" in recipe_text(project, folder)
    save_project(project, folder / "people.anon")
    assert given(open_project(folder / "people.anon").project, group) == GIVEN
    usual = read_recipe(recipe_with(group, folder, None))
    assert given(usual, group) == 1
    assert group.name not in recipe_text(usual, folder)
    for wrong in ("10", '"many"'):
        with pytest.raises(RecipeError) as raised:
            read_recipe(recipe_with(group, folder, wrong))
        assert f"[{group.table}]: '{group.name}' cannot be {wrong}." in raised.value.problem


def given(project: Any, group: Group) -> Any:
    """Return the value that a project has for the setting."""
    return getattr(getattr(project, group.of), group.name)


def comes_from_options(group: Group, folder: Path) -> None:
    """Assert that the option takes effect, and that a wrong value is refused as bad input."""
    import engine.cli.anonymize
    import engine.cli.check
    from engine.cli import main

    seen: list[int] = []

    def see(obeyed: Callable[..., Any], *words: Any, **named: Any) -> Any:
        both = (*words, *named.values())
        seen.extend(getattr(word, group.name) for word in both if hasattr(word, group.name))
        return obeyed(*words, **named)

    module: Any
    recipe = recipe_with(group, folder, None)
    if group.name == "writing":
        module, function = engine.cli.anonymize, "set_export"
        words = ["anonymize", str(recipe), "--out", str(folder / "typed.csv")]
    else:
        module, function = engine.cli.check, "table_of"
        words = ["check", str(folder / "people.csv"), "--qi", "age"]
    option = "--" + group.name.replace("_", "-")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, function, partial(see, getattr(module, function)))
        assert main([*words, option, str(GIVEN), "--quiet"]) == 0
        assert seen == [GIVEN]
        assert main([*words, option, "10", "--quiet"]) == 2


def is_typed_into(widget: Any, name: str) -> None:
    """Type the value as a user does."""
    from PySide6.QtCore import Qt
    from PySide6.QtTest import QTest
    from PySide6.QtWidgets import QSpinBox

    field = widget.findChild(QSpinBox, f"param.{name}")
    assert field.accessibleName() == "Toy"
    widget.show()
    assert QTest.qWaitForWindowExposed(widget)
    field.selectAll()
    QTest.keyClicks(field, str(GIVEN))
    QTest.keyClick(field, Qt.Key.Key_Tab)


def is_preferred(name: str) -> None:
    """Assert that the preferences have the setting, store it, and give it to new projects."""
    from PySide6.QtWidgets import QPushButton

    from anonymizer_gui.preferences_dialog import PreferencesDialog
    from anonymizer_gui.session.preferences import Preferences, load_preferences, save_preferences

    dialog = PreferencesDialog(Preferences())
    got: list[Any] = []
    dialog.chosen.connect(got.append)
    is_typed_into(dialog, name)
    dialog.findChild(QPushButton, "applyPreferencesButton").click()
    save_preferences(Preferences(release=got[0]["release"]))
    assert getattr(load_preferences().release, name) == GIVEN


def comes_from_the_window(name: str) -> None:
    """Assert that the form of the group shows the setting and returns it."""
    from PySide6.QtCore import Qt
    from PySide6.QtTest import QTest
    from PySide6.QtWidgets import QApplication, QPushButton

    from anonymizer_gui.perspectives.configure.requirement.dialogs import MetricDialog
    from anonymizer_gui.perspectives.export.details_dialogs import FormatDialog
    from anonymizer_gui.perspectives.start.read_form import ReadForm
    from engine.project.project import SearchSettings
    from engine.records.options import ExportOptions
    from engine.utility import utility_metrics

    app = QApplication.instance() or QApplication([])
    got: list[Any] = []
    if name.startswith("reading"):
        choices = ReadForm((), {})
        is_typed_into(choices, name)
        assert getattr(choices.options, name) == GIVEN
        choices.give(replace(choices.options, **{name: 3}))
        assert getattr(choices.options, name) == 3
        return
    dialog: Any
    if name == "writing":
        is_preferred(name)
        dialog = FormatDialog(ExportOptions())
        dialog.options_chosen.connect(got.append)
    else:
        dialog = MetricDialog(utility_metrics.create("loss"), SearchSettings())
        dialog.settings_chosen.connect(lambda _metric, search: got.append(search))
    is_typed_into(dialog, name)
    QTest.mouseClick(dialog.findChild(QPushButton, "acceptButton"), Qt.MouseButton.LeftButton)
    assert [getattr(settings, name) for settings in got] == [GIVEN]
    app.processEvents()


def main(folder: Path) -> None:
    """Test the setting of every group everywhere."""
    declare()
    from engine.cli import main as run
    from engine.cli import usage
    from tests import command_usage

    usage.USAGE = folder / "usage.json"
    command_usage.main(usage.USAGE)
    for group in GROUPS:
        out = str(folder / "out.csv")
        assert run(["anonymize", str(recipe_with(group, folder, GIVEN)), "--out", out, "--quiet"]) == 0
        goes_through_files(group, folder)
        if group.more:
            comes_from_options(group, folder)
        if group.name not in ("limits", "changing"):  # their controls are all over the window
            comes_from_the_window(group.name)


if __name__ == "__main__":
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    main(Path(sys.argv[2]))
