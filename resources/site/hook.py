"""What the documentation site adds to the help pages: members, reference, interface, navigation, look."""

from __future__ import annotations

import ast
import importlib
import re
import textwrap
import tomllib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from griffe import ExprCall, ExprName, Extension, Function, GriffeLoader
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from anonymizer_gui.help.library import CONTENTS, GENERATED, SHOW_ME, HelpLibrary, anchor_of, generated_page

ROOT = Path(__file__).parents[2]
_HEADING = re.compile(r"^(###?) (.+)")
_WAYS = ("Window", "Command", "Python")  # headings of help pages that are tabs here
_PICTURE = "\n".join(
    f"![The lattice of all nodes](pictures/explore-{name}.png#only-{name}){{ .picture }}"
    for name in ("light", "dark")
)
_LOOK = {  # variables of the theme, and the tokens of the window
    "accent-fg-color": "accent_hover",
    "typeset-a-color": "accent_text",
    "default-fg-color": "text",
    "default-bg-color": "surface",
    "code-bg-color": "surface_2",
}
_SCHEMES = {  # with the colours of the head
    "default": _LOOK | {"primary-fg-color": "accent", "primary-bg-color": "on_accent"},
    "slate": _LOOK | {"primary-fg-color": "sunken", "primary-bg-color": "text"},
}
_LINK = re.compile(r"\]\(([\w-]+\.md)\)")
_INTERFACE = "Python interface"
_PAGES = {
    "api-frames": (
        "Releases of DataFrames",
        "engine.anonymize",
        "engine.Released",
        "engine.findings.plot.Plot",
        "engine.apply",
        "engine.verify",
        "engine.python.verified.Verification",
        "engine.KAnonymizer",
        "engine.LevelTransformer",
        "engine.suggest_hierarchies",
    ),
    "api-measuring": (
        "Measuring a table",
        "engine.check",
        "engine.findings.CheckReport",
        "engine.findings.measure_utility",
        "engine.findings.UtilityReport",
        "engine.risk",
        "engine.findings.RiskReport",
        "engine.findings.assess_survey",
        "engine.findings.SurveyRisk",
        "engine.findings.assess_special_uniques",
        "engine.findings.SpecialUniques",
        "engine.findings.assess_wildcards",
        "engine.findings.WildcardRisk",
        "engine.findings.attack_statistics",
        "engine.findings.AttackStatistics",
        "engine.detect",
        "engine.findings.Detection",
        "engine.suggest_roles",
        "engine.qi_detection.suggest.RoleSuggestion",
        "engine.singletons",
        "engine.recoding.singleton_variants.SingletonStudy",
    ),
    "api-tables": (
        "Tables, filters and hierarchies",
        "engine.records.opening.files.read_table",
        "engine.records.Table",
        "engine.records.Column",
        "engine.records.ReadOptions",
        "engine.records.opening.data_frames.as_table",
        "engine.records.filtering.records_where",
        "engine.Hierarchy",
        "engine.hierarchies.read_hierarchy",
        "engine.hierarchies.write_hierarchy",
    ),
    "api-projects": (
        "Projects and releases",
        "engine.project.recipe.files.read_recipe",
        "engine.project.recipe.files.write_recipe",
        "engine.pipeline.anonymize",
        "engine.pipeline.Outcome",
        "engine.pipeline.export_release",
        "engine.project.Project",
        "engine.project.AttributeHierarchy",
        "engine.Population",
        "engine.Subset",
        "engine.project.SearchSettings",
        "engine.project.Transformation",
        "engine.privacy.Requirement",
    ),
    "api-edits": ("Changes of a project", "engine.project.edits"),
    "api-compat": (
        "Values of other libraries",
        "engine.compat.check",
        "engine.compat.measure_utility",
    ),
    "api-errors": ("Errors and progress", "engine.errors", "engine.monitor.Monitor"),
}


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Set the version, the anchors of the help panel, and a navigation in the order of the contents page."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    config.site_name += f" {project['version']}"
    config.copyright = f"{project['name']} {project['version']}, Apache-2.0"
    config.mdx_configs["toc"] = {"slugify": lambda heading, _separator: anchor_of(heading), "permalink": True}
    tabs = {"alternate_style": True, "slugify": lambda heading, _separator: anchor_of(heading)}
    config.markdown_extensions.append("pymdownx.tabbed")
    config.mdx_configs["pymdownx.tabbed"] = tabs
    config.nav = [{"Overview": f"{CONTENTS}.md"}, *_navigation(HelpLibrary().page(CONTENTS).text)]
    return config


