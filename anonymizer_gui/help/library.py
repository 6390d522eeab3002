"""Help pages: read from files, or generated from declarations of models, metrics and analyses."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import engine
from anonymizer_gui.help.reference import commands_page, recipe_page
from engine.cached import cached_property
from engine.params import describe
from engine.privacy.base import Monotonic, PrivacyModel
from engine.registry import Registry
from engine.shipped import resources_path
from engine.words import N_, _


@dataclass(frozen=True)
class _Family:
    title: str
    about: str
    module: str
    registry: str
    shows: str  # action that opens the place of the members in the window
    package: str = ""  # package of the member modules, if not that of `module`


_FAMILIES: Mapping[str, _Family] = {
    "members-models": _Family(
        N_("Privacy models"),
        N_(
            "Conditions that a release must meet. Add them in *Configure transformation*.\n\n"
            "In formulas, E is a class of kept records, E(C) a class by the columns C, |E| its number of "
            "records, N(E) its people in the population, L(E) its loss; q(v) and p(v) are the shares of a "
            "value v in E and in the table, D is their distance; r(1), r(2), … are the counts of values in "
            "E, the largest first. R is a release of the table T; T′ has one record more or less. Sums are "
            "over all classes, all else holds for every class and value. [x] is 1 if x holds, else 0."
        ),
        "engine.privacy.base",
        "privacy_models",
        "configure",
    ),
    "members-metrics": _Family(
        N_("Utility metrics"),
        N_("Measures that compare nodes; a smaller value is better."),
        "engine.utility.base",
        "utility_metrics",
        "configure",
    ),
    "members-builders": _Family(
        N_("Hierarchy builders"),
        N_("Rules that build the hierarchy of a column."),
        "engine.hierarchies.builders.base",
        "builders",
        "configure",
    ),
    "members-algorithms": _Family(
        N_("Search algorithms"),
        N_("Searches for a node that satisfies the requirement, under *Run > Search with an algorithm*."),
        "engine.search.base",
        "search_algorithms",
        "search_with",
    ),
    "members-recoding": _Family(
        N_("Recoding methods"),
        N_("Methods for a more precise release, under *Run > Improve this release*."),
        "engine.recoding.base",
        "recoding_methods",
        "improve",
    ),
    "members-utility": _Family(
        N_("Analyses of utility"),
        N_("Cards of *Analyze utility*: what the release is still good for."),
        "engine.findings.base",
        "utility_analyses",
        "utility",
        "engine.findings.utility",
    ),
    "members-risk": _Family(
        N_("Analyses of risk"),
        N_("Cards of *Analyze risk*: what an attacker could still learn."),
        "engine.findings.base",
        "risk_analyses",
        "risk",
        "engine.findings.risk",
    ),
}
MEMBER_PAGES = tuple(_FAMILIES)
REFERENCES = {"reference-commands": commands_page, "reference-recipe": recipe_page}
GENERATED = (*MEMBER_PAGES, *REFERENCES)


def family_of(name: str) -> Mapping[str, type[Any]]:
    """Return the members of a page by key, sorted by title."""
    family = _FAMILIES[name]
    members: Registry[Any] = getattr(importlib.import_module(family.module), family.registry)
    return dict(sorted(members.items(), key=lambda entry: entry[1].title.casefold()))


def member_link(kind: type[Any]) -> str | None:
    """Return the link to the paragraph of a member, or None for a class outside the families."""
    for page, family in _FAMILIES.items():
        package = family.package or family.module.rpartition(".")[0]
        if kind.__module__.startswith(f"{package}."):
            return f"{page}.md#{anchor_of(kind.title)}"
    return None


def anchor_of(heading: str) -> str:
    """Return the anchor of a heading: lower case, with hyphens."""
    return re.sub(r"[^\w]+", "-", heading.casefold()).strip("-")


def member_page(name: str) -> str:
    """Return the page of a family in Markdown, one section per member."""
    family = _FAMILIES[name]
    sections = (_section(kind) for kind in family_of(name).values())
    shown = "[" + _("Show me") + f"](show:{family.shows})"
    about, *letters = _(family.about).split("\n\n")
    return "\n\n".join([f"# {_(family.title)}", f"{about} {shown}", *letters, *sections])


def generated_page(name: str) -> str:
    """Return a page in Markdown that is made of declarations."""
    return REFERENCES[name]() if name in REFERENCES else member_page(name)


def _section(kind: type[Any]) -> str:
    said = getattr(kind, "summary", "") or _sentence(getattr(kind, "meaning", ""))
    more = [getattr(kind, field, "") for field in ("reading", "promise", "weakness")]
    parts = [f"## {kind.title}", said, *filter(None, more)]
    if issubclass(kind, PrivacyModel):
        parts += _of_model(kind)
    settings = [
        f"- **{descriptor.label or descriptor.name}** (`{descriptor.name}`)"
        + (f": {descriptor.help}" if descriptor.help else "")
        for descriptor in describe(kind)
    ]
    if settings:
        parts.append(_("Settings:") + "\n\n" + "\n".join(settings))
    if source := getattr(kind, "source", ""):
        parts.append(_("Source: {source}").format(source=source))
    place = "engine" if kind.__name__ in engine.__all__ else kind.__module__
    parts.append(_("Key: `{key}`. Class: `{name}`.").format(key=kind.key, name=f"{place}.{kind.__name__}"))
    return "\n\n".join(parts)


_CARRIES = {
    Monotonic.ALWAYS: N_("Monotone: if a node meets it, all more general nodes do."),
    Monotonic.WITHOUT_SUPPRESSION: N_("Monotone without suppression only."),
    Monotonic.NEVER: N_("Not monotone: a more general node may fail it."),
}


def _of_model(kind: type[PrivacyModel]) -> list[str]:
    """Return the formula of a model, what it protects from, and whether it is monotone."""
    formula = kind.formula or f"{kind.symbol} {kind.relation.value} {kind.threshold_name}"
    return [
        _("Formula: {formula}").format(formula=f"`{formula}`"),
        _("Protects against {attacks}.").format(attacks=", ".join(attack.title for attack in kind.protects)),
        _(_CARRIES.get(kind.monotonic, N_("Whether it is monotone depends on its settings."))),
    ]


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}." if text else ""


CONTENTS, GLOSSARY, NEWS = "index", "glossary", "CHANGELOG"
PICTURES = "pictures"
MOST_FOUND = 40
EXCERPT = 160  # characters of an excerpt
_HEADING = re.compile(r"^(#{1,3}) +(.+?) *#*$")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
SHOW_ME = re.compile(r" ?\[[^\]]*\]\(show:\w+\)")  # link that opens a part of the window
_NEXT_SENTENCE = re.compile(r"(?<=[.!?؟])\s+(?=[^\W\d_a-zß-öø-ÿ]|[„“«\[])")  # begins with no small letter
_WIDE_TABLE = re.compile(r"(?:^\|(?:[^|\n]+\|){4,} *\n?){3,}", re.MULTILINE)
NARROW = 60  # characters of a row that fit beside each other
_MARKS = re.compile(r"^[|: -]+$|`(\*)`|[`*|]+", re.MULTILINE)  # rules of tables, and marks but of a star


@dataclass(frozen=True)
class Section:
    """Heading of a page and the text up to the next heading."""

    page: str
    heading: str
    text: str

    @property
    def link(self) -> str:
        """Link to the section."""
        return f"{self.page}.md#{anchor_of(self.heading)}"


@dataclass(frozen=True)
class Page:
    """Help page in Markdown."""

    name: str
    text: str

    @property
    def title(self) -> str:
        """Text of the first heading."""
        return self.sections[0].heading

    @cached_property
    def sections(self) -> tuple[Section, ...]:
        """Sections of the page, the one of the title first."""
        found: list[tuple[str, list[str]]] = []
        is_code = False
        for line in self.text.splitlines():
            is_code ^= line.startswith("```")
            heading = None if is_code else _HEADING.match(line)
            if heading is not None:
                found.append((plain(heading[2]), []))
            elif found:
                found[-1][1].append(line)
        return tuple(Section(self.name, heading, "\n".join(lines).strip()) for heading, lines in found)


class HelpLibrary:
    """All pages by name; a page in the user's language is preferred to the English one."""

    def __init__(self, language: str = "en", folder: Path | None = None) -> None:
        self._folder = resources_path() / "help" if folder is None else folder
        self._own = self._folder / language
        self._pages: dict[str, Page] = {}

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the pages, contents first, and of those from files the news last."""
        files = sorted(
            (path.stem for path in self._folder.glob("*.md")), key=lambda name: (name == NEWS, name)
        )
        return (CONTENTS, *(name for name in files if name != CONTENTS), *GENERATED)

    def page(self, name: str) -> Page:
        """Return a page by its name.

        Raises
        ------
        KeyError
            If there is no such page.
        """
        if name not in self.names:
            raise KeyError(name)
        if name not in self._pages:
            self._pages[name] = Page(name, generated_page(name) if name in GENERATED else self._read(name))
        return self._pages[name]

    def picture(self, name: str) -> Path | None:
        """Return the file of a picture by its path on a page, or None for anything else."""
        path = self._folder / PICTURES / Path(name).name
        return path if name == f"{PICTURES}/{path.name}" and path.is_file() else None

    def search(self, words: str) -> list[Section]:
        """Return the sections that contain all words, those with the words in a heading first."""
        needles = words.casefold().split()
        found: list[tuple[int, int, Section]] = []
        for section in self._sections() if needles else ():
            heading, text = section.heading.casefold(), plain(section.text).casefold()
            title = self.page(section.page).title.casefold()
            if all(needle in heading or needle in text or needle in title for needle in needles):
                rank = sum(2 * (needle not in heading) + (needle not in title) for needle in needles)
                rank += 4 * len(needles) * (section.page in REFERENCES)  # the pages that explain come first
                found.append((rank, len(found), section))
        return [section for *_, section in sorted(found, key=lambda entry: entry[:2])[:MOST_FOUND]]

    @cached_property
    def terms(self) -> Mapping[str, str]:
        """Glossary terms in lower case, each with the first sentence of its definition."""
        return {
            section.heading.casefold(): first_sentence(plain(section.text))
            for section in self.page(GLOSSARY).sections[1:]
        }

    def _sections(self) -> Iterator[Section]:
        for name in self.names:
            yield from self.page(name).sections

    def _read(self, name: str) -> str:
        own = self._own / f"{name}.md"
        return (own if own.is_file() else self._folder / f"{name}.md").read_text(encoding="utf-8")


def plain(markdown: str) -> str:
    """Return the text of a piece of Markdown without markup."""
    return " ".join(_MARKS.sub(r"\1", _LINK.sub(r"\1", SHOW_ME.sub("", markdown))).split())


def first_sentence(text: str) -> str:
    """Return a text up to its first full stop that ends a sentence."""
    return _NEXT_SENTENCE.split(text, maxsplit=1)[0]


def in_narrow_room(markdown: str) -> str:
    """Return a page whose wide tables are lists: the first cell of a row, then the others with titles."""
    return _WIDE_TABLE.sub(lambda table: _as_list(table[0]), markdown)


def _as_list(table: str) -> str:
    lines = [re.split(r"(?<!\\)\|", line.strip()[1:-1]) for line in table.splitlines()]
    titles, _rule, *rows = ([cell.strip() for cell in line] for line in lines)
    if max(len("".join(row)) for row in rows) <= NARROW:
        return table
    pairs = ((row[0], list(zip(titles, row, strict=True))[1:]) for row in rows)
    lists = (
        ["**" + first + "**\n", *(f"- {t}: {cell}" for t, cell in rest if cell)] for first, rest in pairs
    )
    return "\n\n".join(map("\n".join, lists)) + "\n"


def excerpt_of(section: Section, words: str) -> str:
    """Return the part of a section around the first of the words."""
    text = plain(section.text)
    places = [place for needle in words.casefold().split() if (place := text.casefold().find(needle)) >= 0]
    start = max(min(places, default=0) - EXCERPT // 3, 0)
    end = start + EXCERPT
    return ("…" if start else "") + text[start:end].strip() + ("…" if end < len(text) else "")
