"""Preferences and window position of the user; stored as JSON in the configuration folder."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Self

from PySide6.QtCore import QLocale

from engine.errors import ExportError, ParameterError
from engine.files import atomic_write
from engine.params import (
    Choice,
    Configurable,
    Flag,
    Integer,
    Param,
    Real,
    describe,
    param,
    same_as,
    with_valid,
)
from engine.records.options import ExportOptions, ReadOptions
from engine.scratch import config_dir
from engine.words import ENGLISH, N_, Translated, _, languages

_DELIMITERS = {"comma": ",", "semicolon": ";", "tab": "\t", "bar": "|"}  # names in files of earlier versions
MAX_RECENT = 8
MAX_COMMANDS = 5
MAX_COLUMNS = 500
MAX_TOLD = 50
SMALLEST_FONT_SCALE, LARGEST_FONT_SCALE = 0.9, 2.0
LANGUAGES = (  # each in its own language
    (ENGLISH, "English"),
    *((code, QLocale(code).nativeLanguageName() or code) for code in languages()[1:]),
)
THEME_CHOICES = ("system", "light", "dark", "contrast-light", "contrast-dark")
MEMORY_CHOICES = (256, 1024, 4096, 16384)  # megabytes


PERSPECTIVES = ("configure", "explore", "utility", "risk")
VIEWS = ("prices", "lattice", "map", "list", "all")  # of Explore
MAX_VIEWS = 50
MOST_THREADS = 256
LARGEST_PLACE = 100_000  # pixels, over all screens


@dataclass(frozen=True, kw_only=True)
class Amount(Param):
    """Parameter with a few integer options, each with a caption."""

    options: tuple[tuple[int, str], ...] = Translated(())  # type: ignore[assignment]

    def check(self, value: Any) -> int:
        """Return the value if it is an option; raise an error otherwise."""
        if isinstance(value, bool) or value not in [number for number, _unused in self.options]:
            raise self._refuse(value, " or ".join(caption for _unused, caption in self.options))
        return int(value)


@dataclass(frozen=True, kw_only=True)
class MetricKey(Param):
    """Parameter for the key of a utility metric; the key is checked when used."""

    def check(self, value: Any) -> str:
        """Return the value if it is a text; raise an error otherwise."""
        if not isinstance(value, str) or not value:
            raise self._refuse(value, _("the name of a utility metric"))
        return value


@dataclass(frozen=True)
class RecentFacts:
    """What the start page shows of a recent file: no value of it, only counts and levels.

    Attributes
    ----------
    when : str
        Last use, ISO 8601 with minutes.
    state : {"", "applied", "exported", "stale"}
        Whether a node is applied, its release exported, or the settings changed since.
    levels, heights : tuple of int
        Levels of the applied node and highest ones of its hierarchies; levels are 0 without a node.
    """

    when: str = ""
    n_records: int = 0
    n_columns: int = 0
    state: str = ""
    levels: tuple[int, ...] = ()
    heights: tuple[int, ...] = ()

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> Self:
        """Return what a file has stored, in the types of the fields."""
        levels, heights = (tuple(map(int, stored[name])) for name in ("levels", "heights"))
        counts = int(stored["n_records"]), int(stored["n_columns"])
        return cls(str(stored["when"]), *counts, str(stored["state"]), levels, heights)


@dataclass(frozen=True)
class Preferences(Configurable):
    """Preferences of one user; unknown or invalid entries of the file fall back to these defaults.

    Fields with a descriptor appear in the dialog, which is generated from them; the others store state.
    """

    theme: str = param(
        "system",
        Choice(
            label=N_("Theme"),
            section=N_("Appearance"),
            help=N_("The system chooses between light and dark, and whether contrast is high."),
            options=(
                ("system", N_("as the system")),
                ("light", N_("light")),
                ("dark", N_("dark")),
                ("contrast-light", N_("high contrast, light")),
                ("contrast-dark", N_("high contrast, dark")),
            ),
        ),
    )
    font_scale: float = param(
        1.0,
        Real(
            label=N_("Text size"),
            help=N_("1 is the default size; Ctrl and + or \u2212 also change it."),
            section=N_("Appearance"),
            minimum=SMALLEST_FONT_SCALE,
            maximum=LARGEST_FONT_SCALE,
            decimals=1,
            usual=(1.0, 1.5, 2.0),
        ),
    )
    language: str = param(
        "system",
        Choice(
            label=N_("Language"),
            help=N_("Used from the next start of the program. Files and commands stay English."),
            section=N_("Appearance"),
            options=(("system", N_("as the system")), *LANGUAGES),
        ),
    )
    reduced_motion: bool = param(False, Flag(label=N_("Reduced motion"), section=N_("Appearance")))
    score_memory: int = param(
        1024,
        Amount(
            label=N_("Memory for scores"),
            help=N_("A lattice whose scores need more memory is partly scored, best nodes first."),
            section=N_("This computer"),
            options=((256, "256 MB"), (1024, "1 GB"), (4096, "4 GB"), (16384, "16 GB")),
        ),
    )
    threads: int = param(
        0,
        Integer(
            label=N_("Processor cores for scoring"),
            help=N_("0 uses all of them. Running jobs do not change."),
            section=N_("This computer"),
            maximum=MOST_THREADS,
            usual=(0, 1, 4),
        ),
    )
    autosave_seconds: int = param(
        8,
        Integer(
            label=N_("Autosave interval in seconds"),
            help=N_("After a crash, at most this much work is lost; the rest is offered at the next start."),
            section=N_("This computer"),
            minimum=2,
            maximum=60,
            usual=(2, 8, 30),
        ),
    )
    default_k: int = param(
        5,
        Integer(
            label=N_("Smallest class (k)"),
            help=N_("Requirement of a table opened for the first time; projects and recipes keep their own."),
            section=N_("New projects"),
            minimum=2,
            maximum=100_000,
            usual=(3, 5, 10),
        ),
    )
    default_suppression: float = param(
        0.05,
        Real(
            label=N_("Suppression limit"),
            help=N_("Largest share of records that may be suppressed."),
            section=N_("New projects"),
            usual=(0.0, 0.05, 0.1),
        ),
    )
    default_metric: str = param("loss", MetricKey(label=N_("Utility metric"), section=N_("New projects")))
    missing: tuple[str, ...] = same_as(ReadOptions, "missing", section=N_("New projects"))
    release: ExportOptions = ExportOptions()  # how new projects write a release; has its own form
    recent_files: tuple[str, ...] = ()
    recent_databases: tuple[str, ...] = ()  # addresses without user and password, the latest first
    recent_facts: Mapping[str, RecentFacts] = field(default_factory=dict)  # by path of a recent file
    recent_commands: tuple[str, ...] = ()  # menu entries run from the palette, the latest first
    splitters: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    window_size: tuple[int, ...] = (1440, 900)
    window_place: tuple[int, ...] = ()  # left and top edge; empty if the system chooses
    is_maximised: bool = False
    perspective: str = "explore"  # shown first for a project with results
    list_columns: Mapping[str, bool] = field(default_factory=dict)  # shown or hidden by the user
    folds: Mapping[str, bool] = field(default_factory=dict)  # parts of perspectives, unfolded or folded
    views: Mapping[str, str] = field(default_factory=dict)  # of Explore, by the place of a project
    told: tuple[str, ...] = ()  # names of one-time messages shown already
    column_widths: Mapping[str, int] = field(default_factory=dict)  # of tables, by column name

    def with_recent(self, path: Path) -> Self:
        """Return a copy with a file first among the recent ones."""
        name = str(path)
        rest = tuple(other for other in self.recent_files if other != name)
        return replace(self, recent_files=(name, *rest)[:MAX_RECENT])

    def with_database(self, url: str) -> Self:
        """Return a copy with the address of a database first among the recent ones."""
        latest = dict.fromkeys([url, *self.recent_databases])
        return replace(self, recent_databases=tuple(latest)[:MAX_COMMANDS])

    def with_facts(self, path: Path, facts: RecentFacts) -> Self:
        """Return a copy with what is known of a recent file; of others nothing is kept."""
        known = {**self.recent_facts, str(path): facts}
        return replace(self, recent_facts={name: known[name] for name in self.recent_files if name in known})

    def with_command(self, name: str) -> Self:
        """Return a copy with a menu entry first among the recent ones."""
        rest = tuple(other for other in self.recent_commands if other != name)
        return replace(self, recent_commands=(name, *rest)[:MAX_COMMANDS])

    def without_recent(self, path: Path) -> Self:
        """Return a copy without a recent file."""
        return replace(self, recent_files=tuple(p for p in self.recent_files if p != str(path)))

    def with_widths(self, widths: Mapping[str, int]) -> Self:
        """Return a copy with new column widths; beyond a limit, only the latest are kept."""
        others = {name: width for name, width in self.column_widths.items() if name not in widths}
        kept = [*others.items(), *widths.items()][-MAX_COLUMNS:]
        return replace(self, column_widths=dict(kept))

    def with_view(self, place: str, view: str) -> Self:
        """Return a copy with the view of Explore in which a project was left; the latest are kept."""
        others = {other: shown for other, shown in self.views.items() if other != place}
        return replace(self, views=dict([*others.items(), (place, view)][-MAX_VIEWS:]))

    def with_splitter(self, name: str, sizes: tuple[int, ...]) -> Self:
        """Return a copy with the sizes of a splitter."""
        return replace(self, splitters=dict(self.splitters) | {name: sizes})


def load_preferences() -> Preferences:
    """Read the preferences; a missing or damaged file gives the defaults."""
    try:
        stored = json.loads((config_dir() / "preferences.json").read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return Preferences()
    return _from_json(stored) if isinstance(stored, dict) else Preferences()


def save_preferences(preferences: Preferences) -> None:
    """Write the preferences; ignore errors of the folder."""
    with suppress(OSError, ExportError):
        config_dir().mkdir(parents=True, exist_ok=True, mode=0o700)  # file names may be confidential
        text = json.dumps(asdict(preferences), indent=2, sort_keys=True) + "\n"
        with atomic_write(config_dir() / "preferences.json") as file:
            file.write(text.encode())


def _from_json(stored: dict[str, Any]) -> Preferences:
    stored = {**_of_earlier(stored), **stored}
    known = {f.name for f in fields(Preferences)}
    made = Preferences()
    for name, value in stored.items():
        if name in known and (usable := _usable(name, value)) is not None:
            made = replace(made, **{name: usable})
    return made


def _of_earlier(stored: Mapping[str, Any]) -> dict[str, Any]:
    """Return what earlier versions stored under other names: missing words, and options of released files."""
    release = {
        "delimiter": _DELIMITERS.get(str(stored.get("export_delimiter"))),
        "line_end": stored.get("export_line_end"),
        "safe_cells": stored.get("safe_cells"),
    }
    words = stored.get("default_missing")
    return {"release": release, "missing": ["", *words.split()] if isinstance(words, str) else None}


def _usable(name: str, value: Any) -> Any:
    """Return the value in the type of its field, or None if it is not valid."""
    with suppress(TypeError, ValueError, KeyError, AttributeError, OverflowError, ParameterError):
        if name in _DESCRIPTORS:
            if name == "font_scale":
                value = min(max(float(value), SMALLEST_FONT_SCALE), LARGEST_FONT_SCALE)
            return _DESCRIPTORS[name].check(value)
        match name:
            case "release":
                return with_valid(ExportOptions(), value, describe(ExportOptions))
            case "recent_files" | "recent_databases":
                return tuple(str(path) for path in value)[:MAX_RECENT]
            case "recent_facts":
                return {str(path): RecentFacts.of(facts) for path, facts in value.items()}
            case "recent_commands":
                return tuple(str(name) for name in value)[:MAX_COMMANDS]
            case "told":
                return tuple(str(name) for name in value)[:MAX_TOLD]
            case "splitters":
                return {str(key): tuple(int(size) for size in sizes) for key, sizes in value.items()}
            case "list_columns" | "folds":
                return {str(key): bool(shown) for key, shown in list(value.items())[:MAX_COLUMNS]}
            case "views":
                return {str(place): view for place, view in value.items() if view in VIEWS}
            case "column_widths":
                widths = {str(name): int(width) for name, width in list(value.items())[-MAX_COLUMNS:]}
                return {name: width for name, width in widths.items() if 0 < width <= LARGEST_PLACE}
            case "window_size" | "window_place":
                one, other = (int(number) for number in value)
                return (one, other) if max(abs(one), abs(other)) <= LARGEST_PLACE else None
            case "is_maximised":
                return value if isinstance(value, bool) else None
            case "perspective":
                return value if value in PERSPECTIVES else None
    return None


_DESCRIPTORS = {descriptor.name: descriptor for descriptor in describe(Preferences)}
