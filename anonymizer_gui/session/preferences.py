"""What a person prefers: theme, font scale, motion, recent files; kept as JSON in their own folder."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Self

from engine.errors import ExportError
from engine.files import atomic_write
from engine.scratch import config_dir

MAX_RECENT = 8
MAX_COLUMNS = 500
SMALLEST_FONT_SCALE, LARGEST_FONT_SCALE = 0.9, 1.5
THEME_CHOICES = ("system", "light", "dark")
MEMORY_CHOICES = (256, 1024, 4096, 16384)  # megabytes


@dataclass(frozen=True)
class Preferences:
    """One person's preferences; unknown or broken entries of the file fall back to these defaults."""

    theme: str = "system"
    font_scale: float = 1.0
    reduced_motion: bool = False
    recent_files: tuple[str, ...] = ()
    splitters: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    window_size: tuple[int, ...] = (1440, 900)
    score_memory: int = 1024  # megabytes the scores of a lattice may take
    list_columns: Mapping[str, bool] = field(default_factory=dict)  # shown or hidden, where chosen

    def with_recent(self, path: Path) -> Self:
        """Put a file first among the recent ones."""
        name = str(path)
        rest = tuple(other for other in self.recent_files if other != name)
        return replace(self, recent_files=(name, *rest)[:MAX_RECENT])

    def without_recent(self, path: Path) -> Self:
        """Forget a recent file."""
        return replace(self, recent_files=tuple(p for p in self.recent_files if p != str(path)))

    def with_splitter(self, name: str, sizes: tuple[int, ...]) -> Self:
        """Remember where a splitter stands."""
        return replace(self, splitters=dict(self.splitters) | {name: sizes})


def load_preferences() -> Preferences:
    """Read the preferences; a missing or damaged file means the defaults."""
    try:
        stored = json.loads((config_dir() / "preferences.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return Preferences()
    return _from_json(stored) if isinstance(stored, dict) else Preferences()


def save_preferences(preferences: Preferences) -> None:
    """Write the preferences; a folder that cannot be written is no reason to disturb anyone."""
    with suppress(OSError, ExportError):
        config_dir().mkdir(parents=True, exist_ok=True)
        text = json.dumps(asdict(preferences), indent=2, sort_keys=True) + "\n"
        with atomic_write(config_dir() / "preferences.json") as file:
            file.write(text.encode())


def _from_json(stored: dict[str, Any]) -> Preferences:
    known = {f.name for f in fields(Preferences)}
    made = Preferences()
    for name, value in stored.items():
        if name in known and (usable := _usable(name, value)) is not None:
            made = replace(made, **{name: usable})
    return made


def _usable(name: str, value: Any) -> Any:
    """The value in the type of its field, or None where it cannot be used."""
    with suppress(TypeError, ValueError, AttributeError):
        match name:
            case "theme":
                return value if value in THEME_CHOICES else None
            case "font_scale":
                return min(max(float(value), SMALLEST_FONT_SCALE), LARGEST_FONT_SCALE)
            case "score_memory":
                return value if value in MEMORY_CHOICES else None
            case "reduced_motion":
                return bool(value)
            case "recent_files":
                return tuple(str(path) for path in value)[:MAX_RECENT]
            case "splitters":
                return {str(key): tuple(int(size) for size in sizes) for key, sizes in value.items()}
            case "list_columns":
                return {str(key): bool(shown) for key, shown in list(value.items())[:MAX_COLUMNS]}
            case "window_size":
                width, height = (int(size) for size in value)
                return (width, height)
    return None
