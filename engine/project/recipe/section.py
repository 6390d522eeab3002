"""Tables of a recipe: values of the expected kind, and only known keys."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.errors import ParameterError, RecipeError, nearest
from engine.params import Kept, MemberKey, Param, stored_in
from engine.plugins import KINDS
from engine.records import Table
from engine.records.options import ReadOptions
from engine.registry import Registry
from engine.words import N_, _

FORMAT = 1
BESIDE_BUILDERS = ("min_level", "max_level", "level_names")  # keys of a hierarchy that no builder has
BESIDE = ("delimiter", "encoding", "header", "sheet")  # how an additional table is read
FILES = "-files"  # folder next to a recipe, after its name
IN_RECIPE = (Kept.RECIPE, Kept.SOURCE, Kept.BOTH)

# Every key a recipe may hold; tables of columns or of parameters are checked where they are read.
KEYS: Mapping[str, tuple[str, ...]] = {
    "": (
        "format",
        "plugins",
        "data",
        "roles",
        "hierarchies",
        "privacy",
        "sensitive",
        "questionnaire",
        "population",
        "subset",
        "earlier",
        "transformation",
        "release",
        "identifiers",
        "rules",
        "search",
        "recoding",
        "microaggregation",
        "attack_test",
        "statement",
    ),
    "data": ("path", "types", *(setting.stored for setting in stored_in(ReadOptions, IN_RECIPE))),
    "roles": (
        "identifying",
        "quasi_identifying",
        "sensitive",
        "insensitive",
        "others",
        "person",
        "target",
        "weight",
        "household",
    ),
    "sensitive": ("others_as_qi",),
    "population": ("size", "sampling_fraction", "path", *BESIDE),
    "subset": ("filter", "path", "fraction", "size", "seed", *BESIDE),
}

_WORDS = {
    str: N_("a text"),
    bool: N_("true or false"),
    int: N_("a whole number"),
    float: N_("a number"),
    list: N_("a list"),
    dict: N_("a table of keys"),
}


@dataclass(frozen=True)
class Section:
    """One table of a recipe.

    Attributes
    ----------
    file : str
        Name of the recipe in messages.
    name : str
        Dotted name; empty for the recipe as a whole.
    """

    file: str
    name: str
    values: Mapping[str, Any]

    @property
    def title(self) -> str:
        """The table as written in the file."""
        return f"[{self.name}]" if self.name else _("the recipe")

    def check_keys(self, known: Iterable[str]) -> None:
        """Refuse the first unknown key, with the nearest known one."""
        known = tuple(known)
        for key in self.values:
            if key not in known:
                raise self.error(
                    _("unknown key '{key}' in {title}.").format(key=key, title=self.title),
                    nearest(key, known),
                    key,
                )

    def section(self, key: str) -> Section:
        """Return a table within this one, empty if absent; its keys are checked if declared."""
        name = f"{self.name}.{key}" if self.name else key
        inner = Section(self.file, name, self.get(key, dict, {}))
        if name in KEYS:
            inner.check_keys(KEYS[name])
        return inner

    def get(self, key: str, kind: type, default: Any) -> Any:
        """Return a value of the given kind; whole numbers are accepted as numbers."""
        if key not in self.values:
            return default
        value = self.values[key]
        fits = isinstance(value, kind) or (kind is float and isinstance(value, int))
        if not fits or (isinstance(value, bool) and kind is not bool):
            raise self.wrong(key, _(_WORDS[kind]))
        return float(value) if kind is float else value

    def checked(self, setting: Param) -> Any:
        """Return the value of a declared setting that the table contains."""
        key = setting.stored
        try:
            return setting.check(self.values[key])
        except ParameterError as error:
            found = error
        if "entry" in found.context:
            where = f"[{self.name}.{key} {found.context['entry']}]"
            raise self.error(f"{where}: {found.problem}", found.hint, key)
        if isinstance(setting, MemberKey):
            self.check_member(str(self.values[key]), setting.members, key)
        within: Section = self
        if column := found.context.get("column"):
            within, key = Section(self.file, f"{self.name}.{key}", self.values[key]), str(column)
        raise within.error(
            _("{title}: '{key}' cannot be {value}.").format(
                title=within.title, key=key, value=_shown(within.values[key])
            ),
            found.hint,
            key,
        )

    def count(self, key: str, default: int) -> int:
        """Return a whole number of at least 0."""
        value: int = self.get(key, int, default)
        if value < 0:
            raise self.wrong(key, _("a whole number of at least 0"))
        return value

    def texts(self, key: str, default: Iterable[str] = ()) -> tuple[str, ...]:
        """Return a list of texts."""
        value = self.get(key, list, list(default))
        if not all(isinstance(entry, str) for entry in value):
            raise self.wrong(key, _("a list of texts"))
        return tuple(value)

    def one_of(self, key: str, family: str, known: Collection[str], default: str) -> str:
        """Return a known word; refuse others with the nearest known one."""
        word: str = self.get(key, str, default)
        self.check_word(word, family, known, key)
        return word

    def check_word(self, word: str, family: str, known: Collection[str], key: str) -> None:
        """Refuse a word that is not among the known ones of its family."""
        if word in known:
            return
        problem = _("{title}: unknown {family} '{word}'.").format(
            title=self.title, family=_(family), word=word
        )
        raise self.error(problem, nearest(word, known), key)

    def check_member(self, word: str, registry: Registry[Any], key: str) -> None:
        """Refuse a member that the program does not have: a typing error, or one of a missing plug-in."""
        if word in registry:
            return
        if registry.is_typo(word) or not registry.group:
            self.check_word(word, registry.family, registry, key)
        raise self.lacking([(KINDS[registry.group], word)], registry.hint_for(word), key)

    def lacking(self, members: Sequence[tuple[str, str]], hint: str, key: str = "") -> RecipeError:
        """Return the error for members that the program does not have, each a kind and a key."""
        listed = ", ".join(
            _("the {kind} '{key}'").format(kind=_(kind), key=member) for kind, member in members
        )
        problem = _("This recipe needs {members}, which this program does not have.").format(members=listed)
        return RecipeError(problem, hint=hint, file=self.file, key=key, lacking=listed)

    def wrong(self, key: str, rule: str) -> RecipeError:
        """Return the error for a value of the wrong kind."""
        return self.error(
            _("{title}: '{key}' cannot be {value}.").format(
                title=self.title, key=key, value=_shown(self.values[key])
            ),
            _("It must be {rule}.").format(rule=rule),
            key,
        )

    def error(self, problem: str, hint: str = "", key: str = "") -> RecipeError:
        """Return an error that names the file."""
        return RecipeError(f"'{self.file}': {problem}", hint=hint, file=self.file, key=key)


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return _("a table of keys")
    return f'"{value}"' if isinstance(value, str) else str(value)


def check_column(recipe: Section, column: str, table: Table, where: str) -> None:
    """Refuse a column that the table does not have, with the nearest one."""
    if column not in table.names:
        raise recipe.error(
            _("{where}: the table has no column '{column}'.").format(where=where, column=column),
            nearest(column, table.names),
            column,
        )
