"""The palette finds commands, shows why a command is disabled, and runs enabled ones."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog

from anonymizer_gui.command_palette import Command, CommandPalette, matching
from anonymizer_gui.tables.table_view import TextsTable
from anonymizer_gui.theming import theme_manager
from tests.window_driver import Driver

BOTH = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
LEFT = Qt.MouseButton.LeftButton


def opened_palette(driver: Driver) -> CommandPalette:
    driver.key(Qt.Key.Key_P, BOTH)
    palette = driver.dialog("commandPalette")
    driver.wake()
    return palette


def lines(palette: CommandPalette) -> list[list[str]]:
    model = palette.list.model()
    return [
        [model.index(row, column).data() for column in range(1, model.columnCount())]
        for row in range(model.rowCount())
    ]


def is_closed(driver: Driver) -> bool:
    return not any(dialog.isVisible() for dialog in driver.window.findChildren(QDialog))


def test_every_menu_action_is_listed_with_its_shortcut_and_why_it_is_disabled(driver: Driver) -> None:
    palette = opened_palette(driver)
    listed = {
        title: (detail, keys) for title, detail, keys in lines(palette) if not title.startswith("Help: ")
    }
    offered = [name for name in driver.wiring.actions.offered() if name != "palette"]
    assert len(listed) == len(offered)
    assert listed["Save"] == ("open a table first", "Ctrl+S")
    assert listed["Open"] == ("", "Ctrl+O")
    assert listed["Theme: Dark"] == ("", "")
    assert listed["Memory for scores: 4 GB"] == ("", "")


def test_a_few_letters_and_enter_run_the_best_match(driver: Driver) -> None:
    palette = opened_palette(driver)
    driver.qtbot.keyClicks(palette.field, "dark")
    assert lines(palette)[0][0] == "Theme: Dark"
    driver.key(Qt.Key.Key_Return)
    driver.wait(lambda: theme_manager().theme.is_dark)
    assert is_closed(driver)


def test_arrows_move_through_the_matches_and_a_click_runs_one(driver: Driver) -> None:
    palette = opened_palette(driver)
    driver.qtbot.keyClicks(palette.field, "theme")
    driver.key(Qt.Key.Key_Down)
    assert palette.list.currentIndex().row() == 1
    assert palette.field.hasFocus()
    row = [line[0] for line in lines(palette)].index("Theme: Dark")
    index = palette.list.model().index(row, 1)
    driver.qtbot.mouseClick(palette.list.viewport(), LEFT, pos=palette.list.visualRect(index).center())
    driver.wait(lambda: theme_manager().theme.is_dark)


def test_a_disabled_command_is_not_run_and_stays_with_its_reason(driver: Driver) -> None:
    palette = opened_palette(driver)
    driver.qtbot.keyClicks(palette.field, "export")
    assert lines(palette)[0][:2] == ["Export", "open a table first"]
    driver.key(Qt.Key.Key_Return)
    assert palette.isVisible()
    driver.key(Qt.Key.Key_Escape)
    driver.wait(lambda: is_closed(driver))


def test_commands_are_grouped_with_icons_and_the_latest_used_come_first(driver: Driver) -> None:
    palette = opened_palette(driver)
    model = palette.list.model()
    headings = [text for row in range(model.rowCount()) if (text := model.index(row, 0).data())]
    assert headings == ["File", "Edit", "View", "Run", "Scoring", "Help", "Help pages"]
    assert not any(
        model.index(row, 1).data(Qt.ItemDataRole.DecorationRole).isNull() for row in range(model.rowCount())
    )
    for words in ("theme dark", "theme light"):
        driver.qtbot.keyClicks(palette.field, words)
        driver.key(Qt.Key.Key_Return)
        driver.wait(lambda: is_closed(driver))
        palette = opened_palette(driver)
    assert palette.list.model().index(0, 0).data() == "Recently used"
    assert [line[0] for line in lines(palette)[:3]] == ["Theme: Light", "Theme: Dark", "Open"]
    driver.key(Qt.Key.Key_Return)
    driver.wait(lambda: not theme_manager().theme.is_dark)


def test_no_match_is_reported(driver: Driver) -> None:
    palette = opened_palette(driver)
    driver.qtbot.keyClicks(palette.field, "xyzzy")
    assert not lines(palette)
    assert palette._nothing.isVisible()
    driver.key(Qt.Key.Key_Return)
    assert palette.isVisible()


def test_a_column_is_selected_and_a_recent_file_opened(driver: Driver, examples: Path) -> None:
    driver.wiring.preferences.add_recent(examples.parent / "people.csv")
    driver.open_example("hospital")
    palette = opened_palette(driver)
    assert ["Paste a table", "close the project first"] in [line[:2] for line in lines(palette)]
    driver.qtbot.keyClicks(palette.field, "people")
    assert lines(palette)[0][:2] == ["Open people.csv", str(examples.parent)]
    for _ in "people":
        driver.key(Qt.Key.Key_Backspace)
    driver.qtbot.keyClicks(palette.field, "column religion")
    driver.key(Qt.Key.Key_Return)
    driver.wait(lambda: driver.window.page == "configure")
    assert driver.wiring.configure.selected_columns() == ("religion",)


def test_whole_words_rank_before_letters_and_enabled_before_disabled() -> None:
    def command(title: str, why_not: str = "") -> Command:
        return Command(title, lambda: None, why_not=why_not)

    commands = [
        command("Explore"),
        command("Export", "no release"),
        command("Save recipe"),
        command("Recent export"),
        command("Experience"),
    ]
    assert [c.title for c in matching(commands, "exp")] == [
        "Explore",
        "Experience",
        "Export",
        "Recent export",
    ]
    assert [c.title for c in matching(commands, "sv rcp")] == ["Save recipe"]
    assert [c.title for c in matching(commands, "recipe save")] == ["Save recipe"]
    assert len(matching(commands, "")) == len(commands)


def test_the_person_column_is_set_from_the_palette(driver: Driver) -> None:
    driver.open_example("hospital")
    palette = opened_palette(driver)
    driver.qtbot.keyClicks(palette.field, "count people name")
    assert [line[0] for line in lines(palette)] == ["Count people by name"]
    driver.key(Qt.Key.Key_Return)
    driver.wait(lambda: driver.session.project is not None and driver.session.project.person == "name")


def test_attacks_and_metrics_that_are_folded_are_found_by_their_names(driver: Driver) -> None:
    driver.open_example("hospital")
    driver.wait_settled()
    driver.apply()
    for words, shown in (("skewness", "attacks.attacks"), ("ambiguity", "metrics.metrics")):
        palette = opened_palette(driver)
        driver.qtbot.keyClicks(palette.field, words)
        driver.key(Qt.Key.Key_Return)
        driver.wait(lambda: is_closed(driver))
        driver.wait(
            lambda name=shown: any(t.isVisible() for t in driver.window.findChildren(TextsTable, name))
        )
        listed = driver.find(shown, TextsTable).texts.texts()
        assert words in [line[0].casefold() for line in listed]