def _navigation(contents: str) -> list[dict[str, Any]]:
    """Return a tab per heading of the contents page, with its pages in sections as in its subheadings."""
    seen: set[str] = set()
    tabs: list[dict[str, Any]] = []
    group: list[Any] = []
    for line in contents.splitlines():
        if heading := _HEADING.match(line):
            entry: dict[str, Any] = {heading[2]: []}
            (tabs if heading[1] == "##" else tabs[-1][next(iter(tabs[-1]))]).append(entry)
            group = entry[heading[2]]
        for page in _LINK.findall(line) if tabs else ():
            if page not in seen:
                seen.add(page)
                group.append(page)
    python = next(tab for tab in tabs if "Python" in tab)
    python["Python"].append({_INTERFACE: [f"{name}.md" for name in _PAGES]})
    return tabs


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages of members, the reference and the Python interface, and the files of the look."""
    written = {name: generated_page(name) for name in GENERATED}
    written |= {name: _interface_page(*page) for name, page in _PAGES.items()}
    for name, text in written.items():
        files.append(File.generated(config, f"{name}.md", content=text))
    icon = ROOT / "resources/icons/program/anonymizer.svg"
    fonts = (ROOT / "resources/fonts").glob("*.woff2")
    for path in (icon, *fonts, *Path(__file__).with_name("files").iterdir()):
        files.append(File.generated(config, f"site/{path.name}", abs_src_path=str(path)))
    files.append(File.generated(config, "site/colours.css", content=_colours()))
    return files


def _colours() -> str:
    """Return the colours of the light and the dark theme of the window, as those of the site."""
    source = (ROOT / "anonymizer_gui/theming/tokens.py").read_text(encoding="utf-8")  # without importing Qt
    tokens = dict(re.findall(r'^    "(\w+)": \(("#\w+", "#\w+")', source, re.MULTILINE))
    schemes = []
    for place, (scheme, names) in enumerate(_SCHEMES.items()):
        values = {name: ast.literal_eval(tokens[token])[place] for name, token in names.items()}
        lines = "".join(f"  --md-{name}: {colour};\n" for name, colour in values.items())
        schemes.append(f"[data-md-color-scheme={scheme}] {{\n{lines}}}\n")
    return "".join(schemes)


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, **_: object) -> str:
    """Remove the links that only the program can follow, and show cards and tabs."""
    markdown = SHOW_ME.sub("", markdown)
    if page.file.src_uri != f"{CONTENTS}.md":
        return _tabs(markdown)
    page.meta["hide"] = ["navigation", "toc"]
    title, first, others = markdown.split("\n## ", 2)
    title = title.replace("# Help", f"# {config.site_name} {{ #help }}")
    return _cards(f"{title}\n## {first}{_PICTURE}\n\n## {others}")


def _cards(markdown: str) -> str:
    """Put each list of the contents page, with the heading above it, on a card."""
    card = re.compile(r"(?:^### .*\n\n)?(?:^- .*\n?)+", re.MULTILINE)
    markdown = card.sub(lambda found: _as_item(found[0]), markdown)
    grid = re.compile(r"(?:^-   .*\n(?:(?:    .*)?\n)*)+", re.MULTILINE)
    return grid.sub(lambda found: f'<div class="grid cards" markdown>\n\n{found[0]}\n</div>\n\n', markdown)


def _as_item(text: str) -> str:
    return "-" + textwrap.indent(text, "    ")[1:] + "\n"


def _tabs(markdown: str) -> str:
    """Show sections named after the ways to use the program as tabs."""
    lines: list[str] = []
    is_code = is_tab = False
    for line in markdown.splitlines():
        is_code ^= line.startswith("```")
        if not is_code and (heading := _HEADING.match(line)):
            is_tab = heading[2] in _WAYS
            line = f'=== "{heading[2]}"' if is_tab else line
            lines.append(line)
        else:
            lines.append(f"    {line}" if is_tab and line else line)
    text = "\n".join(lines)
    return re.sub(r"^( *)```python\n(?= *>>>)", r"\1```pycon\n", text, flags=re.MULTILINE)


class ShownDefaults(Extension):
    """Shows the values of defaults that signatures name by a constant, or mark for translation."""

    def on_function(self, *, func: Function, loader: GriffeLoader, **_: object) -> None:
        """Replace names of constants by what they are."""
        for parameter in func.parameters:
            name = parameter.default
            if isinstance(name, ExprName) and name.name.isupper():
                with suppress(KeyError):
                    parameter.default = loader.modules_collection[name.canonical_path].value
            elif isinstance(name, ExprCall) and str(name.function) == "N_":
                parameter.default = name.arguments[0]


def _interface_page(title: str, *names: str) -> str:
    return "\n\n".join([f"# {title}", *_directives(names)])


def _directives(names: tuple[str, ...]) -> Iterator[str]:
    """Write a directive of mkdocstrings for each name, which finds it in the module that defines it."""
    for name in names:
        package, _, member = name.rpartition(".")
        found = getattr(importlib.import_module(package), member)
        defined = f"{found.__module__}.{found.__qualname__}" if hasattr(found, "__module__") else name
        yield f"::: {defined}\n    options:\n      heading: {name}\n      toc_label: {member}"
